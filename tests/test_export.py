"""The same rows as a download: read back by what reads such files, whatever is in a cell."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from providers.browse.export import FORMATS, Table, export_response
from providers.browse.spreadsheet import unguarded
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Origin
from tests.factories import NOW, make_claim, make_gpu, make_listing, make_offering, make_provider

MADE = datetime(2026, 11, 30, 12, 0, 5, 250_000, tzinfo=UTC)
HOSTILE = [
    "=HYPERLINK(1)",
    "+1",
    "-2",
    "@SUM(A1)",
    'He said "no", twice',
    "two\nlines",
    "a|b\\c",
    "Bulut Işık, ক্লাউড, سحابة",
    "<b>bold</b>",
    "tab\there",
]


def download(records: Iterable[tuple[Any, ...]], wanted: str) -> str:
    """What a download of one text column and one other holds."""
    table = Table("offerings", ("text", "other"), records)
    response = export_response(table, wanted, "https://site.example/?q=a", MADE)
    return response.getvalue().decode()


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


# --- Cells -------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
# Texts of what such files break on, more often than chance makes them.
HOSTILE_TEXT = st.text(st.sampled_from("=+-@;\t\r\n\"' ,|＝a1"))


@given(st.lists(ANY_TEXT | HOSTILE_TEXT, max_size=5))
def test_every_text_comes_back_from_csv(texts: list[str]) -> None:
    found = read_csv(download([(text, None) for text in texts], "csv"))
    assert [unguarded(row["text"]) for row in found] == texts
    assert {row["licence"] for row in found} <= {"CC-BY-4.0"}
    assert not any(row["text"][:1] in ("=", "+", "-", "@", "\t", "\r") for row in found)


@given(st.lists(st.text(), max_size=5))
def test_every_text_comes_back_from_json(texts: list[str]) -> None:
    records = [(text.encode("utf-8", "replace").decode(), None) for text in texts]
    rows = json.loads(download(records, "json"))["rows"]
    assert [(row["text"], row["other"]) for row in rows] == records


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=5))
def test_no_text_breaks_a_markdown_table(texts: list[str]) -> None:
    head, rule, *rows, blank, source = download([(t, None) for t in texts], "md").splitlines()
    assert (head, rule, blank) == ("| text | other |", "| --- | --- |", "")
    assert source == (
        "https://site.example/?q=a (2026-11-30T12:00:05Z), "
        "CC-BY-4.0: https://site.example/data-licence.md"
    )
    assert len(rows) == len(texts)
    for row in rows:
        # Bars that are not escaped: those of the table itself.
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3


@pytest.mark.parametrize(
    ("value", "flat", "plain"),
    [
        (None, "", None),
        (["ghcr.io", "nvcr.io"], "ghcr.io nvcr.io", ["ghcr.io", "nvcr.io"]),
        ([], "", []),
        (True, "yes", True),
        (8, "8", 8),
        (Decimal("2E+1"), "20", "20"),
        (Decimal("0.00001"), "0.00001", "0.00001"),
    ],
)
def test_each_kind_of_value_in_each_format(value: Any, flat: str, plain: Any) -> None:
    records = [("x", value)]
    assert read_csv(download(records, "csv"))[0]["other"] == flat
    assert download(records, "md").splitlines()[2] == f"| x | {flat} |"
    assert json.loads(download(records, "json"))["rows"] == [{"text": "x", "other": plain}]


def test_json_says_where_it_is_from_and_when_it_was_made() -> None:
    about = json.loads(download([], "json"))
    assert about == {
        "meta": {
            "source": "https://site.example/?q=a",
            "made_at": "2026-11-30T12:00:05Z",
            "licence": "CC-BY-4.0",
            "licence_url": "https://site.example/data-licence.md",
        },
        "rows": [],
    }


@pytest.mark.parametrize("wanted", FORMATS)
def test_rows_are_written_as_they_are_read(wanted: str) -> None:
    def endless() -> Iterable[tuple[Any, ...]]:
        while True:
            yield ("row", None)

    response = export_response(Table("t", ("text", "other"), endless()), wanted, "/", MADE)
    parts = iter(response)
    assert b"row" in b"".join(next(parts) for _ in range(3))


# --- Of the browse page ------------------------------------------------------------------


@pytest.fixture
def offerings(db: None) -> None:
    pods = make_offering(
        "pods",
        make_provider("acme", name="=Acme"),
        name='Pods, "secure"',
        docker_daemon="root",
        registries=["any"],
        spot=True,
        billing_increment_s=Decimal("60.000"),
        contradicted=["ssh"],
    )
    make_claim(pods, "docker_daemon", "root", source="https://docs.example/daemon")
    billed = date(2026, 11, 20)
    docs = "https://docs.example/billing"
    make_claim(pods, "billing_increment_s", 60, source=docs, read_on=billed)
    make_offering("unsaid", make_provider("zed"))
    make_offering("none", make_provider("nil"), docker_daemon="none")
    make_offering("ended", make_provider("old"), docker_daemon="root", status="closed")
    make_listing(pods, make_gpu("h100-sxm", "h100"), usd_per_hour=Decimal(160), gpu_count=8)


def fetched(client: Client, query: str) -> StreamingHttpResponse:
    response = client.get(f"/?{query}")
    assert isinstance(response, StreamingHttpResponse)
    return response


def rows(client: Client, query: str, wanted: str = "csv") -> list[dict[str, Any]]:
    text = fetched(client, f"{query}&format={wanted}").getvalue().decode()
    return read_csv(text) if wanted == "csv" else json.loads(text)["rows"]


@pytest.mark.usefixtures("offerings")
def test_rows_say_whether_they_match(client: Client) -> None:
    found = rows(client, "docker_daemon=root")
    assert [(row["offering"], row["match"], row["unknown"]) for row in found] == [
        ("pods", "yes", ""),
        ("unsaid", "may", "docker_daemon"),
        ("ended", "closed", ""),
    ]


@pytest.mark.usefixtures("offerings")
def test_hidden_unknowns_are_left_out(client: Client) -> None:
    found = rows(client, "docker_daemon=root&unknown=hide")
    assert [row["offering"] for row in found] == ["pods", "ended"]


@pytest.mark.usefixtures("offerings")
def test_a_record_holds_its_names_answers_and_price(client: Client) -> None:
    row = rows(client, "q=pods&columns=docker_daemon&columns=billing_increment_s")[0]
    assert row == {
        "provider": "acme",
        "offering": "pods",
        "provider_name": "'=Acme",
        "offering_name": 'Pods, "secure"',
        "status": "active",
        "match": "yes",
        "unknown": "",
        "docker_daemon": "root",
        "billing_increment_s": "60",
        "answers_sources": "https://docs.example/daemon https://docs.example/billing",
        "answers_read_on": "2026-11-01",
        "usd_per_gpu_hour": "20",
        "gpu": "H100-SXM",
        "gpu_count": "8",
        "price_is_spot": "no",
        "price_origin": "live",
        "price_seen_at": "2026-11-30T12:00:00Z",
        "url": "/providers/acme/#pods",
        "licence": "CC-BY-4.0",
    }


@pytest.mark.usefixtures("offerings")
def test_a_price_states_its_unit_in_its_name(client: Client) -> None:
    row = rows(client, "q=pods&per=instance&period=day", "json")[0]
    assert row["usd_per_instance_day"] == "3840"


@pytest.mark.usefixtures("offerings")
def test_every_column_has_a_name_of_its_own(client: Client) -> None:
    query = "&".join(f"columns={key}" for key in DIMENSIONS)
    text = fetched(client, f"{query}&format=csv").getvalue().decode()
    names = text.splitlines()[0].split(",")
    assert len(set(names)) == len(names)
    assert set(DIMENSIONS) < set(names)


@pytest.mark.usefixtures("offerings")
def test_unknown_and_contradicted_are_told_apart(client: Client) -> None:
    columns = "columns=ssh&columns=jupyter&columns=registries&columns=spot"
    row = rows(client, f"q=pods&{columns}", "json")[0]
    assert (row["ssh"], row["jupyter"], row["registries"]) == ("contradicted", None, ["any"])
    assert row["spot"] == "yes"


@pytest.mark.usefixtures("offerings")
def test_without_columns_asked_the_main_questions_are_told(client: Client) -> None:
    row = rows(client, "q=unsaid", "json")[0]
    assert {d.key for d in MAIN} <= set(row)
    assert row["usd_per_gpu_hour"] is None


@pytest.mark.django_db
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_in_their_cells(client: Client, name: str) -> None:
    make_offering("pods", make_provider("acme", name=name), name=name)
    (row,) = rows(client, "")
    assert (unguarded(row["provider_name"]), unguarded(row["offering_name"])) == (name, name)
    (plain,) = rows(client, "", "json")
    assert plain["provider_name"] == name
    table = fetched(client, "format=md").getvalue().decode().splitlines()
    assert len(table) == 5


@pytest.mark.usefixtures("offerings")
@pytest.mark.parametrize(("wanted", "kind"), [(f, kind) for f, (kind, _w) in FORMATS.items()])
def test_a_download_says_what_it_is(client: Client, wanted: str, kind: str) -> None:
    response = fetched(client, f"format={wanted}")
    assert response["Content-Type"] == f"{kind}; charset=utf-8"
    named = rf'inline; filename="offerings-\d{{4}}-\d\d-\d\d\.{wanted}"'
    assert re.fullmatch(named, response["Content-Disposition"])
    assert response["Link"] == '<http://testserver/data-licence.md>; rel="license"'
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.usefixtures("offerings")
def test_a_download_holds_all_pages(client: Client) -> None:
    assert len(rows(client, "page=7")) == len(rows(client, "")) == 4


@pytest.mark.usefixtures("offerings")
def test_a_format_that_does_not_exist_is_named_and_the_page_works(client: Client) -> None:
    page = client.get("/?format=xls").content.decode()
    assert "ignored: format=xls; allowed: csv, json, md" in page


@pytest.mark.usefixtures("offerings")
def test_the_snapshots_day_is_told(client: Client) -> None:
    pods = make_offering("dated", make_provider("dated"))
    make_listing(pods, usd_per_hour=Decimal(1), origin=Origin.SNAPSHOT, seen_at=NOW)
    (row,) = rows(client, "provider=dated")
    assert row["answers_read_on"] == row["answers_sources"] == ""
    assert (row["price_origin"], row["price_seen_at"]) == ("snapshot", "2026-11-30T12:00:00Z")

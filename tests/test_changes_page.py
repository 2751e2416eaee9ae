"""The page of changes, and its downloads."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.test import Client, override_settings

from providers.changes.catalog import CONTRADICTED
from providers.changes.page import PAGE_SIZE
from providers.changes.present import Presenter, answer_side
from providers.changes.words import percent_text
from providers.models import Change, Gpu, Offering, What, Why
from tests.changing import make_answer, make_change, make_price, selection
from tests.factories import NOW, make_gpu, make_offering, make_provider
from tests.links import Links
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"), docker_daemon="root")


@pytest.fixture
def sxm() -> Gpu:
    return make_gpu("h100-sxm", "h100", name="H100 SXM")


def entry(change: Change, query: str = "") -> Any:
    return Presenter(selection(query)).entry(change)


def html(client: Client, address: str = "/changes/") -> str:
    response = client.get(address)
    assert response.status_code == 200
    return str(response.content.decode())


def rows(client: Client, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"/changes/?format=csv{query}")
    return list(csv.DictReader(StringIO(response.getvalue().decode())))


# --- In words --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "answer", "state", "text"),
    [
        ("docker_daemon", "root", "yes", "Root"),
        ("docker_daemon", None, "unknown", "Unknown"),
        ("docker_daemon", CONTRADICTED, "contradicted", "Contradicted"),
        ("spot", False, "no", "No"),
        ("registries", ["any"], "fact", "Any registry"),
        ("docker_daemon", "left-the-program", "fact", "left-the-program"),
        ("registries", "once a text", "fact", "once a text"),
    ],
)
def test_a_side_has_the_mark_and_the_words_of_its_answer(
    key: str, answer: Any, state: str, text: str
) -> None:
    side = answer_side(key, answer)
    assert (side.state, str(side.text)) == (state, text)


@pytest.mark.parametrize(
    ("ratio", "text"), [("-0.337", "−34 %"), ("0.05", "+5.0 %"), ("2", "+200 %"), ("0", "+0.0 %")]
)
def test_a_step_is_told_in_percent(ratio: str, text: str) -> None:
    assert percent_text(Decimal(ratio)).replace("\u00a0", " ") == text


def test_a_price_is_told_from_the_one_last_told(pods: Offering, sxm: Gpu) -> None:
    change = make_price(pods, sxm, "1.95", "1.88", usd_told=Decimal(2))
    told = entry(change)
    assert (told.before.text, told.after.text) == ("$2.00 / GPU / hour", "$1.88 / GPU / hour")
    assert told.moved.replace("\u00a0", " ") == "−6.0 %"


def test_under_a_limit_a_price_is_told_from_the_step_across_it(pods: Offering, sxm: Gpu) -> None:
    change = make_price(pods, sxm, "1.95", "1.88", usd_told=Decimal(2))
    told = entry(change, "max_price=1.9")
    assert told.before.text == "$1.95 / GPU / hour"
    assert (told.moved, told.effect) == ("", "starts")


def test_prices_are_told_in_the_asked_period(pods: Offering, sxm: Gpu) -> None:
    assert entry(make_price(pods, sxm, 2, 1), "period=day").after.text == "$24.00 / GPU / day"


@pytest.mark.parametrize(
    ("what", "before", "after"),
    [
        (What.LISTED, "not listed", "$2.00 / GPU / hour"),
        (What.WITHDRAWN, "$2.00 / GPU / hour", "not listed"),
    ],
)
def test_a_gpu_that_comes_or_goes_was_or_is_not_listed(
    pods: Offering, sxm: Gpu, what: What, before: str, after: str
) -> None:
    prices = (None, 2) if what == What.LISTED else (2, None)
    told = entry(make_price(pods, sxm, prices[0], prices[1], what))
    assert (told.before.text, told.after.text) == (before, after)


def test_a_price_that_is_not_told_any_more_is_unknown(pods: Offering, sxm: Gpu) -> None:
    assert entry(make_price(pods, sxm, 2, None)).after.state == "unknown"


def test_stock_has_marks(pods: Offering, sxm: Gpu) -> None:
    told = entry(make_price(pods, sxm, 2, 2, What.STOCK, before=True, after=False))
    assert [(s.state, s.text) for s in (told.before, told.after)] == [
        ("yes", "In stock"),
        ("no", "Out of stock"),
    ]


def test_a_new_offering_was_not_in_the_catalog(pods: Offering) -> None:
    told = entry(make_change(What.STATUS, pods, before=None, after="active"))
    assert told.title == "Acme Pods: Status: not in the catalog → Active"


def test_a_change_says_why(pods: Offering, sxm: Gpu) -> None:
    refresh = entry(make_price(pods, sxm, 2, 1, source="vast"))
    assert (refresh.why, refresh.why_url) == ("Refresh of vast", "/status/#vast")
    desk = entry(make_answer(pods, None, "root", why=Why.DESK))
    assert (str(desk.why), desk.why_url) == ("Curator", "")


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [("none", "root", "starts"), ("root", "none", "stops"), ("root", "root", "")],
)
def test_an_answer_that_is_asked_for_says_what_it_turns(
    pods: Offering, before: str, after: str, effect: str
) -> None:
    assert entry(make_answer(pods, before, after), "docker_daemon=root").effect == effect
    assert entry(make_answer(pods, before, after), "provider=acme").effect == ""


def test_a_provider_without_offerings_is_told_too(client: Client) -> None:
    gone = make_provider("gone", name="Gone")
    make_change(What.STATUS, None, provider=gone, before="active", after="closed")
    assert "Gone" in html(client)
    assert rows(client)[0]["provider"] == "gone"


def test_a_question_that_is_asked_no_more_is_left_out(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "x", "question_of_an_older_version")
    assert "question_of_an_older_version" not in html(client)
    assert rows(client) == []


def test_what_came_while_a_page_was_made_is_for_the_next_page(pods: Offering, sxm: Gpu) -> None:
    known = Presenter(selection())
    late = make_offering("late", pods.provider)
    changes = [make_answer(late, None, "root"), make_price(pods, make_gpu("b200"), 2, 1)]
    assert known.entries([*changes, make_price(pods, sxm, 2, 1)])[0].offering == "Pods"
    assert len(known.entries(changes)) == 0


# --- The page --------------------------------------------------------------------------------


def test_changes_stand_newest_first_under_their_days(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "root", at=NOW - timedelta(days=1))
    make_answer(pods, "root", "none", at=NOW)
    page = html(client)
    days = [page.index(day) for day in ("Monday, 30 November 2026", "Sunday, 29 November 2026")]
    assert days == sorted(days)
    assert page.index("None</bdi>") < days[1] < page.rindex("Root</bdi>")


def test_before_and_after_bear_marks_and_words(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "root", source_url="https://docs.example/x")
    page = html(client)
    assert '<span class="mark unknown"><bdi>Unknown</bdi></span>' in page
    assert '<span class="mark yes"><bdi>Root</bdi></span>' in page
    assert 'href="https://docs.example/x" rel="noopener nofollow">docs.example</a>' in page
    assert 'href="/providers/acme/pods/docker_daemon/"' in page


def test_filters_are_chips_and_can_be_cleared(client: Client, pods: Offering, sxm: Gpu) -> None:
    page = html(client, "/changes/?gpu=h100-sxm&docker_daemon=root&max_price=2")
    names = {link.name: link.href for link in Links(page).found}
    assert names["Remove:Docker daemonRoot"] == "/changes/?gpu=h100-sxm&max_price=2"
    assert names["Clear all"] == "/changes/"
    assert '<option value="h100-sxm" selected>H100 SXM</option>' in page
    assert '<input type="hidden" name="docker_daemon" value="root">' in page


def test_what_is_not_understood_is_said(client: Client) -> None:
    page = html(client, "/changes/?gpuu=x&freshness=fresh&format=xml&per=instance&max_price=20")
    for said in ("gpuu=x", "freshness=fresh", "format=xml", "per=instance; allowed: gpu"):
        assert said in page
    assert "Price at most" not in page


def test_nothing_yet_says_so(client: Client) -> None:
    assert "Nothing has changed yet" in html(client)
    assert "Nothing has changed under these filters yet" in html(client, "/changes/?kind=notebook")


def test_pages_go_on_behind_the_last_change(client: Client, pods: Offering) -> None:
    made = [make_answer(pods, None, "root") for _ in range(PAGE_SIZE + 3)]
    first = html(client)
    older = next(link.href for link in Links(first).found if link.name == "Older")
    second = html(client, older)
    ids = [Links(page).ids for page in (first, second)]
    assert {f"change-{c.pk}" for c in made[3:]} <= ids[0]
    assert {f"change-{c.pk}" for c in made[:3]} <= ids[1]
    assert not {f"change-{c.pk}" for c in made[:3]} & ids[0]
    assert [link.href for link in Links(second).found if link.name == "Newest"] == ["/changes/"]
    assert "Older" not in {link.name for link in Links(second).found}


def test_hostile_names_are_text(client: Client, sxm: Gpu) -> None:
    offering = make_offering("o", make_provider("p", name="<script>x</script>"), name="<b>\u202e")
    make_price(offering, sxm, 2, 1)
    make_answer(offering, "<i>", "<img src=x onerror=y>", "docker_daemon")
    page = html(client)
    assert "<script>x" not in page
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_it_is_linked_from_status_and_from_every_foot(client: Client) -> None:
    for page in ("/status/", "/gpus/"):
        assert "/changes/" in {link.href for link in Links(html(client, page)).found}


def test_it_answers_in_every_language(client: Client, pods: Offering, sxm: Gpu) -> None:
    make_price(pods, sxm, 2, 1)
    make_answer(pods, None, "root")
    for language in ("ar", "ur", "tr", "bn"):
        assert 'href="/' + language + '/feed.atom"' in html(client, f"/{language}/changes/")


def test_more_changes_cost_no_more_queries(client: Client, pods: Offering, sxm: Gpu) -> None:
    make_price(pods, sxm, 2, 1)
    few = queries_of(lambda: client.get("/changes/"))
    for n in range(30):
        offering = make_offering(f"o{n}", make_provider())
        make_price(offering, sxm, 2, 1)
        make_answer(offering, None, "root")
    assert queries_of(lambda: client.get("/changes/")) == few <= 8


# --- Downloads -------------------------------------------------------------------------------


def test_csv_spells_values_as_addresses_do(client: Client, pods: Offering, sxm: Gpu) -> None:
    make_answer(pods, True, CONTRADICTED, "spot")
    make_price(pods, sxm, 2, "1.5", source="vast")
    price, answer = rows(client)
    assert (answer["before"], answer["after"]) == ("yes", "contradicted")
    assert (answer["provider"], answer["offering"], answer["dimension"]) == ("acme", "pods", "spot")
    assert (price["gpu"], price["refreshed"], price["what"]) == ("h100-sxm", "vast", "price")
    assert Decimal(price["usd_per_gpu_hour_before"]) == 2
    assert Decimal(price["usd_per_gpu_hour_after"]) == Decimal("1.5")
    assert price["at"].endswith("Z")


def test_cells_start_no_formula(client: Client, sxm: Gpu) -> None:
    offering = make_offering("o", make_provider("p"))
    make_answer(offering, "=1+1", "@x")
    [row] = rows(client)
    assert (row["before"], row["after"]) == ("'=1+1", "'@x")


def test_a_download_holds_every_page(client: Client, pods: Offering) -> None:
    made = [make_answer(pods, None, "root") for _ in range(PAGE_SIZE * 2)]
    assert [int(row["id"]) for row in rows(client)] == [c.pk for c in reversed(made)]


def test_json_holds_the_figures_of_a_digest(client: Client) -> None:
    figures = {"first": {"answers": 5, "offerings": 2, "providers": 1}}
    make_change(What.DIGEST, None, why=Why.CATALOG, figures=figures)
    response = client.get("/changes/?format=json")
    [row] = json.loads(response.getvalue())["rows"]
    assert row["what"] == "digest"
    assert json.loads(row["digest"]) == figures


def test_a_download_has_the_criteria_of_the_page(client: Client, pods: Offering, sxm: Gpu) -> None:
    make_price(pods, sxm, 3, 1)
    make_price(pods, sxm, 3, "2.5")
    [row] = rows(client, "&gpu=h100&max_price=2")
    assert row["effect"] == "starts"


def test_markdown_is_a_table(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "root")
    text = client.get("/changes/", headers={"Accept": "text/markdown"}).getvalue().decode()
    assert "| claim | acme | pods | docker_daemon |" in text


@override_settings(CHANGES_SINGLY=1)
def test_a_digest_of_answers_says_how_many_where(pods: Offering) -> None:
    digest = make_change(
        What.DIGEST, None, why=Why.CATALOG, figures={"counts": {"claim": 12}, "offerings": 1}
    )
    assert [str(line) for line in entry(digest).lines] == ["12 answers changed", "at 1 offering"]

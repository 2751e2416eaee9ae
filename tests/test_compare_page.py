"""The compare page: what it shows, what it names as missing, what it costs."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from providers.compare.page import ComparedCell, ComparedRow, ComparePage
from providers.models import Offering
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

QUERIES = 15


@pytest.fixture
def pods() -> Offering:
    found = make_offering(
        "pods",
        make_provider("alpha"),
        custom_image="any",
        docker_daemon="none",
        persistent_volume="network",
        registries=["any"],
        contradicted=["spot"],
    )
    make_claim(found, "docker_daemon", "none", source="https://docs.alpha.example/daemon")
    make_claim(found, "custom_image", "any", source="https://docs.alpha.example/images")
    make_claim(found, "spot", True, decides=False, source="https://docs.alpha.example/spot")
    make_claim(found, "spot", False, decides=False, source="https://blog.alpha.example/spot")
    make_claim(found, "ssh", True, decides=False, source="https://old.alpha.example/ssh")
    return found


@pytest.fixture
def vms() -> Offering:
    found = make_offering(
        "vms", make_provider("beta"), custom_image="any", docker_daemon="root", ssh=True
    )
    make_claim(found, "docker_daemon", "root", read_on=date(2020, 1, 1))
    return found


BOTH = "/compare/?o=alpha/pods&o=beta/vms"


def page_of(client: Client, address: str) -> ComparePage:
    response = client.get(address)
    assert response.status_code == 200
    page: ComparePage = response.context["page"]
    return page


def row(page: ComparePage, key: str) -> ComparedRow:
    return next(row for group in page.groups for row in group.rows if row.key == key)


def standings(page: ComparePage, key: str) -> list[str]:
    return [compared.standing for compared in row(page, key).cells]


def cells(page: ComparePage, key: str) -> list[ComparedCell]:
    return list(row(page, key).cells)


def exported(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


# --- Rows --------------------------------------------------------------------------------


@pytest.mark.usefixtures("pods", "vms")
def test_answers_stand_side_by_side_with_their_marks_and_their_own_addresses(
    client: Client,
) -> None:
    pair = [compared.cell for compared in cells(page_of(client, BOTH), "docker_daemon")]
    assert [(cell.state, str(cell.text)) for cell in pair] == [("no", "None"), ("yes", "Root")]
    assert [cell.url for cell in pair] == [
        "/providers/alpha/pods/docker_daemon/",
        "/providers/beta/vms/docker_daemon/",
    ]
    assert all(client.get(cell.url).status_code == 200 for cell in pair)
    assert [cell.due for cell in pair] == [False, True]


@pytest.mark.usefixtures("pods", "vms")
def test_differences_are_marked_and_what_is_not_known_is_neither(client: Client) -> None:
    page = page_of(client, BOTH)
    assert standings(page, "docker_daemon") == ["base", "different"]
    assert standings(page, "custom_image") == ["base", "same"]
    assert standings(page, "persistent_volume") == ["base", "open"]
    assert standings(page, "spot") == ["base", "open"]
    assert [c.cell.state for c in cells(page, "spot")] == ["contradicted", "unknown"]


@pytest.mark.usefixtures("pods", "vms")
def test_differences_have_words_not_only_a_tint(client: Client) -> None:
    html = client.get(BOTH).content.decode()
    page = page_of(client, BOTH)
    assert html.count('class="sign">differs') == page.columns[1].count.total == 1
    assert html.count('class="sign">not comparable') == page.columns[1].count.open


@pytest.mark.usefixtures("pods", "vms")
def test_the_baseline_can_be_another_column(client: Client) -> None:
    page = page_of(client, BOTH)
    assert [column.is_base for column in page.columns] == [True, False]
    turned = page_of(client, page.columns[1].base_url)
    assert [column.is_base for column in turned.columns] == [False, True]
    assert standings(turned, "docker_daemon") == ["different", "base"]
    assert [column.key for column in turned.columns] == ["alpha/pods", "beta/vms"]


@pytest.mark.usefixtures("pods", "vms")
def test_the_order_of_columns_is_that_of_the_address(client: Client) -> None:
    page = page_of(client, "/compare/?o=beta/vms&o=alpha/pods")
    assert [column.key for column in page.columns] == ["beta/vms", "alpha/pods"]
    moved = page_of(client, page.columns[0].later_url)
    assert [column.key for column in moved.columns] == ["alpha/pods", "beta/vms"]
    assert [column.is_base for column in moved.columns] == [False, True]
    assert moved.columns[1].earlier_url == page.canonical_url


@pytest.mark.usefixtures("pods", "vms")
def test_equal_rows_fold_to_one_line_that_still_says_what_they_hold(client: Client) -> None:
    page = page_of(client, BOTH)
    assert page.equal == 1
    folded = page_of(client, page.fold.url)
    assert [f.label for group in folded.groups for f in group.folded] == ["Own image"]
    assert [str(f.text) for group in folded.groups for f in group.folded] == ["Any image"]
    assert "custom_image" not in {row.key for group in folded.groups for row in group.rows}
    assert "docker_daemon" in {row.key for group in folded.groups for row in group.rows}
    assert folded.fold.url == page.canonical_url


@pytest.mark.usefixtures("pods", "vms")
def test_a_column_can_be_removed(client: Client) -> None:
    page = page_of(client, BOTH)
    left = page_of(client, page.columns[0].remove_url)
    assert [column.key for column in left.columns] == ["beta/vms"]
    assert left.summary is None
    assert page_of(client, left.columns[0].remove_url).columns == ()


# --- Summary -----------------------------------------------------------------------------


@pytest.mark.usefixtures("pods", "vms")
def test_the_summary_counts_and_names_what_differs(client: Client) -> None:
    page = page_of(client, BOTH)
    assert page.sentences == (
        "Differs in 1 of 7 main questions; 5 are not known well enough to compare.",
        "Docker daemon: Alpha: None; Beta: Root.",
    )
    assert page.sentences[0] in client.get(BOTH).content.decode()


def test_the_summary_names_both_offerings_of_one_provider_in_full(client: Client) -> None:
    provider = make_provider("gamma")
    make_offering("pods", provider, docker_daemon="none")
    make_offering("vms", provider, docker_daemon="root")
    page = page_of(client, "/compare/?o=gamma/pods&o=gamma/vms")
    assert page.sentences[1] == "Docker daemon: Gamma Pods: None; Gamma Vms: Root."


def test_without_a_known_difference_the_summary_says_so(client: Client) -> None:
    for slug in ("one", "two"):
        make_offering("pods", make_provider(slug), docker_daemon="root")
    page = page_of(client, "/compare/?o=one/pods&o=two/pods")
    assert page.sentences == (
        "No known difference in the 7 main questions; 6 are not known well enough to compare.",
    )


# --- Notices -----------------------------------------------------------------------------


@pytest.mark.usefixtures("pods", "vms")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("&o=nobody/nothing", "not found: nobody/nothing"),
        ("&o=alpha/pods", "named twice, shown once: alpha/pods"),
        ("&base=nobody/x", "ignored: base=nobody/x; allowed: alpha/pods, beta/vms"),
        ("&equal=perhaps", "ignored: equal=perhaps; allowed: fold"),
        ("&docker_daemon=root", "ignored: docker_daemon=root; there is no such filter"),
        ("&format=pdf", "ignored: format=pdf; allowed: csv, json, md"),
    ],
)
def test_what_is_not_understood_is_named_and_the_rest_is_shown(
    client: Client, more: str, said: str
) -> None:
    page = page_of(client, BOTH + more)
    assert list(map(str, page.notices)) == [said]
    assert [column.key for column in page.columns] == ["alpha/pods", "beta/vms"]


def test_the_seventh_offering_is_named(client: Client) -> None:
    provider = make_provider("many")
    for n in range(7):
        make_offering(f"o{n}", provider)
    page = page_of(client, "/compare/?" + "&".join(f"o=many/o{n}" for n in range(7)))
    assert len(page.columns) == 6
    assert page.notices == ("left out: many/o6; at most 6 can be compared at once",)
    assert page.options == ()
    assert page.neighbours == ()


@pytest.mark.parametrize(
    "query",
    [
        "o=%00&base=%00&equal=%00&gpu=%00&format=%00",
        "o=%F0%9F%92%A3/..%2F..%2Fetc&base[]=1",
        "o=alpha%2Fpods%2Fspot&o=/&o=alpha/&o=/pods",
        "o=" + "a" * 5000,
        "&".join(["o=alpha/pods"] * 300),
        "per=galaxy&period=never&currency=EUR&gpu=<script>alert(1)</script>",
        "o=<script>alert(1)</script>",
    ],
)
@pytest.mark.usefixtures("pods")
def test_a_hostile_address_is_answered_and_escaped(client: Client, query: str) -> None:
    response = client.get(f"/compare/?{query}")
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()


def test_a_closed_offering_stays_readable_and_says_so(client: Client, pods: Offering) -> None:
    gone = make_provider("gone", status="closed")
    make_offering("pods", gone, docker_daemon="root")
    page = page_of(client, "/compare/?o=gone/pods&o=alpha/pods")
    assert [str(column.status_text) for column in page.columns] == ["Closed", ""]
    assert [c.cell.state for c in cells(page, "docker_daemon")] == ["yes", "no"]


# --- Prices ------------------------------------------------------------------------------


def test_the_cheapest_prices_name_their_gpu_age_and_divisor(
    client: Client, pods: Offering, vms: Offering
) -> None:
    now = timezone.now()
    h100 = make_gpu("h100-sxm", "h100")
    fresh: dict[str, Any] = {"seen_at": now - timedelta(minutes=5), "gpu_count": 8}
    make_listing(pods, h100, usd_per_hour=Decimal(20), spot_usd_per_hour=Decimal(8), **fresh)
    make_listing(vms, make_gpu("l4"), usd_per_hour=Decimal("0.50"), seen_at=now)
    on_demand, spot = page_of(client, BOTH).prices
    assert [cell.amount for cell in on_demand.cells] == ["2.50", "0.50"]
    assert [cell.amount for cell in spot.cells] == ["1.00", ""]
    assert on_demand.cells[0].gpu == "8 × H100-SXM"
    assert on_demand.cells[0].divisor == "$20.00 ÷ 8"
    assert on_demand.cells[0].band == "fresh"


def test_prices_may_be_for_one_gpu_and_the_menu_names_who_rents_it(
    client: Client, pods: Offering, vms: Offering
) -> None:
    now = timezone.now()
    h100, l4 = make_gpu("h100-sxm", "h100"), make_gpu("l4")
    for offering in (pods, vms):
        make_listing(offering, h100, usd_per_hour=Decimal(3), seen_at=now)
    make_listing(vms, l4, usd_per_hour=Decimal("0.50"), seen_at=now)
    page = page_of(client, BOTH)
    assert [(choice.key, str(choice.label)) for choice in page.gpus] == [
        ("any", "Cheapest of all"),
        ("h100", "H100 (2 of 2)"),
        ("h100-sxm", "H100-SXM (2 of 2)"),
        ("l4", "L4 (1 of 2)"),
    ]
    chosen = page_of(client, page.gpus[1].url)
    assert [cell.amount for cell in chosen.prices[0].cells] == ["3.00", "3.00"]
    assert str(chosen.price_of) == "H100"
    assert chosen.gpus[0].url == page.canonical_url


def test_a_gpu_that_nobody_here_rents_stays_in_the_menu(client: Client, pods: Offering) -> None:
    make_gpu("l4")
    page = page_of(client, "/compare/?o=alpha/pods&gpu=l4")
    assert [(c.key, c.active) for c in page.gpus] == [("any", False), ("l4", True)]


def test_units_are_part_of_the_address(client: Client, pods: Offering) -> None:
    listed = make_gpu("l4")
    make_listing(pods, listed, usd_per_hour=Decimal(2), gpu_count=2, seen_at=timezone.now())
    address = "/compare/?o=alpha/pods&per=instance&period=day"
    page = page_of(client, address)
    assert page.canonical_url == address
    assert page.prices[0].cells[0].amount == "48.00"
    assert str(page.price_unit) == "$ / instance / day"


def test_the_day_of_snapshot_prices_is_said(client: Client, pods: Offering) -> None:
    seen = datetime(2026, 5, 24, tzinfo=UTC)
    make_listing(pods, make_gpu("l4"), usd_per_hour=Decimal(1), origin="snapshot", seen_at=seen)
    page = page_of(client, "/compare/?o=alpha/pods")
    assert page.snapshot_day == "24 May 2026"
    assert "snapshot, 24 May 2026" in client.get("/compare/?o=alpha/pods").content.decode()


# --- What follows the table --------------------------------------------------------------


@pytest.mark.usefixtures("pods", "vms")
def test_sources_are_those_that_decide_or_contradict(client: Client) -> None:
    alpha, beta = page_of(client, BOTH).sources
    assert {(source.url, str(source.labels)) for source in alpha.sources} == {
        ("https://docs.alpha.example/daemon", "Docker daemon"),
        ("https://docs.alpha.example/images", "Own image"),
        ("https://docs.alpha.example/spot", "Spot"),
        ("https://blog.alpha.example/spot", "Spot"),
    }
    assert [source.due for source in beta.sources] == [True]
    assert str(beta.sources[0].about) == "Documented, said by: The provider, read: 1 January 2020"


def test_one_source_of_several_answers_is_listed_once(client: Client, pods: Offering) -> None:
    make_claim(pods, "ssh", True, source="https://docs.alpha.example/daemon")
    page = page_of(client, "/compare/?o=alpha/pods")
    labels = {source.url: str(source.labels) for source in page.sources[0].sources}
    assert labels["https://docs.alpha.example/daemon"] == "Docker daemon, SSH"


@pytest.mark.usefixtures("pods", "vms")
def test_folded_rows_take_their_sources_along(client: Client) -> None:
    urls = {s.url for group in page_of(client, f"{BOTH}&equal=fold").sources for s in group.sources}
    assert "https://docs.alpha.example/images" not in urls
    assert "https://docs.alpha.example/daemon" in urls


@pytest.mark.usefixtures("pods", "vms")
def test_suggestions_lead_to_what_they_promise(client: Client) -> None:
    make_offering("cloud", make_provider("delta"), custom_image="any", docker_daemon="root")
    page = page_of(client, BOTH)
    assert [(link.count, link.url) for link in page.others] == [
        (1, "/?custom_image=any"),
        (1, "/?custom_image=any&docker_daemon=root"),
    ]
    for link in page.others:
        assert client.get(link.url).context["page"].match >= link.count
    assert [link.url for link in page.neighbours] == [f"{BOTH}&o=delta/cloud"]


@pytest.mark.usefixtures("pods", "vms")
def test_the_form_for_one_more_keeps_the_comparison(client: Client) -> None:
    make_offering("cloud", make_provider("delta"))
    page = page_of(client, f"{BOTH}&base=beta/vms&equal=fold&per=instance")
    assert page.chosen == ("alpha/pods", "beta/vms")
    assert [(field.name, field.value) for field in page.hidden] == [
        ("base", "beta/vms"),
        ("equal", "fold"),
        ("per", "instance"),
    ]
    assert [group.options for group in page.options] == [(("delta/cloud", "Cloud"),)]


def test_without_offerings_the_page_says_how_to_pick_and_offers_comparisons(
    client: Client, pods: Offering, vms: Offering
) -> None:
    page = page_of(client, "/compare/")
    assert [str(link.label) for link in page.ready] == ["Bring my own image"]
    assert page.ready[0].url == BOTH
    assert "Pick on the browse page" in client.get("/compare/").content.decode()


def test_without_any_data_the_page_still_stands(client: Client) -> None:
    assert page_of(client, "/compare/").ready == ()


def test_paper_bears_the_whole_address_and_the_day(client: Client, pods: Offering) -> None:
    page = page_of(client, "/compare/?o=alpha/pods")
    assert page.address == "http://testserver/compare/?o=alpha/pods"
    assert str(page.today) in client.get("/compare/?o=alpha/pods").content.decode()


# --- Exports -----------------------------------------------------------------------------


@pytest.mark.usefixtures("pods", "vms")
def test_csv_holds_keys_a_row_a_question_and_a_column_an_offering(client: Client) -> None:
    read = list(csv.DictReader(io.StringIO(exported(client, f"{BOTH}&format=csv"))))
    daemon = next(row for row in read if row["row"] == "docker_daemon")
    assert daemon == {
        "group": "daemon",
        "row": "docker_daemon",
        "main": "yes",
        "standing": "different",
        "alpha/pods": "none",
        "beta/vms": "root",
    }
    spot = next(row for row in read if row["row"] == "spot")
    assert (spot["standing"], spot["alpha/pods"], spot["beta/vms"]) == ("open", "contradicted", "")


def test_json_holds_prices_as_numbers_of_a_named_unit(client: Client, pods: Offering) -> None:
    make_listing(
        pods,
        make_gpu("l4"),
        usd_per_hour=Decimal("0.5"),
        seen_at=timezone.now(),
    )
    read = json.loads(exported(client, "/compare/?o=alpha/pods&period=day&format=json"))
    prices = {r["row"]: r["alpha/pods"] for r in read["rows"] if r["group"] == "price"}
    assert Decimal(prices["on_demand_usd_per_gpu_day"]) == 12
    assert prices["on_demand_gpu"] == "L4"
    assert prices["spot_usd_per_gpu_day"] is None
    assert read["source"] == "http://testserver/compare/?o=alpha/pods&period=day"


@pytest.mark.usefixtures("pods", "vms")
def test_markdown_reads_like_a_document(client: Client) -> None:
    text = exported(client, f"{BOTH}&equal=fold&format=md")
    assert text.startswith("Differs in 1 of 7 main questions")
    assert "| Question | Alpha Pods | Beta Vms |" in text
    assert "| **Docker daemon** | None | ≠ Root |" in text
    assert "Own image |" not in text
    assert "- Alpha Pods: Docker daemon: <https://docs.alpha.example/daemon>" in text
    assert f"http://testserver{BOTH}&equal=fold" in text


@pytest.mark.usefixtures("pods", "vms")
def test_markdown_speaks_the_language_of_the_address_and_csv_speaks_none(client: Client) -> None:
    with translation.override("ar"):
        assert exported(client, f"/ar{BOTH}&format=csv") == exported(client, f"{BOTH}&format=csv")
    assert "**" in exported(client, f"/ar{BOTH}&format=md")


@pytest.mark.parametrize("wanted", ["csv", "json", "md"])
def test_an_empty_comparison_exports_too(client: Client, wanted: str) -> None:
    assert exported(client, f"/compare/?format={wanted}")


# --- One page, one part, one price -------------------------------------------------------


@pytest.mark.usefixtures("pods", "vms")
def test_htmx_gets_the_part_at_the_canonical_address(client: Client) -> None:
    response = client.get(
        "/compare/?equal=fold&o=alpha%2Fpods&o=beta%2Fvms", headers={"HX-Request": "true"}
    )
    assert response["HX-Push-Url"] == f"{BOTH}&equal=fold"
    assert response.content.decode().lstrip().startswith('<div id="browse"')
    assert "HX-Request" in response["Vary"]


def test_queries_are_the_same_for_two_small_and_six_large_offerings(
    client: Client, pods: Offering, vms: Offering
) -> None:
    def queries(address: str) -> int:
        with CaptureQueriesContext(connection) as found:
            assert client.get(address).status_code == 200
        return len(found)

    gpus = [make_gpu(f"g{n}") for n in range(5)]
    few = queries(BOTH)
    provider = make_provider("large")
    for n in range(6):
        offering = make_offering(f"o{n}", provider, docker_daemon="root")
        make_claim(offering, "docker_daemon", "root")
        for gpu in gpus:
            make_listing(offering, gpu, usd_per_hour=Decimal(1))
    many = "&".join(f"o=large/o{n}" for n in range(6))
    assert queries(f"/compare/?{many}&gpu=g1") == few <= QUERIES

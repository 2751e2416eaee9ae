"""The compare page: what it shows, what it names as missing, what it costs."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers.models import Offering
from tests.comparing import BOTH, cells, make_pods, make_vms, page_of, standings
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db
pods = pytest.fixture(make_pods)
vms = pytest.fixture(make_vms)

QUERIES = 15


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

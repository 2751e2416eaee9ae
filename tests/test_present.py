"""What the browse page shows of a result: cells, prices, sections, facets, pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils import translation

from providers.browse.criteria import Criteria
from providers.browse.page import BrowsePage, Cell, Facet, Row
from providers.browse.present import PAGE_SIZE, browse_page, price_cell
from providers.browse.query import Cheapest, browse
from providers.browse.world import World
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Offering, Origin
from tests.factories import NOW, make_claim, make_gpu, make_listing, make_offering, make_provider

PRICE = Cheapest(
    shown=Decimal("2.49"),
    instance=Decimal("19.92"),
    gpu_count=8,
    gpu_name="H100 SXM",
    origin="live",
    seen_at=NOW - timedelta(minutes=12),
    spot=False,
    trusted=True,
)


def page(query: str = "") -> BrowsePage:
    world = World.read()
    criteria, ignored = Criteria.parse(QueryDict(query), world.vocabulary)
    return browse_page(browse(criteria, world, NOW), ignored, NOW)


def rows(shown: BrowsePage) -> list[Row]:
    return [row for section in shown.sections for group in section.groups for row in group.rows]


def keys(shown: BrowsePage) -> dict[str, list[str]]:
    """Rows by section, as `provider/offering`."""
    return {s.key: [row.key for group in s.groups for row in group.rows] for s in shown.sections}


def cells(query: str = "") -> dict[str, Cell]:
    """The cells of the only row by dimension."""
    (row,) = rows(page(query))
    return {cell.dimension: cell for cell in row.cells}


def facet(shown: BrowsePage, key: str) -> Facet:
    return next(facet for facet in shown.facets if facet.key == key)


# --- Cells -------------------------------------------------------------------------------


@pytest.mark.django_db
def test_every_cell_opens_at_its_own_address() -> None:
    make_offering("pods", make_provider("acme"))
    every = "&".join(f"columns={key}" for key in DIMENSIONS)
    found = cells(every)
    assert set(found) == set(DIMENSIONS)
    for key, cell in found.items():
        assert cell.url == reverse("cell", args=["acme", "pods", key])


@pytest.mark.django_db
def test_addresses_keep_the_language() -> None:
    make_offering("pods", make_provider("acme"))
    with translation.override("ar"):
        shown = page("docker_daemon=none")
        (row,) = rows(shown)
        assert row.cells[0].url == reverse("cell", args=["acme", "pods", row.cells[0].dimension])
        assert row.cells[0].url.startswith("/ar/providers/acme/pods/")
        assert shown.chips[0].url == "/ar/"


@pytest.mark.django_db
def test_cells_tell_how_far_an_answer_helps() -> None:
    make_offering(
        docker_daemon="root",
        persistent_volume="instance",
        multi_container="single",
        driver_kind="branches",
        driver="535-595",
        cuda_max="13.0",
        contradicted=["custom_image"],
    )
    found = cells()
    assert {key: (cell.state, str(cell.text)) for key, cell in found.items()} == {
        "custom_image": ("contradicted", "Contradicted"),
        "docker_daemon": ("yes", "Root"),
        "registry_auth": ("unknown", "Unknown"),
        "gpu_passthrough": ("unknown", "Unknown"),
        "driver_kind": ("yes", "Branches"),
        "persistent_volume": ("partly", "Instance"),
        "multi_container": ("no", "Single"),
    }
    assert found["driver_kind"].detail == "535–595 · CUDA\xa0≤\xa013.0"
    assert cells("columns=cuda_max")["cuda_max"].state == "fact"


@pytest.mark.django_db
def test_a_cell_is_due_when_its_deciding_claim_is() -> None:
    offering = make_offering(docker_daemon="root", custom_image="any", multi_container="single")
    make_claim(offering, "docker_daemon", "root", read_on=NOW.date() - timedelta(days=180))
    make_claim(offering, "custom_image", "any", read_on=NOW.date() - timedelta(days=181))
    make_claim(offering, "multi_container", "single", read_on=None)
    make_claim(offering, "persistent_volume", "no", read_on=date(2020, 1, 1), decides=False)
    due = {key for key, cell in cells().items() if cell.due}
    assert due == {"custom_image", "multi_container"}


@pytest.mark.django_db
def test_columns_are_the_asked_ones_and_the_main_ones_else() -> None:
    make_offering()
    assert [column.key for column in page().columns] == [d.key for d in MAIN]
    shown = page("columns=ssh&columns=docker_daemon")
    assert [column.key for column in shown.columns] == ["docker_daemon", "ssh"]
    assert [cell.dimension for cell in rows(shown)[0].cells] == ["docker_daemon", "ssh"]


# --- Prices ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "shown", "amount", "divisor"),
    [
        ({}, "2.49", "2.49", "$19.92 ÷ 8"),
        ({"period": ("day",)}, "2.49", "59.76", "$478.08 ÷ 8"),
        ({"period": ("month",)}, "2.49", "1817.70", "$14541.60 ÷ 8"),
        ({"per": ("instance",)}, "19.92", "19.92", ""),
        ({"per": ("instance",), "period": ("day",)}, "19.92", "478.08", ""),
    ],
)
def test_a_price_is_shown_in_the_asked_unit_with_its_divisor(
    query: dict[str, tuple[str]], shown: str, amount: str, divisor: str
) -> None:
    cell = price_cell(replace(PRICE, shown=Decimal(shown)), Criteria.of(query), NOW)
    assert (cell.amount, cell.divisor, cell.gpu) == (amount, divisor, "8 × H100 SXM")


@pytest.mark.parametrize("count", [1, None])
def test_the_price_of_one_gpu_has_no_divisor(count: int | None) -> None:
    cell = price_cell(replace(PRICE, gpu_count=count), Criteria(), NOW)
    assert (cell.divisor, cell.gpu) == ("", "H100 SXM")


@pytest.mark.parametrize(
    ("origin", "ago", "band", "age"),
    [
        ("live", timedelta(minutes=12), "fresh", "12\xa0minutes ago"),
        ("live", timedelta(hours=5, minutes=30), "ageing", "5\xa0hours ago"),
        ("live", timedelta(hours=13), "stale", "13\xa0hours ago"),
        ("live", timedelta(days=3), "last_seen", "3\xa0days ago"),
        ("snapshot", timedelta(days=190), "snapshot", "24 May 2026"),
    ],
)
def test_a_price_shows_how_old_it_is(origin: str, ago: timedelta, band: str, age: str) -> None:
    cell = price_cell(replace(PRICE, origin=origin, seen_at=NOW - ago), Criteria(), NOW)
    assert (cell.band, str(cell.age)) == (band, age)


def test_no_price_is_an_empty_cell_and_spot_is_marked() -> None:
    empty = price_cell(None, Criteria(), NOW)
    assert (empty.amount, empty.band) == ("", "none")
    assert price_cell(replace(PRICE, spot=True), Criteria(), NOW).spot


@pytest.mark.django_db
def test_the_latest_snapshot_day_is_told_when_a_price_is_from_it() -> None:
    pods = make_offering()
    gpu = make_gpu("l4")
    make_listing(pods, gpu, usd_per_hour=Decimal(1))
    assert page().snapshot_day == ""
    for days in (190, 200):
        make_listing(
            make_offering(),
            gpu,
            usd_per_hour=Decimal(2),
            origin=Origin.SNAPSHOT,
            seen_at=NOW - timedelta(days=days),
        )
    assert page().snapshot_day == "24 May 2026"


# --- Sections ----------------------------------------------------------------------------


@pytest.fixture
def mixed(db: None) -> None:
    acme = make_provider("acme", kind="marketplace")
    make_offering("pods", acme, docker_daemon="root", position=1)
    make_offering("vm", acme, docker_daemon="root", position=2)
    make_offering("unsaid", make_provider("beta"))
    make_offering("none", make_provider("gamma"), docker_daemon="none")
    make_offering("over", make_provider("delta", status="closed"), docker_daemon="root")
    make_offering("ended", make_provider("eps"), docker_daemon="root", status="closed")


@pytest.mark.usefixtures("mixed")
def test_rows_stand_in_sections_by_how_they_match() -> None:
    shown = page("docker_daemon=root")
    assert keys(shown) == {
        "match": ["acme/pods", "acme/vm"],
        "may": ["beta/unsaid"],
        "closed": ["delta/over", "eps/ended"],
    }
    assert [(section.key, section.count) for section in shown.sections] == [
        ("match", 2),
        ("may", 1),
        ("closed", 2),
    ]
    assert (shown.match, shown.may, shown.total, shown.providers) == (2, 1, 4, 1)


@pytest.mark.usefixtures("mixed")
def test_rows_that_may_match_stand_under_a_heading_that_names_what_is_unknown() -> None:
    may = page("docker_daemon=root&in_stock=1&kind=vm_cloud&q=beta").sections[-1]
    assert may.key == "may"
    assert str(may.explanation) == "Not known there: Docker daemon, Stock."
    assert [list(map(str, row.unknown)) for group in may.groups for row in group.rows] == [
        ["Docker daemon", "Stock"]
    ]


@pytest.mark.usefixtures("mixed")
def test_rows_that_may_match_are_hidden_on_request_and_still_counted() -> None:
    shown = page("docker_daemon=root&unknown=hide")
    assert "may" not in keys(shown)
    assert shown.may == 1


@pytest.mark.usefixtures("mixed")
def test_what_can_no_longer_be_rented_says_so() -> None:
    closed = page().sections[-1]
    assert closed.key == "closed"
    assert {row.key: row.closed for group in closed.groups for row in group.rows} == {
        "delta/over": True,
        "eps/ended": True,
    }
    assert [str(group.status_text) for group in closed.groups] == ["Closed", ""]


@pytest.mark.usefixtures("mixed")
def test_offerings_of_a_provider_stand_together_while_the_order_lets_them() -> None:
    def groups(query: str) -> list[tuple[str, int]]:
        (match, *_rest) = page(query).sections
        return [(group.name, len(group.rows)) for group in match.groups]

    assert groups("docker_daemon=root") == [("Acme", 2)]
    gpu = make_gpu("l4")
    for slug, usd in (("pods", 1), ("unsaid", 2), ("vm", 3)):
        make_listing(Offering.objects.get(slug=slug), gpu, usd_per_hour=Decimal(usd))
    assert groups("sort=price&max_price=9") == [("Acme", 1), ("Beta", 1), ("Acme", 1)]


# --- Facets ------------------------------------------------------------------------------


@pytest.mark.usefixtures("mixed")
def test_a_value_of_a_facet_leads_to_the_page_with_it_and_back() -> None:
    one = facet(page(), "docker_daemon")
    root = one.values[0]
    assert (root.key, str(root.label), root.match, root.may) == ("root", "Root", 2, 1)
    assert (root.active, one.toggles.url("root")) == (False, "/?docker_daemon=root")
    again = facet(page("docker_daemon=root"), "docker_daemon")
    assert (again.values[0].active, again.toggles.url("root")) == (True, "/")


@pytest.mark.usefixtures("mixed")
def test_a_value_that_nothing_has_is_left_out_unless_it_is_asked_for() -> None:
    Offering.objects.filter(docker_daemon=None).update(docker_daemon="none")
    assert [v.key for v in facet(page(), "docker_daemon").values] == ["root", "none"]
    asked = facet(page("docker_daemon=nested"), "docker_daemon")
    assert [(v.key, v.match, v.active) for v in asked.values] == [
        ("root", 2, False),
        ("nested", 0, True),
        ("none", 2, False),
    ]


@pytest.mark.usefixtures("mixed")
def test_the_main_questions_stand_open_and_first() -> None:
    found = page().facets
    assert [facet.key for facet in found[: len(MAIN)]] == [d.key for d in MAIN]
    opened = {facet.key for facet in found if facet.open}
    assert opened == {*(d.key for d in MAIN), "gpu"} & {facet.key for facet in found}
    assert facet(page("spot=yes"), "spot").open


@pytest.mark.django_db
def test_many_values_are_folded_but_never_an_active_one() -> None:
    pods = make_offering()
    gpu = make_gpu("l4")
    for n in range(11):
        make_listing(pods, gpu, region=f"r{n:02}")
    shown = facet(page("region=r10"), "region")
    assert [v.key for v in shown.values] == [*(f"r{n:02}" for n in range(8)), "r10"]
    assert [v.key for v in shown.folded] == ["r08", "r09"]


@pytest.mark.django_db
def test_the_gpus_that_most_offerings_have_stand_first() -> None:
    few, many = make_gpu("a100"), make_gpu("l4")
    for gpus in ((few, many), (many,)):
        offering = make_offering()
        for gpu in gpus:
            make_listing(offering, gpu)
    assert [(v.key, v.match) for v in facet(page(), "gpu").values] == [("l4", 2), ("a100", 1)]


# --- Why nothing -------------------------------------------------------------------------


@pytest.mark.usefixtures("mixed")
def test_an_empty_result_says_what_each_filter_costs_and_which_to_relax() -> None:
    shown = page("docker_daemon=rootless&docker_daemon=nested&kind=marketplace")
    assert shown.match == 0
    found = [
        (str(r.label), str(r.value), r.removes, r.regained, r.url, r.best)
        for r in shown.relaxations
    ]
    assert found == [
        ("Docker daemon", "Rootless, Nested", 3, 2, "/?kind=marketplace", True),
        (
            *("Kind of provider", "Marketplace", 2, 0),
            *("/?docker_daemon=rootless&docker_daemon=nested", False),
        ),
    ]


@pytest.mark.usefixtures("mixed")
def test_where_no_single_filter_helps_the_one_that_removes_most_goes_first() -> None:
    shown = page("docker_daemon=nested&kind=serverless&unknown=hide")
    assert [(r.regained, r.removes, r.best) for r in shown.relaxations] == [
        (0, 3, False),
        (0, 4, True),
    ]


@pytest.mark.usefixtures("mixed")
def test_a_result_with_matches_asks_for_nothing_to_be_relaxed() -> None:
    assert page("docker_daemon=root").relaxations == ()
    assert page().relaxations == ()


# --- Pages -------------------------------------------------------------------------------


@pytest.fixture
def crowd(db: None) -> None:
    acme = make_provider("acme")
    Offering.objects.bulk_create(
        Offering(provider=acme, slug=f"o{n:03}", name=f"O{n}", summary="S.", docs="https://d.ex")
        for n in range(PAGE_SIZE + 3)
    )


@pytest.mark.usefixtures("crowd")
def test_rows_beyond_a_page_stand_on_the_next_one() -> None:
    first, second = page("sort=known"), page("sort=known&page=2")
    assert (len(rows(first)), len(rows(second))) == (PAGE_SIZE, 3)
    assert not {r.key for r in rows(first)} & {r.key for r in rows(second)}
    assert [(c.label, c.url, c.active) for c in second.pages] == [
        ("1", "/?sort=known", False),
        ("2", "/?sort=known&page=2", True),
    ]
    assert second.sections[0].count == PAGE_SIZE + 3


@pytest.mark.usefixtures("crowd")
def test_a_page_beyond_the_last_shows_the_last() -> None:
    shown = page("page=9")
    assert len(rows(shown)) == 3
    assert [choice.active for choice in shown.pages] == [False, True]


@pytest.mark.usefixtures("mixed")
def test_one_page_needs_no_numbers() -> None:
    assert page().pages == ()


# --- Addresses ---------------------------------------------------------------------------


@pytest.mark.usefixtures("mixed")
def test_the_page_knows_its_canonical_address_and_the_one_without_filters() -> None:
    shown = page("kind=&sort=price&docker_daemon=none&docker_daemon=root&nonsense=1")
    assert shown.canonical_url == "/?docker_daemon=root&docker_daemon=none&sort=price"
    assert shown.clear_url == "/?sort=price"
    assert [str(notice) for notice in shown.notices] == [
        "ignored: nonsense=1; there is no such filter"
    ]

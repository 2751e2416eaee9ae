"""Rows, totals and facet counts equal brute force over generated data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.http import QueryDict
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from providers.answers import Kind
from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.query import BrowseResult, browse
from providers.browse.world import World
from providers.dimensions import DIMENSIONS
from providers.models import Listing, Offering, Origin
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider
from tests.few_at_once import few_at_once  # noqa: F401 -- for all tests here

pytestmark = pytest.mark.django_db

# --- Generated data ----------------------------------------------------------------

ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "docker_daemon": st.sampled_from([None, "root", "nested", "none"]),
    "registry_auth": st.sampled_from(
        [None, ["no"], ["docker_login"], ["cloud_role", "docker_login"]]
    ),
    "registries": st.sampled_from([None, ["any"], ["docker.io"], ["amazonaws.com", "nvcr.io"]]),
    "spot": st.sampled_from([None, True, False]),
    "billing_increment_s": st.sampled_from([None, Decimal(1), Decimal(60)]),
    "driver": st.sampled_from([None, "535", "550-580", "580.126.20"]),
    "driver_changeable": st.sampled_from([None, True, False]),
    "cuda_max": st.sampled_from([None, "12.4", "13.0"]),
    "cuda_min": st.sampled_from([None, "12.0"]),
}
OFFERINGS = st.fixed_dictionaries(ANSWERS) | st.fixed_dictionaries(
    {**ANSWERS, "status": st.just("closed")}
)
LISTINGS = st.fixed_dictionaries(
    {
        "gpu": st.sampled_from(["h100-sxm", "h100-pcie", "h100", "l4", None]),
        "origin": st.sampled_from(["live", "live", "snapshot", "catalog"]),
        "gpu_count": st.sampled_from([None, 1, 8]),
        "vram_gb": st.sampled_from([None, 24, 80]),
        "region": st.sampled_from(["", "eu", "US"]),
        "usd_per_hour": st.sampled_from([None, Decimal("1.2"), Decimal(8), Decimal(24)]),
        "spot_usd_per_hour": st.sampled_from([None, Decimal(1)]),
        "spot": st.sampled_from([None, True, False]),
        "stock": st.sampled_from(["available", "scarce", "none", "unknown"]),
        "driver": st.sampled_from(["", "535.129.03", "580"]),
        "cuda": st.sampled_from(["", "12.2", "13.0"]),
        "hours_old": st.sampled_from([0, 2, 5, 13, 30]),
        "withdrawn": st.sampled_from([False, False, False, True]),
    }
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "q": st.sampled_from(["alpha", "h100", "BETA two"]),
        "docker_daemon": st.sampled_from([["root"], ["root", "none"], ["rootless"]]),
        "registry_auth": st.sampled_from([["docker_login"], ["no", "cloud_role"]]),
        "registries": st.sampled_from([["any"], ["docker.io"], ["1.ecr.amazonaws.com"]]),
        "spot": st.sampled_from([["yes"], ["no"]]),
        "billing_increment_s": st.sampled_from([["1"], ["1", "60"], ["600"]]),
        "driver": st.sampled_from([["580"], ["560.1"], ["535", "580.126"]]),
        "kind": st.sampled_from([["vm_cloud"], ["marketplace", "serverless"]]),
        "provider": st.sampled_from([["alpha"], ["alpha", "beta"]]),
        "gpu": st.sampled_from([["h100"], ["h100-sxm"], ["l4", "h100-pcie"]]),
        "gpu_count": st.sampled_from([["1"], ["8"], ["2", "8"]]),
        "min_vram": st.just(["80"]),
        "region": st.sampled_from([["eu"], ["us", "asia"]]),
        "min_driver": st.sampled_from([["535"], ["570"], ["580.65"]]),
        "min_cuda": st.sampled_from([["12.0"], ["12.8"], ["13.0.1"]]),
        "max_price": st.sampled_from([["1.5"], ["2"], ["20"]]),
        "per": st.sampled_from(["gpu", "instance"]),
        "spot_only": st.just("1"),
        "in_stock": st.just("1"),
        "freshness": st.sampled_from([["fresh"], ["ageing", "snapshot"], ["stale"]]),
    },
)
WORLDS = st.lists(st.tuples(OFFERINGS, st.lists(LISTINGS, max_size=3)), min_size=1, max_size=4)

# --- Brute force -------------------------------------------------------------------


def all3(said: Iterable[bool | None]) -> bool | None:
    """Kleene's AND over True, False and None for unknown."""
    verdicts = list(said)
    return False if False in verdicts else None if None in verdicts else True


def any3(said: Iterable[bool | None]) -> bool | None:
    verdicts = list(said)
    return True if True in verdicts else None if None in verdicts else False


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def answers(offering: Offering, key: str, asked: str) -> bool | None:
    """Whether an offering's resolved answer is the asked one."""
    answer = getattr(offering, key)
    if answer is None:
        return None
    kind = DIMENSIONS[key].kind
    if kind is Kind.HOSTS:
        return any(h in (asked, "any") or asked.endswith(f".{h}") for h in answer)
    if kind is Kind.SET:
        return asked in answer
    if kind is Kind.YES_NO:
        return bool(answer) is (asked == "yes")
    if kind is Kind.NUMBER:
        return bool(answer == Decimal(asked))
    if kind is Kind.VERSIONS:
        first, _, last = answer.partition("-")
        want = numbers(asked)
        low, high = numbers(first)[: len(want)], numbers(last or first)
        # 580 may be 580.126; 550 cannot.
        less_exact = want[: len(high)] == high
        return low <= want <= high[: len(want)] or (None if less_exact else False)
    return bool(answer == asked)


def of_hosts(offering: Offering, low: str | None, high: str | None, want: str) -> bool | None:
    if low and numbers(low) >= numbers(want):
        return True
    if high and not offering.answer("driver_changeable"):
        return None if numbers(high) >= numbers(want)[: len(numbers(high))] else False
    return None


def at_least(stated: str, want: str) -> bool | None:
    """Whether a stated version is new enough; 580 may be 580.65."""
    if numbers(stated) >= numbers(want):
        return True
    return None if numbers(want)[: len(numbers(stated))] == numbers(stated) else False


def current(offering: Offering) -> list[Listing]:
    """Listings that speak: a GPU of the catalog is silent where a real listing names it too, and
    the snapshot where the provider's own API spoke."""
    rows = [row for row in offering.listings.all() if row.withdrawn_at is None]
    if any(row.origin == Origin.LIVE for row in rows):
        rows = [row for row in rows if row.origin != Origin.SNAPSHOT]
    real = [row for row in rows if row.origin != Origin.CATALOG]

    def spoken_for(row: Listing) -> bool:
        return row.family_id is not None and any(
            other.family_id == row.family_id
            and (other.gpu_id == row.gpu_id or other.gpu_id is None or row.gpu_id is None)
            for other in real
        )

    return [row for row in rows if row.origin != Origin.CATALOG or not spoken_for(row)]


def trusted(row: Listing) -> bool:
    return row.origin == "live" and age(row) < timedelta(hours=12)


def age(row: Listing) -> timedelta:
    assert row.seen_at is not None
    return NOW - row.seen_at


def band_of(row: Listing) -> str | None:
    if row.origin != "live":
        return "snapshot" if row.origin == "snapshot" else None
    hours = age(row) / timedelta(hours=1)
    return (
        "fresh" if hours < 2 else "ageing" if hours < 12 else "stale" if hours < 24 else "last_seen"
    )


def is_gpu(row: Listing, slug: str) -> bool | None:
    if row.family is None:
        return None
    if slug in (row.family.slug, row.gpu.slug if row.gpu else ""):
        return True
    models_of = {"h100": ("h100-sxm", "h100-pcie")}
    return None if row.gpu is None and slug in models_of.get(row.family.slug, ()) else False


def price_of(row: Listing, criteria: Criteria) -> Decimal | None:
    price = row.spot_usd_per_hour
    if not criteria.one("spot_only"):
        price = row.usd_per_hour or price
    if price is None or not criteria.per_gpu:
        return price
    return price / row.gpu_count if row.gpu_count else None


def listing_says(
    row: Listing, offering: Offering, name: str, asked: tuple[str, ...], criteria: Criteria
) -> bool | None:
    value = asked[0]
    match name:
        case "gpu":
            return any3(is_gpu(row, slug) for slug in asked)
        case "gpu_count":
            return None if row.gpu_count is None else str(row.gpu_count) in asked
        case "min_vram":
            return None if row.vram_gb is None else row.vram_gb >= int(value)
        case "region":
            return row.region.lower() in asked if row.region else None
        case "min_driver":
            if row.driver:
                return at_least(row.driver, value)
            low, _, high = (offering.answer("driver") or "").partition("-")
            return of_hosts(offering, low, high or low, value)
        case "min_cuda":
            if row.cuda:
                return at_least(row.cuda, value)
            return of_hosts(
                offering, offering.answer("cuda_min"), offering.answer("cuda_max"), value
            )
        case "max_price":
            price = price_of(row, criteria)
            if price is None:
                return None
            return False if price > Decimal(value) else True if trusted(row) else None
        case "freshness":
            return None if band_of(row) is None else band_of(row) in asked
        case "spot_only":
            if row.spot or row.spot_usd_per_hour:
                return True
            return False if row.spot is False or offering.answer("spot") is False else None
        case _:
            if not trusted(row) or row.stock == "unknown":
                return None
            return bool(row.stock != "none")


LISTING_NAMES = {"gpu", "gpu_count", "min_vram", "region", "min_driver", "min_cuda"} | {
    "max_price",
    "spot_only",
    "in_stock",
    "freshness",
}


def offering_says(offering: Offering, name: str, asked: tuple[str, ...]) -> bool | None:
    if name == "q":
        gpus = [row.family.slug for row in current(offering) if row.family]
        text = f"{offering.provider.name} {offering.name} {' '.join(gpus)}".lower()
        return all(word in text for word in asked[0].lower().split())
    if name == "provider":
        return offering.provider.slug in asked
    if name == "kind":
        return offering.provider.kind in asked
    return any3(answers(offering, name, value) for value in asked)


def says(offering: Offering, criteria: Criteria) -> bool | None:
    """All criteria together; those about listings must hold on one listing."""
    filters = dict(criteria.filters())
    listing = {n: v for n, v in filters.items() if n in LISTING_NAMES}
    verdict = [offering_says(offering, n, v) for n, v in filters.items() if n not in listing]
    if listing:
        rows = current(offering)
        each = (
            all3(listing_says(r, offering, n, v, criteria) for n, v in listing.items())
            for r in rows
        )
        verdict.append(any3(each) if rows else None)
    return all3(verdict)


def counts(offerings: list[Offering], criteria: Criteria) -> tuple[int, int]:
    said = [says(o, criteria) for o in offerings if o.status != "closed"]
    return said.count(True), said.count(None)


# --- The property ------------------------------------------------------------------


def store(world: list[tuple[dict[str, Any], list[dict[str, Any]]]]) -> list[Offering]:
    gpus: dict[str, Any] = {g: make_gpu(g, "h100") for g in ("h100-sxm", "h100-pcie")}
    gpus |= {"h100": gpus["h100-sxm"].family, "l4": make_gpu("l4"), None: None}  # type: ignore[dict-item]
    providers = [make_provider("alpha"), make_provider("beta", kind="marketplace")]
    made = []
    for n, (fields, listings) in enumerate(world):
        name = ("One", "Two", "Three", "Four")[n]
        offering = make_offering(name.lower(), providers[n % 2], name=name, **fields)
        made.append(offering)
        for row in listings:
            store_listing(offering, gpus, dict(row))
    read = Offering.objects.select_related("provider").prefetch_related(
        "listings__gpu", "listings__family"
    )
    return list(read.filter(pk__in=[offering.pk for offering in made]))


def store_listing(offering: Offering, gpus: dict[str, Any], row: dict[str, Any]) -> None:
    seen_at = NOW - timedelta(hours=row.pop("hours_old"))
    withdrawn_at = NOW if row.pop("withdrawn") else None
    if row["origin"] == "catalog":
        row |= {"usd_per_hour": None, "spot_usd_per_hour": None, "stock": "unknown"}
    make_listing(offering, gpus[row.pop("gpu")], seen_at=seen_at, withdrawn_at=withdrawn_at, **row)


def criteria_of(asked: dict[str, Any], world: World) -> Criteria:
    query = QueryDict(mutable=True)
    for name, values in asked.items():
        query.setlist(name, values if isinstance(values, list) else [values])
    criteria, ignored = Criteria.parse(query, world.vocabulary)
    assert all(part.name in ("provider",) for part in ignored), ignored  # beta may not be there
    return criteria


def with_world(check: Callable[[list[Offering], BrowseResult], None]) -> Any:
    """Stores generated data in a transaction that is rolled back, and browses it."""

    @settings(
        deadline=None,
        # A failing world is small enough to read; shrinking it costs minutes of inserts.
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(WORLDS, ASKED)
    @example([(dict.fromkeys(ANSWERS), [])], {"gpu": ["h100"]})
    def run(world: Any, asked: dict[str, Any]) -> None:
        with transaction.atomic():
            offerings = store(world)
            known = World.read()
            check(offerings, browse(criteria_of(asked, known), known, NOW))
            transaction.set_rollback(True)

    return run


def _rows_are_right(offerings: list[Offering], result: BrowseResult) -> None:
    truths = {True: Truth.YES, None: Truth.MAYBE}
    expected = {
        o.slug: truths[v] for o in offerings if (v := says(o, result.criteria)) is not False
    }
    found = {row.offering.slug: row.truth for row in (*result.rows, *result.closed)}
    assert found == expected
    assert {row.offering.status for row in result.rows} <= {"active"}


def _facets_are_right(offerings: list[Offering], result: BrowseResult) -> None:
    for name, facet in result.facets.items():
        for count in facet:
            alone = result.criteria.put(name, count.value)
            expected = counts(offerings, alone)
            assert (count.match, count.may) == expected, (name, count.value)


def _costs_are_right(offerings: list[Offering], result: BrowseResult) -> None:
    assert bool(result.costs) is (not result.match and any(True for _ in result.criteria.filters()))
    open_ones = [o for o in offerings if o.status != "closed"]
    for cost in result.costs:
        alone = Criteria.of({n: v for n, v in result.criteria.values if n in (cost.name, "per")})
        assert cost.removes == [says(o, alone) for o in open_ones].count(False), cost.name
        lifted = result.criteria.without(cost.name)
        assert cost.regained == counts(offerings, lifted)[0], cost.name


def _unknown_is_named(offerings: list[Offering], result: BrowseResult) -> None:
    for row in (*result.rows, *result.closed):
        assert bool(row.unknown) is (row.truth is Truth.MAYBE)
        assert set(row.unknown) <= {name for name, _ in result.criteria.filters()}


test_rows_equal_brute_force = with_world(_rows_are_right)
test_facet_counts_equal_brute_force = with_world(_facets_are_right)
test_what_each_filter_costs_equals_brute_force = with_world(_costs_are_right)
test_what_is_unknown_is_named_for_each_row_that_may_match = with_world(_unknown_is_named)

"""The same three-valued judgement over listings, in one statement.

Criteria about listings must hold on one listing: each is judged per row as 0 (no), 1 (may)
or 2 (yes), AND is LEAST over a row's judgements, OR is MAX over an offering's rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.freshness import AGEING_FOR, FRESH_FOR, STALE_FOR

# The criteria about listings, and the facets drawn over listings.
LISTING_CRITERIA = (
    "gpu",
    "gpu_count",
    "min_vram",
    "region",
    "min_driver",
    "min_cuda",
    "max_price",
    "spot_only",
    "in_stock",
    "freshness",
)
# The rows that speak.
#
# A GPU that the catalog names stands for listings of unknown price and stock, until a listing
# of the same GPU is known: then that one speaks. A listing whose form is open (H100) speaks for
# its models, and the catalog's open name is spoken for by any of them. The snapshot is silent
# about an offering once its provider's own API has spoken.
#
# A live row is seen whenever its source is, unless it has a time of its own.
CURRENT = """
    SELECT l.id, l.offering_id, l.origin, l.gpu_name, l.family_id, l.gpu_id, l.gpu_count, l.vram_gb,
        l.region, l.usd_per_hour, l.spot_usd_per_hour, l.spot, l.stock, l.stock_count, l.driver,
        l.cuda, l.driver_key, l.cuda_key, l.tier, l.source_url,
        COALESCE(l.seen_at, state.good_at) AS seen_at, l.source, l.seen_at AS own_seen_at
    FROM providers_listing l
    LEFT JOIN providers_sourcestate state ON state.slug = l.source
    LEFT JOIN (
        SELECT DISTINCT offering_id FROM providers_listing
        WHERE origin = 'live' AND withdrawn_at IS NULL
    ) live ON live.offering_id = l.offering_id
    WHERE l.withdrawn_at IS NULL AND CASE l.origin
        WHEN 'live' THEN TRUE
        WHEN 'snapshot' THEN live.offering_id IS NULL
        ELSE l.family_id IS NULL OR NOT EXISTS (
            SELECT 1 FROM providers_listing known
            WHERE known.offering_id = l.offering_id AND known.withdrawn_at IS NULL
              AND known.origin = CASE WHEN live.offering_id IS NULL THEN 'snapshot' ELSE 'live' END
              AND known.family_id = l.family_id
              AND (known.gpu_id = l.gpu_id OR known.gpu_id IS NULL OR l.gpu_id IS NULL))
        END
"""


def price(spot: bool) -> str:
    """What a row costs in USD an hour: spot where only spot is asked for, else on demand, else
    the spot price that stands alone."""
    return "spot_usd_per_hour" if spot else "COALESCE(usd_per_hour, spot_usd_per_hour)"


def shown_price(spot: bool) -> str:
    """The price in the divisor that the criteria ask for: a column of the rows that are judged."""
    return "shown_spot" if spot else "shown_on_demand"


def _divided(spot: bool) -> str:
    return f"(CASE WHEN %(per_gpu)s THEN {price(spot)} / gpu_count ELSE {price(spot)} END)"


# A price or a stock that may be acted on: live, and seen before it counts as stale.
TRUSTED = "(origin = 'live' AND seen_at > %(trusted_since)s)"

# providers.freshness in SQL; NULL for what only the catalog names.
BAND = """(CASE WHEN origin = 'catalog' THEN NULL WHEN origin = 'snapshot' THEN 'snapshot'
    WHEN seen_at > %(fresh_since)s THEN 'fresh' WHEN seen_at > %(trusted_since)s THEN 'ageing'
    WHEN seen_at > %(stale_since)s THEN 'stale' ELSE 'last_seen' END)"""

JUDGEMENTS: Mapping[str, str] = {
    "gpu": """CASE WHEN family_id = ANY(%(families)s) OR gpu_id = ANY(%(gpus)s) THEN 2
        WHEN family_id IS NULL THEN 1
        WHEN gpu_id IS NULL AND family_id = ANY(%(open_families)s) THEN 1 ELSE 0 END""",
    "gpu_count": """CASE WHEN gpu_count IS NULL THEN 1
        WHEN gpu_count = ANY(%(gpu_counts)s) THEN 2 ELSE 0 END""",
    "min_vram": """CASE WHEN vram_gb IS NULL THEN 1
        WHEN vram_gb >= %(min_vram)s THEN 2 ELSE 0 END""",
    "region": """CASE WHEN region = '' THEN 1
        WHEN LOWER(region) = ANY(%(regions)s) THEN 2 ELSE 0 END""",
    # 580 may be 580.65, when that is asked for.
    "min_driver": """CASE WHEN driver_key >= %(min_driver)s::int[] THEN 2
        WHEN driver_key = (%(min_driver)s::int[])[:CARDINALITY(driver_key)] THEN 1
        WHEN driver_key IS NOT NULL THEN 0
        WHEN offering_id = ANY(%(driver_yes)s) THEN 2
        WHEN offering_id = ANY(%(driver_no)s) THEN 0 ELSE 1 END""",
    "min_cuda": """CASE WHEN cuda_key >= %(min_cuda)s::int[] THEN 2
        WHEN cuda_key = (%(min_cuda)s::int[])[:CARDINALITY(cuda_key)] THEN 1
        WHEN cuda_key IS NOT NULL THEN 0
        WHEN offering_id = ANY(%(cuda_yes)s) THEN 2
        WHEN offering_id = ANY(%(cuda_no)s) THEN 0 ELSE 1 END""",
    "spot_only": """CASE WHEN spot OR spot_usd_per_hour IS NOT NULL THEN 2
        WHEN NOT spot OR offering_id = ANY(%(spot_no)s) THEN 0 ELSE 1 END""",
    "in_stock": f"""CASE WHEN NOT {TRUSTED} OR stock = 'unknown' THEN 1
        WHEN stock = 'none' THEN 0 ELSE 2 END""",
    "freshness": """CASE WHEN band IS NULL THEN 1
        WHEN band = ANY(%(bands)s) THEN 2 ELSE 0 END""",
}


def judgement(name: str, spot: bool) -> str:
    """0, 1 or 2 for a row under one criterion; `spot` tells which price counts."""
    if name != "max_price":
        return JUDGEMENTS[name]
    # A dated price above the limit says no, as a dated claim does; below it, it only may match.
    return f"""CASE WHEN {shown_price(spot)} IS NULL THEN 1
        WHEN {shown_price(spot)} > %(max_price)s THEN 0
        WHEN {TRUSTED} THEN 2 ELSE 1 END"""


# The facets drawn over listings: the family, GPU and value that a row counts for. The value is
# None where the row leaves it open.
_PLAIN = {
    "gpu_count": "gpu_count::text",
    "region": "NULLIF(LOWER(region), '')",
    "spot_only": "judged_spot_only::text",
    "in_stock": "judged_in_stock::text",
    "freshness": "band",
}
FACETS = ("gpu", "max_price", *_PLAIN)
NOTHING = "NULL::bigint, NULL::bigint, NULL::text"


def facet_value(name: str, spot: bool) -> str:
    if name == "gpu":
        return "family_id, gpu_id, NULL::text"
    if name != "max_price":
        return f"NULL::bigint, NULL::bigint, {_PLAIN[name]}"
    # How many of the offered limits the price passes; with a plus where it can be trusted.
    shown, steps = shown_price(spot), "%(price_steps)s::numeric[]"
    passed = f"(width_bucket({shown}, {steps}) - ({shown} = ANY({steps}))::int)"
    return f"""NULL::bigint, NULL::bigint, CASE WHEN {shown_price(spot)} IS NOT NULL
        THEN {passed} || CASE WHEN {TRUSTED} THEN '+' ELSE '' END END"""


@dataclass(frozen=True)
class ListingTerms:
    """What the statement needs besides the Criteria: ids for names, and what claims imply."""

    families: Sequence[int]
    gpus: Sequence[int]
    open_families: Sequence[int]  # families of the asked models
    driver: Mapping[int, Truth]  # by offering, for listings that state no driver
    cuda: Mapping[int, Truth]
    spot_no: Sequence[int]  # offerings whose claims deny spot
    now: datetime


def active(criteria: Criteria) -> list[str]:
    return [name for name in LISTING_CRITERIA if criteria.all(name)]


def parameters(criteria: Criteria, terms: ListingTerms) -> dict[str, Any]:
    """The values that the statements below name."""

    def ids(judged: Mapping[int, Truth], verdict: Truth) -> list[int]:
        return [offering for offering, said in judged.items() if said is verdict]

    return {
        "families": list(terms.families),
        "gpus": list(terms.gpus),
        "open_families": list(terms.open_families),
        "gpu_counts": [int(count) for count in criteria.all("gpu_count")],
        "min_vram": int(criteria.one("min_vram") or 0),
        "regions": list(criteria.all("region")),
        "min_driver": criteria.version("min_driver"),
        "driver_yes": ids(terms.driver, Truth.YES),
        "driver_no": ids(terms.driver, Truth.NO),
        "min_cuda": criteria.version("min_cuda"),
        "cuda_yes": ids(terms.cuda, Truth.YES),
        "cuda_no": ids(terms.cuda, Truth.NO),
        "max_price": criteria.max_usd_per_hour,
        "per_gpu": criteria.per_gpu,
        "spot_no": list(terms.spot_no),
        "bands": list(criteria.all("freshness")),
        "price_steps": [step / criteria.scale for step in criteria.price_steps],
        "fresh_since": terms.now - FRESH_FOR,
        "trusted_since": terms.now - AGEING_FOR,
        "stale_since": terms.now - STALE_FOR,
    }


def _column(name: str, spot: bool) -> str:
    return (
        f"judged_{name}_{'spot' if spot else 'on_demand'}"
        if name == "max_price"
        else f"judged_{name}"
    )


def _all_of(names: Sequence[str], spot: bool) -> str:
    columns = ", ".join(_column(name, spot) for name in names)
    return f"LEAST({columns})" if columns else "2"


# A host of which the page has said nothing, such as one that was listed a moment ago, is unknown.
_RANKED = """
    LEFT JOIN unnest(%(ranked_offerings)s::bigint[], %(ranked_families)s::bigint[],
        %(ranked_gpus)s::bigint[], %(ranked_drivers)s::text[], %(ranked_cudas)s::text[],
        %(ranked)s::int[])
        AS host (host_offering, host_family, host_gpu, host_driver, host_cuda, rank)
    ON host_offering = offering_id AND host_family = COALESCE(family_id, 0)
        AND host_gpu = COALESCE(gpu_id, 0) AND host_driver = driver AND host_cuda = cuda
"""


# What counting needs of a row: the rest would only be carried along.
_COUNTED = """id, offering_id, family_id, gpu_id, origin, gpu_count, region, driver, cuda, seen_at,
    band, shown_on_demand, shown_spot"""


def _judged(names: Sequence[str], ranked: bool = False, wanted: str = "current.*") -> str:
    """Current rows with a column for each judgement; a price is judged both ways."""
    columns = {_column(n, spot): judgement(n, spot) for n in names for spot in (False, True)}
    judged = "".join(f", ({said})::int AS {column}" for column, said in columns.items())
    rank = "COALESCE(rank, %(unknown_rank)s)" if ranked else "0"
    shown = ", ".join(f"{_divided(spot)} AS {shown_price(spot)}" for spot in (False, True))
    current = f"(SELECT *, {BAND} AS band, {shown} FROM ({CURRENT}) known) current"
    return f"SELECT {wanted}{judged}, {rank} AS rank FROM {current} {_RANKED if ranked else ''}"


class Found(NamedTuple):
    """What the statement says of an offering's listings with one family, GPU and value."""

    offering: int
    family: int | None
    gpu: int | None
    value: str | None
    truth: int  # the best of them
    yes: int  # how many priced ones match
    may: int  # how many priced ones may match
    rank: int = 0  # of their hosts, where a page ranks them


def verdicts_statement(criteria: Criteria, ranked: bool = False, hosts: bool = False) -> str:
    """(what, *Found) for every offering with listings; one for each rank where hosts are `ranked`.

    what: `all`; `without:<criterion>` with that one lifted; `alone:<criterion>` for it alone;
    `facet:<criterion>` per family and GPU, or per value, with that one lifted. Where they are
    asked for, `hosts`: all in one value, family, GPU, driver, CUDA, truth, number of priced
    listings and the place of the cheapest (how far to trust it, its shown price, its id):
    `17 42 550.54.15 12.4 2 20 0 2.49 4711`, with HOST_SPLIT between, and HOST_END between hosts.
    """
    names = active(criteria)
    spot = "spot_only" in names

    def lifted(name: str, spot: bool) -> str:
        return _all_of([n for n in names if n != name], spot)

    parts = [_part("all", NOTHING, _all_of(names, spot))]
    for name in names:
        parts.append(_part(f"without:{name}", NOTHING, lifted(name, spot and name != "spot_only")))
        parts.append(_part(f"alone:{name}", NOTHING, _column(name, spot=False)))
    for name in FACETS:
        as_spot = spot or name == "spot_only"
        parts.append(_part(f"facet:{name}", facet_value(name, spot), lifted(name, as_spot)))
    if ranked:
        parts.append(_part("alone:verdict", NOTHING, "2"))
    if hosts:
        parts.append(_hosts(_all_of(names, spot), spot))
    needed = [n for n in LISTING_CRITERIA if n in {*names, "spot_only", "in_stock"}]
    judged = _judged(needed, ranked, _COUNTED)
    return f"WITH judged AS MATERIALIZED ({judged}) " + " UNION ALL ".join(parts)


def _part(what: str, value: str, verdict: str) -> str:
    priced = "FILTER (WHERE origin <> 'catalog' AND"
    return f"""SELECT '{what}', offering_id, {value}, MAX({verdict}),
        COUNT(*) {priced} {verdict} = 2), COUNT(*) {priced} {verdict} = 1), rank
        FROM judged GROUP BY 2, 3, 4, 5, rank"""


# Between the parts of a host, and between hosts. No version holds them.
HOST_SPLIT, HOST_END = "\x1f", "\x1e"


def _hosts(verdict: str, spot: bool) -> str:
    """Every host, also where its listings do not match, with the cheapest one that does or may.

    An offering's hosts in one text: a row for each of thousands takes longer to fetch than to find.
    """
    # Arrays compare from left to right: what can be trusted stands before what is dated.
    place = f"""ARRAY[CASE WHEN {TRUSTED} THEN 0 WHEN origin = 'live' THEN 1 ELSE 2 END,
        {shown_price(spot)}, id]::numeric[]"""
    able = f"{verdict} > 0 AND"
    # Of hosts that are equally good the first is named: it must be the same one each time.
    order = 'family_id, gpu_id, driver COLLATE "C", cuda COLLATE "C"'
    split, end = f"CHR({ord(HOST_SPLIT)})", f"CHR({ord(HOST_END)})"
    host = f"""CONCAT_WS({split}, COALESCE(family_id, 0), COALESCE(gpu_id, 0), driver, cuda, truth,
        priced, ARRAY_TO_STRING(place, {split}))"""
    return f"""
        SELECT 'hosts', offering_id, NULL::bigint, NULL::bigint,
            STRING_AGG({host}, {end} ORDER BY {order}),
            0, 0, 0, 0
        FROM (
            SELECT offering_id, family_id, gpu_id, driver, cuda, MAX({verdict}) AS truth,
                COUNT(*) FILTER (WHERE {able} origin <> 'catalog') AS priced,
                MIN({place}) FILTER (WHERE {able} {shown_price(spot)} IS NOT NULL) AS place
            FROM judged GROUP BY offering_id, family_id, gpu_id, driver, cuda
        ) hosts GROUP BY offering_id"""


# What is shown of listings that an index picked.
LISTED = """
    SELECT l.id, offering_id, family_id, gpu_id, gpu_name, gpu_count, vram_gb, region,
        usd_per_hour, spot_usd_per_hour, spot, stock, stock_count, driver, cuda, tier, origin,
        COALESCE(seen_at, state.good_at), source_url
    FROM providers_listing l LEFT JOIN providers_sourcestate state ON state.slug = l.source
    WHERE l.id = ANY(%(ids)s)
"""
# What is shown of the cheapest listings that `hosts` found.
CHEAPEST_OF_HOSTS = """
    SELECT l.id, l.usd_per_hour, l.spot_usd_per_hour, l.gpu_count, l.gpu_name, l.origin,
        COALESCE(l.seen_at, state.good_at)
    FROM providers_listing l LEFT JOIN providers_sourcestate state ON state.slug = l.source
    WHERE l.id = ANY(%(ids)s)
"""


def _order(criteria: Criteria, spot: bool) -> tuple[str, str]:
    """Two sort keys that are never NULL: those of `picked`."""
    shown = shown_price(spot)
    dated = f"(CASE WHEN {shown} IS NULL THEN 2 WHEN {TRUSTED} THEN 0 ELSE 1 END)"
    by_offering = "COALESCE(array_position(%(offering_order)s, offering_id), 0)"
    return {
        "price": (dated, f"COALESCE({shown}, 0)"),
        "-price": (dated, f"COALESCE(-{shown}, 0)"),
        "freshness": ("0", "-EXTRACT(EPOCH FROM seen_at)"),
        "name": (by_offering, f"COALESCE({shown}, 1000000000)"),
        "known": (by_offering, f"COALESCE({shown}, 1000000000)"),
    }[criteria.one("sort")]


def rows_statement(criteria: Criteria) -> str:
    """Priced rows of open offerings, best standing first, in the asked order."""
    names = active(criteria)
    spot = "spot_only" in names
    key, order = _order(criteria, spot)
    is_spot = "TRUE" if spot else "usd_per_hour IS NULL"
    open_ones = ", ".join(f"CASE WHEN {_column(n, spot)} = 1 THEN '{n}' END" for n in names)
    return f"""
        SELECT truth, sort_key, sort_rank, id, offering_id, family_id, gpu_id, gpu_name, gpu_count,
            vram_gb, region, {shown_price(spot)}, {price(spot)}, spot_usd_per_hour, spot,
            {is_spot}, stock, stock_count, driver, cuda, tier, origin, seen_at, source_url,
            ARRAY_REMOVE(ARRAY[{open_ones}]::text[], NULL)
        FROM (
            SELECT judged.*, {key}::bigint AS sort_key, ROUND(({order})::numeric, 10) AS sort_rank,
                LEAST({_all_of(names, spot)}, CASE
                    WHEN offering_id = ANY(%(offerings_yes)s) THEN 2
                    WHEN offering_id = ANY(%(offerings_may)s) THEN 1 ELSE 0 END) AS truth
            FROM ({_judged(names)}) judged WHERE origin <> 'catalog'
        ) standing
        WHERE truth >= %(least)s
        ORDER BY 2 - truth, sort_key, sort_rank, id
    """

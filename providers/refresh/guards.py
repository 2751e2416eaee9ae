"""Guards judge a whole batch before it is merged. Pure: figures in, a verdict out.

Each guard answers with its figures; a broken one keeps the batch out and the last good listings
in place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from statistics import median

from providers.refresh.facts import Key
from providers.refresh.normalise import Batch

Figures = dict[str, float]


@dataclass(frozen=True)
class Thresholds:
    """Where a batch stops being believable."""

    rows: float = 0.6  # of the median of the last good runs
    filled: float = 0.95  # share of rows that fill a required field
    jumped: float = 0.2  # share of prices far from their own past
    jump: Decimal = Decimal(3)  # how far is far, as a factor
    not_rising: float = 0.2  # share of configurations where more GPUs cost no more
    unknown_names: float = 0.05
    duplicates: float = 0.02


DEFAULT = Thresholds()
# With some ten or twenty rows, one card without a price or with a new name is already more than
# five in a hundred; a provider must be able to launch a card without losing its listings.
SMALL = replace(DEFAULT, filled=0.8, unknown_names=0.2)
# Sources whose normal answers differ, each with the reason.
OVERRIDES: Mapping[str, Thresholds] = {
    "cloudrift": SMALL,
    "digitalocean": SMALL,
    "hyperstack": SMALL,
    "lambda": SMALL,
    "ovhcloud": SMALL,
    "scaleway": SMALL,
    "thundercompute": SMALL,
    "verda": SMALL,
    # Hosts set their own prices: eight cards at one may well be cheaper than four at another.
    "vast": replace(DEFAULT, not_rising=0.6, rows=0.4),
    # Models without a bid are listed without a price.
    "akash": replace(SMALL, not_rising=1.0, filled=0.5),
    # A card that one of its two clouds does not sell is listed there with a price of 0.
    "runpod": replace(DEFAULT, filled=0.6),
    # GPU types whose price is not published are listed with 0.
    "linode": SMALL,
    # Some twenty shapes: a single one without a price is already five in a hundred.
    "oracle": SMALL,
    # A machine has no price while any of its parts has none.
    "gcp": replace(DEFAULT, filled=0.5),
    # Resellers list the same hardware again and again.
    "primeintellect": replace(DEFAULT, duplicates=0.5, not_rising=0.6),
    "shadeform": replace(DEFAULT, duplicates=0.3, not_rising=0.6),
    # A pool is listed as a container and as a VM.
    "jarvislabs": replace(SMALL, duplicates=0.6),
    # The walk over the pages is not stable: items come twice.
    "azure": replace(DEFAULT, duplicates=0.2),
}


@dataclass(frozen=True)
class Past:
    """What is known of earlier runs of the source."""

    rows: Sequence[int] = ()  # of up to seven good runs
    # The medians of seven days, USD an hour.
    prices: Mapping[Key, Decimal] = field(default_factory=dict)
    spot_prices: Mapping[Key, Decimal] = field(default_factory=dict)
    left_open: int = 0  # listings that stay though the batch does not tell them


@dataclass(frozen=True)
class Broken:
    """The guard that a batch broke, with the figures that show it."""

    guard: str
    figures: Figures


def judge(batch: Batch, past: Past, thresholds: Thresholds = DEFAULT) -> Broken | None:
    """The first guard that the batch breaks; None when it may go in."""
    for guard, check in GUARDS.items():
        figures = check(batch, past, thresholds)
        if figures is not None:
            return Broken(guard, figures)
    return None


def fill_rates(batch: Batch) -> Figures:
    """The share of rows, bad ones included, that fill each required field."""
    total = len(batch.rows) + len(batch.quarantined)
    rows = batch.rows.values()
    filled = {
        "row": len(batch.rows),
        "price": sum(bool(facts.stated_price or facts.stated_spot_price) for facts in rows),
        "gpu_name": sum(bool(facts.gpu_name) for facts in rows),
    }
    return {name: round(count / total, 4) if total else 0.0 for name, count in filled.items()}


def _rows(batch: Batch, past: Past, limits: Thresholds) -> Figures | None:
    usual = median(past.rows) if past.rows else 0
    rows = len(batch.rows) + past.left_open
    if rows >= limits.rows * usual:
        return None
    return {"rows": rows, "usual": usual, "least": limits.rows * usual}


def _filled(batch: Batch, past: Past, limits: Thresholds) -> Figures | None:
    rates = fill_rates(batch)
    short = {name: rate for name, rate in rates.items() if rate < limits.filled}
    return {**short, "least": limits.filled} if short else None


def _jumped(batch: Batch, past: Past, limits: Thresholds) -> Figures | None:
    """Each kind of price on its own: wrong spot prices do not hide among right ones on demand."""
    kinds = {
        "jumped": _jumps(batch, "usd_per_hour", past.prices, limits.jump),
        "spot_jumped": _jumps(batch, "spot_usd_per_hour", past.spot_prices, limits.jump),
    }
    for name, jumps in kinds.items():
        if jumps and sum(jumps) / len(jumps) > limits.jumped:
            return {name: sum(jumps), "of": len(jumps), "most": limits.jumped}
    return None


def _jumps(batch: Batch, column: str, before: Mapping[Key, Decimal], jump: Decimal) -> list[bool]:
    """For each price with a past, whether it is far from it."""
    known = [
        (now, before[key])
        for key, facts in batch.rows.items()
        if (now := getattr(facts, column)) is not None and key in before
    ]
    return [now >= jump * then or now * jump <= then for now, then in known]


def _not_rising(batch: Batch, past: Past, limits: Thresholds) -> Figures | None:
    """Configurations that differ in GPU count alone must cost more with more GPUs."""
    cheapest: dict[tuple[object, ...], dict[int, Decimal]] = defaultdict(dict)
    for (offering, _key), facts in batch.rows.items():
        if facts.usd_per_hour is not None and facts.gpu_count:
            alike = (offering, facts.gpu_name, facts.vram_gb, facts.region, facts.tier)
            seen = cheapest[alike].get(facts.gpu_count, facts.usd_per_hour)
            cheapest[alike][facts.gpu_count] = min(seen, facts.usd_per_hour)
    steps = [
        fewer >= more
        for prices in cheapest.values()
        for fewer, more in pairwise(prices[count] for count in sorted(prices))
    ]
    share = sum(steps) / len(steps) if steps else 0.0
    if share <= limits.not_rising:
        return None
    return {"not_rising": sum(steps), "of": len(steps), "most": limits.not_rising}


def _unknown_names(batch: Batch, past: Past, limits: Thresholds) -> Figures | None:
    share = batch.unknown_names / len(batch.rows) if batch.rows else 0.0
    if share <= limits.unknown_names:
        return None
    return {"unknown": batch.unknown_names, "of": len(batch.rows), "most": limits.unknown_names}


def _duplicates(batch: Batch, past: Past, limits: Thresholds) -> Figures | None:
    share = batch.duplicates / batch.fetched if batch.fetched else 0.0
    if share <= limits.duplicates:
        return None
    return {"duplicates": batch.duplicates, "of": batch.fetched, "most": limits.duplicates}


GUARDS: Mapping[str, Callable[[Batch, Past, Thresholds], Figures | None]] = {
    "rows": _rows,
    "filled": _filled,
    "jumped": _jumped,
    "not_rising": _not_rising,
    "unknown_names": _unknown_names,
    "duplicates": _duplicates,
}

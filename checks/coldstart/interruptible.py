"""Interruptible capacity against on-demand: which costs less, and where they cost the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from checks.coldstart.assumptions import assume
from checks.coldstart.estimate import NO_TERMS, Estimate, Given
from checks.coldstart.inputs import Image, Place, Terms, Work
from checks.coldstart.job import DAY_S, Job, job, lost_work
from checks.coldstart.numbers import CASES, WIDE, Range

_HUNDREDTH: Final = Decimal("0.01")


@dataclass(frozen=True)
class BreakEven:
    """Interruptions a day of work at which both cost the same; None: no number of them does.

    `reason` is the key of why there is none at all: prices_not_known, spot_not_cheaper, no_work,
    restarts_cost_nothing.
    """

    low: Decimal | None = None
    likely: Decimal | None = None
    high: Decimal | None = None
    reason: str = ""


@dataclass(frozen=True)
class Interruptible:
    on_demand: Job
    spot: Job
    break_even: BreakEven


def interruptible(
    work: Work,
    image: Image,
    place: Place | None = None,
    terms: Terms = NO_TERMS,
    given: Given | None = None,
) -> Interruptible:
    """`work` on demand, and on spot with its interruptions a day; `terms` hold both prices."""
    steady = job(replace(work, on_spot=False, interruptions_a_day=0), image, place, terms, given)
    spot = job(replace(work, on_spot=True), image, place, terms, given)
    lost = lost_work(assume(given))
    return Interruptible(steady, spot, _break_even(work.seconds, steady.start, terms, lost))


def _break_even(work_s: Decimal, start: Estimate, terms: Terms, lost: Range) -> BreakEven:
    """Of the machine alone, before rounding: disk and traffic are not compared."""
    price, spot_price = terms.price, terms.on_spot.price
    if not price or not spot_price:
        return BreakEven(reason="prices_not_known")
    if spot_price >= price:
        return BreakEven(reason="spot_not_cheaper")
    if not work_s:
        return BreakEven(reason="no_work")
    saved = price / spot_price - 1
    found = sorted(
        saved * (work_s + start.metered_s[case]) / again * DAY_S / work_s
        for case in CASES
        if (again := start.metered_s[case] + lost[case])
    )
    if not found:
        return BreakEven(reason="restarts_cost_nothing")
    # A case in which a restart costs nothing is never dearer: its end stays open.
    ends = iter(each.quantize(_HUNDREDTH, context=WIDE) for each in found)
    return BreakEven(next(ends), next(ends, None), next(ends, None))

"""One start: its phases, the seconds on the bill, the money."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from checks.coldstart.assumptions import Assumptions, assume
from checks.coldstart.inputs import Image, Place, Terms
from checks.coldstart.money import Bill, bill, metered
from checks.coldstart.numbers import NOTHING, Number, Range
from checks.coldstart.phases import Phase, phases

NO_TERMS = Terms()


@dataclass(frozen=True)
class Estimate:
    """What a start takes and costs.

    Where nobody knows whether the pull is billed, `bill` goes from the lowest of `if_unbilled` to
    the highest of `if_billed`, and its likely figure is that of `if_billed`: the prudent one.
    """

    phases: tuple[Phase, ...]
    bill: Bill
    metered_s: Range  # on the meter, before rounding
    if_unbilled: Bill | None = None
    if_billed: Bill | None = None

    @cached_property
    def total_s(self) -> Range:
        """The exact sum of the phases, case by case."""
        return sum((phase.seconds for phase in self.phases), NOTHING)

    @property
    def billed_s(self) -> Range:
        return self.bill.seconds

    @property
    def usd(self) -> Range | None:
        return self.bill.usd

    @property
    def pull_billing_unknown(self) -> bool:
        return self.if_billed is not None


Given = Mapping[str, Number | Range]


def estimate(
    image: Image, place: Place | None = None, terms: Terms = NO_TERMS, given: Given | None = None
) -> Estimate:
    """The start of `image` at `place` on `terms`; `given` replaces assumptions by key.

    Raises ValueError for figures that cannot be and for keys that no assumption has.
    """
    return estimated(image, place or Place(), terms, assume(given))


def estimated(image: Image, place: Place, terms: Terms, assumed: Assumptions) -> Estimate:
    """The same, with assumptions that were read already."""
    return on_terms(phases(image, place, assumed), terms, assumed)


def on_terms(parts: tuple[Phase, ...], terms: Terms, assumed: Assumptions) -> Estimate:
    """What a start of these phases costs."""
    free = metered(parts, assumed, pull_is_billed=False)
    paid = metered(parts, assumed, pull_is_billed=True)
    if terms.billed_during_pull is not None:
        on_meter = paid if terms.billed_during_pull else free
        return Estimate(parts, bill(on_meter, terms, assumed), on_meter)
    on_meter = Range(free.low, paid.likely, paid.high)
    return Estimate(
        parts,
        bill(on_meter, terms, assumed),
        on_meter,
        if_unbilled=bill(free, terms, assumed),
        if_billed=bill(paid, terms, assumed),
    )

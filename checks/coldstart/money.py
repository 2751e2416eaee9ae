"""From seconds to money: what is on the meter, how it is rounded, what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from checks.coldstart.assumptions import Assumptions
from checks.coldstart.inputs import Terms
from checks.coldstart.numbers import NOTHING, WIDE, Case, Range, microdollars
from checks.coldstart.phases import Phase


@dataclass(frozen=True)
class Bill:
    """Seconds on the bill, rounded as the provider rounds; `usd` is None without a price."""

    seconds: Range
    usd: Range | None


def metered(phases: Iterable[Phase], assumed: Assumptions, *, pull_is_billed: bool) -> Range:
    """Seconds during which the meter runs, before rounding."""
    total = NOTHING
    for phase in phases:
        if phase.key == "provision":
            total += _times(phase.seconds, assumed, "provision_billed_share")
        elif pull_is_billed or phase.key not in ("pull", "unpack"):
            total += phase.seconds
    return total


def _times(seconds: Range, assumed: Assumptions, share: str) -> Range:
    return Range.each(lambda case: seconds[case] * assumed.at(case, share))


def rounded_up(seconds: Decimal, increment: Decimal, minimum: Decimal = Decimal(0)) -> Decimal:
    """At least the minimum, then up to a whole number of increments; 0 leaves the time as it is."""
    seconds = max(seconds, minimum)
    if not increment:
        return seconds
    whole, rest = WIDE.divmod(seconds, increment)
    return (whole + (rest > 0)) * increment


def billed(seconds: Decimal, terms: Terms, assumed: Assumptions, case: Case) -> Decimal:
    """`seconds` of one rental as they come on the bill."""
    step = _told(terms.increment_s, "billing_increment_s", assumed, case)
    return rounded_up(seconds, step, _told(terms.minimum_s, "minimum_s", assumed, case))


def _told(value: object, key: str, assumed: Assumptions, case: Case) -> Decimal:
    """The provider's own figure, or what is assumed; what the reader gave goes before both."""
    if value is None or assumed.is_given(key):
        return assumed.at(case, key)
    return Decimal(str(value))


def usd(seconds: Decimal, usd_per_hour: Decimal) -> Decimal:
    """What `seconds` cost, to a millionth of a dollar."""
    return microdollars(seconds * usd_per_hour / 3600)


def bill(seconds: Range, terms: Terms, assumed: Assumptions) -> Bill:
    """One rental that lasts `seconds` on the meter."""
    on_bill = Range.each(lambda case: billed(seconds[case], terms, assumed, case))
    price = terms.price
    if price is None:
        return Bill(on_bill, None)
    return Bill(on_bill, Range.each(lambda case: usd(on_bill[case], price)))

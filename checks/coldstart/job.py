"""What a job of some hours costs in all: the work, the start, the restarts, disk and traffic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Final

from checks.coldstart.assumptions import Assumptions, assume
from checks.coldstart.estimate import NO_TERMS, Estimate, Given, estimated
from checks.coldstart.inputs import Image, Place, Terms, Weights, Work
from checks.coldstart.money import billed, usd
from checks.coldstart.numbers import (
    CASES,
    Case,
    Cases,
    Range,
    microdollars,
    milliseconds,
)

HOURS_A_MONTH: Final = 730  # as monthly prices of listings are turned into hourly ones
DAY_S: Final = Decimal(86_400)


@dataclass(frozen=True)
class Part:
    """compute, start, restarts, rounding, disk or traffic; `usd` is None where no price is known.

    Parts are shares of each case's bill: one alone may be smaller in a worse case.
    """

    key: str
    usd: Cases | None


@dataclass(frozen=True)
class Job:
    """A job from the request to its end. `usd` is the exact sum of the parts that are known.

    It is None without a price of the machine. `stalls`: so many interruptions a day leave no time
    for work between the starts, and the job may never end.
    """

    start: Estimate
    wall_s: Range
    restarts: Decimal
    parts: tuple[Part, ...]
    usd: Range | None
    stalls: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts that no price is known of."""
        return tuple(part.key for part in self.parts if part.usd is None)


def job(
    work: Work,
    image: Image,
    place: Place | None = None,
    terms: Terms = NO_TERMS,
    given: Given | None = None,
) -> Job:
    """`work` done with `image` at one offering. Each interruption means another start like the
    first, and work done again.
    """
    place, assumed = place or Place(), assume(given)
    terms = terms.on_spot if work.on_spot else terms
    start = estimated(image, place, terms, assumed)
    return job_from(start, work, into_host(image, place), terms, assumed)


def job_from(
    start: Estimate, work: Work, start_gb: Decimal, terms: Terms, assumed: Assumptions
) -> Job:
    """The job after a start that is computed already, which moves `start_gb` into the host.

    `terms` are those of the machine that is rented: on spot, with the spot price as theirs.
    """
    run = _Run(work, start, terms, assumed)
    parts = (
        *_machine({case: run.sums(case) for case in CASES}, terms.price),
        Part("disk", _disk(work, terms, run.wall_s)),
        Part("traffic", _traffic(work, terms, start_gb)),
    )
    return Job(run.start, run.wall_s, work.restarts, parts, _total(parts), run.stalls)


def cheapest_first(asked: Job) -> tuple[bool, Decimal, int]:
    """A sort key: by likely cost, equal ones by what is not known; without a price last."""
    likely = asked.usd.likely if asked.usd else Decimal(0)
    return asked.usd is None, likely, len(asked.missing)


def lost_work(assumed: Assumptions) -> Range:
    """Seconds of work that each interruption undoes."""
    return Range.each(lambda case: assumed.at(case, "lost_work_s"))


@dataclass(frozen=True)
class _Run:
    work: Work
    start: Estimate
    terms: Terms
    assumed: Assumptions

    @property
    def _again(self) -> Range:
        return self.start.total_s + lost_work(self.assumed)

    @property
    def wall_s(self) -> Range:
        work, total, again = self.work, self.start.total_s, self._again
        return Range.each(
            lambda case: milliseconds(work.seconds + total[case] + work.restarts * again[case])
        )

    @property
    def stalls(self) -> bool:
        return Decimal(self.work.interruptions_a_day) * self._again.likely >= DAY_S

    def sums(self, case: Case) -> tuple[Decimal, ...]:
        """Seconds on the meter with each part added: work, start, restarts, rounding.

        Each restart is a rental of its own; all are rounded as one of the average length.
        """
        first = self.start.metered_s[case]
        with_start = self.work.seconds + first
        again = first + self.assumed.at(case, "lost_work_s")
        with_restarts = with_start + self.work.restarts * again
        rentals = 1 + self.work.restarts
        average = milliseconds(with_restarts / rentals)
        rounded = rentals * billed(average, self.terms, self.assumed, case)
        return self.work.seconds, with_start, with_restarts, max(with_restarts, rounded)


def _machine(sums: Mapping[Case, tuple[Decimal, ...]], price: Decimal | None) -> tuple[Part, ...]:
    """Differences of rounded sums: so the parts are never negative and their sum is exact."""
    keys = ("compute", "start", "restarts", "rounding")
    if price is None:
        return tuple(Part(key, None) for key in keys)
    costs = {
        case: [after - before for before, after in pairwise([Decimal(0), *_costs(of, price)])]
        for case, of in sums.items()
    }
    return tuple(
        Part(key, Cases(*(costs[case][at] for case in CASES))) for at, key in enumerate(keys)
    )


def _costs(seconds: tuple[Decimal, ...], price: Decimal) -> list[Decimal]:
    return [usd(each, price) for each in seconds]


def _disk(work: Work, terms: Terms, wall: Range) -> Cases | None:
    if not work.disk_gb:
        return Cases.each(lambda _case: Decimal(0))
    if terms.disk_usd_gb_month is None:
        return None
    an_hour = Decimal(work.disk_gb) * Decimal(terms.disk_usd_gb_month) / HOURS_A_MONTH
    return Cases.each(lambda case: usd(wall[case], an_hour))


def _traffic(work: Work, terms: Terms, start_gb: Decimal) -> Cases | None:
    """Every start moves `start_gb` into the host. A way that nothing takes needs no price."""
    ways = (
        (Decimal(work.down_gb) + (1 + work.restarts) * start_gb, terms.down_usd_gb),
        (Decimal(work.up_gb), terms.up_usd_gb),
    )
    if any(gigabytes and price is None for gigabytes, price in ways):
        return None
    total = sum((gigabytes * Decimal(price or 0) for gigabytes, price in ways), Decimal(0))
    return Cases.each(lambda _case: microdollars(total))


def into_host(image: Image, place: Place) -> Decimal:
    """GB that one start moves into the host."""
    pulled = Decimal(0) if place.cached else image.megabytes / 1000
    from_hub = Decimal(image.weights_gb) if image.weights is Weights.HUB else Decimal(0)
    return pulled + from_hub


def _total(parts: tuple[Part, ...]) -> Range | None:
    known = [part.usd for part in parts if part.usd is not None]
    if parts[0].usd is None:
        return None
    return Range.each(lambda case: sum((each[case] for each in known), Decimal(0)))

"""What a first start takes and costs at each offering, and at one of them in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property

from checks import coldstart
from checks.coldstart import Image, Interruptible, Job, Scenario, Starts, Work
from checks.conditions import Asked
from checks.image.fact import ImageFacts, Key
from checks.image.record import ImageRecord
from checks.start.asked import USUAL_HOURS, USUAL_INTERRUPTIONS, StartAsked
from checks.start.places import Here, heres
from checks.verdicts import Checked, CheckResult, check
from gpucompare.cuda.answer import Standing
from gpucompare.cuda.image import Image as CudaImage
from providers.browse.world import World
from providers.models import Origin

NOTHING_KNOWN = ImageFacts(CudaImage(), ())


@dataclass(frozen=True)
class Place:
    """An offering with the job that was asked for; `here` says where exactly."""

    here: Here
    job: Job

    @property
    def standing(self) -> Standing:
        return self.here.checked.stand.standing


@dataclass(frozen=True)
class ColdResult:
    """All that the page of a first start is made of. `ranked` is not empty."""

    asked: StartAsked
    starts: Starts
    ranked: tuple[Place, ...]  # what is left after `fails`, or all that were named
    fails: int  # offerings left out because the image fails there
    judged: bool  # whether anything is known of the image beside its size

    @property
    def first(self) -> Place:
        """The offering that the page is about."""
        return self.ranked[0]

    @property
    def hours(self) -> Decimal:
        """Of work, of the job that is ranked."""
        return USUAL_HOURS if self.asked.hours is None else self.asked.hours

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        here = self.first.here
        return coldstart.side_by_side(self.starts.image, here.place, here.rented, self.starts.given)

    @cached_property
    def interruptible(self) -> Interruptible:
        here = self.first.here
        work = work_of(self.asked, on_spot=True)
        return coldstart.interruptible(
            work, self.starts.image, here.place, here.terms, self.starts.given
        )


def image_of(
    asked: StartAsked, facts: ImageFacts | None, record: ImageRecord | None
) -> Image | None:
    """The image to pull; None where not even its size is known."""
    if record is not None:
        return _with_weights(coldstart.image_of(record), asked)
    size = asked.compressed_gb
    told = facts.first(Key.SIZE) if facts else None
    if size is None and told:
        size = Decimal(int(told.value)) / 10**9
    return _with_weights(Image(compressed_gb=size), asked) if size else None


def _with_weights(image: Image, asked: StartAsked) -> Image:
    """The reader's own word on the weights goes before what layers show."""
    size = image.weights_gb if asked.weights_gb is None else asked.weights_gb
    where = asked.weights or image.weights
    return replace(image, weights_gb=size, weights=where if size else None)


def work_of(asked: StartAsked, *, on_spot: bool) -> Work:
    """The job; capacity that is not interruptible is not interrupted."""
    told = USUAL_INTERRUPTIONS if asked.interruptions is None else asked.interruptions
    return Work(
        USUAL_HOURS if asked.hours is None else asked.hours,
        on_spot=on_spot,
        interruptions_a_day=told if on_spot else 0,
        disk_gb=asked.disk_gb or 0,
    )


def cold(
    asked: StartAsked, image: Image, about: Asked | None, world: World, now: datetime
) -> ColdResult | None:
    """None where no offering is left under the criteria. One query beside those of a check.

    `about` is what is known of the image beside its size.
    """
    result = check(about or Asked(NOTHING_KNOWN), asked.criteria, world, now)
    starts = coldstart.starts(image, asked.figures)
    rows, fails = _rows(result, asked)
    ranked = in_rank(_places(rows, asked, starts), judged=about is not None)
    if not ranked:
        return None
    return ColdResult(asked, starts, ranked, fails, about is not None)


def _rows(result: CheckResult, asked: StartAsked) -> tuple[list[Checked], int]:
    """Those that were named; else all on which the image does not fail, and how many it does."""
    if asked.offerings:
        return [one for one in result.rows if _key(one) in asked.offerings], 0
    kept = [one for one in result.rows if one.stand.standing is not Standing.FAILS]
    return kept, len(result.rows) - len(kept)


def _key(one: Checked) -> str:
    return f"{one.row.offering.provider.slug}/{one.row.offering.slug}"


def _places(rows: Sequence[Checked], asked: StartAsked, starts: Starts) -> list[Place]:
    return [place(here, asked, starts) for here in heres(rows, asked.cached)]


def place(here: Here, asked: StartAsked, starts: Starts) -> Place:
    work = work_of(asked, on_spot=here.on_spot)
    return Place(here, starts.job(work, here.place, here.terms))


def in_rank(places: Sequence[Place], *, judged: bool) -> tuple[Place, ...]:
    """Where the image runs comes first; then live prices before dated ones; then the total."""

    def key(one: Place) -> tuple[object, ...]:
        rank = one.here.checked.stand.said.rank if judged else 0
        return -rank, dated(one.here), *coldstart.cheapest_first(one.job), one.here.key

    return tuple(sorted(places, key=key))


def dated(here: Here) -> int:
    """0: a price to act on; 1: a live one that is older; 2: a snapshot; 3: none."""
    row = here.checked.row.cheapest
    if row is None:
        return 3
    return 0 if row.trusted else 1 if row.origin == Origin.LIVE else 2

"""One image at many places: it is read once, and what was computed for one place holds for all
that are like it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from checks.coldstart.assumptions import assume
from checks.coldstart.estimate import NO_TERMS, Estimate, Given, on_terms
from checks.coldstart.inputs import Image, Place, Terms, Work
from checks.coldstart.job import Job, into_host, job_from
from checks.coldstart.phases import Phase, phases

# Offerings are some hundred; each has a price or two.
_KEPT = 2_000


class Starts:
    """`estimate` and `job` of the package for one image, with what they said kept.

    Raises ValueError as they do.
    """

    def __init__(self, image: Image, given: Given | None = None) -> None:
        self.image = image
        self.given: Given = given or {}
        self.assumed = assume(given)
        self._phases = lru_cache(_KEPT)(self._phases_at)
        self._estimates = lru_cache(_KEPT)(self._estimate)
        self._jobs = lru_cache(_KEPT)(self._job)

    def estimate(self, place: Place | None = None, terms: Terms = NO_TERMS) -> Estimate:
        return self._estimates(place or Place(), terms)

    def job(self, work: Work, place: Place | None = None, terms: Terms = NO_TERMS) -> Job:
        return self._jobs(work, place or Place(), terms)

    def _phases_at(self, place: Place) -> tuple[Phase, ...]:
        return phases(self.image, place, self.assumed)

    def _estimate(self, place: Place, terms: Terms) -> Estimate:
        return on_terms(self._phases(place), terms, self.assumed)

    def _job(self, work: Work, place: Place, terms: Terms) -> Job:
        rented = terms.on_spot if work.on_spot else terms
        start = self._estimates(place, rented)
        return job_from(start, work, into_host(self.image, place), rented, self.assumed)


@lru_cache(maxsize=16)
def _starts(image: Image, given: tuple[tuple[str, str], ...]) -> Starts:
    return Starts(image, dict(given))


def starts(image: Image, given: Mapping[str, str]) -> Starts:
    """Those of an image, kept for the next page about it."""
    return _starts(image, tuple(sorted(given.items())))

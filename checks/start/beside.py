"""The first start of each offering of a check, beside its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _

from checks import coldstart
from checks.coldstart import Image
from checks.start.asked import StartAsked
from checks.start.figures import money, short
from checks.start.found import Place, in_rank, place
from checks.start.launch_asked import OfferingLinks
from checks.start.places import heres
from checks.start.present_cold import hours_of, missing_text
from checks.start.present_phases import plain
from checks.verdicts import Checked, CheckResult
from gpucompare import spoken
from providers.answers import Text
from providers.browse.links import hidden
from providers.browse.page import HiddenField

# An order of rows that a page has which knows the size of an image.
TOTAL: Final = "total"


@dataclass(frozen=True)
class FirstStart:
    """What stands beside a verdict; `total` is empty where no job is asked for."""

    start: Text  # "2.8 min, $0.09"
    total: Text  # "8 h: $17.54, without traffic"
    url: str
    launch_url: str


@dataclass(frozen=True)
class JobForm:
    """Asks for the total of a job of some hours, and ranks by it."""

    path: str
    hours: str
    hidden: tuple[HiddenField, ...]


class FirstStarts:
    """Computed for the rows that are shown, or for all where they are ranked by it."""

    def __init__(self, asked: StartAsked, image: Image) -> None:
        self._asked = asked
        self._starts = coldstart.starts(image, asked.figures)
        self._links = OfferingLinks(asked)
        self._places: dict[int, Place] = {}
        self._hours = _("%(n)s h") % {"n": spoken.number(hours_of(asked))}
        self._with_total = asked.hours is not None or asked.criteria.one("sort") == TOTAL

    @property
    def form(self) -> JobForm:
        criteria = self._asked.criteria.put("sort", TOTAL)
        return JobForm(reverse("check"), plain(hours_of(self._asked)), hidden(criteria, "hours"))

    def beside(self, rows: Sequence[Checked]) -> Mapping[str, FirstStart]:
        """By "provider/offering". One query, none where all rows were ranked."""
        return {one.here.key: self._first_start(one) for one in self._of(rows)}

    def in_order(self, result: CheckResult) -> CheckResult:
        """By the total of the job where that is asked for; where the image runs comes first."""
        if self._asked.criteria.one("sort") != TOTAL:
            return result
        by_id = {id(one.here.checked): one for one in self._of(result.rows)}
        ranked = in_rank(list(by_id.values()), judged=True)
        return replace(result, rows=tuple(one.here.checked for one in ranked))

    def _of(self, rows: Iterable[Checked]) -> list[Place]:
        rows = list(rows)
        new = [one for one in rows if id(one) not in self._places]
        if new:
            for here in heres(new, self._asked.cached):
                self._places[id(here.checked)] = place(here, self._asked, self._starts)
        return [self._places[id(one)] for one in rows]

    def _first_start(self, one: Place) -> FirstStart:
        start, criteria = one.job.start, self._asked.criteria
        parts = [short(start.total_s.likely)]
        if start.usd is not None:
            parts.append(money(start.usd.likely, criteria))
        return FirstStart(
            spoken.joined(parts),
            self._total(one) if self._with_total else "",
            self._links.cold(one.here.key),
            self._links.launch(one.here),
        )

    def _total(self, one: Place) -> str:
        job = one.job
        if job.usd is None:
            return f"{self._hours}: {missing_text(job)}"
        told = [money(job.usd.likely, self._asked.criteria), str(missing_text(job))]
        return f"{self._hours}: {', '.join(filter(None, told))}"

"""What the page of status shows: every source, the snapshot, the exchange rates, the claims.

Pure: facts of the database, the environment and the time in, words and marks out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from gpucompare import spoken
from providers.answers import Text
from providers.coverage_views import CoverageView, ProviderRow, coverage_view, provider_row
from providers.failures import FILLED, failure_text, percent
from providers.freshness import USUAL_INTERVAL, Band, listing_band
from providers.models import Origin, Outcome, RefreshRun
from providers.refresh.enabled import without_key
from providers.refresh.schedule import interval
from providers.sources import SOURCES
from providers.status_facts import RateFacts, SnapshotFacts, SourceFacts, StatusFacts

# As many as are looked at first; the others are folded.
WEAKEST = 10


class Standing(StrEnum):
    """Whether a source is read here."""

    READ = "read"
    NO_KEY = "no_key"  # off until it is given one
    LEFT = "left"  # an older version of the program read it


@dataclass(frozen=True)
class ProviderLink:
    name: str
    url: str


@dataclass(frozen=True)
class Moment:
    """A time, as it is read and as a machine reads it."""

    age: Text  # "12 minutes ago"
    when: Text
    iso: str


@dataclass(frozen=True)
class Share:
    """How many rows of the last good run are, or have, what `label` says."""

    label: Text
    value: str


@dataclass(frozen=True)
class SourceView:
    slug: str
    standing: Standing
    providers: tuple[ProviderLink, ...]
    band: str  # of its last good run; "never" without one
    band_text: Text
    mark: str
    good: Moment | None
    rows: int | None  # of the last good run
    fill_rates: tuple[Share, ...]
    outcome: Text  # of the last run that ended; empty without one
    failed: bool
    failure: Text  # in words; empty unless it failed
    ended: Moment | None
    running: Moment | None  # since when
    next_run: Text
    every: Text


@dataclass(frozen=True)
class Snapshot:
    day: Text  # empty when none is loaded
    rows: int


@dataclass(frozen=True)
class Rates:
    """The latest table of exchange rates; without a day there is none."""

    day: Text = ""
    age: Text = ""
    currencies: int = 0


@dataclass(frozen=True)
class StatusPage:
    sources: tuple[SourceView, ...]
    read: int
    fresh: int  # of those that are read
    no_key: int
    snapshot: Snapshot
    rates: Rates
    coverage: CoverageView
    weakest: tuple[ProviderRow, ...]  # the providers of whom least is known
    stronger: tuple[ProviderRow, ...]  # and all others


# Filled, half, clock and hollow: shapes that also say it without colour.
_MARKS = {
    Band.FRESH: "yes",
    Band.AGEING: "partly",
    Band.STALE: "clock",
    Band.LAST_SEEN: "no",
}
_NEVER = gettext_lazy("Never read")


def status_page(facts: StatusFacts, now: datetime, environ: Mapping[str, str]) -> StatusPage:
    """The page at `now`; `environ` tells intervals and which keys there are."""
    slugs = dict.fromkeys([*SOURCES, *sorted(facts.sources)])
    views = [_Source(slug, facts, now, environ).view() for slug in slugs]
    order = list(Standing)
    views.sort(key=lambda view: order.index(view.standing))
    read = [view for view in views if view.standing is Standing.READ]
    rows = tuple(map(provider_row, facts.by_provider))
    return StatusPage(
        sources=tuple(views),
        read=len(read),
        fresh=sum(view.band == Band.FRESH for view in read),
        no_key=sum(view.standing is Standing.NO_KEY for view in views),
        snapshot=_snapshot(facts.snapshot),
        rates=_rates(facts.rates, now.date()),
        coverage=coverage_view(facts.coverage),
        weakest=rows[:WEAKEST],
        stronger=rows[WEAKEST:],
    )


def _moment(at: datetime, now: datetime) -> Moment:
    return Moment(spoken.ago(at, now), spoken.moment(at), at.isoformat(timespec="seconds"))


class _Source:
    """A source, with what is known of it."""

    def __init__(
        self, slug: str, facts: StatusFacts, now: datetime, environ: Mapping[str, str]
    ) -> None:
        self._slug, self._now = slug, now
        self._facts = facts.sources.get(slug, SourceFacts(slug))
        self._names = facts.provider_names
        self._standing = _standing(slug, environ)
        known = self._standing is not Standing.LEFT
        self._interval = interval(slug, environ) if known else USUAL_INTERVAL

    def view(self) -> SourceView:
        facts, band = self._facts, self._band()
        ended, latest = facts.ended, facts.latest
        failed = ended is not None and ended.outcome != Outcome.MERGED
        going_on = latest is not None and latest.outcome == Outcome.RUNNING
        return SourceView(
            slug=self._slug,
            standing=self._standing,
            providers=self._providers(),
            band=band.value if band else "never",
            band_text=band.label if band else _NEVER,
            mark=_MARKS[band] if band else "unknown",
            good=_moment(facts.good_at, self._now) if facts.good_at else None,
            rows=_rows(facts.good) if facts.good else None,
            fill_rates=_fill_rates(facts.good),
            outcome=Outcome(ended.outcome).label if ended else "",
            failed=failed,
            failure=failure_text(ended.outcome, ended.guard, ended.figures) if ended else "",
            ended=_moment(ended.ended_at or ended.started_at, self._now) if ended else None,
            running=_moment(latest.started_at, self._now) if latest and going_on else None,
            next_run=self._next_run(),
            every=_every(self._interval) if self._standing is Standing.READ else "",
        )

    def _band(self) -> Band | None:
        if self._facts.good_at is None:
            return None
        return listing_band(Origin.LIVE, self._facts.good_at, self._now, self._interval)

    def _providers(self) -> tuple[ProviderLink, ...]:
        """Those of the catalog whose offerings the source lists."""
        kind = SOURCES.get(self._slug)
        slugs = dict.fromkeys(name.partition("/")[0] for name in kind.offerings) if kind else {}
        return tuple(
            ProviderLink(self._names[slug], reverse("provider", args=[slug]))
            for slug in slugs
            if slug in self._names
        )

    def _next_run(self) -> Text:
        """When it is due: an interval after the last start."""
        if self._standing is Standing.NO_KEY:
            return _("Off: needs a key")
        if self._standing is Standing.LEFT:
            return _("No longer read")
        latest = self._facts.latest
        if latest is None or latest.started_at + self._interval <= self._now:
            return _("Due now")
        due = latest.started_at + self._interval
        told = spoken.ahead(due, self._now)
        return f"{told[:1].upper()}{told[1:]}"


def _standing(slug: str, environ: Mapping[str, str]) -> Standing:
    if slug not in SOURCES:
        return Standing.LEFT
    return Standing.NO_KEY if without_key([slug], environ) else Standing.READ


def _every(span: timedelta) -> str:
    """In whole hours, else in minutes."""
    minutes = round(span / timedelta(minutes=1))
    if minutes % 60 == 0:
        return ngettext("every hour", "every %(n)d hours", minutes // 60) % {"n": minutes // 60}
    return ngettext("every minute", "every %(n)d minutes", minutes) % {"n": minutes}


def _rows(run: RefreshRun) -> int:
    return run.new + run.changed + run.unchanged


def _fill_rates(run: RefreshRun | None) -> tuple[Share, ...]:
    rates = run.fill_rates if run else {}
    return tuple(
        Share(label, percent(rates[name])) for name, label in FILLED.items() if name in rates
    )


def _snapshot(facts: SnapshotFacts) -> Snapshot:
    return Snapshot(spoken.day(facts.day) if facts.day else "", facts.rows)


def _rates(facts: RateFacts, today: date) -> Rates:
    if facts.day is None:
        return Rates()
    days = (today - facts.day).days
    age = ngettext("%(n)d day old", "%(n)d days old", days) % {"n": days}
    day = spoken.day(facts.day)
    return Rates(day, age if days > 0 else _("of today"), facts.currencies)

"""How old a sighting may be before it says less: one rule for listings, one for claims."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from providers.models import Origin

# The bands are made for a source that is read once an hour and stretch with longer intervals.
USUAL_INTERVAL = timedelta(hours=1)
FRESH_FOR = timedelta(hours=2)
# Older prices are shown, but never as the cheapest.
AGEING_FOR = timedelta(hours=12)
STALE_FOR = timedelta(hours=24)
BAND_ENDS = (FRESH_FOR, AGEING_FOR, STALE_FOR)

CURRENT_FOR = timedelta(days=90)
REVIEW_WITHIN = timedelta(days=180)


class Band(TextChoices):
    """How much a listing's price still says, most first."""

    FRESH = "fresh", pgettext_lazy("price", "Fresh")
    AGEING = "ageing", pgettext_lazy("price", "Ageing")
    STALE = "stale", pgettext_lazy("price", "Stale")
    LAST_SEEN = "last_seen", _("Last seen")
    SNAPSHOT = "snapshot", _("Snapshot")
    # Named by the catalog, without price or stock: there is nothing to grow old.
    CATALOG = "catalog", _("Named only")


class ReviewBand(TextChoices):
    """How soon a claim must be read again, latest first."""

    CURRENT = "current", pgettext_lazy("claim", "Current")
    AGEING = "ageing", pgettext_lazy("claim", "Ageing")
    DUE = "due", _("Due for review")


def listing_band(
    origin: str, seen_at: datetime, now: datetime, interval: timedelta = USUAL_INTERVAL
) -> Band:
    """The band at `now` of a listing seen at `seen_at` by a source read every `interval`."""
    if origin == Origin.SNAPSHOT:
        return Band.SNAPSHOT
    if origin == Origin.CATALOG:
        return Band.CATALOG
    age = (now - seen_at) / max(1.0, interval / USUAL_INTERVAL)
    if age < FRESH_FOR:
        return Band.FRESH
    if age < AGEING_FOR:
        return Band.AGEING
    return Band.STALE if age < STALE_FOR else Band.LAST_SEEN


def claim_band(read_on: date | None, today: date) -> ReviewBand:
    """The band of a claim read on `read_on`; one whose day was not recorded is due."""
    if read_on is None:
        return ReviewBand.DUE
    age = today - read_on
    if age <= CURRENT_FOR:
        return ReviewBand.CURRENT
    return ReviewBand.AGEING if age <= REVIEW_WITHIN else ReviewBand.DUE

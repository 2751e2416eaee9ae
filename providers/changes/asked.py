"""The criteria of changes: those of browse, without what only shows rows otherwise."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

from providers.browse.criteria import Criteria, Ignored
from providers.browse.parameters import PARAMETERS
from providers.browse.world import World

# Prices of changes are per GPU; what they are shown in may be chosen.
_SHOWN_IN = ("unknown", "period", "currency", "after")
# How old a price is says nothing of a change of it, and no image is checked here.
_NO_MATTER = ("freshness", "verdict")


def read_asked(request: HttpRequest, world: World) -> tuple[Criteria, list[Ignored]]:
    """The criteria of an address, and what of it cannot be a criterion of changes.

    How rows are sorted, paged and divided is left out without a word: an address of browse is
    one of changes too.
    """
    criteria, ignored = Criteria.parse(request.GET, world.vocabulary)
    values = dict(criteria.values)
    ignored += [
        Ignored(name, value, (), "parameter")
        for name in _NO_MATTER
        for value in values.get(name, ())
    ]
    if criteria.all("max_price") and not criteria.per_gpu:
        # Read as a price per GPU, the limit would be another one.
        ignored.append(Ignored("per", "instance", ("gpu",)))
        values.pop("max_price")
    kept = {name: value for name, value in values.items() if concerns(name)}
    return Criteria.of(kept, criteria.usd_per_unit), ignored


def concerns(name: str) -> bool:
    """Whether a parameter of browse is one of changes too."""
    return name in _SHOWN_IN or (PARAMETERS[name].filters and name not in _NO_MATTER)


def feed_url(criteria: Criteria) -> str:
    """The one address of the feed for criteria, whatever else an address of a page holds."""
    kept = {name: values for name, values in criteria.values if concerns(name) and name != "after"}
    return Criteria.of(kept).url(reverse("feed"))

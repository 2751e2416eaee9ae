"""The places that the header of every page leads to. A new one is one more line of PLACES."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Place:
    """A page by the name of its address, and those that are reached through it."""

    name: str
    label: str | Promise
    query: str = ""
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlaceLink:
    """`current` is what `aria-current` says: page, true (on a page within it) or nothing."""

    label: str | Promise
    url: str
    current: str


PLACES = (
    Place("browse", _("Browse"), within=("compare", "provider", "cell", "correct", "correction")),
    Place("listings", _("Listings"), "?sort=price", ("listing",)),
    Place("check", _("Check an image"), within=("cold-start", "launch")),
    Place("gpus", _("GPUs"), within=("gpu",)),
    Place("guide", _("Guide"), within=("faq",)),
    Place("status", _("Status")),
)


def place_links(here: str) -> tuple[PlaceLink, ...]:
    """The places in order; `here` is the name of the address that is shown, empty for none."""
    return tuple(
        PlaceLink(place.label, reverse(place.name) + place.query, _current(place, here))
        for place in PLACES
    )


def _current(place: Place, here: str) -> str:
    if here == place.name:
        return "page"
    return "true" if here in place.within else ""

"""The page of changes, ready for its template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Ignored
from providers.browse.page import Chip, Choice, HiddenField
from providers.changes.asked import feed_url
from providers.changes.present import Entry, Presenter, days
from providers.changes.select import Selection, page_of, place_of

PAGE_SIZE = 50


@dataclass(frozen=True)
class ChangesPage:
    days: Sequence[tuple[Text, Sequence[Entry]]]
    chips: tuple[Chip, ...]
    notices: tuple[Text, ...]
    exports: tuple[Choice, ...]
    gpus: tuple[Choice, ...]
    q: str
    hidden: tuple[HiddenField, ...]  # for the form: all criteria but q and gpu
    price_unit: Text
    price_limit: str
    browse_url: str
    feed_url: str
    clear_url: str
    canonical_url: str
    next_url: str = ""
    first_url: str = ""


def changes_page(selection: Selection, ignored: Sequence[Ignored]) -> ChangesPage:
    criteria, path = selection.criteria, reverse("changes")
    after = criteria.one("after")
    changes, more = page_of(selection, after, PAGE_SIZE)
    plain = criteria.put("after")
    return ChangesPage(
        days=days(Presenter(selection).entries(changes)),
        chips=links.chips(criteria, path, selection.world.gpu_names),
        notices=tuple(links.notice(part) for part in ignored),
        exports=links.exports(plain, path),
        gpus=_gpus(selection),
        q=criteria.one("q"),
        hidden=links.hidden(criteria, "q", "gpu", "max_price", "after"),
        price_unit=links.price_unit(criteria),
        price_limit=criteria.one("max_price"),
        browse_url=plain.url(reverse("browse")),
        feed_url=feed_url(plain),
        clear_url=criteria.unfiltered().url(path),
        canonical_url=criteria.url(path),
        next_url=criteria.put("after", place_of(changes[-1])).url(path) if more else "",
        first_url=plain.url(path) if after else "",
    )


def _gpus(selection: Selection) -> tuple[Choice, ...]:
    """Families and models by name, those asked for chosen."""
    asked = selection.criteria.all("gpu")
    names = sorted(selection.world.gpu_names.items(), key=lambda item: item[1].casefold())
    return tuple(Choice(slug, name, "", slug in asked) for slug, name in names)


def title_of(selection: Selection) -> str:
    """The criteria in words: "GPU H100 SXM, Docker daemon Root"."""
    chips = links.chips(selection.criteria, "", selection.world.gpu_names)
    told = (c.label if c.label == c.value else f"{c.label} {c.value}" for c in chips)
    return spoken.joined(told)

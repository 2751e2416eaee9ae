"""What programs find their way by: the site map, and a text about the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max
from django.urls import NoReverseMatch, reverse

from providers.models import Change, Gpu, GpuFamily, Provider

# By the names of their addresses; the apps that have them may come and go.
_PAGES = (
    *("browse", "listings", "check", "cold-start", "gpus", "guide", "faq"),
    *("changes", "status", "compare"),
)


@dataclass(frozen=True)
class Place:
    """A page, and when what it shows last changed, where that is kept."""

    path: str
    changed: datetime | None = None


@dataclass(frozen=True)
class ProviderLine:
    name: str
    path: str
    status: str
    offerings: int


def pages() -> list[Place]:
    """The pages that stand by themselves."""
    found = []
    for name in _PAGES:
        try:
            found.append(Place(reverse(name)))
        except NoReverseMatch:
            continue
    return found


def site_map() -> list[Place]:
    """Every page that is worth finding, once. Five queries."""
    return [*pages(), *_providers(), *_gpus()]


def _providers() -> Iterator[Place]:
    changed = _last_changes("offering__provider")
    for pk, slug in Provider.objects.order_by("slug").values_list("pk", "slug"):
        yield Place(reverse("provider", args=[slug]), changed.get(pk))


def _gpus() -> Iterator[Place]:
    slugs: set[str] = set(GpuFamily.objects.order_by().values_list("slug", flat=True))
    slugs |= set(Gpu.objects.order_by().values_list("slug", flat=True))
    yield from (Place(reverse("gpu", args=[slug])) for slug in sorted(slugs))


def _last_changes(of: str) -> dict[int, datetime]:
    rows = Change.objects.exclude(**{of: None}).order_by().values_list(of)
    return dict(rows.annotate(last=Max("at")))


def provider_lines() -> list[ProviderLine]:
    """One line a provider, for the text."""
    rows = Provider.objects.annotate(count=Count("offerings")).order_by("name")
    return [
        ProviderLine(_in_link(name), reverse("provider", args=[slug]), status, count)
        for name, slug, status, count in rows.values_list("name", "slug", "status", "count")
    ]


def _in_link(name: str) -> str:
    """A name as the text of a link in Markdown: in one line, with no bracket that ends it."""
    return re.sub(r"([\\\[\]<>`])", r"\\\1", " ".join(name.split()))

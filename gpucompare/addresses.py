"""Addresses that pages hold dozens of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.urls import reverse

# Where a slug stands in an address, until there is one.
_SLUG: Final = "a-slug"


def by_slug(name: str) -> Callable[[str], str]:
    """What `reverse(name, args=[slug])` gives for each of many slugs, in the active language."""
    before, after = reverse(name, args=[_SLUG]).rsplit(_SLUG, 1)
    return lambda slug: f"{before}{slug}{after}"

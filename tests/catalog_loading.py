"""Loads of small catalogs that tests write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from providers.catalog.store import LoadReport, load
from providers.models import Offering
from tests import catalog_texts as made


def loaded(files: Path, *data: dict[str, Any], **options: Any) -> LoadReport:
    """Make `data` the only files, and load them."""
    return load(made.write(files, *data), **options)


def pods(claims: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return made.offering("pods", claims=claims or {}, **fields)


def the_offering(slug: str = "pods") -> Offering:
    return Offering.objects.get(slug=slug)


SPOT = {"spot": made.claim(True, note="By auction.")}

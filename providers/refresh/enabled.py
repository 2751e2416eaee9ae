"""Which sources may run here: those without a key, and those whose key the environment holds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from gpucompare.environment import secret
from providers.sources import SOURCES
from providers.sources.base import Source


def key_variable(slug: str) -> str:
    """The environment variable that holds the key of a source."""
    return f"GPUCOMPARE_SOURCE_{slug.upper()}_KEY"


def source(slug: str, environ: Mapping[str, str] = os.environ) -> Source:
    """The source with the key that the environment gives it, if any."""
    return SOURCES[slug](secret(key_variable(slug), environ))


def enabled(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The slugs that can be refreshed without asking anybody for a key.

    Raises ValueError for a key in a file that cannot be read, also where none is needed.
    """
    return [slug for slug, kind in SOURCES.items() if _has_key(slug, environ) or not kind.needs_key]


def _has_key(slug: str, environ: Mapping[str, str]) -> bool:
    return bool(secret(key_variable(slug), environ))


def without_key(slugs: Iterable[str], environ: Mapping[str, str] = os.environ) -> list[str]:
    """Those of `slugs` that need a key and have none."""
    return [s for s in slugs if SOURCES[s].needs_key and not _has_key(s, environ)]

"""The catalog and the dated prices of the repository, for tests of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import transaction

from gpucompare import snapshot
from providers.catalog.store import load
from providers.refresh.snapshot import load_snapshot


@contextmanager
def whole_catalog() -> Iterator[None]:
    """What `make run` shows stands in the database until the block ends."""
    with transaction.atomic():
        load(settings.CATALOG_DIR)
        load_snapshot(settings.LISTINGS_DIR)
        yield
        transaction.set_rollback(True)


@contextmanager
def nobody_writes(module: str) -> Iterator[None]:
    """In such blocks of a module, what was read or drawn in one stays good, as between writes."""
    named = snapshot._current.set(f"as {module} sees it")
    try:
        yield
    finally:
        snapshot._current.reset(named)

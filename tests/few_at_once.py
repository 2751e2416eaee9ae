"""Listings read and looked at a few at a time, as only a hundred thousand of them are otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from providers.browse import listing_index, listing_rows


@pytest.fixture(autouse=True, scope="module")
def few_at_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(listing_rows, "_CHUNK", 4)
        patched.setattr(listing_index, "BLOCK", 3)
        yield

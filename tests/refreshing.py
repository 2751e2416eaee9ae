"""A source for tests of the refresh: it yields what the test says, or fails as the test says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from providers.models import RefreshRun
from providers.refresh.run import refresh
from providers.sources.base import (
    Found,
    Http,
    ListingRecord,
    Page,
    Rows,
    Source,
    price,
)


class Told(Source):
    """Yields the records it was told, or raises what it was told."""

    slug = "told"
    base_url = "https://told.example"
    offerings = ("acme/pods", "acme/vms")

    def __init__(self, rows: Sequence[Found] = (), fault: Exception | None = None) -> None:
        super().__init__()
        self.rows = rows
        self.fault = fault

    def fetch(self, http: Http) -> Iterator[Page]:
        if self.fault is not None:
            raise self.fault
        yield Page("rows", b"")

    def parse(self, pages: Iterable[Page]) -> Rows:
        list(pages)
        yield from self.rows


NO_NETWORK = cast("Http", None)


def record(key: str = "a", usd: object = "2", **fields: Any) -> ListingRecord:
    defaults: dict[str, Any] = {
        "offering": "acme/pods",
        "gpu_name": "L4",
        "gpu_count": 1,
        "price": price(usd),
    }
    return ListingRecord(key=key, **(defaults | fields))


def records(count: int, usd: object = "2") -> list[ListingRecord]:
    return [record(f"row-{n}", usd) for n in range(count)]


def run(*rows: Found, fault: Exception | None = None) -> RefreshRun:
    return refresh(Told(rows, fault), NO_NETWORK)

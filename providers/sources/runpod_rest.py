"""RunPod's REST catalog, version 2, which needs a key: https://api.runpod.io/v2/openapi.json.

It has no spot prices. A card without room anywhere comes without its list of data centres.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from pydantic import Field

from providers.sources.base import (
    BadRow,
    Http,
    MalformedError,
    Page,
    Rows,
    SourceError,
    read_rows,
)
from providers.sources.reading import Amount, CamelAnswer, level, needed
from providers.sources.runpod_pods import (
    COMMUNITY,
    COUNTS,
    SECURE,
    Card,
    Stock,
    Terms,
    highest,
    pods,
)


def _name(tier: str, count: int) -> str:
    return f"catalog-{tier}-{count}"


FIRST = _name(SECURE, 1)


class Amounts(CamelAnswer):
    secure: Amount = None
    community: Amount = None


class Counts(CamelAnswer):
    secure: int | None = None
    community: int | None = None


class DataCenter(CamelAnswer):
    id: str
    availability: str | None = None


class CudaVersion(CamelAnswer):
    version: str
    available: bool


class Gpu(CamelAnswer):
    id: str
    name: str
    memory: int = Field(ge=0)
    secure: bool
    community: bool
    price: Amounts
    max_count: Counts
    availability: str | None = None
    data_centers: list[DataCenter] | None = None
    cuda_versions: list[CudaVersion] | None = None

    @property
    def stock(self) -> Stock:
        places = {place.id: level(place.availability) for place in self.data_centers or []}
        return Stock(level(self.availability), places)


@dataclass(frozen=True)
class Told:
    """What one answer says of the stock of each card."""

    cards: Mapping[str, Stock]
    whole: bool

    def of(self, card: str) -> Stock:
        return self.cards.get(card, Stock(whole=self.whole))


def fetch(http: Http, key: str) -> Iterator[Page]:
    """All prices stand in the first answer; the others add stock by cloud and number of GPUs."""
    for tier in (SECURE, COMMUNITY):
        for count in COUNTS:
            if _name(tier, count) == FIRST:
                yield _page(http, key, tier, count)
            else:
                with suppress(SourceError):
                    yield _page(http, key, tier, count)


def _page(http: Http, key: str, tier: str, count: int) -> Page:
    params: dict[str, str | int] = {
        "include": "AVAILABILITY",
        "product": "POD",
        "count": count,
        "cloud": tier.upper(),
    }
    headers = {"Authorization": f"Bearer {key}"}
    return Page(_name(tier, count), http.get("/v2/catalog/gpus", params=params, headers=headers))


def parse(pages: Mapping[str, Page]) -> Rows:
    stock = {
        tier: {count: _told(pages, _name(tier, count)) for count in COUNTS}
        for tier in (SECURE, COMMUNITY)
    }
    for _at, row in read_rows(Gpu, needed(pages, FIRST).at("gpus"), "gpus"):
        if isinstance(row, BadRow):
            yield row
            continue
        cuda = highest(v.version for v in row.cuda_versions or [] if v.available)
        card = Card(row.id, row.name, row.memory or None, cuda)
        most, asked = row.max_count, row.price
        if row.secure:
            levels = {count: told.of(row.id) for count, told in stock[SECURE].items()}
            yield from pods(card, Terms(SECURE, asked.secure, most=most.secure, stock=levels))
        if row.community:
            levels = {count: told.of(row.id) for count, told in stock[COMMUNITY].items()}
            terms = Terms(COMMUNITY, asked.community, most=most.community, stock=levels)
            yield from pods(card, terms)


def _told(pages: Mapping[str, Page], name: str) -> Told:
    """Not the whole stock where the answer is missing, or a row of it cannot be read."""
    try:
        rows = [row for _at, row in read_rows(Gpu, needed(pages, name).at("gpus"), "")]
    except MalformedError:
        rows = []
    whole = bool(rows) and not any(isinstance(row, BadRow) for row in rows)
    return Told({row.id: row.stock for row in rows if isinstance(row, Gpu)}, whole)

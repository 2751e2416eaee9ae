"""The contract of a source: how to get a provider's answers, how to read them, how to fail.

A source is one file with one class. It knows no database: bytes in, records out.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

# --- How it fails ------------------------------------------------------------------


class SourceError(Exception):
    """This source could not be read; the others are unaffected."""

    outcome: ClassVar[str]


class TemporarySourceError(SourceError):
    """Worth another try later; `retry_after` is the seconds that the provider asks for."""

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnreachableError(TemporarySourceError):
    """No answer in time: no connection, a time-out, a 5xx."""

    outcome = "unreachable"


class ThrottledError(TemporarySourceError):
    """A 429, or what the provider says instead."""

    outcome = "throttled"


class RefusedError(SourceError):
    """An answer that more tries will not change: 401, 403, 404, a redirect to another host."""

    outcome = "refused"


class MalformedError(SourceError):
    """An answer of another shape: HTML, half a JSON, a needed field missing everywhere."""

    outcome = "malformed"


class EmptyError(SourceError):
    """A well-formed answer without a single listing."""

    outcome = "empty"


# --- What it yields ----------------------------------------------------------------


class Per(StrEnum):
    GPU = "gpu"
    INSTANCE = "instance"


class Period(StrEnum):
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"


class StockLevel(StrEnum):
    AVAILABLE = "available"
    SCARCE = "scarce"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Price:
    """A price as the provider states it: raw text, and the amount in units of its currency."""

    raw: str
    amount: Decimal
    per: Per = Per.INSTANCE
    period: Period = Period.HOUR
    currency: str = "USD"


def price(
    raw: object,
    per: Per = Per.INSTANCE,
    *,
    period: Period = Period.HOUR,
    currency: str = "USD",
    unit: Decimal = Decimal(1),
) -> Price | None:
    """A Price from what an answer holds; `unit` is what one of it is worth (cents: 0.01).

    None, "", 0, negative, NaN, infinite or above a million an hour is no price, never free.
    """
    if raw is None or isinstance(raw, bool):
        return None
    try:
        amount = Decimal(str(raw).strip()) * unit
    except ArithmeticError:
        return None
    if not amount.is_finite() or not 0 < amount <= 1_000_000:
        return None
    return Price(str(raw).strip(), amount, per, period, currency)


@dataclass(frozen=True)
class ListingRecord:
    """A priced, rentable configuration as one provider's answer tells it."""

    offering: str  # "<provider>/<offering>" of the catalog
    key: str  # what makes it the same row in the next batch, within the offering
    gpu_name: str  # as the provider writes it
    gpu_count: int
    price: Price | None = None  # on demand
    spot_price: Price | None = None
    spot: bool | None = None  # None: the answer does not tell whether it can be had as spot
    vram_gb: int | None = None  # of one GPU
    region: str = ""
    tier: str = ""
    stock: StockLevel = StockLevel.UNKNOWN
    stock_count: int | None = None
    driver: str = ""
    cuda: str = ""  # the highest that the host's driver supports
    # Volatile or secondary figures, with their unit in the name: disk_gb, inet_down_mbps …
    extras: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True)
class BadRow:
    """A row that could not be read, with the reason; the rest of its answer goes in."""

    where: str  # "plans[3]"
    reason: str  # "hourly_cost: field required"


@dataclass(frozen=True)
class Untold:
    """Rows that this answer leaves open: those that stand stay, as of when they were last seen."""

    offering: str
    start: str  # what the keys of these rows begin with


Found = ListingRecord | BadRow | Untold
Rows = Iterator[Found]


@dataclass(frozen=True)
class Page:
    """One answer. `name` says which call it answers: "plans", "availability:eu"."""

    name: str
    body: bytes

    def json(self) -> Any:
        """The body as JSON, numbers with a point as Decimal. Raises MalformedError."""
        try:
            return json.loads(self.body, parse_float=Decimal, parse_constant=Decimal)
        except (ValueError, RecursionError) as fault:
            start = self.body[:60].decode("utf-8", "replace")
            raise MalformedError(f"{self.name}: not JSON ({fault}): {start!r}") from None

    def at(self, *names: str) -> Any:
        """What the body holds under `names`, one within the other. Raises MalformedError."""
        part = self.json()
        for name in names:
            if not isinstance(part, dict) or name not in part:
                raise MalformedError(f"{self.name}: no {name!r} where {'.'.join(names)} is read")
            part = part[name]
        return part

    def list_at(self, *names: str) -> list[Any]:
        """The list that the body holds under `names`. Raises MalformedError."""
        found = self.at(*names)
        if not isinstance(found, list):
            kind = type(found).__name__
            raise MalformedError(f"{self.name}: {kind} in place of a list of {'.'.join(names)}")
        return found


class Http(Protocol):
    """What a source may ask of the network; see :mod:`providers.sources.http`."""

    def get(
        self,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        host: str = "",
    ) -> bytes:
        """The body of GET base + `path`; `host` names another of the source's own hosts."""

    def post(
        self, path: str, *, json: Any, headers: Mapping[str, str] | None = None, host: str = ""
    ) -> bytes: ...

    def stream(self, path: str, *, host: str = "") -> Generator[bytes, None, None]:
        """The body in chunks, for answers too large to hold; closing it ends the call."""


class Source(ABC):
    """One provider's API."""

    slug: ClassVar[str]
    base_url: ClassVar[str]  # https, without a slash at the end
    # Further hosts that belong to the source; redirects may lead to these and nowhere else.
    hosts: ClassVar[tuple[str, ...]] = ()
    # The offerings of the catalog that its rows belong to.
    offerings: ClassVar[tuple[str, ...]]
    needs_key: ClassVar[bool] = False
    interval: ClassVar[timedelta] = timedelta(hours=1)

    def __init__(self, key: str = "") -> None:
        self.key = key

    @abstractmethod
    def fetch(self, http: Http) -> Iterator[Page]:
        """The provider's answers, one at a time. Raises SourceError.

        A secondary call that fails (stock by region) is left out: its facts become unknown, and
        the rows that only it tells of are :class:`Untold`.
        """

    @abstractmethod
    def parse(self, pages: Iterable[Page]) -> Rows:
        """What the answers hold. Raises MalformedError when nothing can be read."""


# --- Reading rows ------------------------------------------------------------------


class Answer(BaseModel):
    """Base of the models that read answers: unknown fields are fine, needed ones are needed."""

    model_config = ConfigDict(extra="ignore", frozen=True)


Row = TypeVar("Row", bound=Answer)


def read_rows(model: type[Row], items: Any, where: str) -> Iterator[tuple[str, Row | BadRow]]:
    """(where, row) for each item of a list or of an object keyed by name.

    Raises MalformedError when `items` is neither.
    """
    if isinstance(items, Mapping):
        pairs: Iterable[tuple[Any, Any]] = items.items()
    elif isinstance(items, list):
        pairs = enumerate(items)
    else:
        raise MalformedError(f"{where}: {type(items).__name__} in place of a list")
    for place, item in pairs:
        at = f"{where}[{place}]"
        try:
            yield at, model.model_validate(item)
        except ValidationError as fault:
            yield at, BadRow(at, reason_of(fault))


def reason_of(fault: ValidationError) -> str:
    """Which fields of a row are wrong, and how."""
    return "; ".join(
        f"{'.'.join(map(str, error['loc'])) or 'row'}: {error['msg']}" for error in fault.errors()
    )

"""How several providers say the same thing: loose numbers, words for stock, GPUs with a socket."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from providers.gpus import resolve
from providers.sources.base import Answer, MalformedError, Page, StockLevel

_DIGITS = re.compile(r"\s*(\d[\d,]*)")
_GIB = 2**30
CENT = Decimal("0.01")

_LEVELS = {
    "available": StockLevel.AVAILABLE,
    "high": StockLevel.AVAILABLE,
    "medium": StockLevel.AVAILABLE,
    "low": StockLevel.SCARCE,
    "none": StockLevel.NONE,
    "unavailable": StockLevel.NONE,
}


class CamelAnswer(Answer):
    """An answer whose fields are spelled like `stockStatus`."""

    model_config = ConfigDict(alias_generator=to_camel)


def needed(pages: Mapping[str, Page], name: str) -> Page:
    """The answer to one of a source's calls. Raises MalformedError where it is missing."""
    if name not in pages:
        raise MalformedError(f"{name}: no answer")
    return pages[name]


def whole(value: object) -> int | None:
    """The number that a text begins with: "24", "141 GB", "10+", "1,024"; None where none is."""
    if value is None or isinstance(value, bool):
        return None
    found = _DIGITS.match(str(value))
    return int(found[1].replace(",", "")) if found else None


def _amount(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal | None):
        raise ValueError("not an amount")  # noqa: TRY004 - the error that pydantic collects
    return value


# A number that may come as text, with a unit behind it, or not at all.
Whole = Annotated[int | None, BeforeValidator(whole)]
# What `price` reads, kept as it came; a list or a yes in its place is a fault of the row.
Amount = Annotated[object, AfterValidator(_amount)]
GpuCount = Annotated[int, Field(ge=0)]  # 0: a machine without a GPU


def gigabytes(size: int) -> int:
    """GB that people call a memory of `size` bytes: 80 for 80 × 10⁹ as for 80 × 2³⁰."""
    return size // _GIB if size % _GIB == 0 else round(size / 10**9)


def figures(**named: Decimal | int | None) -> dict[str, Decimal]:
    """The figures that are known; the unit is in the name."""
    return {name: Decimal(value) for name, value in named.items() if value is not None}


def level(word: str | None) -> StockLevel:
    """What a provider's word for its stock means."""
    return _LEVELS.get((word or "").strip().lower(), StockLevel.UNKNOWN)


def counted(count: int | None) -> StockLevel:
    """What a number of free instances means; None is an answer that never came."""
    if count is None:
        return StockLevel.UNKNOWN
    return StockLevel.AVAILABLE if count > 0 else StockLevel.NONE


def sizes(most: int, least: int = 1) -> Iterable[int]:
    """GPU counts to list where any number up to `most` can be rented."""
    return [count for count in (1, 2, 4, 8) if least <= count <= most]


def with_socket(name: str, socket: str | None, vram_gb: int | None, source: str) -> str:
    """`name` with its socket where the GPU table tells the forms of the card apart by it.

    "h100" and "SXM5" are an H100 SXM; there is only one RTX 4090, whatever its socket.
    """
    full = f"{name} {socket}" if socket else name
    return full if resolve(full, vram_gb, source).gpu else name

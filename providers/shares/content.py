"""What a share holds: keys, names, amounts and days, in no language.

The JSON bears a version. A change of the form gets the next one and a reader for each before it:
what was shared has to stay readable.
"""

from __future__ import annotations

import json
import zlib
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gpucompare.cuda.answer import Standing

VERSION = 1
# As JSON and compressed. A page of browse with its seven columns takes some 200 and 20 kB.
MOST_BYTES = 1_500_000
MOST_STORED = 200_000
MOST_ROWS = 400

Pair = tuple[str, str]
Name = Annotated[str, Field(max_length=300)]


class TooLargeError(Exception):
    """More was shown than a share may hold."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Answer(_Frozen):
    """An answer, as `providers.answers.query_form` spells it, and who says so."""

    dimension: Name
    value: str | tuple[str, ...] | None = None  # None: unknown or contradicted
    contradicted: bool = False
    basis: str = ""
    source: str = ""
    source_kind: str = ""
    read_on: date | None = None  # None: not recorded, or nobody answered


class Price(_Frozen):
    """The cheapest price of an offering; amounts in USD an hour."""

    kind: Literal["cheapest", "on_demand", "spot"]
    shown: Decimal  # per GPU or per instance, as the share's values say
    instance: Decimal
    gpu_count: int | None = None
    gpu: str = ""
    origin: str = ""
    day: date
    spot: bool = False


class Verdict(_Frozen):
    """What was said of an image; keys that the kind of share has words for."""

    standing: Standing
    reasons: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    listings_alike: int = 0
    listings: int = 0


class Row(_Frozen):
    """An offering. Its number lasts through every renaming."""

    offering: int
    key: Name  # "runpod/pods"
    provider: Name
    name: Name
    status: str  # active | acquired | closed; closed with its provider too
    match: Literal["yes", "may", "no"] = "yes"
    unknown: tuple[str, ...] = ()  # the criteria that nobody could answer
    answers: tuple[Answer, ...] = ()
    prices: tuple[Price, ...] = ()
    verdict: Verdict | None = None

    @property
    def title(self) -> str:
        return f"{self.provider} {self.name}"


class Content(_Frozen):
    """All that a share shows."""

    version: Literal[1] = 1
    kind: str
    day: date
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of Criteria
    beside: tuple[Pair, ...] = ()  # what the kind of share asks besides
    # Of the currency that prices are shown in.
    usd_per_unit: Annotated[Decimal, Field(gt=0)] = Decimal(1)
    columns: tuple[str, ...] = ()  # the dimensions that are shown
    match: int = 0
    may: int = 0
    rows: tuple[Row, ...] = Field(max_length=MOST_ROWS)

    def json_bytes(self) -> bytes:
        """The one spelling of this content."""
        plain = self.model_dump(mode="json", exclude_defaults=True) | {"version": self.version}
        text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode()


def freeze(content: Content) -> tuple[bytes, bytes]:
    """The content as JSON, and the same compressed. Raises TooLargeError."""
    plain = content.json_bytes()
    packed = zlib.compress(plain, 9)
    if len(plain) > MOST_BYTES or len(packed) > MOST_STORED:
        raise TooLargeError
    return plain, packed


def thaw(packed: bytes) -> Content:
    """What `freeze` compressed, in whatever version. Raises ValueError for anything else."""
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(packed, MOST_BYTES + 1)
    except zlib.error as fault:
        raise ValueError("not compressed JSON") from fault
    if len(plain) > MOST_BYTES or not unpacking.eof:
        raise ValueError("longer than any share")
    version = json.loads(plain).get("version")
    if version not in _READERS:
        raise ValueError(f"no reader for version {version!r}")
    return _READERS[version].model_validate_json(plain)


_READERS = {1: Content}

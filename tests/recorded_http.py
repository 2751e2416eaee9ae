"""A network that answers from a source's samples and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from providers.sources import SOURCES
from providers.sources.base import (
    BadRow,
    ListingRecord,
    Page,
    RefusedError,
    Source,
    SourceError,
    Untold,
)

SAMPLES = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    params: Mapping[str, str | int] = field(default_factory=dict)
    sent: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class RecordedHttp:
    """Answers by the `routes.json` of the samples; `broken` paths fail with their fault."""

    def __init__(self, slug: str, broken: Mapping[str, SourceError] | None = None) -> None:
        self.folder = SAMPLES / slug
        self.routes = json.loads((self.folder / "routes.json").read_text())
        self.broken = broken or {}
        self.calls: list[Call] = []

    def get(
        self,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        host: str = "",
    ) -> bytes:
        return self._answer(Call("GET", _at(host, path), params or {}, headers=headers or {}))

    def post(
        self, path: str, *, json: Any, headers: Mapping[str, str] | None = None, host: str = ""
    ) -> bytes:
        return self._answer(Call("POST", _at(host, path), sent=json, headers=headers or {}))

    def stream(self, path: str, *, host: str = "") -> Generator[bytes, None, None]:
        yield self.get(path, host=host)

    def _answer(self, call: Call) -> bytes:
        self.calls.append(call)
        if call.path in self.broken:
            raise self.broken[call.path]
        for route in self.routes:
            if _matches(route, call):
                body: str = route["body"]
                return (self.folder / body).read_bytes()
        raise RefusedError(f"{call.path}: 404")


def _at(host: str, path: str) -> str:
    """Another host of the source stands in its routes as a folder of that name."""
    return f"/{host}{path}" if host else path


def _matches(route: Mapping[str, Any], call: Call) -> bool:
    asked = {name: str(value) for name, value in call.params.items()}
    return (
        fnmatchcase(call.path, route["path"])
        and route.get("method", "GET") == call.method
        and route.get("params", {}).items() <= asked.items()
        and route.get("sent", "") in json.dumps(call.sent)
        and route.get("needs_header", "") in {"", *call.headers}
    )


def body(slug: str, name: str) -> Any:
    """What a sample holds, to be changed by a test."""
    return json.loads((SAMPLES / slug / f"{name}.json").read_text())


def page(content: Any, name: str = "page") -> Page:
    return Page(name, json.dumps(content).encode())


def source(slug: str, key: str = "") -> Source:
    return SOURCES[slug](key)


def read(origin: Source, pages: Iterable[Page]) -> tuple[dict[str, ListingRecord], list[BadRow]]:
    """Records by "<offering> <key>", which no two may share, and the rows that cannot be read."""
    records: dict[str, ListingRecord] = {}
    bad: list[BadRow] = []
    for row in origin.parse(pages):
        if isinstance(row, BadRow):
            bad.append(row)
        elif isinstance(row, ListingRecord):
            name = f"{row.offering} {row.key}"
            assert name not in records, name
            records[name] = row
    return records, bad


def left_open(origin: Source, pages: Iterable[Page]) -> set[str]:
    """What the keys of the rows begin with that the answers leave open."""
    return {row.start for row in origin.parse(pages) if isinstance(row, Untold)}


def answered(
    slug: str, key: str = "", broken: Mapping[str, SourceError] | None = None
) -> tuple[dict[str, ListingRecord], list[BadRow]]:
    """What comes of a source's samples, the calls to the `broken` paths having failed."""
    origin = source(slug, key)
    return read(origin, origin.fetch(RecordedHttp(slug, broken)))

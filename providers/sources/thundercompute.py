"""Thunder Compute: one price for each GPU, count and mode, in one region.

https://www.thundercompute.com/docs: no key. "Prototyping" shares its GPUs over the network and
"production" does not; a later version of the API has no modes and takes over should the first
one go. Prices of disks and processors stand in the same list and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from providers.gpus import vram_of
from providers.sources.base import (
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    RefusedError,
    Rows,
    Source,
    SourceError,
    price,
)
from providers.sources.reading import level

PROVIDER = "thunder-compute"

# "a100xl_x2_prototyping", "h100_x1", "a6000"; not "disk_gb".
_KEY = re.compile(r"(?P<gpu>[a-z0-9]+)(?:_x(?P<count>\d+))?(?:_(?P<mode>prototyping|production))?")


class ThunderCompute(Source):
    slug = "thundercompute"
    base_url = "https://api.thundercompute.com:8443"
    offerings = (f"{PROVIDER}/instances",)

    def fetch(self, http: Http) -> Iterator[Page]:
        version = "/v1"
        try:
            pricing = http.get("/v1/pricing")
        except RefusedError:
            version = "/v2"
            pricing = http.get("/v2/pricing")
        yield Page("pricing", pricing)
        for name in ("specs", "status"):
            try:
                page = Page(name, http.get(f"{version}/{name}"))
                page.at("specs")
            except SourceError:
                continue  # memory is then that of the GPU table, stock unknown
            yield page

    def parse(self, pages: Iterable[Page]) -> Rows:
        found = {page.name: page for page in pages}
        if "pricing" not in found:
            raise MalformedError("no answer for pricing")
        prices = found["pricing"].at("pricing")
        if not isinstance(prices, dict):
            raise MalformedError(f"pricing: {type(prices).__name__} in place of an object")
        specs = _mapping(found, "specs")
        stock = {_one_form(key): word for key, word in _mapping(found, "status").items()}
        seen: set[str] = set()
        for key, amount in prices.items():
            name = _one_form(key)
            if name and name not in seen:
                seen.add(name)
                yield _row(f"pricing[{key}]", name, amount, specs.get(key), stock.get(name))


def _mapping(found: Mapping[str, Page], name: str) -> Mapping[str, Any]:
    specs = found[name].at("specs") if name in found else {}
    return specs if isinstance(specs, dict) else {}


def _one_form(key: str) -> str:
    """The key with its count, "a6000_x1" for "a6000"; "" for a key of something else."""
    told = _KEY.fullmatch(key)
    if not told or told["count"] == "0":
        return ""
    mode = f"_{told['mode']}" if told["mode"] else ""
    return f"{told['gpu']}_x{told['count'] or 1}{mode}"


def _row(at: str, name: str, amount: object, spec: object, word: object) -> ListingRecord | BadRow:
    told = _KEY.fullmatch(name)
    if told is None or isinstance(amount, dict | list):
        return BadRow(at, "no price, but another thing")
    return ListingRecord(
        offering=f"{PROVIDER}/instances",
        key=name,
        gpu_name=told["gpu"],
        gpu_count=int(told["count"]),
        price=price(amount),
        spot=False,  # Thunder Compute has none
        vram_gb=_vram(spec) or vram_of(told["gpu"], PROVIDER),
        tier=told["mode"] or "",
        stock=level(word if isinstance(word, str) else None),
    )


def _vram(spec: object) -> int | None:
    found = spec.get("vramGB") if isinstance(spec, dict) else None
    return found if isinstance(found, int) and found > 0 else None

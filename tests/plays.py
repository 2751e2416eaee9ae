"""How to alter each provider's sample answers: where their rows, prices and GPU names stand.

Samples hold more odd rows than life does, since each shows a case. A rehearsal leaves out so
many of them (`odd`) that the rest stands in the proportions of a real answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from tests.provider_server import Seen

KEY = "an-id:a-secret"
Items = list[tuple[Any, Any]]  # (place or name, row)
Change = Callable[[Items], Items]


@dataclass(frozen=True)
class Play:
    """One provider on stage, in words of its own answers."""

    rows: tuple[str, ...]  # lists, or objects by name, that hold rows; "": the body is one
    prices: str  # the names of price fields, as a pattern
    card: str  # what makes one row, or a few, the GPU that they are, as a pattern
    new_card: str  # the same place taken by a GPU that nobody knows
    odd: tuple[str, ...] = ()  # texts of rows that stay out
    # A text of the path, the query or the body of each call that adds to what another call brought.
    secondary: tuple[str, ...] = ()
    source: str = ""  # where it is not the name of the play
    key: str = KEY

    def is_secondary(self, seen: Seen) -> bool:
        asked = f"{seen.path} {dict(seen.params)} ".encode() + seen.body
        return any(text.encode() in asked for text in self.secondary)

    def usual(self, body: bytes) -> bytes:
        """The answer without its odd rows."""
        return self._changed(body, lambda items: [i for i in items if not self._is_odd(i)])

    def emptied(self, body: bytes) -> bytes:
        return self._changed(body, lambda _items: [])

    def thinned(self, part: int, body: bytes) -> bytes:
        """Of each list every `part`-th row from the second on, or the only one."""
        return self._changed(body, lambda items: items[1::part] or items)

    def doubled(self, body: bytes) -> bytes:
        """Each row of a list twice, as when items move between pages; names stay single."""
        return self._changed(body, lambda items: [*items, *items])

    def nulled(self, body: bytes) -> bytes:
        """null in place of what holds the rows."""
        return self._changed(body, None)

    def renamed(self, body: bytes) -> bytes:
        return re.sub(self.card.encode(), self.new_card.encode(), body)

    def priced(self, factor: int, body: bytes) -> bytes:
        pattern = rf'("(?:{self.prices})"\s*:\s*"?)(\d+(?:\.\d+)?)'.encode()
        return re.sub(pattern, partial(_times, factor), body)

    def _is_odd(self, item: tuple[Any, Any]) -> bool:
        text = json.dumps(item)
        return any(mark in text for mark in self.odd)

    def _changed(self, body: bytes, change: Change | None) -> bytes:
        return json.dumps(_walked(json.loads(body), "", self.rows, change)).encode()


def _times(factor: int, found: re.Match[bytes]) -> bytes:
    return found[1] + f"{Decimal(found[2].decode()) * factor:f}".encode()


def _walked(value: Any, name: str, rows: tuple[str, ...], change: Change | None) -> Any:
    """`value` with `change` made to every list and object that holds rows."""
    if name in rows and isinstance(value, list | dict if name else list):
        if change is None:
            return None
        if isinstance(value, dict):
            return dict(change(list(value.items())))
        return [row for _place, row in change(list(enumerate(value)))]
    if isinstance(value, dict):
        return {key: _walked(inner, key, rows, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_walked(inner, "a row", rows, change) for inner in value]
    return value


_MARK = "Quantum 9000"

PLAYS: Mapping[str, Play] = {
    "akash": Play(("models",), "min|max|avg|weightedAverage|med", '"p40"', '"q9000"'),
    "aws": Play(
        ("products",),
        "USD",
        "g4dn.2xlarge",
        "q9.2xlarge",
        odd=("x99.large", "SAMPLE0000000008", "SAMPLE0000000009", "p4de.24xlarge"),
    ),
    "azure": Play(
        ("Items",),
        "retailPrice|unitPrice",
        "Standard_NV36ads_A10_v5",
        "Standard_NQ9_v1",
        odd=("Unheard", "1/Month", "Standard_NC12s_v3"),
    ),
    "cloudrift": Play(("instance_types",), "cost_per_hour", "MI350X", _MARK),
    "digitalocean": Play(("sizes",), "price_hourly", "nvidia_rtx6000_ada", "nvidia_q9000"),
    "gcp": Play(("skus",), "nanos|units", "Nvidia B200", "Nvidia Q9000", odd=("Z900",)),
    "hyperstack": Play(("data",), "value", "B200-SXM", "Q9000-SXM", secondary=("/core/stocks",)),
    "jarvislabs": Play(
        ("server_meta",),
        "price_per_hour|spot_price",
        '"H100"',
        '"Q9000"',
        odd=("notebook", "A100-80GB"),
    ),
    "lambda": Play(("data",), "price_cents_per_hour", "GH200", "QH9000", odd=("gpu_2x_secret",)),
    "linode": Play(
        ("data",),
        "hourly",
        "g1-gpu-rtx6000-1",
        "g9-gpu-q9000-1",
        secondary=("/v4/regions/availability",),
    ),
    "lium": Play(("nodes",), "price_per_gpu_hour", '"H200"', '"Q9000"', odd=("000005", "000006")),
    "oracle": Play(
        ("items",),
        "value",
        "VM.GPU.A10.2",
        "VM.GPU.Q9000.2",
        odd=("S00002", "NEVERSEEN", "H200.8", "GB300", "MI355X"),
    ),
    "ovhcloud": Play(("addons",), "price", "l40s-180|L40S", "Q9000"),
    "primeintellect": Play(
        ("items",), "onDemand|communityPrice", "B300_262GB", "Q9000_262GB", odd=("l40s-1",)
    ),
    "runpod": Play(
        ("gpus",),
        "secure|community",
        '"MI300X"',
        '"Q9000X"',
        secondary=("COMMUNITY", "'count': '2'", "'count': '4'", "'count': '8'"),
    ),
    "runpod_without_key": Play(
        ("gpuTypes",),
        r"\w+Price",
        "MI300X",
        "Q9000X",
        secondary=("dataCenters", '"secureCloud": false'),
        source="runpod",
        key="",
    ),
    "scaleway": Play(
        ("servers",), "hourly_price", "B300-SXM", "Q9000-SXM", secondary=("/availability",)
    ),
    "shadeform": Play(("instance_types",), "hourly_price", "MI300X", "Q9000", odd=("h200-8x",)),
    "thundercompute": Play(
        ("pricing",),
        r"\w+_(?:prototyping|production)",
        "a6000",
        "q9000",
        odd=("newgpu",),
        secondary=("/v1/specs", "/v1/status"),
    ),
    "vast": Play(("offers",), "dph_base|min_bid", "RX 7900 XTX", _MARK, odd=('"id": 209',)),
    "verda": Play(
        ("",),
        "price_per_hour|spot_price",
        "Tesla V100",
        "Quantum 9000",
        secondary=("/v1/oauth2/token", "/v1/instance-availability"),
    ),
    "vultr": Play(
        ("plans", "plans_metal"),
        r"hourly_cost\w*",
        '"AMD_MI300X"',
        '"AMD_Q9000"',
        odd=("vcg-h100-99c", "vcg-l40s-16c"),
        secondary=("/availability",),
    ),
}

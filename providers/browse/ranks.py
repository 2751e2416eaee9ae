"""A verdict on every host, which a page brings along: offerings are filtered by the best of theirs.

What a host is worth is the page's business; here it is a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpucompare.cuda.answer import Standing
from providers.browse.judge import Truth

# From worst to best: a standing's place is its rank.
RANKED = tuple(reversed(Standing))
UNKNOWN_RANK = RANKED.index(Standing.UNKNOWN)


class HostKey(NamedTuple):
    """What tells listings apart as hosts. An empty text or None is a fact not known."""

    offering: int
    family: int | None
    gpu: int | None
    driver: str
    cuda: str


@dataclass(frozen=True)
class Ranks:
    """The rank of each host."""

    hosts: Mapping[HostKey, int]
    without_listings: Mapping[int, int]  # of the offerings that list nothing

    def parameters(self) -> dict[str, Any]:
        """The values that a statement over ranked listings names."""
        keys = list(self.hosts)
        return {
            "ranked_offerings": _array(key.offering for key in keys),
            "ranked_families": _array(key.family or 0 for key in keys),
            "ranked_gpus": _array(key.gpu or 0 for key in keys),
            "ranked_drivers": _array(_quoted(key.driver) for key in keys),
            "ranked_cudas": _array(_quoted(key.cuda) for key in keys),
            "ranked": _array(self.hosts.values()),
            "unknown_rank": UNKNOWN_RANK,
        }


def _array(values: Iterable[object]) -> str:
    """An array as PostgreSQL reads it: for thousands, much faster than one value at a time."""
    return "{" + ",".join(map(str, values)) + "}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def says(rank: int, asked: Iterable[str]) -> Truth:
    """Whether a rank is one of the asked standings; one that is not known may be any."""
    if RANKED[rank] in asked:
        return Truth.YES
    return Truth.MAYBE if rank == UNKNOWN_RANK else Truth.NO

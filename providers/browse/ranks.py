"""A verdict on every host, which a page brings along: offerings are filtered by the best of theirs.

What a host is worth is the page's business; here it is a rank. A *level* is a truth with a rank
behind it as one number: the highest is the best rank of what matches for certain, or else of what
may match. Where nothing is ranked, every rank is 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from gpucompare.cuda.answer import Standing
from providers.browse.judge import Truth

if TYPE_CHECKING:
    from providers.browse.listing_index import ListingIndex
    from providers.browse.listing_rows import Array

# From worst to best: a standing's place is its rank.
RANKED: Final = tuple(reversed(Standing))
_RANKS: Final = len(RANKED)
# What is not known stands behind everything that is.
_LAST: Final = np.iinfo(np.int32).max


class HostKey(NamedTuple):
    """What tells listings apart as hosts. An empty text or None is a fact not known."""

    offering: int
    family: int | None
    gpu: int | None
    driver: str
    cuda: str


@dataclass(frozen=True)
class Hosts:
    """The hosts of an index: offering after offering, those of one GPU together."""

    keys: Sequence[HostKey]
    offering: Array  # of each host: its id …
    gpu: Array  # … and the number of its offering, family and model together
    of_row: Array  # number of each row's host

    @classmethod
    def of(cls, index: ListingIndex) -> Hosts:
        versions = sorted({(place.driver, place.cuda) for place in index.places})
        numbers = {version: number for number, version in enumerate(versions)}
        version = np.array([numbers[p.driver, p.cuda] for p in index.places], dtype=np.int64)
        named = [index.offering, *(np.where(i == 0, _LAST, i) for i in (index.family, index.gpu))]
        gpus, gpu = np.unique(np.column_stack(named), axis=0, return_inverse=True)
        each = (gpu.reshape(-1) * len(versions))[index.cell]
        each += version[index.place]
        found = np.unique(each)
        of_host, version = divmod(found, max(1, len(versions)))
        ids = np.where(gpus == _LAST, 0, gpus)[of_host]
        told = zip(ids.tolist(), version.tolist(), strict=True)
        return cls(
            [HostKey(o, family or None, gpu or None, *versions[n]) for (o, family, gpu), n in told],
            ids[:, 0],
            of_host,
            np.searchsorted(found, each).astype(np.int32),
        )


@dataclass(frozen=True)
class Ranks:
    """The rank of each host of an index."""

    of_hosts: Array  # by number
    without_listings: Mapping[int, int]  # of the offerings that list nothing


def says(rank: int, asked: Collection[str]) -> Truth:
    """Whether a rank is one of the asked standings; one that is not known may be any."""
    if RANKED[rank] in asked:
        return Truth.YES
    return Truth.MAYBE if RANKED[rank] is Standing.UNKNOWN else Truth.NO


# --- Levels ------------------------------------------------------------------------------


def level(truth: Any, rank: Any) -> Any:
    """Of numbers or of arrays."""
    return truth * _RANKS + rank


def perhaps(levels: Array) -> Array:
    """The same ranks, of what may match at most."""
    return np.where(levels >= level(Truth.YES, 0), levels - _RANKS, levels)


def truths(asked: Collection[str] = ()) -> Array:
    """What each level comes to, by a filter for these standings if there are any."""
    found = [
        min(truth, says(rank, asked)) if asked else truth
        for truth in Truth
        for rank in range(_RANKS)
    ]
    return np.array(found, dtype=np.int8)

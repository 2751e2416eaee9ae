"""What is said of an image on each host that is listed.

Hosts are many, what is said of them is not: each kind of it has a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from checks.conditions import Asked, Found, conditions
from checks.hosts import Claimed, Hardware, machines
from gpucompare.cuda.answer import HostsVerdict, Share, Standing, Verdict
from gpucompare.cuda.host import Host, Hosts
from gpucompare.cuda.image import Image
from gpucompare.cuda.verdict import hosts_verdict, standing, verdict
from providers.browse.kept import kept
from providers.browse.ranks import RANKED, HostKey
from providers.browse.world import World

T = TypeVar("T")


@dataclass(frozen=True)
class Said:
    """All that is said of an image on a host, or on the hosts that one may get, at an offering."""

    found: HostsVerdict
    conditions: tuple[Found, ...]

    @cached_property
    def standing(self) -> Standing:
        best = [standing(self.found), *(condition.at_best for condition in self.conditions)]
        return min(best, key=RANKED.index)

    @cached_property
    def rank(self) -> int:
        return RANKED.index(self.standing)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The one verdict, or those of the worst and the best host."""
        found = self.found
        return (found.best,) if found.best == found.worst else (found.worst, found.best)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for one in self.verdicts for key in one.reasons))

    @property
    def fixes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for one in self.verdicts for key in one.fixes))

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for one in self.verdicts for key in one.missing))

    @cached_property
    def to_do(self) -> int:
        """How much stands between the renter and a running container."""
        asked = [one for one in self.conditions if one.at_best is not Standing.RUNS]
        return len(asked) + (standing(self.found) is not Standing.RUNS)


@dataclass(frozen=True)
class Kinds(Generic[T]):
    """What is one of a few of many hosts."""

    kinds: Sequence[T]  # different objects, not to be compared
    each: NDArray[np.int64]  # of every host, its number in `kinds`

    @classmethod
    def of(cls, told: Iterable[T]) -> Kinds[T]:
        numbers: dict[int, tuple[int, T]] = {}
        each = [numbers.setdefault(id(one), (len(numbers), one))[0] for one in told]
        return cls([one for _, one in numbers.values()], np.array(each, dtype=np.int64))


class Machines:
    """What each host is as a machine, whatever the image: alike ones are one."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._hardware = Hardware(world.families)
        self._claims = {o.pk: Claimed.of(o) for o in world.offerings}
        self._of_host: dict[HostKey, Host | Hosts] = {}
        self._one_of_alike: dict[Host | Hosts, Host | Hosts] = {}

    @classmethod
    def of_world(cls, world: World) -> Machines:
        # The result keeps its world alive, so that no other one gets the same id.
        return kept(("machines", id(world)), lambda: cls(world))

    def of(self, key: HostKey) -> Host | Hosts:
        found = self._of_host.get(key)
        if found is None:
            known = self._hardware.of(key.family, key.gpu)
            found = machines(key, known, self._claims[key.offering])
            found = self._of_host[key] = self._one_of_alike.setdefault(found, found)
        return found

    def kinds(self, keys: Iterable[HostKey]) -> Kinds[Host | Hosts]:
        return Kinds.of(map(self.of, keys))


class Engine:
    """What is said of each host; alike ones share one answer."""

    def __init__(self, asked: Asked, world: World) -> None:
        self._image = asked.facts.image
        self._machines = Machines.of_world(world)
        alike: dict[tuple[Found, ...], tuple[Found, ...]] = {}
        found = ((o.pk, conditions(asked, o)) for o in world.offerings)
        self._own = {pk: alike.setdefault(own, own) for pk, own in found}
        # Hashing machines and verdicts for each of many hosts would cost more than judging them.
        self._by_machine: dict[int, HostsVerdict] = {}
        self._one_of_alike: dict[HostsVerdict, HostsVerdict] = {}
        self._said: dict[tuple[int, int], Said] = {}

    def said(self, key: HostKey) -> Said:
        return self._said_of(self._of_machine(self._machines.of(key)), self._own[key.offering])

    def said_of_all(self, machines: Kinds[Host | Hosts], offering: NDArray[Any]) -> Kinds[Said]:
        """Of each host, whose machine is one of these, at the offering with its id."""
        found = Kinds.of(map(self._of_machine, machines.kinds))
        own = Kinds.of(self._own.values())
        of_offering = dict(zip(self._own, own.each.tolist(), strict=True))
        ids, at = np.unique(offering, return_inverse=True)
        own_each = np.array([of_offering[pk] for pk in ids.tolist()], dtype=np.int64)[at]
        both = found.each[machines.each] * len(own.kinds) + own_each
        pairs, each = np.unique(both, return_inverse=True)
        said = [
            self._said_of(found.kinds[pair // len(own.kinds)], own.kinds[pair % len(own.kinds)])
            for pair in pairs.tolist()
        ]
        return Kinds(said, each)

    def _said_of(self, found: HostsVerdict, own: tuple[Found, ...]) -> Said:
        identity = (id(found), id(own))
        if identity not in self._said:
            self._said[identity] = Said(found, own)
        return self._said[identity]

    def _of_machine(self, machine: Host | Hosts) -> HostsVerdict:
        found = self._by_machine.get(id(machine))
        if found is None:
            found = judge(self._image, machine)
            found = self._by_machine[id(machine)] = self._one_of_alike.setdefault(found, found)
        return found


def judge(image: Image, machine: Host | Hosts) -> HostsVerdict:
    """The verdict on a machine, or on those that one may get, in one form."""
    if isinstance(machine, Hosts):
        return hosts_verdict(image, machine)
    found = verdict(image, machine)
    share = {Standing.FAILS: Share.NONE, Standing.UNKNOWN: Share.UNKNOWN}
    return HostsVerdict(share.get(standing(found), Share.ALL), found, found)

"""What is said of an image on each host that is listed.

Hosts are many, what is said of them is not: each kind of it has a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

from checks.conditions import Asked, Found, conditions
from checks.hosts import Claimed, Hardware, machines
from gpucompare.cuda.answer import HostsVerdict, Share, Standing, Verdict
from gpucompare.cuda.host import Host, Hosts
from gpucompare.cuda.image import Image
from gpucompare.cuda.verdict import hosts_verdict, standing, verdict
from providers.browse.ranks import RANKED, HostKey
from providers.browse.world import World


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


class Engine:
    """What is said of each host; alike ones share one answer."""

    def __init__(self, asked: Asked, world: World) -> None:
        self._known = _known(asked.facts.image)
        self._hardware = Hardware(world.families)
        self._claims = {o.pk: Claimed.of(o) for o in world.offerings}
        alike: dict[tuple[Found, ...], tuple[Found, ...]] = {}
        found = ((o.pk, conditions(asked, o)) for o in world.offerings)
        self._conditions = {pk: alike.setdefault(own, own) for pk, own in found}
        # Hashing machines and verdicts for each of many hosts would cost more than judging them.
        self._by_host: dict[tuple[Any, ...], HostsVerdict] = {}
        self._one_of_alike: dict[HostsVerdict, HostsVerdict] = {}
        self._said: dict[tuple[int, int], Said] = {}

    def said(self, key: HostKey) -> Said:
        own = self._conditions[key.offering]
        found = self._of_host(key)
        identity = (id(found), id(own))
        said = self._said.get(identity)
        if said is None:
            said = self._said[identity] = Said(found, own)
        return said

    def _of_host(self, key: HostKey) -> HostsVerdict:
        claims = self._claims[key.offering]
        alike = (*key[1:], id(claims) if claims.replaceable or not (key.driver or key.cuda) else 0)
        found = self._by_host.get(alike)
        if found is None:
            machine = machines(key, self._hardware.of(key.family, key.gpu), claims)
            found = self._known(machine)
            found = self._by_host[alike] = self._one_of_alike.setdefault(found, found)
        return found


@lru_cache(maxsize=16)
def _known(image: Image) -> Callable[[Host | Hosts], HostsVerdict]:
    """The engine for one image. It is a pure function: what it once said of a host it says again,
    so that the next page about the image need not ask."""
    return lru_cache(maxsize=20_000)(partial(judge, image))


def judge(image: Image, machine: Host | Hosts) -> HostsVerdict:
    """The verdict on a machine, or on those that one may get, in one form."""
    if isinstance(machine, Hosts):
        return hosts_verdict(image, machine)
    found = verdict(image, machine)
    share = {Standing.FAILS: Share.NONE, Standing.UNKNOWN: Share.UNKNOWN}
    return HostsVerdict(share.get(standing(found), Share.ALL), found, found)

"""How long a start takes, phase by phase. The formulas are explained in docs/cold-start.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from checks.coldstart.assumptions import Assumption, Assumptions
from checks.coldstart.inputs import Basis, Image, Place, Weights
from checks.coldstart.numbers import NOTHING, Case, Range, milliseconds


@dataclass(frozen=True)
class Phase:
    """One part of a start. `limit` names what decides its likely length."""

    key: str
    seconds: Range
    basis: Basis
    limit: str = ""


def phases(image: Image, place: Place, assumed: Assumptions) -> tuple[Phase, ...]:
    """provision, pull, unpack, start, weights, ready: all six, in this order."""
    here = _Here(image, place, assumed)
    return (
        here.provision(),
        here.pull(),
        here.unpack(),
        here.simple("start", "container_start_s"),
        here.weights(),
        here.simple("ready", "ready_s"),
    )


def rows_in_use(image: Image, place: Place, assumed: Assumptions) -> Mapping[str, Assumption]:
    """The row behind each assumption for this image at this place, by its key without a point."""
    compressions = tuple(image.compressions)
    where = (
        *filter(None, (place.isolation, _usual_isolation(place.kind), place.kind)),
        *(("no_cache",) if place.image_cache is False else ()),
        *(compressions if len(compressions) == 1 else ()),
    )
    return {key: assumed.row(key, *where) for key in assumed.rows if "." not in key}


def _usual_isolation(kind: str) -> str:
    """What rents of this kind mostly are, for a place whose isolation nobody told."""
    kinds = {"vm_cloud": "vm", "hyperscaler": "vm", "bare_metal": "bare_metal"}
    containers = ("container_cloud", "serverless", "notebook", "marketplace")
    return kinds.get(kind, "container" if kind in containers else "")


@dataclass(frozen=True)
class _Here:
    image: Image
    place: Place
    assumed: Assumptions

    @property
    def _places(self) -> tuple[str, ...]:
        """What assumptions may be for, the most telling first."""
        return tuple(filter(None, (self.place.isolation, _usual_isolation(self.place.kind))))

    def _basis(self, key: str, *places: str) -> Basis:
        return Basis.GIVEN if self.assumed.is_given(key, *places) else Basis.ASSUMED

    def simple(self, phase: str, key: str) -> Phase:
        seconds = Range.each(lambda case: milliseconds(self.assumed.at(case, key, *self._places)))
        return Phase(phase, seconds, self._basis(key, *self._places))

    def provision(self) -> Phase:
        """As assumed; what the provider documents narrows it, what the reader gives replaces it."""
        phase = self.simple("provision", "provision_s")
        told = self.place.provision
        if phase.basis is Basis.GIVEN or told is None:
            return phase
        usual = phase.seconds
        high = told.high if told.high is not None else max(usual.high, told.low or Decimal(0))
        low = told.low if told.low is not None else min(usual.low, high)
        return Phase(
            "provision",
            Range(*map(milliseconds, (low, min(max(usual.likely, low), high), high))),
            Basis.DOCUMENTED,
        )

    def pull(self) -> Phase:
        if self.place.cached or not self.image.megabytes:
            return Phase("pull", NOTHING, Basis.GIVEN)
        likely = self._pull_limits("likely")
        limit = max(likely, key=lambda name: likely[name])
        seconds = Range.each(lambda case: milliseconds(max(self._pull_limits(case).values())))
        return Phase("pull", seconds, self._pull_basis(limit), limit)

    def _pull_limits(self, case: Case) -> Mapping[str, Decimal]:
        """Seconds by what could hold the pull up; the longest does."""
        new = self._new(case)
        connection = self.assumed.at(case, "registry_mb_s")
        layers = self.assumed.at(case, "parallel_layers")
        return {
            "link": self.image.megabytes * new / self._link(case),
            "registry": self.image.megabytes * new / (connection * layers),
            "largest_layer": self._largest(case) * new / connection,
        }

    def _pull_basis(self, limit: str) -> Basis:
        if limit == "link":
            return self._link_basis()
        key = {"registry": "parallel_layers", "largest_layer": "largest_layer_share"}[limit]
        given = {self._basis("registry_mb_s"), self._basis(key)}
        return Basis.ASSUMED if Basis.ASSUMED in given else Basis.GIVEN

    def _new(self, case: Case) -> Decimal:
        """The share of the image's bytes that the host does not have yet."""
        no_cache = ("no_cache",) if self.place.image_cache is False else ()
        new = 1 - self.assumed.at(case, "shared_share", *no_cache)
        if not self.image.without_gb:
            return new
        packed = self.assumed.at(case, "weights_packed_share")
        gone = Decimal(self.image.without_gb) * 1000 * packed / self.image.megabytes
        return new * max(1 - gone, Decimal(0))

    def _largest(self, case: Case) -> Decimal:
        """MB of the largest layer; which one weights left, only a share can say."""
        largest = self.image.largest_layer
        if largest is None or self.image.without_gb:
            return self.image.megabytes * self.assumed.at(case, "largest_layer_share")
        return largest

    def _link(self, case: Case) -> Decimal:
        """MB/s into the host."""
        stated = self.place.down_mbps
        if stated is None or self._link_basis() is Basis.GIVEN:
            return self.assumed.at(case, "link_mbps", self.place.kind) / 8
        return Decimal(stated) * self.assumed.at(case, "link_used_share") / 8

    def _link_basis(self) -> Basis:
        if self.assumed.is_given("link_mbps", self.place.kind):
            return Basis.GIVEN
        return Basis.ASSUMED if self.place.down_mbps is None else self.place.down_basis

    def unpack(self) -> Phase:
        """One layer after the other; a share of it is hidden behind the download."""
        if self.place.cached or not self.image.megabytes:
            return Phase("unpack", NOTHING, Basis.GIVEN)
        inflate, write = self._unpack_seconds("likely")
        seconds = Range.each(lambda case: milliseconds(self._unpack(case)))
        limit = "inflate" if inflate >= write else "disk"
        rate = {"inflate": "inflate_mb_s", "disk": "disk_write_mb_s"}[limit]
        return Phase("unpack", seconds, self._basis(rate, *self.image.compressions), limit)

    def _unpack(self, case: Case) -> Decimal:
        hidden = self.assumed.at(case, "hidden_unpack_share")
        return max(self._unpack_seconds(case)) * (1 - hidden)

    def _unpack_seconds(self, case: Case) -> tuple[Decimal, Decimal]:
        """Of decompressing and of writing all; the slower one counts, they run together."""
        parts, at, new = self.image.compressions, self.assumed.at, self._new(case)
        inflate = sum(mb / at(case, "inflate_mb_s", how) for how, mb in parts.items())
        written = sum(mb * at(case, "unpacked_ratio", how) for how, mb in parts.items())
        return new * inflate, new * written / at(case, "disk_write_mb_s")

    def weights(self) -> Phase:
        gigabytes = Decimal(self.image.weights_gb)
        if not gigabytes or self.image.weights is None:
            return Phase("weights", NOTHING, Basis.GIVEN)
        limit = self._weights_limit("likely")
        seconds = Range.each(
            lambda case: milliseconds(gigabytes * 1000 / min(self._weights_rates(case).values()))
        )
        keys = {"hub": "hub_mb_s", "volume": "volume_read_mb_s", "disk": "local_read_mb_s"}
        basis = self._link_basis() if limit == "link" else self._basis(keys[limit])
        return Phase("weights", seconds, basis, limit)

    def _weights_limit(self, case: Case) -> str:
        rates = self._weights_rates(case)
        return min(rates, key=lambda name: rates[name])

    def _weights_rates(self, case: Case) -> Mapping[str, Decimal]:
        """MB/s by what could hold the weights up; the slowest does."""
        if self.image.weights is Weights.HUB:
            return {"hub": self.assumed.at(case, "hub_mb_s"), "link": self._link(case)}
        if self.image.weights is Weights.VOLUME:
            return {"volume": self.assumed.at(case, "volume_read_mb_s")}
        return {"disk": self.assumed.at(case, "local_read_mb_s")}

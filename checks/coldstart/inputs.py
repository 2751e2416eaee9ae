"""What a start is computed from: the image, the place, the terms. None is a fact not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Literal

from checks.coldstart.evidence import Bounds
from checks.coldstart.numbers import Number, number

# A petabyte, a terabit a second, a million dollars an hour: above what anybody rents.
_MOST_GB: Final = Decimal(10**6)
_MOST_MBPS: Final = Decimal(10**6)
_MOST_USD: Final = Decimal(10**6)
_MOST_SECONDS: Final = Decimal(10**8)  # three years
_MOST_HOURS: Final = Decimal(10**5)  # eleven years
_MOST_A_DAY: Final = Decimal(10**4)

Role = Literal["devel", "weights", ""]


class Basis(StrEnum):
    """Where the figure that decides a phase comes from."""

    MEASURED = "measured"  # on this listing
    DOCUMENTED = "documented"  # by the provider
    ASSUMED = "assumed"  # tables/assumptions.csv
    GIVEN = "given"  # the reader's own


class Weights(StrEnum):
    """Where the weights are when the container starts."""

    IMAGE = "image"
    VOLUME = "volume"
    HUB = "hub"


@dataclass(frozen=True)
class Layer:
    """One layer to pull. `role` is what its build step shows of it; None: nobody read that."""

    bytes: int
    compression: str = "gzip"
    role: Role | None = None

    def __post_init__(self) -> None:
        number(self.bytes, "layer bytes", limit=_MOST_GB * 10**9)

    @property
    def megabytes(self) -> Decimal:
        return Decimal(self.bytes) / 10**6


@dataclass(frozen=True)
class Image:
    """What is pulled: its layers, or their compressed total alone. GB are 10⁹ bytes.

    `weights_gb` is the size of the weights once unpacked; weights in the image are part of its
    bytes. Raises ValueError for what cannot be.
    """

    layers: tuple[Layer, ...] = ()
    compressed_gb: Number | None = None
    weights_gb: Number = 0
    weights: Weights | None = None
    # The image as it would be without its weights: they leave an image whose layers do not tell.
    without_gb: Number = 0

    def __post_init__(self) -> None:
        if bool(self.layers) == (self.compressed_gb is not None):
            raise ValueError("compressed_gb: give either the layers or their total")
        for name in ("compressed_gb", "weights_gb", "without_gb"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, number(value, name, limit=_MOST_GB))
        if self.weights_gb and self.weights is None:
            raise ValueError("weights: say where they are: image, volume or hub")

    # Asked for again in every case of every phase.
    @cached_property
    def megabytes(self) -> Decimal:
        """Compressed, with everything that is in it."""
        if self.compressed_gb is not None:
            return Decimal(self.compressed_gb) * 1000
        return sum((layer.megabytes for layer in self.layers), Decimal(0))

    @cached_property
    def largest_layer(self) -> Decimal | None:
        """MB; None where the layers are not known."""
        return max((layer.megabytes for layer in self.layers), default=None)

    @cached_property
    def compressions(self) -> Mapping[str, Decimal]:
        """MB by the way of compressing; a total alone counts as gzip, as most images are."""
        if self.compressed_gb is not None:
            return {"gzip": self.megabytes}
        found: dict[str, Decimal] = {}
        for layer in self.layers:
            found[layer.compression] = found.get(layer.compression, Decimal(0)) + layer.megabytes
        return found


@dataclass(frozen=True)
class Place:
    """Where it lands. `kind` and `isolation` are the catalog's words; "" is not known."""

    kind: str = ""
    isolation: str = ""
    image_cache: bool | None = None
    cached: bool = False  # this very image is on the host
    down_mbps: Number | None = None
    down_basis: Basis = Basis.MEASURED
    provision: Bounds | None = None  # as documented

    def __post_init__(self) -> None:
        if self.down_mbps is not None:
            speed = number(self.down_mbps, "down_mbps", limit=_MOST_MBPS)
            if not speed:
                raise ValueError("down_mbps: 0 never ends; leave it out where it is not known")
            object.__setattr__(self, "down_mbps", speed)


@dataclass(frozen=True)
class Terms:
    """What is paid. None is not known: both ends are then shown, none is taken as "no"."""

    usd_per_hour: Number | None = None
    spot_usd_per_hour: Number | None = None
    billed_during_pull: bool | None = None
    increment_s: Number | None = None  # 0: by the exact time
    minimum_s: Number | None = None
    disk_usd_gb_month: Number | None = None
    down_usd_gb: Number | None = None
    up_usd_gb: Number | None = None

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is not None and name != "billed_during_pull":
                limit = _MOST_SECONDS if name.endswith("_s") else _MOST_USD
                object.__setattr__(self, name, number(value, name, limit=limit))

    @property
    def price(self) -> Decimal | None:
        return None if self.usd_per_hour is None else Decimal(self.usd_per_hour)

    @property
    def on_spot(self) -> Terms:
        """The same terms at the spot price."""
        return replace(self, usd_per_hour=self.spot_usd_per_hour)


@dataclass(frozen=True)
class Work:
    """A job: hours of work, and what it needs besides the machine.

    `interruptions_a_day` are counted a day of work done, and happen on spot capacity.
    """

    hours: Number
    on_spot: bool = False
    interruptions_a_day: Number = 0
    disk_gb: Number = 0
    down_gb: Number = 0  # of the job itself; image and weights are counted by the model
    up_gb: Number = 0

    def __post_init__(self) -> None:
        limits = {"hours": _MOST_HOURS, "interruptions_a_day": _MOST_A_DAY}
        for name in ("hours", "interruptions_a_day", "disk_gb", "down_gb", "up_gb"):
            exact = number(getattr(self, name), name, limit=limits.get(name, _MOST_GB))
            object.__setattr__(self, name, exact)
        if self.interruptions_a_day and not self.on_spot:
            raise ValueError("interruptions_a_day: only on spot; set on_spot or leave it 0")

    @property
    def seconds(self) -> Decimal:
        return Decimal(self.hours) * 3600

    @property
    def restarts(self) -> Decimal:
        return Decimal(self.interruptions_a_day) * Decimal(self.hours) / 24


def link_of(extras: Mapping[str, Any]) -> tuple[Decimal, Basis] | None:
    """The bandwidth in Mbit/s that a listing's extras tell, and who says so.

    `inet_down_mbps` is a speed test of that host, `inet_mbps` the port that the provider sells.
    """
    for name, basis in (("inet_down_mbps", Basis.MEASURED), ("inet_mbps", Basis.DOCUMENTED)):
        if extras.get(name):
            return number(extras[name], name, limit=_MOST_MBPS), basis
    return None


def with_prices(terms: Terms, extras: Mapping[str, Any]) -> Terms:
    """`terms` with the prices of disk and traffic that a listing's extras tell."""
    names = {
        "disk_usd_gb_month": "disk_usd_gb_month",
        "inet_down_usd_gb": "down_usd_gb",
        "inet_up_usd_gb": "up_usd_gb",
    }
    told: dict[str, Any] = {
        ours: extras[theirs] for theirs, ours in names.items() if extras.get(theirs) is not None
    }
    return replace(terms, **told)

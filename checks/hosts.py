"""The hosts that offerings rent out: what listings, GPUs and claims together tell of each.

A listing that states no driver is a range: what its offering's claims leave open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, Literal, NamedTuple

from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Host, Hosts
from gpucompare.cuda.tables import Platform, gpu_arch
from providers.answers import version_bounds
from providers.browse.ranks import HostKey
from providers.models import Gpu, GpuFamily, Offering

# Who says that these are the versions, and not that one of them was seen once.
_BOUNDING = ("exact", "branches")


# --- From the GPU ----------------------------------------------------------------------


class Hardware:
    """What a GPU tells of its host, by model and by family."""

    def __init__(self, families: Iterable[GpuFamily]) -> None:
        self._models: dict[int, Host] = {}
        self._families: dict[int, Host] = {}
        for family in families:
            models = {gpu.pk: _of_model(gpu, family.vendor) for gpu in family.models.all()}
            self._models |= models
            self._families[family.pk] = shared(list(models.values()), family.vendor)

    def of(self, family: int | None, gpu: int | None) -> Host:
        """A model's host; of a family without a model what all its models share."""
        if gpu is not None:
            return self._models[gpu]
        return self._families[family] if family is not None else Host()


def _of_model(gpu: Gpu, vendor: str) -> Host:
    known = Host(compute_capability=gpu.compute_capability, platform=_platform(vendor))
    return host_of(gpu.slug, known)


def _platform(vendor: str) -> Platform | Literal[""]:
    return gpu_arch().platforms.get(vendor, "")


def shared(hosts: Sequence[Host], vendor: str = "") -> Host:
    """What is true of all of them; a vendor's software is, even without any model."""
    if not hosts:
        return Host(platform=_platform(vendor))
    first, *others = hosts
    differing: dict[str, Any] = {
        field.name: ""
        for field in fields(Host)
        if any(getattr(host, field.name) != getattr(first, field.name) for host in others)
    }
    return replace(first, **differing)


# --- From the claims -------------------------------------------------------------------


class Claimed(NamedTuple):
    """What an offering's claims say of the driver on its machines; empty where they do not. In the
    order of the engine's own fields."""

    lowest_driver: str = ""
    highest_driver: str = ""
    lowest_cuda: str = ""
    highest_cuda: str = ""
    replaceable: bool = False

    @classmethod
    def of(cls, offering: Offering) -> Claimed:
        kind = offering.answer("driver_kind")
        installs = kind == "renter_installs"
        lowest, highest = ("", "") if installs else _driver_bounds(kind, offering.answer("driver"))
        return cls(
            lowest,
            highest,
            "" if installs else offering.answer("cuda_min") or "",
            "" if installs else offering.answer("cuda_max") or "",
            installs or offering.answer("driver_changeable") is True,
        )


def _driver_bounds(kind: str | None, stated: str | None) -> tuple[str, str]:
    """A single version of a platform that manages its drivers was seen on some host: no bound."""
    if stated is None:
        return "", ""
    low, high = (".".join(map(str, bound)) for bound in version_bounds(stated))
    if kind == "minimum":
        return low, ""
    return (low, high) if kind in _BOUNDING or low != high else ("", "")


def machines(key: HostKey, known: Host, claimed: Claimed) -> Host | Hosts:
    """The machine that a listing is of, or those that one may get for it.

    `known` is what the GPU tells.
    """
    if not (key.driver or key.cuda):
        return Hosts(known, *claimed)
    if not claimed.replaceable:
        return replace(known, driver=key.driver, cuda=key.cuda)
    return Hosts(known, key.driver, key.driver, key.cuda, key.cuda, replaceable=True)

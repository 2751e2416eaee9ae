"""What an image would land on, as far as anyone knows. An empty field is a fact not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpucompare.cuda.tables import Platform

# Who looks at NVIDIA_REQUIRE_* before the container starts: legacy does, CDI does not.
Mode = Literal["legacy", "cdi", "csv", ""]
Cpu = Literal["amd64", "arm64", ""]


@dataclass(frozen=True)
class Host:
    """One machine. `driver` is trusted before `cuda`, which may come from a foreign libcuda."""

    driver: str = ""  # "535.104.05"; a branch alone, "535", is any driver of it
    cuda: str = ""  # the highest CUDA it reports, "12.2"
    compute_capability: str = ""  # "8.6"
    brand: str = ""  # as libnvidia-container says it: Tesla, GeForce, Unknown …
    platform: Platform | Literal[""] = ""  # what its GPU needs of the software
    cpu: Cpu = ""
    mode: Mode = ""
    # Whether NVIDIA lets a compat library lift the driver on this board.
    forward_compat: Literal["yes", "no", "some_boards", ""] = ""


@dataclass(frozen=True)
class Hosts:
    """The machines that one may get: a marketplace, or branches that a provider documents."""

    known: Host  # what all of them share
    lowest_driver: str = ""
    highest_driver: str = ""
    lowest_cuda: str = ""
    highest_cuda: str = ""
    replaceable: bool = False  # the renter may install another driver

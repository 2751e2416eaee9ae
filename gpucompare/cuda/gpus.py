"""What a GPU says about a host: its brand, whether compat libraries work on it, its driver."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from gpucompare.cuda.drivers import branches, driver_branches, version
from gpucompare.cuda.host import Cpu, Host
from gpucompare.cuda.tables import Architecture, CardRow, gpu_arch
from gpucompare.cuda.versions import Numbers, numbers

NOTHING = Host()
# All that libnvidia-container can call a board (src/nvc_info.c); newer NVML brands are Unknown.
BRANDS = ("Quadro", "Tesla", "NVS", "GRID", "GeForce", "TITAN", "Unknown")
DATA_CENTRE_BRANDS = ("Tesla", "Unknown")
# Of the other brands NVIDIA admits none (GeForce, TITAN) or some boards (Quadro, NVS, GRID).
_NEVER_LIFTED = frozenset({"geforce", "geforcertx", "titan", "titanrtx"})


def host_of(gpu: str = "", known: Host = NOTHING) -> Host:
    """`known` with all that a GPU of the GPU table, `a100-sxm-80gb`, says about its host.

    A slug without a row adds nothing; a compute capability in `known` then speaks for it.
    """
    card = gpu_arch().cards.get(gpu)
    if card is None:
        is_nvidia = known.compute_capability in gpu_arch().architectures
        return replace(known, platform=known.platform or ("cuda" if is_nvidia else ""))
    return replace(
        known,
        compute_capability=card.compute_capability if card.platform == "cuda" else "",
        brand=card.brand,
        platform=card.platform,
        cpu=known.cpu or _cpu(card),
        forward_compat=card.forward_compat,
    )


def _cpu(card: CardRow) -> Cpu:
    """The table says which cards sit in arm64 hosts; that the others do not is the common case."""
    if card.host_arch:
        return card.host_arch if card.host_basis != "memory" else ""
    return "amd64"


def brands_of(host: Host) -> tuple[str | None, ...]:
    """What the gate may hear the GPU called: all names that the known facts leave open."""
    if host.brand:
        return tuple(host.brand.split(" or "))
    return DATA_CENTRE_BRANDS if host.forward_compat == "yes" else BRANDS


def is_lifted(host: Host) -> bool | None:
    """Whether NVIDIA lets a compat library lift the driver on this board; None: not known."""
    if host.forward_compat:
        return {"yes": True, "no": False}.get(host.forward_compat)
    return _is_lifted(host.compute_capability, host.brand.casefold())


@lru_cache(maxsize=256)
def _is_lifted(capability: str, brand: str) -> bool | None:
    if brand in _NEVER_LIFTED:
        return False
    if brand == "tesla":
        return True
    known = {
        card.forward_compat
        for card in gpu_arch().cards.values()
        if card.compute_capability == capability and brand in ("", card.brand.casefold())
    }
    if not brand and capability not in _DATA_CENTRE_ONLY:
        return None
    return True if known == {"yes"} else None


# No GeForce, TITAN or RTX board has these: all boards of them are data-centre boards.
_DATA_CENTRE_ONLY = frozenset({"8.0", "9.0", "10.0", "10.3"})


def architecture_of(capability: str) -> Architecture | None:
    return gpu_arch().architectures.get(capability)


def last_branch(capability: str) -> int | None:
    """The last branch that drives a GPU; None while newer ones still do."""
    architecture = architecture_of(capability)
    return int(architecture.last_driver) if architecture and architecture.last_driver else None


@lru_cache(maxsize=128)
def possible_branches(capability: str) -> tuple[tuple[int, ...], bool]:
    """The branches that can drive a GPU, and whether only a memory says where they begin.

    Without any knowledge of the GPU there may be drivers older than all of the table: 409.
    """
    first, confirmed = _first_branch(capability)
    last = last_branch(capability)
    found = tuple(b for b in branches() if b >= first and (last is None or b <= last))
    return (found if first else (branches()[0] - 1, *found)), confirmed


def _first_branch(capability: str) -> tuple[int, bool]:
    """The oldest branch that any card of a capability is known to work with; 0: not known."""
    cards = [c for c in gpu_arch().cards.values() if c.compute_capability == capability]
    floors: list[tuple[Numbers, bool]] = [
        (numbers(card.min_driver) or (), card.min_driver_basis != "memory")
        for card in cards
        if card.min_driver and not card.min_driver.startswith("<")
    ]
    if floors and len(floors) == len([c for c in cards if c.min_driver]):
        lowest = min(floor for floor, _ in floors)
        return int(lowest[0]), (lowest, True) in floors
    return 0, True


def branch_reporting(cuda: str) -> int | None:
    """The branch whose drivers report a CUDA: 535 for 12.2; None where no branch does."""
    if not re.fullmatch(r"\d+\.\d+", cuda):
        return None
    reports = {version(row.max_cuda): branch for branch, row in driver_branches().items()}
    return reports.get(version(cuda))

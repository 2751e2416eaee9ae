"""What an image asks of a host, as far as anyone knows. An empty field is a fact not known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Software = Literal["cuda", "rocm", "cpu", ""]


@dataclass(frozen=True)
class Build:
    """A framework or an extension, and the CUDA that it was compiled with."""

    name: str  # as in tables/frameworks.csv: torch, tensorflow, vllm, flash-attn, bitsandbytes
    release: str = ""  # "2.8.0"
    cuda: str = ""  # "12.8" of cu128; decides kernels and the floor at run time


@dataclass(frozen=True)
class Kernels:
    """Compute capabilities that the image's own code was compiled for."""

    cubins: frozenset[str] = frozenset()  # "8.6": machine code, runs on the same major
    ptx: frozenset[str] = frozenset()  # "9.0": compiled on the host, for this one and newer


@dataclass(frozen=True)
class Image:
    """The facts of an image that decide where it starts and where its CUDA works."""

    software: Software = ""  # cpu: it holds neither CUDA nor ROCm, and that was seen
    cuda: str = ""  # toolkit of the base, "12.8.1"; a framework may bring another
    builds: tuple[Build, ...] = ()
    kernels: Kernels | None = None  # None: not known
    # The texts of its NVIDIA_REQUIRE_* variables. None: nobody read its environment; (): none set.
    requirements: tuple[str, ...] | None = None
    check_disabled: bool = False  # NVIDIA_DISABLE_REQUIRE is true
    compat_driver: str = ""  # the driver whose libcuda lies in the image: "575.57.08"
    compat_forced: bool = False  # that libcuda is used on every host, newer ones too
    platforms: frozenset[str] = field(default_factory=frozenset)  # CPUs it is built for: amd64

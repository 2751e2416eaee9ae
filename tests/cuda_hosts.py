"""What tests of a verdict's rules share: images and hosts in few words."""

from __future__ import annotations

from dataclasses import replace

from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.known_images import require_strings

LEGACY, CDI = Host(mode="legacy"), Host(mode="cdi")


def on(gpu: str, driver: str, known: Host = LEGACY) -> Host:
    return host_of(gpu, replace(known, driver=driver))


def nvidia(cuda: str) -> Image:
    """nvidia/cuda of that version: it holds the compat library that its requirement speaks of."""
    return Image(software="cuda", cuda=cuda, requirements=(require_strings()[cuda].text,))


def torch(release: str, cuda: str) -> Image:
    return Image(software="cuda", builds=(Build("torch", release, cuda),), requirements=())


def with_code(cuda: str, cubins: set[str], ptx: set[str] | None = None) -> Image:
    kernels = Kernels(frozenset(cubins), frozenset(ptx or ()))
    return Image(software="cuda", cuda=cuda, kernels=kernels, requirements=())

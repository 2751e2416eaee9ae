"""Facts of frameworks: which release, built with which CUDA, for which GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from checks.image import versions
from checks.image.evidence import TABLE, Evidence
from checks.image.fact import Fact, Key, Origin
from checks.image.steps import Package
from gpucompare.cuda.image import Build, Kernels
from gpucompare.cuda.tables import Basis

_TORCH_IN_TAG = re.compile(
    r"(?<![a-z0-9])(?:py)?torch-?(?:(\d\.\d{1,2}(?:\.\d{1,2})?)|(\d)(\d{1,2})(\d))(?![0-9])"
)
_ARCHITECTURE = re.compile(r"(\d{1,2}\.\d)[af]?(\+PTX)?")


@dataclass(frozen=True)
class Sighting:
    """One place where a framework showed itself. "" is what it does not say."""

    name: str
    source: str
    release: str = ""
    cuda: str = ""  # "12.8"; "cpu" and "rocm6.2" are builds without CUDA
    cuda_source: str = ""  # where `cuda` was read, if elsewhere
    basis: Basis = "documented"


def sightings(evidence: Evidence) -> tuple[Sighting, ...]:
    """All of them, the most trusted first: steps (the last first), variables, labels, names."""
    return (
        *_installed(evidence),
        *_in_environment(evidence),
        *_in_labels(evidence),
        *_in_tag(evidence),
    )


def _installed(evidence: Evidence) -> Iterator[Sighting]:
    seen: set[str] = set()
    for package in reversed(_packages(evidence)):
        # What a later step replaced is gone, and no second opinion.
        if package.name in seen:
            continue
        if package.release:
            seen.add(package.name)
        cuda = versions.backend_cuda(package.backend)
        other = package.backend if package.backend.startswith(("cpu", "rocm")) else ""
        yield Sighting(package.name, Origin.HISTORY, package.release, cuda or other)


def _in_environment(evidence: Evidence) -> Iterator[Sighting]:
    for framework, ngc, names in (
        ("torch", "NVIDIA_PYTORCH_VERSION", ("PYTORCH_VERSION", "PYTORCH_BUILD_VERSION")),
        ("tensorflow", "NVIDIA_TENSORFLOW_VERSION", ("TENSORFLOW_VERSION",)),
    ):
        # NVIDIA builds its frameworks with the toolkit that the image holds.
        cuda = versions.cuda_version(evidence.env.get("CUDA_VERSION", ""))
        with_toolkit = versions.minor(cuda) if evidence.env.get(ngc) else ""
        for name in names:
            text = evidence.env.get(name, "")
            if release := versions.release(text):
                own = versions.backend_cuda(text.partition("+")[2])
                source = f"{Origin.ENV}:{name}"
                cuda_source = source if own else f"{Origin.ENV}:CUDA_VERSION"
                yield Sighting(framework, source, release, own or with_toolkit, cuda_source)


def _in_labels(evidence: Evidence) -> Iterator[Sighting]:
    for framework, label in (("torch", "pytorch"), ("tensorflow", "tensorflow")):
        name = f"com.nvidia.{label}.version"
        if release := versions.release(evidence.config.labels.get(name, "")):
            yield Sighting(framework, f"{Origin.LABEL}:{name}", release)


def _in_tag(evidence: Evidence) -> Iterator[Sighting]:
    for promise in evidence.promises:
        row, tag = promise.row, promise.in_tag
        if row.framework:
            release = tag.get("release") or row.release
            cuda = tag.get("framework_cuda") or row.framework_cuda
            source = evidence.tag_source if "release" in tag or "framework_cuda" in tag else TABLE
            cuda = cuda or ("cpu" if row.software == "cpu" else "")
            yield Sighting(row.framework, source, release, cuda, basis=row.basis)
    if not evidence.promises:
        for dotted, *digits in _TORCH_IN_TAG.findall(evidence.tag):
            release = dotted or ".".join(digits)
            yield Sighting("torch", evidence.tag_source, release, basis="derived")


def framework_facts(evidence: Evidence) -> Iterator[Fact]:
    for seen in sightings(evidence):
        if seen.release:
            yield Fact(Key.FRAMEWORK, seen.release, seen.source, seen.name, seen.basis)
        if seen.cuda:
            source = seen.cuda_source or seen.source
            yield Fact(Key.FRAMEWORK_CUDA, seen.cuda, source, seen.name, seen.basis)


def other_facts(evidence: Evidence) -> Iterator[Fact]:
    ngc = ("NVIDIA_PYTORCH_VERSION", "NVIDIA_TENSORFLOW_VERSION")
    yield from evidence.from_env(Key.NGC_RELEASE, *ngc)
    yield from evidence.from_env(Key.ARCHITECTURES, "TORCH_CUDA_ARCH_LIST", "CUDA_ARCH_LIST")
    yield from evidence.from_env(Key.ROCM, "ROCM_VERSION")
    yield from evidence.promised(Key.ROCM, "rocm")


def builds(evidence: Evidence) -> tuple[Build, ...]:
    """A build a framework that may use CUDA: the most trusted release, and a CUDA that fits it.

    One that NVIDIA compiled for this very image is left out where `kernels` says for which GPUs:
    the wheel of its release was compiled for others.
    """
    found: list[Build] = []
    seen = [one for one in sightings(evidence) if one.basis != "memory"]
    own = kernels(evidence) is not None
    for name in dict.fromkeys(one.name for one in seen):
        told = [one for one in seen if one.name == name]
        release = next((one.release for one in told if one.release), "")
        cuda = _cuda(told, release)
        uses_cuda = cuda != "cpu" and not cuda.startswith("rocm")
        if uses_cuda and not (own and name == "torch"):
            found.append(Build(name, release, cuda))
    return tuple(found)


def _cuda(told: list[Sighting], release: str) -> str:
    """A CUDA told of that very release before one told of no release; none of another release."""
    fitting = [one.cuda for one in told if one.cuda and one.release == release]
    return next(iter(fitting + [one.cuda for one in told if one.cuda and not one.release]), "")


def kernels(evidence: Evidence) -> Kernels | None:
    """The architectures that NVIDIA built the framework of an NGC image for.

    Elsewhere, and once another torch was installed over it, the variable only holds for what is
    compiled later, not for a wheel.
    """
    replaced = any(package.name == "torch" and package.release for package in _packages(evidence))
    if replaced or not evidence.env.get("NVIDIA_PYTORCH_VERSION"):
        return None
    parts = re.split(r"[\s;,]+", evidence.env.get("TORCH_CUDA_ARCH_LIST", "").strip(' "'))
    matches = [_ARCHITECTURE.fullmatch(part) for part in parts if part]
    if not matches or None in matches:
        return None
    known = [match for match in matches if match]
    return Kernels(
        cubins=frozenset(match[1] for match in known),
        ptx=frozenset(match[1] for match in known if match[2]),
    )


def _packages(evidence: Evidence) -> list[Package]:
    return [package for sized in evidence.steps for package in sized.step.packages]

"""The facts of an image, each with its source, and what they mean for the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from checks.image import build_facts, cuda_facts, shape_facts, versions
from checks.image.evidence import Evidence
from checks.image.fact import Fact, ImageFacts, Key
from checks.image.record import ImageRecord
from checks.image.told import Told
from gpucompare.cuda.image import Image, Software
from gpucompare.cuda.toolkits import toolkits

_READERS: tuple[Callable[[Evidence], Iterator[Fact]], ...] = (
    shape_facts.platforms,
    cuda_facts.cuda,
    build_facts.framework_facts,
    build_facts.other_facts,
    cuda_facts.requirement,
    cuda_facts.libraries,
    cuda_facts.compat,
    cuda_facts.base,
    shape_facts.size,
    shape_facts.start,
    shape_facts.contents,
)


def facts_of(record: ImageRecord | Told) -> ImageFacts:
    """All that a record tells. Facts of one key stand with the most trusted first."""
    told = record if isinstance(record, Told) else Told.of(record)
    evidence = Evidence(told)
    drawn = tuple(dict.fromkeys(fact for reader in _READERS for fact in reader(evidence)))
    software = tuple(_software(evidence, drawn))
    facts = (*software, *drawn)
    image = _image(evidence, facts, software)
    return ImageFacts(image, facts, told.reference, told.pinned, told.base)


def _software(evidence: Evidence, facts: Sequence[Fact]) -> Iterator[Fact]:
    """What the image computes with, and the fact that shows it; nothing where none does."""
    cuda = (Key.CUDA, Key.REQUIRE, Key.COMPAT, Key.COMPAT_DRIVER)
    for fact in facts:
        if fact.key in cuda or (fact.key is Key.FRAMEWORK_CUDA and "." in _cuda_of(fact)):
            yield Fact(Key.SOFTWARE, "cuda", fact.source, basis=fact.basis)
            break
    for fact in facts:
        built = fact.key is Key.FRAMEWORK_CUDA and str(fact.value).startswith("rocm")
        if built or fact.key is Key.ROCM:
            yield Fact(Key.SOFTWARE, "rocm", fact.source, basis=fact.basis)
            break
    for fact in facts:
        if fact.key is Key.FRAMEWORK_CUDA and fact.value == "cpu":
            yield Fact(Key.SOFTWARE, "cpu", fact.source, basis=fact.basis)
            break
    yield from evidence.promised(Key.SOFTWARE, "software")


def _cuda_of(fact: Fact) -> str:
    return versions.cuda_version(str(fact.value))


def _image(evidence: Evidence, facts: Sequence[Fact], software: Sequence[Fact]) -> Image:
    confirmed = [fact for fact in facts if fact.basis != "memory"]

    def first(key: Key) -> str:
        return next((str(fact.value) for fact in confirmed if fact.key is key), "")

    return Image(
        software=_computes_with(software),
        cuda=first(Key.CUDA),
        builds=build_facts.builds(evidence),
        kernels=build_facts.kernels(evidence),
        requirements=_requirements(evidence, facts),
        check_disabled=first(Key.CHECK_DISABLED) == "yes",
        compat_driver=first(Key.COMPAT_DRIVER) or _branch(first(Key.COMPAT)),
        compat_forced=first(Key.COMPAT_FORCED) == "yes",
        platforms=frozenset(_architectures(facts)),
    )


def _branch(cuda: str) -> str:
    """The driver branch whose libcuda the compat package of a CUDA version holds."""
    toolkit = toolkits().find(cuda) if cuda else None
    return toolkit.branch if toolkit else ""


def _computes_with(facts: Sequence[Fact]) -> Software:
    """CUDA and ROCm side by side settle nothing; a build for the CPU counts where it is alone."""
    found = {str(fact.value) for fact in facts if fact.basis != "memory"}
    if {"cuda", "rocm"} <= found:
        return ""
    return "cuda" if "cuda" in found else "rocm" if "rocm" in found else "cpu" if found else ""


def _requirements(evidence: Evidence, facts: Sequence[Fact]) -> tuple[str, ...] | None:
    """The texts; None where the environment, or that of the base image, was not told."""
    texts = tuple(str(fact.value) for fact in facts if fact.key is Key.REQUIRE)
    states_its_own = "NVIDIA_REQUIRE_CUDA" in evidence.env
    return texts if evidence.is_gate_read or states_its_own else None


def _architectures(facts: Sequence[Fact]) -> Iterator[str]:
    for fact in facts:
        os, _slash, architecture = str(fact.value).partition("/")
        if fact.key is Key.PLATFORM and os == "linux":
            yield architecture.partition("/")[0]

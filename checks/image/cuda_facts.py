"""Facts of CUDA itself: toolkit, requirement, cuDNN, NCCL, compat library, kind of base."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from checks.image import environment, versions
from checks.image.evidence import Evidence
from checks.image.fact import Fact, Key, Origin
from gpucompare.cuda.requirement import MOST_ASKED, MOST_TEXTS

# A name alone is the weakest source, but `cu128` and `cuda12.8.1` leave no doubt what is meant.
_CUDA_IN_TAG = re.compile(
    r"(?<![a-z0-9])(?:cuda-?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)|(cu\d{3,4}))(?![0-9])"
)
_CUDNN_IN_TAG = re.compile(r"(?<![a-z0-9])cudnn-?(\d{1,2})(?![0-9])")
_COMPAT_ON_PATH = re.compile(
    r"(?:^|[:\s])/usr/local/cuda(?:-[\d.]{1,8})?/compat(/lib)?/?(?=[:/\s]|$)"
)
_COMPAT_PACKAGE = re.compile(r"cuda-compat-(\d{1,2})-(\d{1,2})(?:=.*)?")


def cuda(evidence: Evidence) -> Iterator[Fact]:
    """The toolkit of the base, by trust: variables, steps of the build, table, tag."""
    yield from _checked(evidence.from_env(Key.CUDA, "CUDA_VERSION"), versions.cuda_version)
    packages = evidence.from_env(Key.CUDA, "NV_CUDA_LIB_VERSION", "NV_CUDA_CUDART_VERSION")
    for fact in _checked(packages, versions.of_package):
        # The library's version is the toolkit's; cudart counts on its own behind the minor.
        whole = fact.detail == "NV_CUDA_LIB_VERSION"
        yield replace(fact, value=fact.value if whole else versions.minor(str(fact.value)))
    for step in evidence.steps:
        for toolkit in step.step.toolkits:
            yield Fact(Key.CUDA, toolkit, Origin.HISTORY)
    yield from evidence.promised(Key.CUDA, "cuda")
    if not evidence.promises:
        yield from _in_tag(evidence)


def _in_tag(evidence: Evidence) -> Iterator[Fact]:
    for dotted, backend in _CUDA_IN_TAG.findall(evidence.tag):
        if found := dotted or versions.backend_cuda(backend):
            yield Fact(Key.CUDA, found, evidence.tag_source, basis="derived")


def requirement(evidence: Evidence) -> Iterator[Fact]:
    """What the NVIDIA runtime is asked to check before the start, as far as anybody reads it."""
    asked = environment.requirements(evidence.env).items()
    for name, value in islice(asked, MOST_TEXTS + 1):
        yield Fact(Key.REQUIRE, value[: MOST_ASKED + 1], f"{Origin.ENV}:{name}", name)
    toolkit = versions.cuda_version(evidence.env.get("CUDA_VERSION", ""))
    if evidence.is_gate_read and toolkit and not evidence.env.get("NVIDIA_REQUIRE_CUDA"):
        # The runtime takes CUDA_VERSION for the requirement of an image that states none.
        implied = f"cuda>={versions.minor(toolkit)}"
        yield Fact(Key.REQUIRE, implied, f"{Origin.ENV}:CUDA_VERSION", "NVIDIA_REQUIRE_CUDA")
    for fact in evidence.from_env(Key.CHECK_DISABLED, "NVIDIA_DISABLE_REQUIRE"):
        set_to = evidence.env["NVIDIA_DISABLE_REQUIRE"]
        yield replace(fact, value="yes" if environment.is_true(set_to) else "no")


def libraries(evidence: Evidence) -> Iterator[Fact]:
    labels = evidence.config.labels
    cudnn = evidence.from_env(Key.CUDNN, "NV_CUDNN_VERSION", "CUDNN_VERSION", "NV_CUDNN_PACKAGE")
    yield from _checked(cudnn, versions.of_package)
    yield from _label(Key.CUDNN, labels.get("com.nvidia.cudnn.version", ""), "cudnn")
    yield from evidence.promised(Key.CUDNN, "cudnn")
    if not evidence.promises:
        for major in _CUDNN_IN_TAG.findall(evidence.tag):
            yield Fact(Key.CUDNN, major, evidence.tag_source, basis="derived")
    nccl = evidence.from_env(Key.NCCL, "NCCL_VERSION", "NV_LIBNCCL_PACKAGE_VERSION")
    yield from _checked(nccl, versions.of_package)
    yield from _label(Key.NCCL, labels.get("com.nvidia.nccl.version", ""), "nccl")


def _label(key: Key, value: str, library: str) -> Iterator[Fact]:
    if found := versions.release(value):
        yield Fact(key, found, f"{Origin.LABEL}:com.nvidia.{library}.version")


def compat(evidence: Evidence) -> Iterator[Fact]:
    """The driver's libcuda that came along, and whether hosts are made to use it."""
    for fact in evidence.from_env(Key.COMPAT, "NV_CUDA_COMPAT_PACKAGE"):
        if match := _COMPAT_PACKAGE.fullmatch(str(fact.value)):
            yield replace(fact, value=f"{match[1]}.{match[2]}")
    drivers = evidence.from_env(Key.COMPAT_DRIVER, "CUDA_DRIVER_VERSION")
    yield from _checked(drivers, versions.driver_version)
    for sized in evidence.steps:
        for version in sized.step.compat:
            yield Fact(Key.COMPAT, version, Origin.HISTORY)
        for driver in sized.step.compat_drivers:
            yield Fact(Key.COMPAT_DRIVER, driver, Origin.HISTORY)
    yield from evidence.promised(Key.COMPAT_DRIVER, "compat_driver")
    yield from _forced(evidence)


def _forced(evidence: Evidence) -> Iterator[Fact]:
    if any(sized.step.compat_forced for sized in evidence.steps):
        yield Fact(Key.COMPAT_FORCED, "yes", Origin.HISTORY)
    for fact in evidence.from_env(Key.COMPAT_FORCED, "LD_LIBRARY_PATH", "LD_PRELOAD"):
        found = _COMPAT_ON_PATH.search(str(fact.value))
        # NGC fills compat/lib at the start, and only where the driver is older than the library.
        if found and not (found[1] and "_CUDA_COMPAT_PATH" in evidence.env):
            yield replace(fact, value="yes")
    yield from evidence.promised(Key.COMPAT_FORCED, "compat_forced")


def base(evidence: Evidence) -> Iterator[Fact]:
    """base, runtime or devel, as NVIDIA splits its images; a devel image holds the compiler."""
    devel = ("NV_CUDA_CUDART_DEV_VERSION", "NV_LIBCUBLAS_DEV_VERSION", "NV_NVML_DEV_VERSION")
    kinds = (("devel", devel), ("runtime", ("NV_CUDA_LIB_VERSION",)))
    for kind, names in (*kinds, ("base", ("NV_CUDA_CUDART_VERSION",))):
        if found := next(evidence.from_env(Key.BASE, *names), None):
            yield replace(found, value=kind)
            break
    if any(sized.step.compiler for sized in evidence.steps):
        yield Fact(Key.BASE, "devel", Origin.HISTORY)
    yield from evidence.promised(Key.BASE, "base")
    if not evidence.promises and re.search(r"(?<![a-z])devel(?![a-z])", evidence.tag):
        yield Fact(Key.BASE, "devel", evidence.tag_source, basis="derived")


def _checked(facts: Iterator[Fact], read: Callable[[str], str]) -> Iterator[Fact]:
    """The facts whose values `read` understands, as it understands them."""
    for fact in facts:
        if value := read(str(fact.value)):
            yield replace(fact, value=value)

"""The two answers for an image on a host: does the container start, and does CUDA work in it.

Rules are asked in the order of what can be cured: another kind of hardware, another CPU, a GPU that
the code was not compiled for, and only then the driver. "fails" is said only where no fact that is
missing could turn it.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

from gpucompare.cuda.answer import Run, Start, Verdict
from gpucompare.cuda.architecture import architecture
from gpucompare.cuda.findings import FINE, Finding, unique, unknown
from gpucompare.cuda.gate import Gate, gate
from gpucompare.cuda.gpus import brands_of, is_lifted, last_branch
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.runtime import has_cuda, runtime
from gpucompare.cuda.versions import driver_span

Key = tuple[Any, ...]
# A tuple is hashed and compared several times faster than the dataclass that holds it.
_FACTS = attrgetter(*(fact.name for fact in fields(Host)))
Found = TypeVar("Found", Gate, Finding, Verdict)
REMEMBERED = 10_000


class Judge:
    """An image, and what was found out about it so far.

    Each rule looks at some of a host's facts; hosts that share these share its finding.
    """

    def __init__(self, image: Image) -> None:
        self._image = image
        asked = " ".join(image.requirements or ()).casefold()
        self._asks_arch, self._asks_brand = "arch" in asked, "brand" in asked
        self._gates: dict[Key, Gate] = {}
        self._codes: dict[Key, Finding] = {}
        self._runtimes: dict[Key, Finding] = {}
        self._verdicts: dict[Key, Verdict] = {}

    def verdict(self, host: Host) -> Verdict:
        """Never raises, whatever the texts of the image and the host say."""
        facts = _FACTS(host)
        found = self._verdicts.get(facts)
        return found or _kept(self._verdicts, facts, _joined(self._gate(host), self._run(host)))

    def _gate(self, host: Host) -> Gate:
        asks_arch = self._asks_arch or not driver_span(host.driver)
        arch = asks_arch and host.compute_capability
        brands = self._asks_brand and brands_of(host)
        key = (host.driver, host.cuda, host.mode, host.platform, brands, arch)
        found = self._gates.get(key)
        return found or _kept(self._gates, key, gate(self._image, host))

    def _code(self, host: Host) -> Finding:
        key = (host.compute_capability, host.cpu)
        found = self._codes.get(key)
        return found or _kept(self._codes, key, architecture(self._image, host))

    def _runtime(self, host: Host) -> Finding:
        unknown_driver = "" if driver_span(host.driver) else host.compute_capability
        board = (is_lifted(host), last_branch(host.compute_capability), unknown_driver)
        key = (host.driver, host.cuda, host.mode, *board)
        found = self._runtimes.get(key)
        return found or _kept(self._runtimes, key, runtime(self._image, host))

    def _run(self, host: Host) -> Finding:
        kind = _software(self._image, host)
        cpu = FINE if kind.fails else _platform(self._image, host)
        if cpu is not FINE:
            return cpu
        if kind is not FINE:
            return kind if kind.fails else _with_platform(kind, self._image, host)
        code = self._code(host)
        if code.fails:
            return code
        by_driver = self._runtime(host)
        if by_driver.fails:
            return by_driver
        return _with_platform(_both(code, by_driver), self._image, host)


def _kept(memory: dict[Key, Found], key: Key, found: Found) -> Found:
    """Hosts are told by strangers too: the memory is emptied before it grows without end."""
    if len(memory) >= REMEMBERED:
        memory.clear()
    memory[key] = found
    return found


@lru_cache(maxsize=16)
def judge_of(image: Image) -> Judge:
    return Judge(image)


def verdict(image: Image, host: Host) -> Verdict:
    """Never raises, whatever the texts of the image and the host say."""
    return judge_of(image).verdict(host)


def _joined(start: Gate, run: Finding) -> Verdict:
    fixes = unique(start.fixes, run.fixes)
    # On a driver that is known, CUDA works whether the gate lets it in or is switched off.
    is_open = start.start is Start.UNKNOWN and Missing.HOST_DRIVER not in run.missing
    is_refused = start.start is Start.REFUSED or Reason.REFUSED_IN_LEGACY_MODE in start.reasons
    if (is_refused or is_open) and (run.runs or Fix.NO_COMPAT_LIBRARY in run.fixes):
        fixes = unique((Fix.DISABLE_REQUIRE,), fixes)
    reasons, missing = unique(start.reasons, run.reasons), unique(start.missing, run.missing)
    return Verdict(start.start, run.run, reasons, fixes, missing)


def _both(code: Finding, by_driver: Finding) -> Finding:
    caveat = Reason.PTX_NEWER_THAN_DRIVER
    if Reason.COMPILED_FROM_PTX in code.reasons and caveat in by_driver.reasons:
        reasons, fixes = (*code.reasons, caveat), (Fix.NEWER_DRIVER, Fix.SHIP_SASS)
        if by_driver.run is Run.RUNS_MINOR_COMPAT:
            return Finding(Run.FAILS_DRIVER_TOO_OLD, reasons, fixes)
        return Finding(Run.UNKNOWN, reasons, fixes, by_driver.missing)
    if code is FINE:
        return by_driver
    return Finding(
        Run.UNKNOWN if code.run is Run.UNKNOWN else by_driver.run,
        unique(code.reasons, by_driver.reasons),
        unique(code.fixes, by_driver.fixes),
        unique(code.missing, by_driver.missing),
    )


def _software(image: Image, host: Host) -> Finding:
    if image.software == "cpu":
        return Finding(Run.RUNS, (Reason.NEEDS_NO_GPU,))
    if image.software == "rocm":
        return _rocm(host)
    if host.platform not in ("rocm", "synapse"):
        return FINE
    if not has_cuda(image):
        return unknown(Missing.IMAGE_SOFTWARE)
    if host.platform == "rocm":
        return Finding(Run.NOT_CUDA, (Reason.AMD_HOST,), (Fix.ROCM_IMAGE, Fix.OTHER_GPU))
    return Finding(Run.NOT_CUDA, (Reason.OTHER_ACCELERATOR_HOST,), (Fix.OTHER_GPU,))


def _rocm(host: Host) -> Finding:
    if host.platform == "rocm":
        return unknown(reasons=(Reason.ROCM_NOT_JUDGED,))
    if host.platform or host.driver or host.compute_capability:
        return Finding(Run.NOT_CUDA, (Reason.ROCM_IMAGE,), (Fix.CUDA_IMAGE,))
    return unknown(Missing.HOST_GPU, reasons=(Reason.ROCM_IMAGE,))


def _platform(image: Image, host: Host) -> Finding:
    if not image.platforms or not host.cpu or host.cpu in image.platforms:
        return FINE
    fix = Fix.ARM64_IMAGE if host.cpu == "arm64" else Fix.AMD64_IMAGE
    return Finding(Run.FAILS_PLATFORM, (Reason.PLATFORM_MISMATCH,), (fix, Fix.OTHER_GPU))


def _with_platform(found: Finding, image: Image, host: Host) -> Finding:
    """An arm64 host is rare enough for its image to be looked at first."""
    if host.cpu == "arm64" and not image.platforms:
        return found.with_(missing=(Missing.IMAGE_PLATFORMS,))
    if host.cpu or not image.platforms or "amd64" in image.platforms:
        return found
    return replace(found.with_(missing=(Missing.HOST_CPU,)), run=Run.UNKNOWN)

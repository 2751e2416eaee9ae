"""Whether what was compiled runs on the GPU at all, whatever the driver.

Machine code (a cubin) runs on its own major compute capability, from its minor one upwards. PTX is
compiled on the host, for its own capability and all newer ones. A toolkit compiles for no GPU that
it has dropped, and not for one that came later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from gpucompare.cuda.answer import Run
from gpucompare.cuda.findings import FINE, Finding, unknown
from gpucompare.cuda.frameworks import (
    Limit,
    TorchBuild,
    compiler_defaults,
    limits,
    torch_builds,
)
from gpucompare.cuda.gpus import architecture_of
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Build, Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.tables import Architecture, Basis, gpu_arch
from gpucompare.cuda.versions import ANY, Numbers, Span, numbers, releases_span, series_span

DROPPED = (Fix.OLDER_BUILD, Fix.OTHER_GPU)
TOO_NEW = (Fix.NEWER_BUILD, Fix.OTHER_GPU)
CU126 = "12.6"  # the wheels that PyTorch kept for old GPUs while others dropped them


@dataclass(frozen=True)
class Code:
    """Capabilities that something was compiled for."""

    cubins: frozenset[Numbers]
    ptx: frozenset[Numbers]

    @classmethod
    def of(cls, cubins: Iterable[str], ptx: Iterable[str]) -> Code:
        return cls(_all(cubins), _all(ptx))

    def has_machine_code(self, gpu: Numbers) -> bool:
        return any(cubin[0] == gpu[0] and cubin <= gpu for cubin in self.cubins)

    def has_ptx(self, gpu: Numbers) -> bool:
        return any(ptx <= gpu for ptx in self.ptx)

    def judge(self, gpu: Numbers, why: Reason) -> Finding:
        if self.has_machine_code(gpu):
            exact = gpu in self.cubins
            return FINE if exact else FINE.with_(Reason.CUBIN_SAME_MAJOR)
        if self.has_ptx(gpu):
            return FINE.with_(Reason.COMPILED_FROM_PTX)
        if gpu < min(self.cubins | self.ptx):
            return Finding(Run.FAILS_ARCH_DROPPED, (why,), DROPPED)
        return Finding(Run.FAILS_ARCH_TOO_NEW, (why, Reason.CUBIN_MAJOR_DIFFERS), TOO_NEW)


def _all(capabilities: Iterable[str]) -> frozenset[Numbers]:
    return frozenset(filter(None, map(numbers, capabilities)))


def architecture(image: Image, host: Host) -> Finding:
    """The worst of what the image's own code, its builds and its toolkit say."""
    findings = list(_findings(image, host))
    for run in (Run.FAILS_ARCH_DROPPED, Run.FAILS_ARCH_TOO_NEW):
        failed = [finding for finding in findings if finding.run is run]
        if failed:
            return _joined(failed)
    unsure = [finding for finding in findings if finding.run is Run.UNKNOWN]
    return _joined(unsure or findings or [FINE])


def _joined(findings: Iterable[Finding]) -> Finding:
    first, *others = findings
    for other in others:
        first = first.with_(*other.reasons, fixes=other.fixes, missing=other.missing)
    return first


def _findings(image: Image, host: Host) -> Iterator[Finding]:
    gpu = numbers(host.compute_capability) or None
    code = image.kernels and Code.of(image.kernels.cubins, image.kernels.ptx)
    if code and code.cubins | code.ptx:
        yield code.judge(gpu, Reason.OWN_KERNELS) if gpu else unknown(Missing.HOST_CAPABILITY)
    for build in image.builds:
        yield from _build(build, image, host, gpu)
    is_told = any(build.cuda or build.name == "torch" for build in image.builds)
    if not code and not is_told:
        yield _toolkit(_cuda(image), host, is_whole_story=not image.builds)


def _cuda(image: Image) -> str:
    brought = (limit.brings_cuda for build in image.builds for limit in _limits(build, None))
    return next((cuda for cuda in brought if cuda), image.cuda)


def _build(build: Build, image: Image, host: Host, gpu: Numbers | None) -> Iterator[Finding]:
    if build.name == "torch":
        # Its wheels are listed, so that the toolkit adds what it dropped and nothing else.
        yield _dropped(build.cuda, host) or FINE
        yield _torch(build, host, gpu)
        return
    yield _toolkit(build.cuda, host, is_whole_story=False)
    if build.name in limits():
        yield from _limited(build, image, gpu)


# Toolkits


def _toolkit(cuda: str, host: Host, *, is_whole_story: bool) -> Finding:
    """What a CUDA version itself says; of a framework it is known that GPUs of its day are in."""
    version, capability = series_span(cuda), host.compute_capability
    if not capability:
        return FINE.with_(missing=(Missing.HOST_CAPABILITY,)) if is_whole_story else FINE
    if version is None:
        return FINE
    if dropped := _dropped(cuda, host):
        return dropped
    known = architecture_of(capability)
    if known is None:
        return _by_relatives(capability, version, is_whole_story=is_whole_story)
    return _undecided(known, version, is_whole_story=is_whole_story)


def _dropped(cuda: str, host: Host) -> Finding | None:
    """A toolkit compiles for no GPU that it has dropped. One without a row of its own is judged by
    those of its generation: 8.7 by 8.0 and 8.6."""
    version, capability = series_span(cuda), host.compute_capability
    known = architecture_of(capability)
    alike = [known] if known else _relatives(capability)
    if version is None or not alike or not all(_is_dropped(one, version) for one in alike):
        return None
    why = () if known else (Reason.GPU_NOT_IN_TABLE,)
    reasons = (Reason.ARCH_DROPPED_BY_CUDA, *why)
    return Finding(Run.FAILS_ARCH_DROPPED, reasons, _older(capability))


def _relatives(capability: str) -> list[Architecture]:
    gpu = numbers(capability)
    return [
        one
        for one in gpu_arch().architectures.values()
        if gpu and (numbers(one.compute_capability) or gpu)[0] == gpu[0]
    ]


def _by_relatives(capability: str, version: Span, *, is_whole_story: bool) -> Finding:
    gpu, why = numbers(capability), Reason.GPU_NOT_IN_TABLE
    if not is_whole_story:
        return FINE
    if gpu and _relatives(capability) and _builds_same_major(gpu, version):
        return FINE.with_(why, Reason.CUBIN_SAME_MAJOR)
    return unknown(Missing.IMAGE_KERNELS, reasons=(why,))


def _is_dropped(known: Architecture, version: Span) -> bool:
    last = series_span(known.last_cuda)
    return last is not None and known.basis != "memory" and version.low > last.high


@cache
def _older(capability: str) -> tuple[Fix, ...]:
    """What helps a GPU that newer builds have left behind."""
    gpu = numbers(capability) or ()
    wheels = [Code.of(row.cubins, row.ptx) for row in torch_builds() if row.cuda == CU126]
    kept = any(wheel.has_machine_code(gpu) for wheel in wheels)
    return (Fix.USE_CU126_BUILD, *DROPPED) if kept else DROPPED


def _undecided(known: Architecture, version: Span, *, is_whole_story: bool) -> Finding:
    """Which code the image holds decides where its toolkit allows both."""
    gpu, first = numbers(known.compute_capability) or (), numbers(known.first_cuda) or ()
    if version.high < first and not _builds_same_major(gpu, version):
        reasons = (Reason.GPU_NEWER_THAN_TOOLKIT,)
        return Finding(Run.UNKNOWN, reasons, TOO_NEW, (Missing.IMAGE_KERNELS,))
    default = compiler_defaults().get(int(version.low[0]))
    if is_whole_story and default and gpu < default:
        return unknown(Missing.IMAGE_KERNELS, reasons=(Reason.BUILD_DEFAULT_ARCH,))
    return FINE.with_(Reason.CUBIN_SAME_MAJOR) if version.high < first else FINE


def _builds_same_major(gpu: Numbers, version: Span) -> bool:
    """Whether that toolkit could compile for an older GPU whose code runs on this one."""
    return any(
        (older := numbers(one.compute_capability) or ())
        and older[0] == gpu[0]
        and older <= gpu
        and (numbers(one.first_cuda) or ()) <= version.high
        and not _is_dropped(one, version)
        for one in gpu_arch().architectures.values()
    )


# PyTorch


def _torch(build: Build, host: Host, gpu: Numbers | None) -> Finding:
    releases, cuda = releases_span(build.release) or ANY, series_span(build.cuda) or ANY
    rows = [row for row in torch_builds() if _is_of(row, cuda) and row.releases.overlaps(releases)]
    in_table = _is_in_table(releases)
    if not rows and releases.high < torch_builds()[0].releases.low:
        rows = [row for row in torch_builds() if _is_of(row, cuda)]
    found = [_wheel(row, host, gpu) for row in rows]
    if gpu is None:
        return unknown(Missing.HOST_CAPABILITY)
    if not found and in_table:
        return _of_release(releases, host, gpu)
    if not found or any(finding is None for finding in found):
        return unknown(Missing.IMAGE_KERNELS, reasons=(Reason.BUILD_NOT_IN_TABLE,))
    return _agreed([finding for finding in found if finding], in_table=in_table)


def _of_release(releases: Span, host: Host, gpu: Numbers) -> Finding:
    """A build that PyTorch does not publish runs where all published ones of its release do."""
    rows = [row for row in torch_builds() if row.releases.overlaps(releases)]
    found = [_wheel(row, host, gpu) for row in rows]
    if all(finding and finding.runs for finding in found):
        return FINE.with_(Reason.BUILD_NOT_IN_TABLE)
    return unknown(Missing.IMAGE_KERNELS, reasons=(Reason.BUILD_NOT_IN_TABLE,))


def _is_of(row: TorchBuild, cuda: Span) -> bool:
    built = series_span(row.cuda)
    return bool(built and built.overlaps(cuda))


def _is_in_table(releases: Span) -> bool:
    known = torch_builds()
    return releases == ANY or releases.within(Span(known[0].releases.low, known[-1].releases.high))


def _wheel(row: TorchBuild, host: Host, gpu: Numbers | None) -> Finding | None:
    """None: nobody has told what that wheel holds."""
    if gpu is None:
        return None
    x86 = _list(row.cubins, row.ptx, row.basis, gpu)
    arm = _list(row.arm64_cubins, row.arm64_ptx, row.arm64_basis, gpu)
    if x86 and x86.fails and not arm and gpu[0] not in _arm64_only():
        arm = x86  # of GPUs that are in both kinds of hosts, arm64 wheels hold no more
    if host.cpu:
        return arm if host.cpu == "arm64" else x86
    if x86 and x86.fails and not (arm and arm.fails):
        return unknown(Missing.HOST_CPU, reasons=x86.reasons)
    return x86


@cache
def _arm64_only() -> frozenset[float]:
    """Generations of GPUs that only arm64 wheels have code for: those inside a Jetson."""
    arm, x86 = (
        {capability[0] for row in torch_builds() for capability in _all(getattr(row, cubins))}
        for cubins in ("arm64_cubins", "cubins")
    )
    return frozenset(arm - x86)


def _list(
    cubins: Sequence[str], ptx: Sequence[str], basis: Basis | None, gpu: Numbers
) -> Finding | None:
    if not cubins:
        return None
    finding = Code.of(cubins, ptx).judge(gpu, Reason.FRAMEWORK_ARCH_LIST)
    if finding.fails and basis == "memory":
        return unknown(Missing.IMAGE_KERNELS, reasons=finding.reasons)
    if finding.run is Run.FAILS_ARCH_DROPPED:
        return replace(finding, fixes=_older(".".join(map(str, (*gpu, 0)[:2]))))
    return finding


def _agreed(found: list[Finding], *, in_table: bool) -> Finding:
    """One answer for all wheels that the build may be; a wheel outside the table only fails."""
    runs = {finding.run for finding in found}
    if len(runs) > 1:
        return unknown(Missing.IMAGE_KERNELS, reasons=(Reason.FRAMEWORK_ARCH_LIST,))
    if not in_table and found[0].run is not Run.FAILS_ARCH_TOO_NEW:
        return unknown(Missing.IMAGE_KERNELS, reasons=(Reason.BUILD_NOT_IN_TABLE,))
    return found[0]


# Extensions and other frameworks


def _limits(build: Build, cuda: Span | None) -> list[Limit]:
    releases = releases_span(build.release) or ANY
    return [row for row in limits().get(build.name, ()) if row.is_about(releases, cuda)]


def _limited(build: Build, image: Image, gpu: Numbers | None) -> Iterator[Finding]:
    torch = (other.cuda for other in image.builds if other.name == "torch" and other.cuda)
    built = series_span(build.cuda or next(torch, ""))
    rows = _limits(build, built)
    if not rows and _limits(build, None):
        yield unknown(Missing.IMAGE_KERNELS, reasons=(Reason.EXTENSION_CUDA_NOT_COVERED,))
    limited = [row for row in rows if row.min_capability or row.cubins or row.ptx]
    if not limited or len(limited) < len(rows):
        return
    if gpu is None:
        yield unknown(Missing.HOST_CAPABILITY)
        return
    found = [_by_limit(row, gpu) for row in limited]
    yield (
        found[0]
        if len({one.run for one in found}) == 1
        else unknown(Missing.IMAGE_KERNELS, reasons=(Reason.EXTENSION_ARCH_LIST,))
    )


def _by_limit(row: Limit, gpu: Numbers) -> Finding:
    why = Reason.EXTENSION_ARCH_LIST
    lowest = numbers(row.min_capability)
    if lowest and gpu < lowest:
        finding = Finding(Run.FAILS_ARCH_DROPPED, (why,), DROPPED)
    elif row.cubins:
        finding = Code.of(row.cubins, row.ptx).judge(gpu, why)
    else:
        return FINE
    # Extensions choose kernels by the GPU's number: PTX in the list may never be reached.
    by_ptx = Reason.COMPILED_FROM_PTX in finding.reasons
    if by_ptx or (finding.fails and row.basis == "memory"):
        return unknown(Missing.IMAGE_KERNELS, reasons=(why,))
    return finding

"""Whether the host's driver is new enough for the CUDA that the image runs with.

A driver runs every CUDA up to the one it reports. From CUDA 11 on it also runs later minor versions
of its family, if it is no older than the family's floor; that covers machine code, not PTX, which
the driver itself would have to compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from gpucompare.cuda.answer import Run
from gpucompare.cuda.findings import FINE, Finding, unknown
from gpucompare.cuda.frameworks import limits, wheels_of
from gpucompare.cuda.gate import host_cuda
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.toolkits import FIRST_FAMILY, toolkits
from gpucompare.cuda.versions import (
    Numbers,
    Span,
    beginning,
    driver_span,
    numbers,
    releases_span,
    series_span,
)

TOO_OLD = (Fix.NEWER_DRIVER, Fix.OLDER_BUILD)


@dataclass(frozen=True)
class Need:
    """The CUDA that an image runs with: "12.8.1", "12.8", or "12" where no more is known."""

    cuda: str
    reasons: tuple[Reason, ...] = ()

    @property
    def series(self) -> str:
        """12.8; "" where only the family is known."""
        parts = self.cuda.split(".")
        return ".".join(parts[:2]) if len(parts) > 1 else ""

    @property
    def minor(self) -> Numbers | None:
        return numbers(self.series)

    @property
    def family(self) -> int:
        return int(self.cuda.partition(".")[0])


@lru_cache(maxsize=16)
def need_of(image: Image) -> Need | None:
    """The newest CUDA among its builds, else that of its base; None where nobody knows."""
    built = [cuda for build in image.builds if (cuda := beginning(build.cuda))]
    built = built or _usually(image)
    base = series_span(image.cuda)
    if not built:
        return Need(beginning(image.cuda)) if base else None
    newest = max(built, key=lambda cuda: (series_span(cuda) or Span((), ())).low)
    span = series_span(newest)
    if base is None or span is None or span.overlaps(base):
        return Need(newest)
    newer = span.low > base.high
    told = Reason.FRAMEWORK_CUDA_NEWER_THAN_BASE, Reason.FRAMEWORK_CUDA_OLDER_THAN_BASE
    return Need(newest, (told[0] if newer else told[1],))


def other_needs(image: Image) -> Iterator[Need]:
    """What PyTorch's wheels of a release need, where nobody says which of them the image holds."""
    for build in image.builds:
        if build.name == "torch" and not build.cuda:
            yield from (Need(cuda) for cuda in wheels_of(build.release))


def _usually(image: Image) -> list[str]:
    """The CUDA that named frameworks bring, where nobody says which build it is."""
    if image.cuda:
        return []
    return [
        row.brings_cuda
        for build in image.builds
        for row in limits().get(build.name, ())
        if row.brings_cuda and build.release and _is_about(row.releases, build.release)
    ][:1]


def _is_about(releases: str, release: str) -> bool:
    mine, other = releases_span(releases), releases_span(release)
    return bool(mine and other and other.within(mine))


def driver(need: Need, host: Host) -> Finding:
    """The answer without any compat library, for a host whose driver or CUDA is known."""
    cuda = host_cuda(host)
    if cuda is None:
        return unknown(Missing.HOST_DRIVER)
    found = _exact(need, host, cuda) if need.minor else _family(need, host, cuda)
    found = found.with_(*need.reasons) if found.run is not Run.UNKNOWN else found
    return found if driver_span(host.driver) else found.with_(Reason.CUDA_AS_REPORTED)


def _family(need: Need, host: Host, cuda: Span) -> Finding:
    """An answer only where all minor versions of the family have the same."""
    first = _exact(replace(need, cuda=f"{need.family}.0"), host, cuda)
    if cuda.low >= (need.family + 1,):
        return FINE.with_(Reason.BACKWARD_COMPATIBLE)
    if first.fails:
        return first
    return unknown(Missing.IMAGE_CUDA, reasons=(Reason.CUDA_NOT_EXACT,))


def _exact(need: Need, host: Host, cuda: Span) -> Finding:
    minor = need.minor or ()
    reports = cuda.at_least(minor)
    if reports is None:
        missing = Missing.TOOLKIT_FACTS if driver_span(host.driver) else Missing.HOST_DRIVER
        return unknown(missing, reasons=(Reason.CUDA_NOT_IN_TABLE,))
    if reports:
        return _reported(need, host, is_newer=cuda.low > minor)
    return _not_reported(need, host, cuda)


def _reported(need: Need, host: Host, *, is_newer: bool) -> Finding:
    """The driver reports the CUDA; a first driver of its branch may still be too old for it."""
    driver, floor = driver_span(host.driver), toolkits().floors.get(need.family)
    shipped = toolkits().driver(need.cuda)
    if (
        driver
        and shipped
        and not is_newer
        and driver.at_least(shipped) is False
        and (floor is None or driver.at_least(floor) is False)
    ):
        return Finding(Run.FAILS_DRIVER_TOO_OLD, (Reason.BELOW_MINOR_FLOOR,), TOO_OLD)
    return FINE.with_(Reason.BACKWARD_COMPATIBLE) if is_newer else FINE


def _not_reported(need: Need, host: Host, cuda: Span) -> Finding:
    if need.family < FIRST_FAMILY:
        reasons = (Reason.NO_MINOR_COMPAT_BEFORE_11,)
        return Finding(Run.FAILS_DRIVER_TOO_OLD, reasons, TOO_OLD)
    floor = toolkits().floors.get(need.family)
    if floor is None:
        return unknown(Missing.TOOLKIT_FACTS, reasons=(Reason.CUDA_NOT_IN_TABLE,))
    driver = driver_span(host.driver)
    if driver is None:
        # What reports a CUDA of the family is a driver of the family.
        return _minor() if cuda.low >= (need.family,) else _too_old()
    above = driver.at_least(floor)
    if above is None:
        # NVIDIA states the floor as a branch first: ">=525 (525.60.13)".
        return _minor().with_(Reason.DRIVER_PATCH_NOT_KNOWN, missing=(Missing.HOST_DRIVER,))
    return _minor() if above else _too_old()


def _minor() -> Finding:
    reasons = (Reason.MINOR_COMPAT, Reason.PTX_NEWER_THAN_DRIVER)
    return Finding(Run.RUNS_MINOR_COMPAT, reasons, (Fix.NEWER_DRIVER, Fix.SHIP_SASS))


def _too_old() -> Finding:
    return Finding(Run.FAILS_DRIVER_TOO_OLD, (Reason.BELOW_MINOR_FLOOR,), TOO_OLD)

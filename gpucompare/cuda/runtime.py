"""Whether CUDA works once the container runs: the driver, with a compat library or without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from gpucompare.cuda.answer import Run
from gpucompare.cuda.compat_library import with_library
from gpucompare.cuda.driver_rules import Need, driver, need_of, other_needs
from gpucompare.cuda.drivers import branches
from gpucompare.cuda.findings import FINE, Finding, unknown
from gpucompare.cuda.gate import host_cuda
from gpucompare.cuda.gpus import possible_branches
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.reasons import Missing, Reason

_BEST_FIRST = tuple(Run)


def runtime(image: Image, host: Host) -> Finding:
    """What is said whatever the GPU's architecture, which only a missing driver asks for."""
    need = need_of(image)
    return _needing(need, image, host) if need else _with_any_wheel(image, host)


def _with_any_wheel(image: Image, host: Host) -> Finding:
    """Where nobody says which wheel of PyTorch it holds: what runs with each of its release runs.

    It may have been built by someone else too, so that it never fails.
    """
    absent = Missing.IMAGE_CUDA if has_cuda(image) else Missing.IMAGE_SOFTWARE
    released = any(build.name == "torch" and build.release for build in image.builds)
    needs = other_needs(image) if released else ()
    each = [_needing(need, image, host) for need in needs]
    if not each or not all(one.runs for one in each):
        return unknown(absent)
    return max(each, key=lambda one: _BEST_FIRST.index(one.run)).with_(missing=(absent,))


def _needing(need: Need, image: Image, host: Host) -> Finding:
    if not host_cuda(host):
        return _whatever_driver(need, image, host)
    return _with_driver(need, image, host)


def has_cuda(image: Image) -> bool:
    return bool(image.software or image.cuda or image.builds or image.kernels)


def _with_driver(need: Need, image: Image, host: Host) -> Finding:
    found = with_library(driver(need, host), need, image, host)
    others = other_needs(image) if found.fails else ()
    if any(not with_library(driver(one, host), one, image, host).fails for one in others):
        return unknown(Missing.IMAGE_CUDA, reasons=found.reasons).with_(fixes=found.fixes)
    return found


def _whatever_driver(need: Need, image: Image, host: Host) -> Finding:
    """Without a driver: the answer that all drivers agree on which can drive the GPU."""
    possible, confirmed = possible_branches(host.compute_capability)
    missing = (Missing.HOST_DRIVER,)
    each = list(takewhile(_runs, _with_each(possible, need, image, host)))
    if len(each) == len(possible):
        unsure = () if confirmed else (Reason.DRIVER_FLOOR_NOT_CONFIRMED,)
        caveat = Reason.PTX_NEWER_THAN_DRIVER
        older = (caveat,) if any(caveat in one.reasons for one in each) else ()
        return FINE.with_(Reason.DRIVER_NOT_KNOWN, *unsure, *older, missing=missing)
    # What the table of GPUs remembers of drivers may be wrong: all of them must fail. The newest
    # one, which most often does not, is asked first, and speaks for all if they do.
    newest_first = (*reversed(branches()), branches()[0] - 1)
    failed = list(takewhile(_fails, _with_each(newest_first, need, image, host)))
    if len(failed) == len(newest_first):
        return failed[0].with_(missing=missing)
    return unknown(*missing, reasons=(Reason.DRIVER_NOT_KNOWN,))


def _runs(found: Finding) -> bool:
    return found.runs


def _fails(found: Finding) -> bool:
    return found.fails


def _with_each(each: Iterable[int], need: Need, image: Image, host: Host) -> Iterator[Finding]:
    for branch in each:
        known = replace(host, driver=str(branch))
        yield _with_driver(need, image, known)

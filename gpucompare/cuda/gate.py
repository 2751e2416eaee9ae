"""The first answer: whether NVIDIA_REQUIRE_* lets the container start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from gpucompare.cuda.answer import Start
from gpucompare.cuda.drivers import branches, reported_cuda
from gpucompare.cuda.gpus import brands_of, last_branch, possible_branches
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.requirement import (
    Dialect,
    Properties,
    Requirement,
    RequirementError,
    is_too_much,
    met,
    parse,
)
from gpucompare.cuda.versions import ANY, Span, driver_span, numbers


@dataclass(frozen=True)
class Gate:
    start: Start
    reasons: tuple[Reason, ...] = ()
    fixes: tuple[Fix, ...] = ()
    missing: tuple[Missing, ...] = ()


PASSES = Gate(Start.PASSES)
UNREAD = (Reason.REQUIRE_NOT_READ,), (), (Missing.IMAGE_REQUIREMENTS,)


def gate(image: Image, host: Host) -> Gate:
    """Never raises: a requirement that cannot be read is one that refuses."""
    if host.platform in ("rocm", "synapse") or image.software == "rocm":
        return Gate(Start.NOT_CHECKED)
    if host.mode == "cdi":
        return Gate(Start.NOT_CHECKED, (Reason.MODE_DOES_NOT_CHECK,))
    if image.check_disabled:
        return Gate(Start.NOT_CHECKED, (Reason.REQUIRE_DISABLED,))
    if image.requirements is None:
        return _not_read(image, host)
    if is_too_much(image.requirements):
        return Gate(Start.UNKNOWN, *UNREAD)
    return _for_mode(_checked(image.requirements, host), host)


def host_cuda(host: Host) -> Span | None:
    """The CUDA of a host. Its driver is believed before the number it shows."""
    told = reported_cuda(host.driver) if host.driver else None
    shown = numbers(host.cuda)
    if shown and (told is None or (told.low != told.high and told.low <= shown <= told.high)):
        return Span.exactly(shown)
    return told


def _told(host: Host) -> tuple[Span | None, Span | None]:
    """CUDA and driver of a host; without either, all that may drive its GPU: B200 began with R570.

    Only where it is confirmed which branch is the first of them.
    """
    cuda, driver = host_cuda(host), driver_span(host.driver)
    if cuda or driver:
        return cuda, driver
    possible, confirmed = possible_branches(host.compute_capability)
    first, last = min(possible, default=0), last_branch(host.compute_capability)
    if not confirmed or first not in branches():
        return None, None
    newest = reported_cuda(str(last)) if last else None
    oldest = reported_cuda(str(first)) or ANY
    return (
        Span(oldest.low, newest.high if newest else ANY.high),
        Span((first,), (last, inf) if last else ANY.high),
    )


def _not_read(image: Image, host: Host) -> Gate:
    """Every requirement that NVIDIA writes is met by a driver that reports the image's CUDA."""
    (cuda, _), wanted = _told(host), numbers(image.cuda)
    if image.software == "cpu" or (cuda and wanted and cuda.at_least(wanted[:2])):
        return Gate(Start.PASSES, *UNREAD)
    return Gate(Start.UNKNOWN, *UNREAD)


def _checked(texts: Sequence[str], host: Host) -> Gate:
    """All requirements, as the reader of the host's mode understands them."""
    dialect: Dialect = "csv" if host.mode == "csv" else "legacy"
    try:
        wanted = [parse(text) for text in texts]
        answers = [_any_brand(requirement, host, dialect) for requirement in wanted]
    except RequirementError:
        return Gate(
            Start.REFUSED, (Reason.REQUIRE_INVALID,), (Fix.CORRECT_REQUIREMENT, Fix.DISABLE_REQUIRE)
        )
    if False in answers:
        return Gate(Start.REFUSED, (Reason.REQUIRE_GATE,), (Fix.NEWER_DRIVER, Fix.OLDER_IMAGE))
    if None in answers:
        return Gate(Start.UNKNOWN, (Reason.REQUIRE_GATE,), (), _missing(wanted, host))
    return (
        PASSES if _by_cuda(wanted, host) else Gate(Start.PASSES, (Reason.REQUIRE_GATE_BRANCH_TERM,))
    )


def _any_brand(requirement: Requirement, host: Host, dialect: Dialect) -> bool | None:
    """The answer that all brands agree on which the GPU may have; None if they do not."""
    cuda, driver = _told(host)
    capability = numbers(host.compute_capability)
    arch = Span.exactly(capability) if capability else None
    answers = {
        met(requirement, Properties(cuda, driver, arch, brand), dialect)
        for brand in brands_of(host)
    }
    return answers.pop() if len(answers) == 1 else None


def _by_cuda(wanted: Iterable[Requirement], host: Host) -> bool:
    cuda, _ = _told(host)
    firsts = [numbers(requirement.first_cuda) for requirement in wanted]
    return all(not first or (cuda and cuda.at_least(first)) for first in firsts)


def _missing(wanted: Iterable[Requirement], host: Host) -> tuple[Missing, ...]:
    text = " ".join(requirement.text for requirement in wanted).casefold()
    exact = host.driver and "." in host.driver
    absent = (
        (Missing.HOST_DRIVER, not exact and ("cuda" in text or "driver" in text)),
        (Missing.HOST_BRAND, len(brands_of(host)) > 1 and "brand" in text),
        (Missing.HOST_CAPABILITY, not host.compute_capability and "arch" in text),
    )
    found = tuple(key for key, is_absent in absent if is_absent)
    return found or (Missing.TOOLKIT_FACTS,)


def _for_mode(found: Gate, host: Host) -> Gate:
    """A host whose mode nobody knows may not check at all."""
    if host.mode or found.start is not Start.REFUSED:
        return found
    return Gate(Start.UNKNOWN, (Reason.REFUSED_IN_LEGACY_MODE,), found.fixes, (Missing.HOST_MODE,))

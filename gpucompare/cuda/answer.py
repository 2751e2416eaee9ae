"""The words of a verdict. Reasons, fixes and missing facts are keys; pages translate them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Start(StrEnum):
    """Whether the NVIDIA_REQUIRE gate lets the container start."""

    PASSES = "passes"
    REFUSED = "refused"
    NOT_CHECKED = "not_checked"
    UNKNOWN = "unknown"


class Run(StrEnum):
    """Whether CUDA works once it has started, best first."""

    RUNS = "runs"
    RUNS_MINOR_COMPAT = "runs_minor_compat"
    RUNS_WITH_COMPAT_PACKAGE = "runs_with_compat_package"
    UNKNOWN = "unknown"
    FAILS_COMPAT_LIBRARY = "fails_compat_library"
    FAILS_DRIVER_TOO_OLD = "fails_driver_too_old"
    FAILS_ARCH_TOO_NEW = "fails_arch_too_new"
    FAILS_ARCH_DROPPED = "fails_arch_dropped"
    FAILS_PLATFORM = "fails_platform"
    NOT_CUDA = "not_cuda"


class Share(StrEnum):
    """How many of the hosts that one may get a verdict holds for."""

    ALL = "all"
    SOME = "some"
    NONE = "none"
    UNKNOWN = "unknown"


class Standing(StrEnum):
    """A verdict in one word, as offerings are ranked by it."""

    RUNS = "runs"
    CONDITION = "condition"  # it runs if something is done, or on some of the hosts
    UNKNOWN = "unknown"
    FAILS = "fails"


@dataclass(frozen=True)
class Verdict:
    """The answer for one image on one host."""

    start: Start
    run: Run
    reasons: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # facts of the image or host that would settle it


@dataclass(frozen=True)
class HostsVerdict:
    """The answer for one image on a range of hosts: how many run it, and the two ends."""

    share: Share
    best: Verdict
    worst: Verdict

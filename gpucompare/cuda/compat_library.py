"""What the compat library of an image does on a host: the libcuda of a newer driver.

It lifts older drivers on data-centre boards. On other boards CUDA then fails with error 804, and on
a driver newer than itself with error 803, so who uses it matters:

- libnvidia-container (legacy mode) puts it in place where its major number is above that of the
  host's driver, whatever the board (`src/nvc_mount.c`);
- the toolkit's hook (CDI) does the same, and reads the library's own list of branches where it has
  one (`cmd/nvidia-cdi-hook/cudacompat`); in CSV mode there is no hook;
- an image may force it on every host, by ldconfig or LD_LIBRARY_PATH.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from gpucompare.cuda.answer import Run
from gpucompare.cuda.driver_rules import TOO_OLD, Need, driver
from gpucompare.cuda.drivers import branch_of, driver_branches
from gpucompare.cuda.findings import Finding, unknown
from gpucompare.cuda.forward_compat import ForwardCompat, forward_compat
from gpucompare.cuda.gpus import branch_reporting, is_lifted, last_branch
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.requirement import RequirementError, is_too_much, parse
from gpucompare.cuda.toolkits import toolkits
from gpucompare.cuda.versions import driver_span, numbers

# Without the library there is the driver's own answer to fall back on.
SWITCH_OFF = (Fix.NEWER_DRIVER, Fix.NO_COMPAT_LIBRARY)


@dataclass(frozen=True)
class Library:
    """A compat library in an image."""

    branch: int
    cuda: str  # what its driver reports
    driver: str = ""  # its own version, where that is known
    is_certain: bool = False  # seen, not concluded from the requirement
    is_forced: bool = False

    @property
    def facts(self) -> ForwardCompat | None:
        return forward_compat().get(self.cuda)


@lru_cache(maxsize=16)
def library_of(image: Image) -> Library | None:
    """The library that an image is known to hold. None: none known of."""
    if image.compat_driver:
        branch = branch_of(image.compat_driver)
        return (
            branch
            and Library(
                branch,
                driver_branches()[branch].max_cuda,
                image.compat_driver,
                is_certain=True,
                is_forced=image.compat_forced,
            )
        ) or None
    cuda = image.cuda if image.compat_forced else _cuda_of_branch_terms(image)
    row = toolkits().find(cuda) if cuda else None
    if row is None or not row.branch:
        return None
    return Library(int(row.branch), row.minor, is_forced=image.compat_forced)


def _cuda_of_branch_terms(image: Image) -> str:
    """NVIDIA lets older branches pass the gate of those images that hold a library for them."""
    texts = () if is_too_much(image.requirements or ()) else image.requirements or ()
    return next(
        (cuda for text in texts if (cuda := _first_cuda(text, by_branch=True))),
        "",
    )


def _first_cuda(text: str, *, by_branch: bool = False) -> str:
    try:
        requirement = parse(text)
    except RequirementError:
        return ""
    return requirement.first_cuda if requirement.names_branches or not by_branch else ""


def may_hold_one(image: Image) -> bool:
    """Whether that is open. The wheels of a framework bring CUDA, and no such library.

    NVIDIA's own frameworks hold one and ask for less than their CUDA, `cuda>=9.0`.
    """
    if any(build.cuda for build in image.builds):
        return False
    if image.requirements is None or is_too_much(image.requirements):
        return True
    return any(_asks_less(one, image) for one in image.requirements)


def _asks_less(text: str, image: Image) -> bool:
    asked, own = numbers(_first_cuda(text)), numbers(image.cuda)
    return bool(asked and own and asked < own[:2])


def host_branch(host: Host) -> int | None:
    """0 for a driver older than all branches of the table."""
    if driver_span(host.driver):
        return branch_of(host.driver) or 0
    return branch_reporting(host.cuda)


def with_library(base: Finding, need: Need, image: Image, host: Host) -> Finding:
    """`base`, the driver's own answer, with what a compat library makes of it."""
    branch, library = host_branch(host), library_of(image)
    if branch is None:
        return base
    if library is None:
        return _without(base, need, image, host, branch)
    if image.check_disabled and not library.is_certain and base.runs:
        # Seen to run: an image whose check is off may as well have no library left.
        return base.with_(Reason.COMPAT_NOT_KNOWN)
    return _with(library, base, need, host, branch)


def _with(library: Library, base: Finding, need: Need, host: Host, branch: int) -> Finding:
    if library.is_forced and branch > library.branch:
        reasons = (Reason.COMPAT_FORCED_ON_NEWER_DRIVER_803,)
        fixes = (Fix.UNFORCE_COMPAT_LIBRARY, *((Fix.NO_COMPAT_LIBRARY,) if base.runs else ()))
        return Finding(Run.FAILS_COMPAT_LIBRARY, reasons, fixes)
    used = _is_used(library, host, branch)
    if used is False:
        return base.with_(Reason.COMPAT_NOT_USED) if library.is_certain else base
    found = _used(base, need, library, host, branch)
    if used is None and found.run is not base.run:
        return unknown(Missing.HOST_MODE, reasons=found.reasons)
    return found


def _is_used(library: Library, host: Host, branch: int) -> bool | None:
    """None: it depends on the container mode, which is not known."""
    if library.is_forced:
        return branch != library.branch
    if not _is_newer(library, host, branch) or host.mode == "csv":
        return False
    by_hook = library.facts is None or not library.facts.has_note or branch in library.facts.allowed
    by_mode = {"legacy": branch < library.branch, "cdi": by_hook}
    if host.mode:
        return by_mode[host.mode]
    return True if all(by_mode.values()) else None


def _is_newer(library: Library, host: Host, branch: int) -> bool:
    own, theirs = numbers(library.driver), driver_span(host.driver)
    if own and len(own) > 1 and theirs:
        return theirs.at_least(own) is False
    return branch < library.branch


def _used(base: Finding, need: Need, library: Library, host: Host, branch: int) -> Finding:
    lifted = is_lifted(host)
    if lifted is False:
        reasons = (Reason.COMPAT_ON_GEFORCE_804, *_own(base))
        return Finding(Run.FAILS_COMPAT_LIBRARY, reasons, SWITCH_OFF if base.runs else TOO_OLD)
    by_library = driver(need, replace(host, driver=str(library.branch), cuda=""))
    if not by_library.runs:
        return base  # even that driver would be too old
    last = last_branch(host.compute_capability)
    if last is not None and library.branch > last:
        return _may_break(base, Reason.COMPAT_NOT_ELIGIBLE)
    listed = library.facts.lifts(branch) if library.facts else None
    if listed is False or (library.is_forced and not listed):
        return _may_break(base, Reason.COMPAT_BRANCH_NOT_LISTED)
    return _lifting(base, library, lifted, listed)


def _may_break(base: Finding, why: Reason) -> Finding:
    """What NVIDIA does not promise of a library on a host; that it does no harm is none either."""
    if base.fails:
        return base.with_(why)
    return unknown(Missing.TOOLKIT_FACTS, reasons=(why, *_own(base))).with_(fixes=SWITCH_OFF)


def _lifting(base: Finding, library: Library, lifted: bool | None, listed: bool | None) -> Finding:
    """The board may be lifted and so may the branch; None where that is not sure."""
    if lifted is None:
        return unknown(Missing.HOST_BRAND, reasons=(Reason.COMPAT_PACKAGE,)).with_(*_own(base))
    if base.runs and not library.is_certain:
        return base
    if listed is None:
        return unknown(Missing.TOOLKIT_FACTS, reasons=(Reason.COMPAT_BRANCH_DISPUTED,))
    return Finding(Run.RUNS_WITH_COMPAT_PACKAGE, (Reason.COMPAT_PACKAGE,), (Fix.NEWER_DRIVER,))


def _own(base: Finding) -> tuple[Reason, ...]:
    """What the driver alone would have said, where that is what to fall back on."""
    return base.reasons if base.runs or base.fails else ()


def _without(base: Finding, need: Need, image: Image, host: Host, branch: int) -> Finding:
    """A library could be added to an image that has none, or be in one that nobody looked into."""
    if base.run is not Run.FAILS_DRIVER_TOO_OLD:
        return base
    lifted, facts = is_lifted(host), forward_compat().get(need.series)
    if lifted is False:
        return base.with_(Reason.COMPAT_NOT_ELIGIBLE)
    if facts is None or facts.lifts(branch) is False:
        return base
    if not may_hold_one(image):
        return base.with_(fixes=(Fix.COMPAT_PACKAGE,))
    missing = (Missing.IMAGE_COMPAT_DRIVER,) + ((Missing.HOST_BRAND,) if lifted is None else ())
    found = unknown(*missing, reasons=(Reason.COMPAT_NOT_KNOWN, *base.reasons))
    return found.with_(fixes=(*base.fixes, Fix.COMPAT_PACKAGE))

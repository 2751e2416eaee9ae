"""The answer where nobody knows which host one will get: a marketplace, documented branches.

Rules change their mind at branches of drivers only, so every branch between the two ends stands for
all hosts that have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from gpucompare.cuda.answer import HostsVerdict, Run, Share, Standing, Start, Verdict
from gpucompare.cuda.drivers import branch_of, branches, driver_branches
from gpucompare.cuda.findings import FAILING, RUNNING, unique
from gpucompare.cuda.gpus import possible_branches
from gpucompare.cuda.host import Host, Hosts
from gpucompare.cuda.image import Image
from gpucompare.cuda.judging import judge_of
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.standing import standing
from gpucompare.cuda.versions import Numbers, driver_span, numbers

# Best first.
_STANDINGS = tuple(Standing)
_RUNS = tuple(Run)
_STARTS = (Start.PASSES, Start.NOT_CHECKED, Start.UNKNOWN, Start.REFUSED)


def hosts_verdict(image: Image, hosts: Hosts) -> HostsVerdict:
    """How many of the hosts run the image, and the verdicts of the best and the worst of them."""
    judge = judge_of(image)
    found = sorted(map(judge.verdict, _candidates(hosts)), key=_rank)
    share = _share(found, hosts)
    is_open = share is Share.UNKNOWN and not (hosts.lowest_driver or hosts.lowest_cuda)
    worst = _open(found[-1]) if is_open else found[-1]
    ends = HostsVerdict(share, found[0], worst)
    can_help = hosts.replaceable and ends.share is not Share.ALL
    return _with_new_driver(image, hosts, ends) if can_help else ends


def _open(worst: Verdict) -> Verdict:
    """A driver that somebody might have is no reason why it would fail."""
    if worst.run not in FAILING:
        return worst
    missing = unique(worst.missing, (Missing.HOST_DRIVER,))
    return Verdict(Start.UNKNOWN, Run.UNKNOWN, (Reason.DEPENDS_ON_HOST,), worst.fixes, missing)


def _rank(one: Verdict) -> tuple[int, int, int]:
    return _STANDINGS.index(standing(one)), _RUNS.index(one.run), _STARTS.index(one.start)


def shared_verdict(image: Image, hosts: Hosts) -> Verdict:
    """What all the hosts agree on, in the words of the worst of them; unknown where they do not."""
    found = sorted(map(judge_of(image).verdict, _candidates(hosts)), key=_rank)
    worst = found[-1]
    starts = {one.start for one in found}
    start = worst.start if len(starts) == 1 else Start.UNKNOWN
    agree = any(all(one.run in kind for one in found) for kind in (RUNNING, FAILING))
    if (start is worst.start and agree) or len(found) == 1:
        return worst
    return Verdict(
        start,
        worst.run if agree else Run.UNKNOWN,
        unique(worst.reasons, (Reason.DEPENDS_ON_HOST,)),
        worst.fixes,
        unique(worst.missing, (Missing.HOST_DRIVER,)),
    )


def _share(found: list[Verdict], hosts: Hosts) -> Share:
    runs = [one.run in RUNNING and one.start is not Start.REFUSED for one in found]
    if all(runs) and all(one.start is not Start.UNKNOWN for one in found):
        return Share.ALL
    if not any(runs) and all(one.run in FAILING or one.start is Start.REFUSED for one in found):
        return Share.NONE
    # Both ends of a range exist; hosts in an open one may not.
    both_ends = bool(
        (hosts.lowest_driver or hosts.lowest_cuda) and (hosts.highest_driver or hosts.highest_cuda)
    )
    return Share.SOME if any(runs) and not all(runs) and both_ends else Share.UNKNOWN


def _with_new_driver(image: Image, hosts: Hosts, ends: HostsVerdict) -> HostsVerdict:
    """What the newest driver of the GPU would change, which the renter may install."""
    helped = judge_of(image).verdict(_with_newest(hosts.known))
    if helped.run not in RUNNING or helped.start is Start.REFUSED:
        return ends
    best, worst = (
        replace(one, fixes=unique((Fix.INSTALL_DRIVER,), one.fixes)) for one in (helped, ends.worst)
    )
    return HostsVerdict(Share.SOME, ends.best if ends.best.run in RUNNING else best, worst)


@lru_cache(maxsize=512)
def _with_newest(known: Host) -> Host:
    return replace(known, driver=str(_of_gpu(known)[-1]), cuda="")


@lru_cache(maxsize=8192)
def _candidates(hosts: Hosts) -> tuple[Host, ...]:
    """Hosts that stand for all of them, whatever the image: the same for the next one."""
    return tuple(_standing_for(hosts))


def _standing_for(hosts: Hosts) -> Iterator[Host]:
    known = hosts.known
    ends = (hosts.lowest_driver, hosts.highest_driver, hosts.lowest_cuda, hosts.highest_cuda)
    if known.driver or (known.cuda and not any(ends)) or not any(ends):
        yield known
        return
    drivers = list(_drivers(hosts))
    for driver in drivers:
        yield replace(known, driver=driver, cuda="")
    if not drivers:
        # A range that no branch of the table lies in: its ends are all that is known.
        for cuda in dict.fromkeys((hosts.lowest_cuda, hosts.highest_cuda)):
            yield replace(known, cuda=cuda)


def _drivers(hosts: Hosts) -> Iterator[str]:
    """The ends, and one driver of each branch between them."""
    ends = [end for end in (hosts.lowest_driver, hosts.highest_driver) if driver_span(end)]
    yield from dict.fromkeys(ends)
    low, high = branch_of(hosts.lowest_driver), branch_of(hosts.highest_driver)
    for branch in _of_gpu(hosts.known):
        is_above = low is None or branch > low
        is_below = not hosts.highest_driver or branch < (high or 0)
        if is_above and is_below and _reports_between(branch, hosts):
            yield str(branch)


def _of_gpu(host: Host) -> tuple[int, ...]:
    found, _confirmed = possible_branches(host.compute_capability)
    return found or branches()


def _reports_between(branch: int, hosts: Hosts) -> bool:
    if branch not in driver_branches():
        return not (hosts.lowest_cuda or hosts.highest_cuda)
    told: Numbers = numbers(driver_branches()[branch].max_cuda) or ()
    low, high = numbers(hosts.lowest_cuda), numbers(hosts.highest_cuda)
    return (not low or told >= low) and (not high or told <= high)

"""Where one may get several hosts: how many run the image, the two ends, and one word for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.cuda.answer import HostsVerdict, Run, Share, Standing, Start, Verdict
from gpucompare.cuda.findings import FAILING, RUNNING
from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Host, Hosts
from gpucompare.cuda.image import Build, Image
from gpucompare.cuda.known_images import require_strings
from gpucompare.cuda.ranges import shared_verdict
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.verdict import hosts_verdict, standing, verdict
from gpucompare.cuda.versions import ANY, driver_span
from tests import cuda_worlds as worlds

H100 = host_of("h100-sxm", Host(mode="legacy"))
CU130 = Image(cuda="13.0", requirements=(), builds=(Build("torch", "2.9.0", "13.0"),))
CU121 = Image(cuda="12.1", requirements=(), builds=(Build("torch", "2.4.0", "12.1"),))


def between(lowest: str, highest: str, known: Host = H100) -> Hosts:
    return Hosts(known, lowest_driver=lowest, highest_driver=highest)


@pytest.mark.parametrize(
    ("image", "hosts", "share", "best", "worst"),
    [
        (CU121, between("535.54.03", "580.95.05"), Share.ALL, Run.RUNS, Run.RUNS),
        (CU121, between("525.60.13", "550"), Share.ALL, Run.RUNS, Run.RUNS_MINOR_COMPAT),
        (CU130, between("535", "580"), Share.SOME, Run.RUNS, Run.FAILS_DRIVER_TOO_OLD),
        (CU130, between("535", "570"), Share.NONE, *[Run.FAILS_DRIVER_TOO_OLD] * 2),
        (CU130, between("535", ""), Share.UNKNOWN, Run.RUNS, Run.FAILS_DRIVER_TOO_OLD),
        (CU130, between("580", ""), Share.ALL, Run.RUNS, Run.RUNS),
        (CU130, between("", "570"), Share.NONE, *[Run.FAILS_DRIVER_TOO_OLD] * 2),
        (CU130, Hosts(H100), Share.UNKNOWN, Run.UNKNOWN, Run.UNKNOWN),
        (CU130, Hosts(replace(H100, driver="580.1")), Share.ALL, Run.RUNS, Run.RUNS),
    ],
)
def test_a_range_is_as_good_as_its_hosts(
    image: Image, hosts: Hosts, share: Share, best: Run, worst: Run
) -> None:
    found = hosts_verdict(image, hosts)
    assert (found.share, found.best.run, found.worst.run) == (share, best, worst)


def test_a_range_of_which_nothing_is_sure_is_not_known() -> None:
    a6000 = host_of("rtx-a6000", Host(mode="legacy"))
    image = Image(cuda="13.0", requirements=(), compat_driver="580.65.06")
    found = hosts_verdict(image, between("535.1", "550.1", a6000))
    assert (found.share, found.best.run) == (Share.UNKNOWN, Run.UNKNOWN)
    assert standing(found) is Standing.UNKNOWN


def test_a_range_of_cuda_is_one_of_branches() -> None:
    hosts = Hosts(H100, lowest_cuda="12.2", highest_cuda="13.0")
    found = hosts_verdict(CU130, hosts)
    assert (found.share, found.best.run) == (Share.SOME, Run.RUNS)
    assert hosts_verdict(CU130, Hosts(H100, lowest_cuda="13.1")).share is Share.ALL
    assert hosts_verdict(CU130, Hosts(H100, highest_cuda="12.8")).share is Share.NONE


def test_a_range_that_holds_no_branch_is_judged_by_its_ends() -> None:
    found = hosts_verdict(CU121, Hosts(H100, lowest_cuda="9.1", highest_cuda="9.2"))
    assert found.share is Share.NONE


def test_an_offering_whose_hosts_all_refuse_is_none_but_can_be_helped() -> None:
    image = Image(cuda="12.8", requirements=("cuda>=12.8",))
    found = hosts_verdict(image, between("535.54.03", "550.54.15"))
    assert (found.share, standing(found)) == (Share.NONE, Standing.CONDITION)
    assert found.best.fixes[0] is Fix.DISABLE_REQUIRE


def test_a_driver_that_the_renter_may_replace_is_a_condition() -> None:
    old = replace(between("535", "570"), replaceable=True)
    found = hosts_verdict(CU130, old)
    assert (found.share, standing(found)) == (Share.SOME, Standing.CONDITION)
    assert found.best.run is Run.RUNS
    assert found.best.fixes[0] is found.worst.fixes[0] is Fix.INSTALL_DRIVER


def test_no_driver_helps_a_gpu_that_the_build_has_dropped() -> None:
    v100 = host_of("v100-32gb", Host(mode="legacy"))
    found = hosts_verdict(CU130, Hosts(v100, lowest_driver="535", replaceable=True))
    assert (found.share, standing(found)) == (Share.NONE, Standing.FAILS)
    assert Fix.INSTALL_DRIVER not in found.worst.fixes


def test_a_driver_to_install_where_none_is_known_is_a_condition() -> None:
    found = hosts_verdict(CU130, Hosts(H100, replaceable=True))
    assert standing(found) is Standing.CONDITION


# One word


def said(run: Run, start: Start = Start.PASSES, *fixes: Fix) -> Verdict:
    return Verdict(start, run, fixes=fixes)


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (said(Run.RUNS), Standing.RUNS),
        (said(Run.RUNS, Start.NOT_CHECKED), Standing.RUNS),
        (said(Run.RUNS_MINOR_COMPAT), Standing.CONDITION),
        (said(Run.RUNS_WITH_COMPAT_PACKAGE), Standing.CONDITION),
        (said(Run.RUNS, Start.REFUSED, Fix.DISABLE_REQUIRE), Standing.CONDITION),
        (said(Run.RUNS, Start.REFUSED), Standing.UNKNOWN),
        (said(Run.RUNS, Start.UNKNOWN), Standing.UNKNOWN),
        (said(Run.UNKNOWN), Standing.UNKNOWN),
        (said(Run.UNKNOWN, Start.REFUSED), Standing.UNKNOWN),
        *[(said(run), Standing.FAILS) for run in sorted(FAILING)],
    ],
)
def test_a_verdict_in_one_word(found: Verdict, word: Standing) -> None:
    assert standing(found) is word


@pytest.mark.parametrize(
    ("share", "best", "worst", "word"),
    [
        (Share.ALL, Run.RUNS, Run.RUNS, Standing.RUNS),
        (Share.ALL, Run.RUNS, Run.RUNS_MINOR_COMPAT, Standing.CONDITION),
        (Share.SOME, Run.RUNS, Run.FAILS_DRIVER_TOO_OLD, Standing.CONDITION),
        (Share.NONE, Run.FAILS_PLATFORM, Run.FAILS_PLATFORM, Standing.FAILS),
        (Share.UNKNOWN, Run.RUNS, Run.UNKNOWN, Standing.UNKNOWN),
    ],
)
def test_a_range_in_one_word(share: Share, best: Run, worst: Run, word: Standing) -> None:
    assert standing(HostsVerdict(share, said(best), said(worst))) is word


def test_hosts_that_may_refuse_but_can_be_helped_are_a_condition() -> None:
    image = Image(cuda="12.8", requirements=("cuda>=12.8",))
    found = hosts_verdict(image, between("535.1", "570.124.06", replace(H100, mode="")))
    assert (found.share, standing(found)) == (Share.UNKNOWN, Standing.CONDITION)


# One verdict for a range


def test_ends_that_agree_are_one_verdict() -> None:
    found = shared_verdict(CU121, between("535.54.03", "580.95.05"))
    assert (found.start, found.run, found.missing) == (Start.PASSES, Run.RUNS, ())


def test_ends_that_differ_name_the_driver_as_missing() -> None:
    found = shared_verdict(CU130, between("535", "580"))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.HOST_DRIVER,))
    assert Reason.DEPENDS_ON_HOST in found.reasons


def test_hosts_between_the_ends_have_a_say() -> None:
    """12.4 lets GeForce in on 525 and 535, not on 530."""
    image = Image(cuda="12.4", requirements=(require_strings()["12.4"].text,))
    geforce = host_of("rtx-3090", Host(mode="legacy"))
    assert verdict(image, replace(geforce, driver="530.1")).start is Start.REFUSED
    assert shared_verdict(image, between("525.60.13", "535.1", geforce)).start is Start.UNKNOWN


# Properties


@given(worlds.images, worlds.hosts(), worlds.drivers())
def test_all_means_each_of_them_and_none_means_none(image: Image, host: Host, other: str) -> None:
    low, high = sorted((host.driver, other), key=lambda one: (driver_span(one) or ANY).high)
    found = hosts_verdict(image, between(low, high, replace(host, driver="")))
    ends = [verdict(image, replace(host, driver=end)) for end in (low, high)]
    if found.share is Share.ALL:
        assert all(end.run in RUNNING for end in ends)
    if found.share is Share.NONE:
        assert all(end.run in FAILING or end.start is Start.REFUSED for end in ends)


@given(worlds.images, worlds.hosts())
def test_a_range_of_one_host_is_that_host(image: Image, host: Host) -> None:
    one = verdict(image, host)
    found = hosts_verdict(image, between(host.driver, host.driver, replace(host, driver="")))
    assert found.best == found.worst == one
    assert standing(found) in {standing(one), Standing.CONDITION}


def test_hosts_that_refuse_what_may_run_are_not_known_to_fail() -> None:
    refused = said(Run.UNKNOWN, Start.REFUSED)
    found = HostsVerdict(Share.NONE, refused, said(Run.FAILS_DRIVER_TOO_OLD, Start.REFUSED))
    assert standing(found) is Standing.UNKNOWN


@given(worlds.images, worlds.hosts(), st.booleans())
def test_a_standing_that_runs_is_a_verdict_that_runs(
    image: Image, host: Host, replaceable: bool
) -> None:
    blind = replace(host, driver="")
    found = hosts_verdict(image, Hosts(blind, lowest_driver=host.driver, replaceable=replaceable))
    if standing(found) is Standing.RUNS:
        assert found.worst.run is Run.RUNS
    if standing(found) is Standing.FAILS:
        assert found.best.run in FAILING or found.best.start is Start.REFUSED

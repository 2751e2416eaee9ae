"""What must hold of every verdict, whatever the image and the host."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.cuda.answer import Run, Start, Verdict
from gpucompare.cuda.findings import FAILING, RUNNING
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.reasons import FIXES, MISSING, REASONS, Fix, Reason
from gpucompare.cuda.verdict import verdict, verdicts
from gpucompare.cuda.versions import ANY, Numbers, driver_span
from tests import cuda_worlds as worlds

FACTS = [field.name for field in fields(Host)]


def without(host: Host, *facts: str) -> Host:
    unknown: Any = dict.fromkeys(facts, "")
    return replace(host, **unknown)


def _newest(driver: str) -> Numbers:
    return (driver_span(driver) or ANY).high


def in_order(host: Host, other: str) -> tuple[Host, str]:
    """The host with the older of two drivers, and the newer one."""
    older, newer = sorted((host.driver, other), key=_newest)
    return replace(host, driver=older), newer


@given(worlds.images, worlds.hosts(), st.sampled_from(FACTS))
def test_a_missing_fact_never_yields_a_fails(image: Image, host: Host, fact: str) -> None:
    known, blind = verdict(image, host), verdict(image, without(host, fact))
    if known.run not in FAILING:
        assert blind.run not in FAILING, (known, blind)


@given(worlds.images, worlds.hosts(), st.lists(st.sampled_from(FACTS), min_size=1, unique=True))
def test_several_missing_facts_never_yield_a_fails_either(
    image: Image, host: Host, lost: list[str]
) -> None:
    known, blind = verdict(image, host), verdict(image, without(host, *lost))
    if known.run not in FAILING:
        assert blind.run not in FAILING, (known, blind)


@given(worlds.images, worlds.hosts(), st.sampled_from(FACTS))
def test_a_missing_fact_never_refuses_a_container(image: Image, host: Host, fact: str) -> None:
    known, blind = verdict(image, host), verdict(image, without(host, fact))
    if known.start is not Start.REFUSED:
        assert blind.start is not Start.REFUSED


@given(worlds.images, worlds.hosts())
def test_what_the_image_does_not_tell_never_yields_a_fails(image: Image, host: Host) -> None:
    """The library and the kernels of an image. (A named wheel is taken to hold no library.)"""
    if verdict(image, host).run not in RUNNING:
        return
    blind = verdict(replace(image, kernels=None), host)
    # That a toolkit has dropped a GPU is known without the kernels.
    assert blind.run not in FAILING or Reason.ARCH_DROPPED_BY_CUDA in blind.reasons
    if not image.builds:
        unread = replace(image, requirements=None, compat_driver="", compat_forced=False)
        assert verdict(unread, host).run not in FAILING


@given(worlds.images, worlds.hosts(), worlds.drivers())
def test_a_newer_driver_never_turns_runs_into_driver_too_old(
    image: Image, host: Host, newer: str
) -> None:
    host, newer = in_order(host, newer)
    if verdict(image, host).run in RUNNING:
        assert verdict(image, replace(host, driver=newer)).run is not Run.FAILS_DRIVER_TOO_OLD


@given(worlds.images, worlds.hosts(), worlds.drivers())
def test_a_newer_driver_that_reports_the_cuda_is_let_in_where_the_older_was(
    image: Image, host: Host, newer: str
) -> None:
    plain = replace(image, requirements=("cuda>=12.4",), check_disabled=False)
    host, newer = in_order(host, newer)
    if verdict(plain, host).start is Start.PASSES:
        assert verdict(plain, replace(host, driver=newer)).start is Start.PASSES


@given(worlds.images, worlds.hosts(), *[st.sampled_from(worlds.REQUIREMENTS)] * 2)
def test_one_more_requirement_never_turns_refused_into_passes(
    image: Image, host: Host, text: str, more: str
) -> None:
    image = replace(image, requirements=image.requirements or (text,))
    stricter = replace(image, requirements=(*(image.requirements or ()), more))
    if verdict(image, host).start is Start.REFUSED:
        assert verdict(stricter, host).start is Start.REFUSED


@given(worlds.hosts(), st.sampled_from(worlds.REQUIREMENTS), st.data())
def test_a_requirement_with_fewer_ways_in_never_lets_more_in(
    host: Host, text: str, data: st.DataObject
) -> None:
    terms = text.split(" ")
    kept = data.draw(st.lists(st.sampled_from(terms), min_size=1, unique=True))
    whole, less = (
        verdict(Image(cuda="12.8", requirements=(" ".join(one),)), host).start
        for one in (terms, kept)
    )
    if whole is Start.REFUSED:
        assert less is Start.REFUSED


@given(worlds.images, worlds.hosts())
def test_a_verdict_speaks_in_known_keys_once_each(image: Image, host: Host) -> None:
    found = verdict(image, host)
    for said, known in (
        (found.reasons, REASONS),
        (found.fixes, FIXES),
        (found.missing, MISSING),
    ):
        assert set(said) <= known
        assert len(set(said)) == len(said)


@given(worlds.images, worlds.hosts())
def test_unknown_says_what_is_missing_and_fails_says_why_and_what_helps(
    image: Image, host: Host
) -> None:
    found = verdict(image, host)
    if found.run is Run.UNKNOWN:
        assert found.missing
    if found.run in FAILING:
        assert found.reasons
        assert found.fixes


@given(worlds.images, worlds.hosts())
def test_minor_compatibility_always_comes_with_its_caveat(image: Image, host: Host) -> None:
    found = verdict(image, host)
    if found.run is Run.RUNS_MINOR_COMPAT:
        assert Reason.PTX_NEWER_THAN_DRIVER in found.reasons


@given(worlds.images, worlds.hosts())
def test_switching_the_check_off_is_offered_only_where_cuda_would_work(
    image: Image, host: Host
) -> None:
    found = verdict(image, host)
    if Fix.DISABLE_REQUIRE in found.fixes and Reason.REQUIRE_INVALID not in found.reasons:
        assert found.run in RUNNING or Fix.NO_COMPAT_LIBRARY in found.fixes
        assert verdict(replace(image, check_disabled=True), host).start is Start.NOT_CHECKED


@given(worlds.images, st.lists(worlds.hosts(), max_size=8))
def test_many_hosts_at_once_are_judged_as_one_by_one(image: Image, hosts: list[Host]) -> None:
    assert verdicts(image, hosts + hosts) == [verdict(image, host) for host in hosts] * 2


texts = st.text(max_size=40) | st.sampled_from(["12.", ".", "1" * 5000, "-1", "0", "00.00", "١٢"])
wild_images = st.builds(
    Image,
    cuda=texts,
    builds=st.lists(st.builds(Build, texts | st.just("torch"), texts, texts), max_size=3).map(
        tuple
    ),
    kernels=st.none() | st.builds(Kernels, st.frozensets(texts), st.frozensets(texts)),
    requirements=st.none() | st.lists(texts, max_size=3).map(tuple),
    compat_driver=texts,
    compat_forced=st.booleans(),
    platforms=st.frozensets(texts),
)
wild_hosts = st.builds(
    Host, driver=texts, cuda=texts, compute_capability=texts, brand=texts, mode=worlds.modes
)


@given(wild_images, wild_hosts)
def test_no_text_breaks_a_verdict(image: Image, host: Host) -> None:
    assert isinstance(verdict(image, host), Verdict)


@pytest.mark.soak
@given(worlds.images, worlds.hosts())
def test_the_order_of_builds_does_not_matter(image: Image, host: Host) -> None:
    turned = replace(image, builds=image.builds[::-1])
    assert verdict(turned, host).run is verdict(image, host).run

"""The gate: which of a host's facts decide whether the container starts."""

from __future__ import annotations

from dataclasses import replace
from time import thread_time

import pytest

from gpucompare.cuda.answer import Start
from gpucompare.cuda.gate import gate, host_cuda
from gpucompare.cuda.gpus import BRANDS
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.known_images import require_strings
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.verdict import verdicts
from gpucompare.cuda.versions import Span

HOST = Host(driver="535.104.05", compute_capability="9.0", brand="Unknown", mode="legacy")


def asks(*texts: str) -> Image:
    return Image(software="cuda", cuda="12.8", requirements=texts)


def test_nothing_asked_is_nothing_refused() -> None:
    assert gate(asks(), HOST).start is Start.PASSES
    assert gate(asks(""), HOST).start is Start.PASSES


def test_all_variables_must_be_met() -> None:
    assert gate(asks("cuda>=12.0", "arch>=8.0"), HOST).start is Start.PASSES
    assert gate(asks("cuda>=12.0", "arch>=10.0"), HOST).start is Start.REFUSED


@pytest.mark.parametrize(
    ("text", "lost", "missing"),
    [
        ("cuda>=12.0", "driver", Missing.HOST_DRIVER),
        ("arch>=8.0", "compute_capability", Missing.HOST_CAPABILITY),
        ("brand=unknown", "brand", Missing.HOST_BRAND),
        ("driver>=535", "driver", Missing.HOST_DRIVER),
    ],
)
def test_the_fact_that_would_settle_it_is_named(text: str, lost: str, missing: Missing) -> None:
    blind = {
        "driver": replace(HOST, driver=""),
        "compute_capability": replace(HOST, compute_capability=""),
        "brand": replace(HOST, brand=""),
    }[lost]
    found = gate(asks(text), blind)
    assert (found.start, found.missing) == (Start.UNKNOWN, (missing,))


def test_a_fact_that_does_not_matter_is_not_asked_for() -> None:
    blind = replace(HOST, brand="", compute_capability="")
    assert gate(asks(require_strings()["12.8"].text), replace(blind, driver="570.1")).missing == ()
    # On R530 no brand at all would be let in.
    old = replace(blind, driver="530.30.02")
    assert gate(asks(require_strings()["12.8"].text), old).start is Start.REFUSED


@pytest.mark.parametrize("brand", BRANDS)
def test_the_brands_of_data_centres_are_let_in_on_older_branches(brand: str) -> None:
    start = gate(asks(require_strings()["12.8"].text), replace(HOST, brand=brand)).start
    listed = brand in ("Tesla", "Unknown", "Quadro", "GRID")
    assert start is (Start.PASSES if listed else Start.REFUSED)


def test_to_be_let_in_by_a_branch_is_said() -> None:
    by_branch = gate(asks(require_strings()["12.8"].text), HOST)
    by_cuda = gate(asks(require_strings()["12.8"].text), replace(HOST, driver="570.124.06"))
    assert by_branch.reasons == (Reason.REQUIRE_GATE_BRANCH_TERM,)
    assert by_cuda.reasons == ()


def test_a_driver_that_no_table_knows_leaves_its_cuda_open() -> None:
    found = gate(asks("cuda>=9.0"), replace(HOST, driver="384.130"))
    assert (found.start, found.missing) == (Start.UNKNOWN, (Missing.TOOLKIT_FACTS,))


def test_tegra_asks_for_cuda_and_arch_only() -> None:
    tegra = replace(HOST, mode="csv")
    assert gate(asks("cuda>=12.0,arch>=9.0"), tegra).start is Start.PASSES
    assert gate(asks("brand=unknown,driver>=535"), tegra).start is Start.REFUSED
    assert gate(asks("jetpack>=6 cuda>=99"), tegra).start is Start.PASSES
    assert gate(asks("jetpack>=6 cuda>=99"), HOST).reasons == (Reason.REQUIRE_INVALID,)


def test_a_refusal_names_what_helps() -> None:
    assert gate(asks("cuda>=12.8"), HOST).fixes == (Fix.NEWER_DRIVER, Fix.OLDER_IMAGE)


@pytest.mark.parametrize(
    ("image", "start"),
    [
        (Image(cuda="12.0"), Start.PASSES),
        (Image(cuda="12.2.2"), Start.PASSES),
        (Image(cuda="12.3"), Start.UNKNOWN),
        (Image(), Start.UNKNOWN),
        (Image(software="cpu"), Start.PASSES),
        (Image(software="rocm"), Start.NOT_CHECKED),
    ],
)
def test_an_environment_that_nobody_read(image: Image, start: Start) -> None:
    assert gate(image, HOST).start is start


@pytest.mark.parametrize(
    ("driver", "shown", "cuda"),
    [
        ("535.104.05", "", Span.exactly((12, 2))),
        ("535.104.05", "12.8", Span.exactly((12, 2))),
        ("", "12.4", Span.exactly((12, 4))),
        ("384.130", "9.0", Span.exactly((9,))),
        ("soon", "12.4", Span.exactly((12, 4))),
        ("", "", None),
        ("", "soon", None),
    ],
)
def test_the_cuda_of_a_host(driver: str, shown: str, cuda: Span | None) -> None:
    assert host_cuda(Host(driver=driver, cuda=shown)) == cuda


@pytest.mark.parametrize(
    "texts", [["cuda>=12.0"] * 10_000, ["cuda>=99 " * 14_000 + "cuda>=12.0"] * 30]
)
def test_what_nobody_asks_in_earnest_is_left_unread_and_costs_nothing(texts: list[str]) -> None:
    image, began = asks(*texts), thread_time()
    hosts = [replace(HOST, driver=f"535.{patch}") for patch in range(1000)]
    found = verdicts(image, hosts)
    assert {one.start for one in found} == {Start.UNKNOWN}
    assert Missing.IMAGE_REQUIREMENTS in found[0].missing
    assert thread_time() - began < 2


def test_the_longest_that_nvidia_asks_is_read() -> None:
    longest = max((row.text for row in require_strings().values()), key=len)
    assert gate(asks(longest, "arch>=8.0"), HOST).start is Start.PASSES

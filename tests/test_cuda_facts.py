"""The tables of the engine: loud about every fault, sourced, and of one mind."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucompare.csv_rows import FaultyFilesError
from gpucompare.cuda import forward_compat as compat
from gpucompare.cuda import frameworks, known_images, toolkits
from gpucompare.cuda.drivers import (
    DRIVER_BRANCHES_FILE,
    branches,
    driver_branches,
    read_driver_branches,
    version,
)
from gpucompare.cuda.requirement import Factor, parse
from gpucompare.cuda.tables import gpu_arch
from gpucompare.cuda.versions import driver_span, numbers, releases_span

Reader = Callable[[Path], object]
TABLES: list[tuple[Reader, Path]] = [
    (toolkits.read_toolkits, toolkits.TOOLKITS_FILE),
    (compat.read_forward_compat, compat.FORWARD_COMPAT_FILE),
    (frameworks.read_torch_builds, frameworks.TORCH_BUILDS_FILE),
    (frameworks.read_limits, frameworks.LIMITS_FILE),
    (frameworks.read_defaults, frameworks.DEFAULTS_FILE),
    (known_images.read_known_images, known_images.KNOWN_IMAGES_FILE),
    (known_images.read_require_strings, known_images.REQUIRE_STRINGS_FILE),
]


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def faults(read: Reader, path: Path, folder: Path, *changed: dict[str, Any]) -> str:
    """What reading says of the table of `path` with other rows in it."""
    copy = folder / path.name
    with copy.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows(path)[0]))
        writer.writeheader()
        writer.writerows(changed)
    with pytest.raises(FaultyFilesError) as caught:
        read(copy)
    return "\n".join(caught.value.faults)


# Every table


@pytest.mark.parametrize(("read", "path"), TABLES, ids=lambda one: getattr(one, "stem", ""))
def test_a_table_says_where_each_fact_is_from(read: Reader, path: Path) -> None:
    assert read(path)
    for row in rows(path):
        assert row["source"].strip(), row
        assert row["basis"] in {"documented", "derived", "memory", "unknown"}


@pytest.mark.parametrize(("read", "path"), TABLES, ids=lambda one: getattr(one, "stem", ""))
def test_all_faults_of_a_table_are_named_at_once(read: Reader, path: Path, tmp_path: Path) -> None:
    good = rows(path)[0]
    told = faults(read, path, tmp_path, {**good, "basis": "hearsay"}, {**good, "basis": "rumour"})
    assert f"{path.name}:2: basis" in told
    assert f"{path.name}:3: basis" in told


@pytest.mark.parametrize(("read", "path"), TABLES, ids=lambda one: getattr(one, "stem", ""))
def test_another_heading_is_a_fault(read: Reader, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_text("a,b\n1,2\n")
    with pytest.raises(FaultyFilesError, match="the columns are a,b; expected "):
        read(copy)


# Toolkits and branches


def test_every_toolkit_came_with_a_driver_of_a_known_branch_that_reports_it() -> None:
    for row in toolkits.toolkits().rows.values():
        if row.branch and row.version != "13.4.0":
            assert driver_branches()[int(row.branch)].max_cuda == row.minor, row.version


def test_every_branch_but_one_brought_a_toolkit() -> None:
    """There is no CUDA 12.7; 13.4 names its driver otherwise (616 of 615), 13.5 none at all."""
    minors = set(toolkits.toolkits().minors)
    assert {row.max_cuda for row in driver_branches().values()} - minors == {"12.7"}


def test_a_family_begins_at_its_floor() -> None:
    known = toolkits.toolkits()
    assert known.floors == {11: (450, 80, 2), 12: (525, 60, 13), 13: (580,)}
    for family, floor in known.floors.items():
        first = driver_branches()[int(floor[0])].max_cuda
        assert version(first) == (family, 0)


def test_a_toolkit_is_found_by_all_that_it_is_called() -> None:
    known = toolkits.toolkits()
    found = {text: known.find(text) for text in ("12.8.1", "12.8", "12.8.0.038", "12.8.7")}
    assert {text: row and row.version for text, row in found.items()} == {
        "12.8.1": "12.8.1",
        "12.8": "12.8.0",
        "12.8.0.038": "12.8.0",
        "12.8.7": "12.8.0",
    }
    assert known.find("12.7") is None
    assert known.driver("12.8.1") == (570, 124, 6)
    assert known.driver("13.5") is None


def test_toolkits_out_of_order_or_of_another_branch_are_faults(tmp_path: Path) -> None:
    good = {row["version"]: row for row in rows(toolkits.TOOLKITS_FILE)}
    told = faults(
        toolkits.read_toolkits,
        toolkits.TOOLKITS_FILE,
        tmp_path,
        good["12.8.1"],
        good["12.8.0"],
        {**good["12.9.0"], "branch": "570"},
        {**good["13.0.0"], "floor": ""},
        {**good["13.0.1"], "floor": "575"},
        {**good["13.0.2"], "driver": "580.60.01"},
        {**good["13.1.0"], "driver": ""},
    )
    assert "toolkits.csv:3: 12.8.0 stands after 12.8.1" in told
    assert "toolkits.csv:4: driver 575.51.03 is not of branch 570" in told
    assert "toolkits.csv:5: families from CUDA 11 on have a floor" in told
    assert "toolkits.csv:7: CUDA 13 has the floor 575" in told
    assert "toolkits.csv:8: a documented toolkit names its driver" in told


def test_an_older_driver_for_a_newer_toolkit_is_a_fault(tmp_path: Path) -> None:
    good = {row["version"]: row for row in rows(toolkits.TOOLKITS_FILE)}
    older = {**good["13.0.2"], "driver": "580.60.01"}
    told = faults(toolkits.read_toolkits, toolkits.TOOLKITS_FILE, tmp_path, good["13.0.1"], older)
    assert "toolkits.csv:3: an older driver than that of 13.0.1" in told


def test_a_gap_between_branches_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "driver_branches.csv"
    kept = rows(DRIVER_BRANCHES_FILE)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(kept[0]))
        writer.writeheader()
        writer.writerows(row for row in kept if row["branch"] not in {"565", "525"})
    with pytest.raises(FaultyFilesError) as caught:
        read_driver_branches(path)
    assert caught.value.faults == [
        "driver_branches.csv: 12.1 of branch 530 does not follow 11.8 of 520",
        "driver_branches.csv: 12.8 of branch 570 does not follow 12.6 of 560",
    ]


# Forward compatibility and requirements


def test_a_compat_package_is_the_driver_of_its_toolkit() -> None:
    for cuda, known in compat.forward_compat().items():
        assert driver_branches()[known.branch].max_cuda == cuda
        assert all(branch <= known.branch for branch in known.allowed)
        assert (known.allowed - {384, 396}) <= set(branches())


def test_what_an_image_lets_in_is_what_its_package_lifts() -> None:
    """The branches that NVIDIA's texts name are in the table of the packages, where it has any."""
    for row in known_images.require_strings().values():
        known = compat.forward_compat().get(row.cuda)
        named = {
            int(factor.version[0])
            for term in parse(row.text).terms
            for factor in term
            if isinstance(factor, Factor) and factor.version
            if (factor.name, factor.operator) == ("driver", ">=")
        }
        if known and row.id != "11.8-a":  # its first build lists 418 too
            assert named <= known.allowed | {known.branch}, row.id


def test_sources_that_disagree_leave_the_answer_open() -> None:
    known = compat.forward_compat()["12.8"]
    assert (known.lifts(535), known.lifts(560), known.lifts(545)) == (True, None, False)


def test_a_package_that_lifts_newer_drivers_or_none_is_a_fault(tmp_path: Path) -> None:
    good = rows(compat.FORWARD_COMPAT_FILE)[0]
    told = faults(
        compat.read_forward_compat,
        compat.FORWARD_COMPAT_FILE,
        tmp_path,
        {**good, "cuda": "13.0", "compat_branch": "580", "host_branches": "535|590"},
        {**good, "cuda": "13.0", "compat_branch": "575", "host_branches": "535"},
        {**good, "cuda": "13.1", "compat_branch": "590", "host_branches": ""},
    )
    assert "forward_compat.csv:2: a package of branch 580 lifts no newer driver" in told
    assert "forward_compat.csv:3: the package of CUDA 13.0 is of branch 580 above" in told
    assert "forward_compat.csv:4: neither allows nor refuses a branch" in told


def test_a_requirement_begins_with_the_cuda_of_its_image() -> None:
    for row in known_images.require_strings().values():
        assert parse(row.text).first_cuda == row.cuda, row.id
        assert row.cuda in toolkits.toolkits().minors or row.cuda == "9.0"


def test_requirements_that_nobody_can_read_or_that_stand_twice_are_faults(tmp_path: Path) -> None:
    good = rows(known_images.REQUIRE_STRINGS_FILE)[0]
    told = faults(
        known_images.read_require_strings,
        known_images.REQUIRE_STRINGS_FILE,
        tmp_path,
        good,
        good,
        {**good, "id": "new", "text": "cuda>=1 nonsense"},
    )
    assert "require_strings.csv:3: '9.0-style' stands at require_strings.csv:2 already" in told
    assert "require_strings.csv:4: text: nonsense is no expression" in told


# Frameworks


def test_wheels_hold_no_code_that_their_cuda_cannot_make() -> None:
    known = gpu_arch().architectures
    for row in frameworks.torch_builds():
        for capability in (*row.cubins, *row.ptx):
            one, cuda = known.get(capability), numbers(row.cuda) or ()
            if one is None:
                continue
            last = numbers(one.last_cuda.removesuffix(".x")) or (99,)
            assert (numbers(one.first_cuda) or ()) <= cuda, (row.torch, row.cuda, capability)
            assert cuda[: len(last)] <= last, (row.torch, row.cuda, capability)


def test_wheels_are_built_with_toolkits_that_exist() -> None:
    assert {row.cuda for row in frameworks.torch_builds()} <= set(toolkits.toolkits().minors)


def test_the_wheels_that_people_ask_about() -> None:
    known = {(row.torch, row.cuda): row for row in frameworks.torch_builds()}
    assert "7.0" not in known["2.7", "12.8"].cubins
    assert "7.0" in known["2.8", "12.8"].cubins
    assert "7.0" not in known["2.11", "12.8"].cubins
    assert "12.0" in known["2.7", "12.8"].cubins
    assert not any("12.0" in row.cubins for (torch, _), row in known.items() if torch == "2.6")
    assert known["2.7", "12.8"].arm64_basis == "memory"


def test_a_wheel_twice_or_out_of_order_is_a_fault(tmp_path: Path) -> None:
    good = rows(frameworks.TORCH_BUILDS_FILE)
    told = faults(
        frameworks.read_torch_builds,
        frameworks.TORCH_BUILDS_FILE,
        tmp_path,
        good[-1],
        good[0],
        good[0],
    )
    assert "torch_builds.csv:3: torch 1.12 stands after a later release" in told
    assert "torch_builds.csv:4: torch 1.12 with CUDA 10.2 stands at torch_builds.csv:3" in told


def test_limits_that_speak_of_the_same_builds_are_faults(tmp_path: Path) -> None:
    good = {(row["name"], row["releases"]): row for row in rows(frameworks.LIMITS_FILE)}
    vllm = good["vllm", "0.8.5"]
    told = faults(
        frameworks.read_limits,
        frameworks.LIMITS_FILE,
        tmp_path,
        vllm,
        {**vllm, "releases": "0.8"},
        {**vllm, "releases": "someday"},
    )
    assert "framework_limits.csv:3: speaks of the same builds as framework_limits.csv:2" in told
    assert "framework_limits.csv:4: releases 'someday': write 2.7" in told


def test_the_builds_that_known_images_hold_have_limits() -> None:
    named = {build for row in known_images.known_images() for build in row.builds}
    assert named <= {*frameworks.limits(), "torch"}
    assert all(releases_span(row.releases) for row in known_images.known_images())
    assert all(row.name == row.name.casefold() for row in known_images.known_images())


def test_a_driver_of_the_gpu_table_is_of_a_branch_or_older_than_all() -> None:
    for card in gpu_arch().cards.values():
        lowest = driver_span(card.min_driver)
        assert lowest is None or lowest.low[0] in branches(), card.model
        assert not card.last_driver or int(card.last_driver) in branches()

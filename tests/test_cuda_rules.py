"""The rules of a verdict, one by one: what the check at the start and the driver say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpucompare.cuda.answer import Run, Standing, Start
from gpucompare.cuda.findings import FAILING
from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Build, Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.verdict import standing, verdict, verdicts
from tests.cuda_hosts import CDI, LEGACY, nvidia, on, torch, with_code

# --- Rule 1: two answers, and the gate is asked in legacy mode only ---------------------


def test_the_gate_refuses_where_cuda_would_work_and_names_the_switch() -> None:
    found = verdict(Image(cuda="12.8", requirements=("cuda>=12.8",)), on("h100-sxm", "535.104.05"))
    assert (found.start, found.run) == (Start.REFUSED, Run.RUNS_MINOR_COMPAT)
    assert found.fixes[0] is Fix.DISABLE_REQUIRE
    assert Fix.NEWER_DRIVER in found.fixes


def test_nothing_checks_under_cdi_or_with_the_check_off() -> None:
    image = Image(cuda="12.8", requirements=("cuda>=12.8",))
    under_cdi = verdict(image, on("h100-sxm", "535.104.05", CDI))
    switched_off = verdict(replace(image, check_disabled=True), on("h100-sxm", "535.104.05"))
    assert (under_cdi.start, switched_off.start) == (Start.NOT_CHECKED, Start.NOT_CHECKED)
    assert Reason.MODE_DOES_NOT_CHECK in under_cdi.reasons
    assert Reason.REQUIRE_DISABLED in switched_off.reasons


def test_a_refusal_in_a_mode_that_is_not_known_is_not_known() -> None:
    image = Image(cuda="12.8", requirements=("cuda>=12.8",))
    found = verdict(image, on("h100-sxm", "535.104.05", Host()))
    assert (found.start, found.missing) == (Start.UNKNOWN, (Missing.HOST_MODE,))
    assert Reason.REFUSED_IN_LEGACY_MODE in found.reasons
    assert verdict(image, on("h100-sxm", "570.124.06", Host())).start is Start.PASSES


def test_a_requirement_that_nobody_can_read_refuses() -> None:
    found = verdict(Image(cuda="12.8", requirements=("cuda>=soon",)), on("h100-sxm", "570.1"))
    assert found.start is Start.REFUSED
    assert Reason.REQUIRE_INVALID in found.reasons
    assert Fix.CORRECT_REQUIREMENT in found.fixes


def test_a_requirement_that_nobody_read_is_met_by_a_driver_that_reports_the_cuda() -> None:
    image = Image(cuda="12.8.1")
    newer, older = (verdict(image, on("h100-sxm", one)) for one in ("570.124.06", "535.1"))
    assert (newer.start, older.start) == (Start.PASSES, Start.UNKNOWN)
    assert Missing.IMAGE_REQUIREMENTS in newer.missing


@pytest.mark.parametrize("driver", ["535", "535.104.05", "570.124.06"])
@pytest.mark.parametrize("asks", [None, ("cuda>=12.8",), ("cuda>=99",), ("brand=tesla",), ()])
@pytest.mark.parametrize("mode", [Host(), LEGACY, CDI])
def test_where_cuda_works_whatever_the_gate_says_the_switch_is_a_condition_at_most(
    driver: str, asks: tuple[str, ...] | None, mode: Host
) -> None:
    image = Image(software="cuda", builds=(Build("torch", "2.1.0", "12.1"),), requirements=asks)
    found = verdict(image, on("h100-sxm", driver, mode))
    assert found.run is Run.RUNS
    passes = found.start in (Start.PASSES, Start.NOT_CHECKED)
    assert (Fix.DISABLE_REQUIRE in found.fixes) is not passes
    assert standing(found) is (Standing.RUNS if passes else Standing.CONDITION)


def test_a_gate_that_nobody_read_stays_open_where_nobody_knows_the_driver() -> None:
    image = Image(software="cuda", builds=(Build("torch", "2.1.0", "12.1"),))
    found = verdict(image, on("h100-sxm", ""))
    assert (standing(found), found.fixes) == (Standing.UNKNOWN, ())


def test_a_gate_that_nobody_read_makes_nothing_run_that_would_not() -> None:
    image = Image(software="cuda", builds=(Build("torch", "2.8.0", "12.8"),))
    found = verdict(image, on("h100-sxm", "470.57.02"))
    assert (found.start, standing(found)) == (Start.UNKNOWN, Standing.FAILS)
    assert Fix.DISABLE_REQUIRE not in found.fixes


def test_the_driver_is_believed_before_the_cuda_that_the_host_shows() -> None:
    shown = Host(driver="535.154.05", cuda="12.8", mode="legacy")
    found = verdict(Image(cuda="12.8", requirements=("cuda>=12.8",)), host_of("l4", shown))
    assert (found.start, found.run) == (Start.REFUSED, Run.RUNS_MINOR_COMPAT)


def test_a_cuda_without_a_driver_is_taken_and_marked() -> None:
    image = Image(cuda="12.4", requirements=("cuda>=12.4",))
    found = verdict(image, host_of("l4", Host(cuda="12.8", mode="legacy")))
    assert (found.start, found.run) == (Start.PASSES, Run.RUNS)
    assert Reason.CUDA_AS_REPORTED in found.reasons


@pytest.mark.parametrize(
    ("driver", "shown", "run"),
    [("390.12", "12.2", Run.FAILS_DRIVER_TOO_OLD), ("640.10", "13.7", Run.RUNS)],
)
def test_what_a_host_shows_counts_only_where_its_driver_may_report_it(
    driver: str, shown: str, run: Run
) -> None:
    image = Image(software="cuda", cuda="12.1" if run is not Run.RUNS else "13.7", requirements=())
    assert verdict(image, Host(driver=driver, cuda=shown, mode="legacy")).run is run


def test_the_switch_is_not_named_where_cuda_would_not_work() -> None:
    image = Image(cuda="13.0", requirements=("cuda>=13.0",))
    found = verdict(image, on("rtx-4090", "535.104.05"))
    assert (found.start, found.run) == (Start.REFUSED, Run.FAILS_DRIVER_TOO_OLD)
    assert Fix.DISABLE_REQUIRE not in found.fixes


# --- A release of PyTorch of which nobody says with which CUDA it was built -------------


@pytest.mark.parametrize(
    ("gpu", "driver", "run"),
    [
        ("h100-sxm", "580.65.06", Run.RUNS),  # reports 13.0: all of 12.6, 12.8 and 12.9
        ("h100-sxm", "535.104.05", Run.RUNS_MINOR_COMPAT),
        ("h100-sxm", "570.124.06", Run.RUNS_MINOR_COMPAT),  # 12.9 only so
        ("h100-sxm", "470.57.02", Run.UNKNOWN),  # it may have been built by someone else
        ("b200", "580.65.06", Run.UNKNOWN),  # 12.6 holds no code for it
    ],
)
def test_what_runs_with_each_wheel_of_a_release_runs(gpu: str, driver: str, run: Run) -> None:
    image = Image(builds=(Build("torch", "2.8.0"),))
    found = verdict(image, on(gpu, driver))
    assert found.run is run
    assert Missing.IMAGE_CUDA in found.missing


@pytest.mark.parametrize(
    "build", [Build("torch"), Build("torch", "99.1.0"), Build("jax", "0.4.30")]
)
def test_without_a_release_that_has_wheels_nothing_is_said(build: Build) -> None:
    found = verdict(Image(builds=(build,)), on("h100-sxm", "580.65.06"))
    assert (found.run, Missing.IMAGE_CUDA in found.missing) == (Run.UNKNOWN, True)


# --- Rule 4: minor-version compatibility ------------------------------------------------


@pytest.mark.parametrize(
    ("cuda", "driver", "run"),
    [
        ("11.8", "450.80.02", Run.RUNS_MINOR_COMPAT),
        ("11.8", "450.51.06", Run.FAILS_DRIVER_TOO_OLD),
        ("11.8", "520.61.05", Run.RUNS),
        ("12.9", "525.60.13", Run.RUNS_MINOR_COMPAT),
        ("12.9", "525.53", Run.FAILS_DRIVER_TOO_OLD),
        ("12.9", "520.61.05", Run.FAILS_DRIVER_TOO_OLD),
        ("13.3", "580.65.06", Run.RUNS_MINOR_COMPAT),
        ("13.3", "575.57.08", Run.FAILS_DRIVER_TOO_OLD),
        ("12.8", "610.43.02", Run.RUNS),
        ("12.8.1", "570.26", Run.RUNS),
        ("11.0.3", "450.36.06", Run.FAILS_DRIVER_TOO_OLD),
        ("10.2.89", "440.33.01", Run.RUNS),
        ("10.2.89", "440.31", Run.FAILS_DRIVER_TOO_OLD),
        ("10.1", "410.48", Run.FAILS_DRIVER_TOO_OLD),
        ("9.0", "535.1", Run.RUNS),
        ("9.0", "390.12", Run.UNKNOWN),
        ("14.0", "620.10", Run.UNKNOWN),
        ("13.5", "640.10", Run.RUNS),
    ],
)
def test_a_driver_runs_what_its_family_promises(cuda: str, driver: str, run: Run) -> None:
    image = Image(software="cuda", cuda=cuda, requirements=())
    assert verdict(image, Host(driver=driver, mode="legacy")).run is run


def test_a_branch_without_its_patch_is_at_the_floor_as_nvidia_states_it() -> None:
    found = verdict(Image(cuda="12.4", requirements=()), Host(driver="525", mode="legacy"))
    assert found.run is Run.RUNS_MINOR_COMPAT
    assert Reason.DRIVER_PATCH_NOT_KNOWN in found.reasons


def test_ptx_alone_is_not_covered() -> None:
    image = with_code("12.8", {"8.0"}, {"9.0"})
    older, newer = (verdict(image, on("h100-sxm", one)) for one in ("550.54.15", "570.124.06"))
    assert older.run is Run.FAILS_DRIVER_TOO_OLD
    assert Reason.PTX_NEWER_THAN_DRIVER in older.reasons
    assert Fix.SHIP_SASS in older.fixes
    assert newer.run is Run.RUNS


def test_a_family_without_its_minor_version_is_answered_where_all_agree() -> None:
    runs = [
        verdict(Image(cuda="12", requirements=()), on("h100-sxm", driver)).run
        for driver in ("520.61.05", "550.54.15", "580.95.05")
    ]
    assert runs == [Run.FAILS_DRIVER_TOO_OLD, Run.UNKNOWN, Run.RUNS]


# --- Rule 7: the base is not the framework ----------------------------------------------


def test_the_gate_of_the_base_does_not_speak_for_the_wheel() -> None:
    image = replace(nvidia("12.8"), builds=(Build("torch", "2.9.0", "13.0"),))
    found = verdict(image, on("rtx-5090", "570.195.03"))
    assert (found.start, found.run) == (Start.PASSES, Run.FAILS_DRIVER_TOO_OLD)
    assert Reason.FRAMEWORK_CUDA_NEWER_THAN_BASE in found.reasons


def test_an_old_wheel_runs_in_a_new_base() -> None:
    image = replace(nvidia("13.0"), builds=(Build("torch", "1.13.1", "11.7"),))
    assert verdict(image, on("rtx-3090", "580.95.05")).run is Run.RUNS


def test_a_release_without_its_build_fails_only_if_all_its_builds_do() -> None:
    image = Image(cuda="13.0", builds=(Build("torch", "2.9.0"),), requirements=())
    found = verdict(image, on("h100-sxm", "570.195.03"))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.IMAGE_CUDA,))
    older = replace(image, builds=(Build("torch", "2.15"),))
    assert verdict(older, on("h100-sxm", "570.195.03")).run is Run.FAILS_DRIVER_TOO_OLD


def test_a_framework_brings_the_cuda_that_its_release_is_known_for() -> None:
    image = Image(builds=(Build("tensorflow", "2.15.0"),), requirements=())
    runs = [verdict(image, on("l4", one)).run for one in ("520.1", "535.1")]
    assert runs == [Run.FAILS_DRIVER_TOO_OLD, Run.RUNS]


# --- A driver that is not known ---------------------------------------------------------


def test_without_a_driver_it_runs_where_every_driver_of_the_gpu_runs_it() -> None:
    found = verdict(torch("2.1.0", "12.1"), host_of("h100-sxm", LEGACY))
    assert found.run is Run.RUNS
    assert Reason.DRIVER_FLOOR_NOT_CONFIRMED in found.reasons
    assert Missing.HOST_DRIVER in found.missing
    confirmed = verdict(torch("2.7.0", "12.8"), host_of("rtx-5090", LEGACY))
    assert confirmed.run is Run.RUNS
    assert Reason.DRIVER_FLOOR_NOT_CONFIRMED not in confirmed.reasons


def test_without_a_driver_it_is_open_where_drivers_differ() -> None:
    found = verdict(torch("2.9.0", "13.0"), host_of("h100-sxm", LEGACY))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.HOST_DRIVER,))


def test_two_gpus_whose_driver_cannot_be_read_are_told_apart() -> None:
    image = torch("2.7.0", "12.8")
    hosts = [host_of(gpu, Host(driver="soon", mode="legacy")) for gpu in ("rtx-5090", "t4")]
    assert [one.run for one in verdicts(image, hosts)] == [Run.RUNS, Run.UNKNOWN]


def test_a_gpu_inside_a_jetson_may_have_code_in_arm64_wheels_only() -> None:
    thor = Host(driver="580.95.05", compute_capability="11.0", mode="legacy")
    found = verdict(torch("2.8.0", "12.9"), thor)
    assert (found.run, Missing.HOST_CPU in found.missing) == (Run.UNKNOWN, True)
    assert verdict(torch("2.9.0", "13.0"), replace(thor, cpu="arm64")).run is Run.RUNS
    assert verdict(torch("2.9.0", "13.0"), replace(thor, cpu="amd64")).run in FAILING


# --- What is not confirmed --------------------------------------------------------------


def test_a_memory_never_decides_a_failure() -> None:
    """The arm64 wheel of 2.7 with CUDA 12.8, the CPU of a T4G, a limit of bitsandbytes."""
    arm64 = Host(driver="580.1", compute_capability="8.0", cpu="arm64", mode="legacy")
    assert verdict(torch("2.7.0", "12.8"), arm64).run is Run.UNKNOWN
    assert verdict(torch("2.9.0", "12.6"), replace(arm64, compute_capability="7.0")).run in FAILING
    amd64 = Image(cuda="12.8", requirements=(), platforms=frozenset({"amd64"}))
    assert host_of("t4g").cpu == ""
    assert verdict(amd64, on("t4g", "580.1")).run is Run.RUNS

"""What nobody promised is not called running: code for later GPUs, other CPUs, other branches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpucompare.cuda.answer import Run, Share, Start
from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Hosts
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.known_images import require_strings
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.verdict import hosts_verdict, verdict
from tests.cuda_hosts import CDI, LEGACY, nvidia, on


def of(*builds: Build, cuda: str = "") -> Image:
    return Image(software="cuda", cuda=cuda, builds=builds, requirements=())


# GPUs that came after the toolkit of a framework


@pytest.mark.parametrize(
    ("image", "gpu"),
    [
        (of(Build("tensorflow", "2.15.0")), "b200"),
        (of(Build("tensorflow", "2.4.0")), "h100-sxm"),
        (of(Build("vllm", "0.6.0")), "rtx-5090"),
        (of(Build("vllm", "0.8.5", "12.4")), "b200"),
        (of(Build("vllm", "0.8.5"), cuda="12.4.1"), "rtx-5090"),
        (of(Build("flash-attn", "2.6.3", "12.4")), "rtx-5090"),
    ],
)
def test_a_framework_whose_list_nobody_knows_may_hold_no_code_for_a_later_gpu(
    image: Image, gpu: str
) -> None:
    found = verdict(image, on(gpu, "580.95.05"))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.IMAGE_KERNELS,))
    assert Reason.GPU_NEWER_THAN_TOOLKIT in found.reasons


@pytest.mark.parametrize(
    ("image", "gpu"),
    [
        (of(Build("tensorflow", "2.15.0")), "h100-sxm"),
        (of(Build("tensorflow", "2.5.0")), "l40s"),  # code for 8.6 runs on 8.9
        (of(Build("vllm", "0.8.5")), "l4"),
        (of(Build("flash-attn", "2.8.3", "12.8")), "rtx-5090"),
    ],
)
def test_it_runs_on_gpus_that_its_toolkit_knew(image: Image, gpu: str) -> None:
    assert verdict(image, on(gpu, "580.95.05")).run is Run.RUNS


def test_a_wheel_is_believed_before_its_toolkit() -> None:
    image = of(Build("torch", "2.4.0", "12.1"))
    assert verdict(image, on("b200", "580.95.05")).run is Run.FAILS_ARCH_TOO_NEW
    assert verdict(of(Build("torch", "2.8.0", "12.8")), on("b300", "580.95.05")).run is Run.RUNS


def test_an_extension_that_is_not_known_for_the_cuda_of_its_torch_is_not_said_to_run() -> None:
    image = of(Build("torch", "2.8.0", "12.8"), Build("bitsandbytes", "0.45.1"))
    found = verdict(image, on("b200", "580.95.05"))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.IMAGE_KERNELS,))
    assert Reason.EXTENSION_CUDA_NOT_COVERED in found.reasons
    covered = replace(image, builds=(Build("torch", "2.8.0", "12.6"), image.builds[1]))
    assert verdict(covered, on("h100-sxm", "580.95.05")).run is Run.RUNS


# CPUs


CPU_ONLY = Image(software="cpu", requirements=(), platforms=frozenset({"amd64"}))


def test_an_image_without_cuda_still_needs_a_cpu_that_it_was_built_for() -> None:
    assert verdict(CPU_ONLY, on("gh200", "580.95.05")).run is Run.FAILS_PLATFORM
    assert verdict(CPU_ONLY, on("h100-sxm", "580.95.05")).run is Run.RUNS
    arm64 = replace(CPU_ONLY, platforms=frozenset({"arm64"}))
    assert verdict(arm64, on("h100-sxm", "580.95.05")).run is Run.FAILS_PLATFORM
    anywhere = verdict(arm64, LEGACY)
    assert (anywhere.run, Missing.HOST_CPU in anywhere.missing) == (Run.UNKNOWN, True)


def test_an_image_for_amd_boards_needs_one_too() -> None:
    rocm = Image(software="rocm", platforms=frozenset({"arm64"}))
    assert verdict(rocm, host_of("mi300x")).run is Run.FAILS_PLATFORM
    # another kind of board is the greater obstacle
    assert verdict(rocm, host_of("h100-sxm")).run is Run.NOT_CUDA


# Branches and boards that no compat library was made for


@pytest.mark.parametrize(
    ("cuda", "driver"), [("12.8", "545.23.08"), ("12.6", "555.42.06"), ("12.8", "530.30.02")]
)
def test_a_library_on_a_branch_that_nvidia_does_not_list_may_break_what_would_run(
    cuda: str, driver: str
) -> None:
    found = verdict(nvidia(cuda), on("a100-sxm-80gb", driver))
    assert (found.start, found.run) == (Start.REFUSED, Run.UNKNOWN)
    assert Reason.COMPAT_BRANCH_NOT_LISTED in found.reasons
    assert Fix.NO_COMPAT_LIBRARY in found.fixes
    assert found.missing == (Missing.TOOLKIT_FACTS,)


def test_without_a_library_the_same_branch_runs_it() -> None:
    image = replace(nvidia("12.8"), requirements=("cuda>=12.8",))
    found = verdict(image, on("a100-sxm-80gb", "545.23.08"))
    assert found.run is Run.RUNS_MINOR_COMPAT


def test_a_library_whose_own_list_leaves_the_branch_out_is_not_used_under_cdi() -> None:
    image = Image(cuda="12.9", requirements=(), compat_driver="575.57.08")
    found = verdict(image, on("a100-sxm-80gb", "545.23.08", CDI))
    assert found.run is Run.RUNS_MINOR_COMPAT
    assert Reason.COMPAT_NOT_USED in found.reasons


def test_a_branch_too_old_for_the_family_still_fails() -> None:
    found = verdict(nvidia("12.4"), on("a100-sxm-80gb", "520.61.05"))
    assert found.run is Run.FAILS_DRIVER_TOO_OLD


@pytest.mark.parametrize(
    ("base", "torch", "gpu", "driver"),
    [("13.1", "12.6", "v100-32gb", "575.57.08"), ("11.8-b", "11.3", "k80", "470.256.02")],
)
def test_a_library_newer_than_all_drivers_of_a_gpu_cannot_be_said_to_drive_it(
    base: str, torch: str, gpu: str, driver: str
) -> None:
    string = require_strings()[base]
    release = "1.12.1" if torch == "11.3" else "2.9.0"
    image = of(Build("torch", release, torch), cuda=string.cuda)
    found = verdict(replace(image, requirements=(string.text,)), on(gpu, driver))
    assert found.run is Run.UNKNOWN
    assert Reason.COMPAT_NOT_ELIGIBLE in found.reasons
    assert Fix.NO_COMPAT_LIBRARY in found.fixes
    assert verdict(image, on(gpu, driver)).run is Run.RUNS


def test_two_boards_on_one_driver_are_not_taken_for_each_other() -> None:
    """The library is too new for one of them only, and one judge sees both."""
    base = require_strings()["13.1"].text
    image = replace(of(Build("torch", "2.9.0", "12.6"), cuda="13.1"), requirements=(base,))
    runs = [verdict(image, on(gpu, "575.57.08")).run for gpu in ("t4", "v100-32gb", "t4")]
    assert runs == [Run.RUNS, Run.UNKNOWN, Run.RUNS]


# PTX


PTX_ONLY = Image(
    cuda="12.9", kernels=Kernels(frozenset({"9.0"}), frozenset({"9.0"})), requirements=()
)


def test_code_that_every_host_translates_runs_only_where_its_driver_can() -> None:
    known = [verdict(PTX_ONLY, on("b200", one)).run for one in ("570.133.20", "575.57.08")]
    assert known == [Run.FAILS_DRIVER_TOO_OLD, Run.RUNS]
    found = verdict(PTX_ONLY, host_of("b200", LEGACY))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.HOST_DRIVER,))


def test_without_a_driver_the_caveat_of_the_older_ones_is_said() -> None:
    image = Image(cuda="12.9", requirements=())
    without = verdict(image, host_of("b200", LEGACY))
    assert (without.run, Reason.PTX_NEWER_THAN_DRIVER in without.reasons) == (Run.RUNS, True)
    older = verdict(replace(image, cuda="12.8"), host_of("b200", LEGACY))
    assert Reason.PTX_NEWER_THAN_DRIVER not in older.reasons


# The gate, where nobody knows the driver


def test_a_gpu_that_no_older_driver_knows_passes_whatever_its_driver_is() -> None:
    """RTX 50 boards began with R570, which reports CUDA 12.8."""
    for image in (nvidia("12.8"), Image(cuda="12.8.1")):
        found = verdict(image, host_of("rtx-5090"))
        assert (found.start, found.run) == (Start.PASSES, Run.RUNS)
    newer = verdict(nvidia("13.0"), host_of("rtx-5090", LEGACY))
    assert (newer.start, Missing.HOST_DRIVER in newer.missing) == (Start.UNKNOWN, True)


@pytest.mark.parametrize("gpu", ["h100-sxm", "t4", "gb10", "v100-32gb"])
def test_a_memory_of_where_drivers_begin_lets_nobody_in(gpu: str) -> None:
    assert verdict(nvidia("11.0"), host_of(gpu, LEGACY)).start is Start.UNKNOWN


def test_gates_of_two_gpus_without_a_driver_are_told_apart() -> None:
    image = nvidia("12.8")
    for known in (LEGACY, replace(LEGACY, driver="soon"), replace(LEGACY, cuda="soon")):
        starts = [verdict(image, host_of(gpu, known)).start for gpu in ("b200", "l4", "b200")]
        assert starts == [Start.PASSES, Start.UNKNOWN, Start.PASSES]


# Ranges with an open end


def test_the_highest_cuda_alone_does_not_say_that_a_host_has_it() -> None:
    """B300 boards began with CUDA 12.9: a claim that ends at 12.8 is not about them."""
    claimed = Hosts(host_of("b300", LEGACY), highest_cuda="12.8")
    found = hosts_verdict(Image(cuda="12.8", requirements=("cuda>=13.0",)), claimed)
    assert found.share is Share.UNKNOWN


def test_a_driver_that_only_might_be_there_is_no_reason() -> None:
    claimed = Hosts(host_of("a100-sxm-80gb", LEGACY), highest_cuda="13.0")
    found = hosts_verdict(Image(cuda="12.8", requirements=()), claimed)
    assert (found.share, found.worst.run) == (Share.UNKNOWN, Run.UNKNOWN)
    assert Reason.BELOW_MINOR_FLOOR not in found.worst.reasons
    assert Reason.DEPENDS_ON_HOST in found.worst.reasons
    assert Missing.HOST_DRIVER in found.worst.missing
    assert Fix.NEWER_DRIVER in found.worst.fixes


def test_a_driver_at_a_known_end_of_the_range_is_one() -> None:
    claimed = Hosts(host_of("a100-sxm-80gb", LEGACY), "470.82.01", "580.95.05")
    found = hosts_verdict(Image(cuda="12.8", requirements=()), claimed)
    assert (found.share, found.worst.run) == (Share.SOME, Run.FAILS_DRIVER_TOO_OLD)
    assert Reason.BELOW_MINOR_FLOOR in found.worst.reasons

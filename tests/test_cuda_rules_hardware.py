"""Which GPU and which kind of machine an image runs on, whatever the driver."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpucompare.cuda.answer import Run, Start
from gpucompare.cuda.gpus import branch_reporting, brands_of, host_of, possible_branches
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Build, Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.verdict import verdict
from tests.cuda_hosts import on, torch, with_code

# --- Rules 5 and 6: architectures -------------------------------------------------------


@pytest.mark.parametrize(
    ("gpu", "cuda", "run"),
    [
        ("v100-32gb", "13.0", Run.FAILS_ARCH_DROPPED),
        ("v100-32gb", "12.9", Run.RUNS),
        ("p100", "13.2", Run.FAILS_ARCH_DROPPED),
        ("k80", "12.0", Run.FAILS_ARCH_DROPPED),
        ("k80", "11.0", Run.UNKNOWN),
        ("t4", "13.0", Run.RUNS),
        ("b200", "12.4", Run.UNKNOWN),
        ("rtx-4090", "11.4", Run.RUNS),
        ("gb10", "12.8", Run.RUNS),
    ],
)
def test_a_toolkit_compiles_for_what_it_knows(gpu: str, cuda: str, run: Run) -> None:
    assert verdict(Image(cuda=cuda, requirements=()), on(gpu, "620.10")).run is run


def test_a_dropped_architecture_comes_before_an_old_driver() -> None:
    found = verdict(Image(cuda="13.0", requirements=()), on("v100-32gb", "470.57.02"))
    assert found.run is Run.FAILS_ARCH_DROPPED
    assert found.fixes[0] is Fix.USE_CU126_BUILD
    assert Fix.NEWER_DRIVER not in found.fixes


@pytest.mark.parametrize(
    ("capability", "cubins", "ptx", "run"),
    [
        ("8.6", {"8.0"}, set(), Run.RUNS),
        ("8.0", {"8.6"}, set(), Run.FAILS_ARCH_DROPPED),
        ("9.0", {"8.0", "8.6"}, set(), Run.FAILS_ARCH_TOO_NEW),
        ("9.0", {"8.0"}, {"8.0"}, Run.RUNS),
        ("7.5", {"8.0"}, {"12.0"}, Run.FAILS_ARCH_DROPPED),
        ("12.0", {"9.0", "10.0"}, set(), Run.FAILS_ARCH_TOO_NEW),
        ("", {"9.0"}, set(), Run.UNKNOWN),
    ],
)
def test_machine_code_runs_on_its_own_generation_and_ptx_on_later_ones(
    capability: str, cubins: set[str], ptx: set[str], run: Run
) -> None:
    host = Host(driver="620.10", mode="legacy", compute_capability=capability)
    assert verdict(with_code("12.8", cubins, ptx), host).run is run


@pytest.mark.parametrize(
    ("release", "cuda", "gpu", "run"),
    [
        ("2.7.0", "12.8", "rtx-5090", Run.RUNS),
        ("2.6.0", "12.4", "rtx-5090", Run.FAILS_ARCH_TOO_NEW),
        ("<2.7", "12", "rtx-5090", Run.FAILS_ARCH_TOO_NEW),
        ("2.7.1", "12.8", "v100-32gb", Run.FAILS_ARCH_DROPPED),
        ("2.8-2.10", "12.8", "v100-32gb", Run.RUNS),
        ("2.10-2.11", "12.8", "v100-32gb", Run.UNKNOWN),
        ("2.11.0", "12.8", "v100-32gb", Run.FAILS_ARCH_DROPPED),
        ("2.11.0", "12.6", "v100-32gb", Run.RUNS),
        ("", "12.8", "p100", Run.FAILS_ARCH_DROPPED),
        ("", "13.0", "v100-32gb", Run.FAILS_ARCH_DROPPED),
        ("2.0.1", "11.7", "h100-sxm", Run.FAILS_ARCH_TOO_NEW),
        ("2.0.1", "11.8", "h100-sxm", Run.RUNS),
        ("1.7.1", "10.2", "rtx-3090", Run.FAILS_ARCH_TOO_NEW),
        ("1.7.1", "10.2", "v100-32gb", Run.UNKNOWN),
        ("2.9.1", "12.9", "h100-sxm", Run.RUNS),
        ("2.9.1", "12.9", "v100-32gb", Run.UNKNOWN),
        ("3.0", "13.2", "h100-sxm", Run.UNKNOWN),
        ("2.8.0", "12.8", "gh200", Run.RUNS),
        ("2.7.0", "12.8", "gb10", Run.RUNS),
        ("2.4.0", "12.1", "gb10", Run.FAILS_ARCH_TOO_NEW),
    ],
)
def test_a_wheel_of_torch_runs_on_what_it_was_built_for(
    release: str, cuda: str, gpu: str, run: Run
) -> None:
    assert verdict(torch(release, cuda), on(gpu, "620.10")).run is run


@pytest.mark.parametrize(
    ("name", "release", "gpu", "run"),
    [
        ("flash-attn", "2.8.3", "t4", Run.FAILS_ARCH_DROPPED),
        ("flash-attn", "2.8.3", "a100-sxm-80gb", Run.RUNS),
        ("flash-attn", "", "t4", Run.UNKNOWN),
        ("flash-attn", "", "v100-32gb", Run.FAILS_ARCH_DROPPED),
        ("flash-attn", "3", "a100-sxm-80gb", Run.FAILS_ARCH_DROPPED),
        ("vllm", "0.10.1", "p100", Run.FAILS_ARCH_DROPPED),
        ("vllm", "0.9.0", "rtx-5090", Run.UNKNOWN),
        ("xformers", "0.0.33", "v100-32gb", Run.FAILS_ARCH_DROPPED),
        ("bitsandbytes", "0.50.1", "p100", Run.FAILS_ARCH_DROPPED),
        ("bitsandbytes", "0.46.0", "k80", Run.UNKNOWN),
    ],
)
def test_an_extension_may_be_narrower_than_its_framework(
    name: str, release: str, gpu: str, run: Run
) -> None:
    everywhere = with_code("12.8", {"3.7", "6.0", "7.0", "7.5", "8.0", "9.0", "10.0", "12.0"})
    image = replace(everywhere, cuda="11.8" if gpu == "k80" else "12.8")
    built = "11.8" if gpu == "k80" else "12.8"
    image = replace(image, builds=(Build(name, release, built),))
    assert verdict(image, on(gpu, "580.95.05")).run is run


def test_a_gpu_without_a_row_is_judged_by_its_generation() -> None:
    image = Image(cuda="12.8", requirements=())
    runs = {
        capability: verdict(image, Host("580.95.05", "", capability, mode="legacy")).run
        for capability in ("8.7", "3.5", "7.2", "14.0")
    }
    assert runs == {
        "8.7": Run.RUNS,
        "3.5": Run.FAILS_ARCH_DROPPED,
        "7.2": Run.RUNS,
        "14.0": Run.UNKNOWN,
    }


# --- Rule 9 and other hardware ----------------------------------------------------------


def test_an_image_for_another_cpu_fails_and_one_that_says_nothing_is_asked() -> None:
    amd64 = Image(cuda="12.8", requirements=(), platforms=frozenset({"amd64"}))
    found = verdict(amd64, on("gh200", "570.124.06"))
    assert (found.run, found.fixes[0]) == (Run.FAILS_PLATFORM, Fix.ARM64_IMAGE)
    silent = verdict(replace(amd64, platforms=frozenset()), on("gh200", "570.124.06"))
    assert (silent.run, silent.missing) == (Run.RUNS, (Missing.IMAGE_PLATFORMS,))
    arm64 = replace(amd64, platforms=frozenset({"arm64"}))
    assert verdict(arm64, on("h100-sxm", "570.124.06")).fixes[0] is Fix.AMD64_IMAGE
    somewhere = Host(driver="570.124.06", compute_capability="9.0", mode="legacy")
    assert verdict(arm64, somewhere).missing == (Missing.HOST_CPU,)


@pytest.mark.parametrize(
    ("image", "gpu", "run", "reason"),
    [
        (Image(cuda="12.8"), "mi300x", Run.NOT_CUDA, Reason.AMD_HOST),
        (Image(cuda="12.8"), "gaudi-3", Run.NOT_CUDA, Reason.OTHER_ACCELERATOR_HOST),
        (Image(software="rocm"), "h100-sxm", Run.NOT_CUDA, Reason.ROCM_IMAGE),
        (Image(software="rocm"), "mi300x", Run.UNKNOWN, Reason.ROCM_NOT_JUDGED),
        (Image(software="cpu"), "mi300x", Run.RUNS, Reason.NEEDS_NO_GPU),
        (Image(software="cpu"), "h100-sxm", Run.RUNS, Reason.NEEDS_NO_GPU),
    ],
)
def test_software_and_hardware_are_of_one_kind(
    image: Image, gpu: str, run: Run, reason: Reason
) -> None:
    found = verdict(image, on(gpu, ""))
    assert (found.run, found.reasons[-1]) == (run, reason)


def test_nothing_known_is_nothing_said() -> None:
    found = verdict(Image(), Host())
    assert (found.start, found.run) == (Start.UNKNOWN, Run.UNKNOWN)
    assert {Missing.IMAGE_SOFTWARE, Missing.IMAGE_REQUIREMENTS} <= set(found.missing)


# --- What GPUs say ----------------------------------------------------------------------


def test_a_host_is_told_by_its_gpu() -> None:
    host = host_of("gh200", Host(driver="570.1"))
    assert host == Host(
        driver="570.1",
        compute_capability="9.0",
        brand="Unknown",
        platform="cuda",
        cpu="arm64",
        forward_compat="yes",
    )
    assert host_of("l4").cpu == "amd64"
    assert (host_of("mi300x").platform, host_of("mi300x").compute_capability) == ("rocm", "")


def test_a_gpu_without_a_row_leaves_its_capability() -> None:
    unknown = Host(compute_capability="8.6")
    assert host_of("rtx-3070", unknown) == replace(unknown, platform="cuda")
    assert host_of("rtx-3070") == Host()


def test_brands_that_the_facts_leave_open() -> None:
    assert brands_of(Host(brand="Tesla or Unknown")) == ("Tesla", "Unknown")
    assert brands_of(Host(forward_compat="yes")) == ("Tesla", "Unknown")
    assert len(brands_of(Host())) == 7


def test_the_branches_that_can_drive_a_gpu() -> None:
    blackwell, confirmed = possible_branches("12.0")
    assert (blackwell[0], confirmed) == (570, True)
    hopper, confirmed = possible_branches("9.0")
    assert (hopper[0], confirmed) == (525, False)
    assert possible_branches("7.0")[0][-1] == 580
    assert possible_branches("")[0][0] == 409


def test_the_branch_that_reports_a_cuda() -> None:
    assert (branch_reporting("12.2"), branch_reporting("12.7")) == (535, 565)
    assert branch_reporting("12.99") is branch_reporting("soon") is None

"""What well-known images tell of themselves, and where each word comes from."""

from __future__ import annotations

import pytest

from checks.image.evidence import TABLE
from checks.image.fact import Fact, Key, Origin
from checks.image.facts import facts_of
from gpucompare.cuda.image import Build, Kernels
from tests.images import NAMES, record, shown, told


def test_nvidias_runtime_image_tells_its_toolkit_its_gate_and_its_libraries() -> None:
    facts = facts_of(record("cuda-12.8.1-runtime"))
    image = facts.image
    assert (image.software, image.cuda, image.builds) == ("cuda", "12.8.1", ())
    assert image.requirements
    assert image.requirements[0].startswith("cuda>=12.8 brand=unknown")
    assert image.platforms == {"amd64", "arm64"}
    assert not image.compat_forced
    assert shown(facts, Key.CUDA) == [
        ("12.8.1", "env:CUDA_VERSION"),
        ("12.8.1", "env:NV_CUDA_LIB_VERSION"),
        ("12.8", "env:NV_CUDA_CUDART_VERSION"),
        ("12.8", "history"),
        ("12.8.1", "tag"),
    ]
    assert shown(facts, Key.NCCL)[0] == ("2.25.1", "env:NCCL_VERSION")
    assert shown(facts, Key.COMPAT) == [("12.8", "history")]
    assert facts.first(Key.BASE) == Fact(Key.BASE, "runtime", "env:NV_CUDA_LIB_VERSION")
    assert facts.disagreements == ()


@pytest.mark.parametrize(
    ("name", "driver"),
    [
        ("cuda-11.8.0-cudnn8-runtime", "520"),
        ("cuda-12.8.1-runtime", "570"),
        ("cuda-13.0.2-base", "580"),
        ("pytorch-2.8.0-runtime", ""),
    ],
)
def test_a_compat_package_is_of_the_driver_branch_of_its_cuda(name: str, driver: str) -> None:
    assert facts_of(record(name)).image.compat_driver == driver


def test_the_version_of_a_compat_package_says_more_than_its_cuda() -> None:
    line = "apt-get install -y cuda-compat-12-9=575.57.08-0ubuntu1"
    assert facts_of(told(history=(line,))).image.compat_driver == "575.57.08"


def test_the_newest_base_image_has_no_variable_for_its_compat_package() -> None:
    facts = facts_of(record("cuda-13.0.2-base"))
    assert (facts.image.cuda, facts.image.software) == ("13.0.2", "cuda")
    assert shown(facts, Key.COMPAT) == [("13.0", "history")]
    assert shown(facts, Key.BASE)[0] == ("base", "env:NV_CUDA_CUDART_VERSION")
    assert "brand=unknown,driver>=535" in (facts.image.requirements or ("",))[0]


def test_the_cudnn_image_tells_cudnn_in_four_places() -> None:
    facts = facts_of(record("cuda-11.8.0-cudnn8-runtime"))
    assert shown(facts, Key.CUDNN) == [
        ("8.9.6.50", "env:NV_CUDNN_VERSION"),
        ("8.9.6.50", "env:NV_CUDNN_PACKAGE"),
        ("8", "tag"),
    ]
    assert shown(facts, Key.COMPAT)[0] == ("11.8", "env:NV_CUDA_COMPAT_PACKAGE")
    assert facts.disagreements == ()


def test_pytorchs_runtime_image_has_no_gate_and_its_cuda_is_in_its_tag() -> None:
    facts = facts_of(record("pytorch-2.8.0-runtime"))
    image = facts.image
    assert image.builds == (Build("torch", "2.8.0", "12.8"),)
    assert (image.software, image.cuda, image.requirements) == ("cuda", "", ())
    assert shown(facts, Key.FRAMEWORK, "torch") == [
        ("2.8.0", "env:PYTORCH_VERSION"),
        ("2.8.0", "tag"),
    ]
    assert shown(facts, Key.FRAMEWORK_CUDA, "torch") == [("12.8", "tag")]
    assert shown(facts, Key.CUDNN) == [("9", "tag")]


def test_an_ngc_image_tells_its_driver_and_the_gpus_it_was_built_for() -> None:
    facts = facts_of(record("ngc-pytorch-20.06"))
    image = facts.image
    assert image.cuda == "11.0.167"
    assert image.compat_driver == "450.36.06"
    assert not image.compat_forced, "its entrypoint decides at the start"
    assert image.requirements == ("cuda>=9.0",), "the gate says nothing of the toolkit"
    assert image.builds == (), "a wheel of that release was compiled for other GPUs"
    assert shown(facts, Key.FRAMEWORK, "torch")[0] == ("1.6.0a0", "env:PYTORCH_VERSION")
    assert shown(facts, Key.FRAMEWORK_CUDA, "torch")[0] == ("11.0", "env:CUDA_VERSION")
    assert image.kernels == Kernels(
        frozenset({"5.2", "6.0", "6.1", "7.0", "7.5", "8.0"}), frozenset({"8.0"})
    )
    assert shown(facts, Key.CUDA) == [("11.0.167", "env:CUDA_VERSION"), ("11.0.167", TABLE)]


@pytest.mark.parametrize(
    ("name", "cuda", "release", "driver"),
    [
        ("ngc-pytorch-25.01", "12.8.0.038", "2.6.0a0", "570.86.10"),
        ("ngc-pytorch-26.03", "13.2.0.046", "2.11.0a0", "595.45.04"),
    ],
)
def test_newer_ngc_images_name_four_parts_of_cuda_and_an_alpha(
    name: str, cuda: str, release: str, driver: str
) -> None:
    facts = facts_of(record(name))
    assert facts.image.cuda == cuda
    assert shown(facts, Key.FRAMEWORK, "torch")[0] == (release, "env:PYTORCH_VERSION")
    assert facts.image.compat_driver == driver
    assert facts.image.platforms == {"amd64", "arm64"}
    assert ("9.20.0.48" if "26" in name else "9.7.0.66", "env:CUDNN_VERSION") in shown(
        facts, Key.CUDNN
    )
    assert facts.disagreements == ()


def test_ngcs_label_for_cuda_is_the_least_driver_and_not_read() -> None:
    facts = facts_of(record("ngc-pytorch-26.03"))
    assert "9.0" not in [value for value, _source in shown(facts, Key.CUDA)]


def test_vllm_forces_its_compat_library_and_its_history_says_which_torch() -> None:
    facts = facts_of(record("vllm-0.10.0"))
    image = facts.image
    assert image.compat_forced
    assert shown(facts, Key.COMPAT_FORCED) == [("yes", "history")]
    assert set(image.builds) == {
        Build("bitsandbytes", "0.46.1"),
        Build("torch", "2.7.1", "12.8"),
        Build("vllm", "0.10.0"),
    }
    assert shown(facts, Key.FRAMEWORK, "vllm") == [("0.10.0", "tag")]
    assert image.kernels is None, "the list holds for what it compiles, not for torch's wheel"


def test_a_rocm_image_is_not_cuda() -> None:
    facts = facts_of(record("rocm-pytorch-6.4.1"))
    assert facts.image.software == "rocm"
    assert facts.image.builds == ()
    assert shown(facts, Key.ROCM) == [("6.4.1", "env:ROCM_VERSION"), ("6.4.1", "tag")]
    assert shown(facts, Key.FRAMEWORK_CUDA, "torch") == [("rocm6.4", "history")]


def test_a_frameworks_cuda_and_that_of_its_base_are_two_facts() -> None:
    facts = facts_of(record("comfyui"))
    assert facts.image.cuda == "12.8.1"
    assert facts.image.builds == (Build("torch", "2.9.1", "13.0"),)
    assert facts.disagreements == ()
    assert facts.values(Key.DRIVER_PACKAGE) == ("nvidia-utils-550", "libnvidia-compute-550")
    assert facts.values(Key.WEIGHTS) == ("files",)
    assert shown(facts, Key.USER) == [("app", "config")]
    assert shown(facts, Key.ENTRYPOINT) == [("/app/start.sh --listen", "config")]


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_of_every_sample_says_where_it_comes_from(name: str) -> None:
    facts = facts_of(record(name))
    assert len(facts.facts) > 8
    for fact in facts.facts:
        assert fact.origin in Origin
        assert fact.value != ""
    assert facts.reference
    assert facts.pinned

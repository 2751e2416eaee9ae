"""What the variables of an image tell: its toolkit, its gate, its libraries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.conventions import Promise, conventions
from checks.image.environment import is_read, is_true, only_read
from checks.image.evidence import Evidence
from checks.image.fact import Key
from checks.image.facts import facts_of
from checks.image.told import Told
from gpucompare.cuda.image import Image
from tests.images import shown, told


@pytest.mark.parametrize("value", ["1", "t", "T", "TRUE", "true", "True"])
def test_what_go_holds_to_be_true_turns_the_check_off(value: str) -> None:
    facts = facts_of(told(f"NVIDIA_DISABLE_REQUIRE={value}"))
    assert facts.image.check_disabled
    assert shown(facts, Key.CHECK_DISABLED) == [("yes", "env:NVIDIA_DISABLE_REQUIRE")]


@pytest.mark.parametrize("value", ["yes", "on", "2", "tRUE", " true", "0", "false"])
def test_anything_else_leaves_the_check_on_and_says_so(value: str) -> None:
    facts = facts_of(told(f"NVIDIA_DISABLE_REQUIRE={value}"))
    assert not facts.image.check_disabled
    assert shown(facts, Key.CHECK_DISABLED) == [("no", "env:NVIDIA_DISABLE_REQUIRE")]


def test_a_variable_with_an_s_too_many_turns_nothing_off() -> None:
    assert not facts_of(told("NVIDIA_DISABLE_REQUIRES=1")).image.check_disabled


def test_a_variable_ends_at_its_first_equals_sign_and_the_last_one_wins() -> None:
    facts = facts_of(told("NVIDIA_REQUIRE_CUDA=cuda>=11.8", "NVIDIA_REQUIRE_CUDA=cuda>=12.4,x=y"))
    assert facts.image.requirements == ("cuda>=12.4,x=y",)


def test_all_requirements_are_taken_except_the_mounts_of_jetson() -> None:
    facts = facts_of(
        told(
            "NVIDIA_REQUIRE_CUDA=cuda>=12.8",
            "NVIDIA_REQUIRE_ARCH=arch>=8.0",
            "NVIDIA_REQUIRE_JETPACK_HOST_MOUNTS=x",
            "NVIDIA_REQUIRE_EMPTY=",
        )
    )
    assert facts.image.requirements == ("cuda>=12.8", "arch>=8.0")


def test_a_toolkit_without_a_requirement_is_one_for_the_runtime() -> None:
    facts = facts_of(told("CUDA_VERSION=12.8"))
    assert facts.image.requirements == ("cuda>=12.8",)
    assert shown(facts, Key.REQUIRE, "NVIDIA_REQUIRE_CUDA") == [("cuda>=12.8", "env:CUDA_VERSION")]


def test_no_environment_is_not_an_environment_without_requirements() -> None:
    assert facts_of(Told(reference="docker.io/nvidia/cuda:12.8.1-base-ubuntu22.04")).image == Image(
        software="cuda", cuda="12.8.1"
    )
    assert facts_of(told()).image.requirements == ()
    assert facts_of(told("A=b", whole=False)).image.requirements is None
    own = told("NVIDIA_REQUIRE_CUDA=cuda>=12.8", whole=False)
    assert facts_of(own).image.requirements == ("cuda>=12.8",)


RUNTIME = "docker.io/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime"


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        (("A=b",), ()),
        (("NVIDIA_REQUIRE_DRIVER=driver>=570",), ("driver>=570",)),
        # Above a base without a requirement the runtime takes CUDA_VERSION for one.
        (("CUDA_VERSION=12.8",), ("cuda>=12.8",)),
    ],
)
def test_above_a_base_that_asks_for_nothing_only_its_own_requirements_hold(
    env: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    facts = facts_of(told(*env, whole=False, base=RUNTIME))
    assert facts.image.requirements == asked


def test_an_image_known_by_a_name_that_asks_for_nothing_asks_for_nothing() -> None:
    assert facts_of(Told(reference=RUNTIME)).image.requirements == ()


@pytest.mark.parametrize(
    "base",
    [
        "docker.io/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel",
        "docker.io/pytorch/pytorch:1.2-cuda10.0-cudnn7-runtime",
        "docker.io/pytorch/pytorch:latest",
        "docker.io/someone/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
    ],
)
def test_a_base_of_which_no_source_says_so_may_ask_for_something(base: str) -> None:
    assert facts_of(told("A=b", whole=False, base=base)).image.requirements is None


def test_a_gate_from_memory_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = conventions().promises("docker.io/pytorch/pytorch", RUNTIME.rpartition(":")[2])
    recalled = [
        Promise(promise.row.model_copy(update={"basis": "memory"}), promise.in_tag)
        for promise in found
    ]
    monkeypatch.setattr(Evidence, "promises", tuple(recalled))
    assert facts_of(told("A=b", whole=False, base=RUNTIME)).image.requirements is None


def test_a_toolkit_above_an_unknown_base_asks_for_nothing_by_itself() -> None:
    facts = facts_of(told("CUDA_VERSION=12.8", whole=False))
    assert facts.image.requirements is None
    assert facts.values(Key.REQUIRE) == ()


@pytest.mark.parametrize("value", ["cu128", "latest", "12", "12.8.1.2.3", "12.8; rm", ""])
def test_what_is_no_version_is_no_fact(value: str) -> None:
    facts = facts_of(told(f"CUDA_VERSION={value}"))
    assert facts.image.cuda == ""
    assert facts.image.software == ""
    assert facts.image.requirements == ()


@pytest.mark.parametrize(
    "path",
    [
        "/usr/local/cuda/compat",
        "/usr/local/cuda-12.8/compat:/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib:/usr/local/cuda/compat/",
        "/usr/local/cuda/compat/lib:/usr/local/nvidia/lib",
    ],
)
def test_a_compat_directory_on_the_library_path_is_forced_on_every_host(path: str) -> None:
    facts = facts_of(told(f"LD_LIBRARY_PATH={path}"))
    assert facts.image.compat_forced
    assert shown(facts, Key.COMPAT_FORCED) == [("yes", "env:LD_LIBRARY_PATH")]


def test_a_preloaded_compat_library_is_forced_too() -> None:
    path = "/usr/local/cuda/compat/libcuda.so.1"
    assert facts_of(told(f"LD_PRELOAD={path}")).image.compat_forced


@pytest.mark.parametrize(
    "path",
    ["/usr/local/nvidia/lib:/usr/local/cuda/lib64", "/opt/compat", "/usr/local/cuda/compatx"],
)
def test_other_library_paths_force_nothing(path: str) -> None:
    assert not facts_of(told(f"LD_LIBRARY_PATH={path}")).image.compat_forced


def test_ngcs_own_directory_is_only_filled_where_it_is_needed() -> None:
    path = "LD_LIBRARY_PATH=/usr/local/cuda/compat/lib:/usr/local/nvidia/lib"
    assert not facts_of(told(path, "_CUDA_COMPAT_PATH=/usr/local/cuda/compat")).image.compat_forced
    whole = "LD_LIBRARY_PATH=/usr/local/cuda/compat:/usr/local/nvidia/lib"
    assert facts_of(told(whole, "_CUDA_COMPAT_PATH=/usr/local/cuda/compat")).image.compat_forced


@pytest.mark.parametrize("name", ["PATH", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "CUDA", ""])
def test_other_variables_are_not_read(name: str) -> None:
    assert not is_read(name)
    assert only_read([f"{name}=secret", "CUDA_VERSION=12.8"]) == ("CUDA_VERSION=12.8",)


@given(st.text())
def test_only_six_words_are_true(text: str) -> None:
    assert is_true(text) == (text in {"1", "t", "T", "TRUE", "true", "True"})

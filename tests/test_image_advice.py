"""What to do about an image before it is rented for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.advice import GIANT_LAYER, Advice, AdviceKey, advice, advice_at
from checks.image.fact import ImageFacts, Key
from checks.image.facts import facts_of
from checks.image.record import Platform
from checks.image.told import Told
from gpucompare.cuda.image import Image
from tests.images import AMD, ARM, NAMES, layers, record, told

PIN = "sha256:" + "0b" * 32


def keys(found: tuple[Advice, ...]) -> set[AdviceKey]:
    return {given.key for given in found}


def of(told: Told) -> set[AdviceKey]:
    return keys(advice(facts_of(told)))


def one(found: tuple[Advice, ...], key: AdviceKey) -> Advice:
    [given] = [given for given in found if given.key is key]
    return given


# --- Of the image ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "tag", "pin"),
    [
        ("docker.io/library/ubuntu:24.04", "24.04", f"ubuntu@{PIN}"),
        ("docker.io/vllm/vllm-openai:latest", "latest", f"vllm/vllm-openai@{PIN}"),
        ("localhost:5000/a:1", "1", f"localhost:5000/a@{PIN}"),
    ],
)
def test_a_tag_can_move_and_the_digest_to_pin_is_told(reference: str, tag: str, pin: str) -> None:
    found = one(advice(facts_of(told(reference=reference, pinned=PIN))), AdviceKey.MOVING_TAG)
    assert dict(found.about) == {"tag": tag, "pin": pin}


def test_a_digest_does_not_move_and_without_one_there_is_nothing_to_pin() -> None:
    name = "docker.io/library/ubuntu"
    assert AdviceKey.MOVING_TAG not in of(told(reference=f"{name}@{PIN}", pinned=PIN))
    assert AdviceKey.MOVING_TAG not in of(told(reference=f"{name}:24.04"))
    assert AdviceKey.MOVING_TAG not in of(told(base=f"{name}:24.04", pinned=PIN))


def test_driver_packages_are_named() -> None:
    found = one(advice(facts_of(record("comfyui"))), AdviceKey.DRIVER_PACKAGES)
    assert found.about["packages"] == "nvidia-utils-550, libnvidia-compute-550"
    assert {fact.key for fact in found.facts} == {Key.DRIVER_PACKAGE}
    assert AdviceKey.DRIVER_PACKAGES not in keys(advice(facts_of(record("vllm-0.10.0"))))


def test_a_devel_base_is_told_and_a_runtime_base_is_not() -> None:
    assert AdviceKey.DEVEL_BASE in keys(advice(facts_of(record("comfyui"))))
    assert AdviceKey.DEVEL_BASE in of(told(history=("apt-get install cuda-nvcc-12-8",)))
    assert AdviceKey.DEVEL_BASE in of(told(base="docker.io/nvidia/cuda:12.8.1-devel-ubi9"))
    assert AdviceKey.DEVEL_BASE not in keys(advice(facts_of(record("cuda-12.8.1-runtime"))))


@pytest.mark.parametrize(
    ("platforms", "expected"),
    [
        ((AMD,), {AdviceKey.AMD64_ONLY}),
        ((ARM,), {AdviceKey.ARM64_ONLY}),
        ((AMD, ARM), set()),
        ((), set()),
        ((Platform("linux", "riscv64"),), set()),
    ],
)
def test_an_image_for_one_kind_of_cpu(
    platforms: tuple[Platform, ...], expected: set[AdviceKey]
) -> None:
    assert of(told(platforms=platforms)) == expected


def test_a_compat_library_that_is_forced_comes_first() -> None:
    found = advice(facts_of(record("vllm-0.10.0")))
    assert found[0].key is AdviceKey.COMPAT_FORCED
    assert found[0].facts[0].source == "history"


def test_models_in_the_image_are_told_by_the_way_they_came() -> None:
    found = one(advice(facts_of(record("comfyui"))), AdviceKey.WEIGHTS)
    assert found.about == {"how": "files"}
    assert AdviceKey.WEIGHTS in of(told(history=("hf download a/b",)))
    assert AdviceKey.WEIGHTS not in of(told(history=("pip install torch",)))


@pytest.mark.parametrize(
    ("sizes", "is_told"),
    [
        ((GIANT_LAYER,), True),
        ((GIANT_LAYER, GIANT_LAYER - 1), True),
        ((GIANT_LAYER, GIANT_LAYER, 1), False),
        ((GIANT_LAYER - 1,), False),
        ((), False),
    ],
)
def test_one_layer_that_is_most_of_a_large_image(sizes: tuple[int, ...], is_told: bool) -> None:
    assert (AdviceKey.GIANT_LAYER in of(told(layers=layers(*sizes)))) is is_told


def test_the_share_of_a_giant_layer_is_told_in_whole_percent() -> None:
    facts = facts_of(told(layers=layers(GIANT_LAYER * 2, GIANT_LAYER)))
    assert dict(one(advice(facts), AdviceKey.GIANT_LAYER).about) == {
        "size": GIANT_LAYER * 2,
        "share": 67,
    }


def test_a_base_of_another_major_cuda_is_told() -> None:
    found = one(advice(facts_of(record("comfyui"))), AdviceKey.CUDA_DIFFERS)
    assert dict(found.about) == {"base": "12.8.1", "framework": "torch", "built": "13.0"}
    same = told("CUDA_VERSION=12.8.1", history=("pip install torch==2.6.0+cu124",))
    assert AdviceKey.CUDA_DIFFERS not in of(same)
    # A build whose CUDA nobody told differs from nothing.
    unsaid = told("CUDA_VERSION=12.8.1", history=("pip install torch==2.6.0",))
    assert AdviceKey.CUDA_DIFFERS not in of(unsaid)


# --- At an offering --------------------------------------------------------------------


def at(told: Told, **answers: Any) -> dict[AdviceKey, dict[str, Any]]:
    return {given.key: dict(given.about) for given in advice_at(facts_of(told), answers)}


@pytest.mark.parametrize(
    ("user", "container_user", "key"),
    [
        ("", "forced", AdviceKey.NOT_ROOT_THERE),
        ("root", "forced", AdviceKey.NOT_ROOT_THERE),
        ("0:0", "forced", AdviceKey.NOT_ROOT_THERE),
        ("app", "forced", None),
        ("app", "root", AdviceKey.RUNS_AS_ROOT_THERE),
        ("1000:1000", "root", AdviceKey.RUNS_AS_ROOT_THERE),
        ("", "root", None),
        ("app", "any", None),
        ("", None, None),
    ],
)
def test_a_user_that_the_platform_forces(
    user: str, container_user: str | None, key: AdviceKey | None
) -> None:
    assert set(at(told(user=user), container_user=container_user)) == ({key} if key else set())


def test_a_user_that_was_not_told_is_not_root() -> None:
    assert at(told(whole=False), container_user="forced") == {}


@pytest.mark.parametrize(
    ("ssh", "daemon", "is_told"),
    [
        (True, "none", True),
        (True, "root", False),
        (True, None, False),
        (False, "none", False),
        (None, "none", False),
    ],
)
def test_an_entrypoint_may_give_way_where_ssh_comes_into_the_container(
    ssh: bool | None, daemon: str | None, is_told: bool
) -> None:
    found = at(told(entrypoint=("/run.sh", "-x")), ssh=ssh, docker_daemon=daemon)
    expected = {AdviceKey.ENTRYPOINT_REPLACED: {"entrypoint": "/run.sh -x"}}
    assert found == (expected if is_told else {})
    assert at(told(), ssh=ssh, docker_daemon=daemon) == {}


@pytest.mark.parametrize(
    ("packed", "unpacked", "limit", "key"),
    [
        (20, None, "19.99", AdviceKey.TOO_LARGE),
        (20, None, "20", None),
        (20, 50, "30", AdviceKey.MAYBE_TOO_LARGE),
        (20, 50, "10", AdviceKey.TOO_LARGE),
        (20, 50, "50", None),
        (None, 50, "30", AdviceKey.MAYBE_TOO_LARGE),
        (None, None, "1", None),
        (20, 50, None, None),
    ],
)
def test_a_limit_on_the_size_of_an_image(
    packed: int | None, unpacked: int | None, limit: str | None, key: AdviceKey | None
) -> None:
    gb = 1_000_000_000
    image = told(
        layers=layers(packed * gb) if packed else None,
        uncompressed=unpacked * gb if unpacked else None,
    )
    answers = {"max_image_gb": Decimal(limit)} if limit else {}
    assert set(at(image, **answers)) == ({key} if key else set())


def test_a_limit_is_told_beside_the_size() -> None:
    found = at(told(layers=layers(20_000_000_000)), max_image_gb=Decimal("9.500"))
    assert found[AdviceKey.TOO_LARGE] == {"size": 20_000_000_000, "limit": 9_500_000_000}


# --- Always ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_advice_on_a_fact_names_the_fact(name: str) -> None:
    facts = facts_of(record(name))
    for found in advice(facts):
        assert set(found.facts) <= set(facts.facts)
        assert found.facts or found.key is AdviceKey.MOVING_TAG


ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "container_user": st.sampled_from(["any", "root", "forced", None]),
        "ssh": st.sampled_from([True, False, None]),
        "docker_daemon": st.sampled_from(["root", "rootless", "nested", "none", None]),
        "max_image_gb": st.none() | st.decimals(0, 1000, places=3),
    },
)


@given(ANSWERS)
def test_nothing_known_of_an_image_leads_to_no_advice(answers: dict[str, Any]) -> None:
    nothing = ImageFacts(Image(), ())
    assert advice(nothing) == advice_at(nothing, answers) == ()


@given(st.sampled_from(NAMES))
def test_no_answers_lead_to_no_advice_about_an_offering(name: str) -> None:
    assert advice_at(facts_of(record(name)), {}) == ()

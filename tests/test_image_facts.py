"""What an image tells by its frameworks, its name and its shape; which word counts."""

from __future__ import annotations

from dataclasses import replace
from time import thread_time

import pytest

from checks.image.evidence import Evidence
from checks.image.fact import Fact, ImageFacts, Key, Origin, agree
from checks.image.facts import facts_of
from checks.image.record import Config, Platform
from checks.image.told import Told, on_base
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.requirement import MOST_ASKED, MOST_TEXTS, is_too_much
from tests.images import layers, record, shown, told

# --- Frameworks -------------------------------------------------------------------------


def builds(*history: str, env: tuple[str, ...] = (), reference: str = "") -> tuple[Build, ...]:
    return facts_of(told(*env, history=history, reference=reference)).image.builds


def test_the_last_installation_counts() -> None:
    assert builds(
        "pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu128",
        "pip install torch==2.6.0",
    ) == (Build("torch", "2.6.0", ""),)


def test_a_step_is_trusted_before_a_variable_and_both_are_shown() -> None:
    facts = facts_of(told("PYTORCH_VERSION=2.3.0", history=("RUN pip install torch==2.5.1+cu124",)))
    assert facts.image.builds == (Build("torch", "2.5.1", "12.4"),)
    [group] = facts.disagreements
    assert [(fact.value, fact.source) for fact in group] == [
        ("2.5.1", "history"),
        ("2.3.0", "env:PYTORCH_VERSION"),
    ]


def test_the_cuda_of_another_release_is_not_taken() -> None:
    reference = "docker.io/pytorch/pytorch:2.3.0-cuda12.1-cudnn8-runtime"
    assert builds("pip install torch==2.6.0", reference=reference) == (Build("torch", "2.6.0", ""),)


def test_the_cuda_of_an_index_goes_with_the_release_of_a_variable() -> None:
    line = "pip install torch --index-url https://download.pytorch.org/whl/cu128"
    assert builds(line, env=("PYTORCH_VERSION=2.8.0",)) == (Build("torch", "2.8.0", "12.8"),)


def test_a_build_for_the_cpu_is_no_build_for_cuda() -> None:
    line = "pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cpu"
    facts = facts_of(told(history=(line,)))
    assert (facts.image.software, facts.image.builds) == ("cpu", ())
    assert facts.first(Key.SOFTWARE) == Fact(Key.SOFTWARE, "cpu", "history")


def test_cuda_beside_a_build_for_the_cpu_is_still_cuda() -> None:
    line = "pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cpu"
    assert facts_of(told("CUDA_VERSION=12.8.1", history=(line,))).image.software == "cuda"


def test_cuda_and_rocm_side_by_side_settle_nothing() -> None:
    facts = facts_of(told("CUDA_VERSION=12.8.1", "ROCM_VERSION=6.2"))
    assert facts.image.software == ""
    assert facts.values(Key.SOFTWARE) == ("cuda", "rocm")


@pytest.mark.parametrize(
    ("listed", "cubins", "ptx"),
    [
        ("8.0;9.0+PTX", {"8.0", "9.0"}, {"9.0"}),
        ("8.0 9.0a 10.0f", {"8.0", "9.0", "10.0"}, set()),
        ('"7.5 8.0"', {"7.5", "8.0"}, set()),
    ],
)
def test_the_architectures_of_an_ngc_build(listed: str, cubins: set[str], ptx: set[str]) -> None:
    env = ("NVIDIA_PYTORCH_VERSION=26.03", f"TORCH_CUDA_ARCH_LIST={listed}")
    assert facts_of(told(*env)).image.kernels == Kernels(frozenset(cubins), frozenset(ptx))


def test_a_wheel_installed_over_ngcs_own_build_brings_its_own_architectures() -> None:
    env = ("NVIDIA_PYTORCH_VERSION=26.03", "TORCH_CUDA_ARCH_LIST=8.0", "PYTORCH_VERSION=2.11.0a0")
    image = facts_of(told(*env, history=("pip install torch==2.9.1+cu130",))).image
    assert image.kernels is None
    assert image.builds == (Build("torch", "2.9.1", "13.0"),)


def test_ngcs_own_build_without_a_list_is_a_build_like_others() -> None:
    env = ("NVIDIA_PYTORCH_VERSION=26.03", "PYTORCH_VERSION=2.11.0a0", "CUDA_VERSION=13.2.0.046")
    assert facts_of(told(*env)).image.builds == (Build("torch", "2.11.0a0", "13.2"),)


@pytest.mark.parametrize("listed", ["", "Ampere;Hopper", "8.0 all"])
def test_a_list_that_cannot_be_read_whole_is_not_known(listed: str) -> None:
    env = ("NVIDIA_PYTORCH_VERSION=26.03", f"TORCH_CUDA_ARCH_LIST={listed}")
    assert facts_of(told(*env)).image.kernels is None


# --- Names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "cuda"),
    [
        ("1.0.2-cu1281-torch280-ubuntu2404", "12.8.1"),
        ("2.8.0-py3.11-cuda12.8.1-cudnn-devel-ubuntu22.04", "12.8.1"),
        ("latest-cuda-12.4", "12.4"),
        ("cu118", "11.8"),
        ("server-cuda13", ""),
        ("v1.2", ""),
        ("focus128", ""),
    ],
)
def test_the_tag_of_an_unknown_image_is_the_weakest_word(tag: str, cuda: str) -> None:
    facts = facts_of(told(reference=f"docker.io/some/image:{tag}"))
    assert facts.image.cuda == cuda
    assert all(fact.basis == "derived" for fact in facts.told(Key.CUDA))


@pytest.mark.parametrize(
    ("tag", "release"),
    [("cu1281-torch280", "2.8.0"), ("torch2100-cu130", "2.10.0"), ("pytorch-2.4.1", "2.4.1")],
)
def test_a_release_of_torch_in_a_tag(tag: str, release: str) -> None:
    facts = facts_of(told(reference=f"docker.io/some/image:{tag}"))
    assert facts.image.builds == (Build("torch", release),)


def test_a_tag_yields_to_the_environment_and_the_difference_is_shown() -> None:
    facts = facts_of(told("CUDA_VERSION=12.8.1", reference="docker.io/some/image:cu124"))
    assert facts.image.cuda == "12.8.1"
    assert [fact.value for fact in facts.disagreements[0]] == ["12.8.1", "12.4"]


def test_vllm_images_from_a_release_on_force_compat_by_their_name_alone() -> None:
    name = "docker.io/vllm/vllm-openai:v{}"
    assert facts_of(Told(reference=name.format("0.15.1"))).image.compat_forced
    assert not facts_of(Told(reference=name.format("0.14.0"))).image.compat_forced


# --- Shape ------------------------------------------------------------------------------


def test_sizes_are_those_of_the_layers_and_unknown_once_unpacked() -> None:
    facts = facts_of(record("pytorch-2.8.0-runtime"))
    assert shown(facts, Key.SIZE) == [(3_453_500_200, "layers")]
    assert shown(facts, Key.LAYERS) == [(5, "layers")]
    assert shown(facts, Key.LARGEST_LAYER) == [(3_400_000_000, "layers")]
    assert facts.first(Key.UNCOMPRESSED_SIZE) is None


def test_layers_without_compression_tell_the_size_on_disk() -> None:
    plain = layers(10, 20, media_type="application/vnd.oci.image.layer.v1.tar")
    assert shown(facts_of(told(layers=plain)), Key.UNCOMPRESSED_SIZE) == [(30, "layers")]
    mixed = (*plain, *layers(5))
    assert facts_of(told(layers=mixed)).first(Key.UNCOMPRESSED_SIZE) is None


def test_an_image_without_a_user_starts_as_root_if_that_could_be_seen() -> None:
    assert shown(facts_of(told()), Key.USER) == [("root", "config")]
    assert facts_of(told(whole=False)).first(Key.USER) is None
    assert facts_of(told(names_user=False)).first(Key.USER) is None


def test_platforms_come_from_the_index_or_else_from_the_configuration() -> None:
    one = record("vllm-0.10.0")
    assert shown(facts_of(one), Key.PLATFORM) == [("linux/amd64", "index")]
    alone = Told(config=replace(one.config, variant="v2"))
    assert shown(facts_of(alone), Key.PLATFORM) == [("linux/amd64/v2", "config")]


def test_platforms_other_than_linux_start_on_no_host() -> None:
    both = (Platform("windows", "amd64"), Platform("linux", "arm64", "v8"))
    assert facts_of(told(platforms=both)).image.platforms == {"arm64"}


def test_a_large_copied_layer_is_taken_for_a_model() -> None:
    line = "COPY . /app # buildkit"
    large = facts_of(told(history=(line,), layers=layers(2_000_000_000)))
    assert shown(large, Key.WEIGHTS) == [("large_copy", "layers")]
    assert facts_of(told(history=(line,), layers=layers(1_999_999_999))).values(Key.WEIGHTS) == ()


def test_layers_that_do_not_pair_up_with_the_steps_are_nobodys() -> None:
    evidence = Evidence(told(history=("COPY a /", "COPY b /"), layers=layers(1, 2, 3)))
    assert [step.size for step in evidence.steps] == [None, None]


# --- Trust ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("12.8.1", "12.8", True),
        ("12.8", "12.80", False),
        ("12.8.1", "12.8.0.038", False),
        ("2.11.0a0+a6c", "2.11.0a0", True),
        ("8", "8.9.6.50", True),
    ],
)
def test_versions_agree_as_far_as_both_go(one: str, other: str, both: bool) -> None:
    mine, theirs = Fact(Key.CUDA, one, "tag"), Fact(Key.CUDA, other, "history")
    assert agree(mine, theirs) is agree(theirs, mine) is both


def test_facts_of_other_kinds_agree_only_when_they_are_the_same() -> None:
    devel, runtime = Fact(Key.BASE, "devel", "tag"), Fact(Key.BASE, "runtime", "tag")
    assert agree(devel, devel)
    assert not agree(devel, runtime)


# --- A base image read afterwards -------------------------------------------------------


def test_a_dockerfile_takes_over_what_its_base_brings() -> None:
    base = record("cuda-12.8.1-runtime")
    above = told("CUDA_VERSION=12.8", "A=b", history=("pip install torch==2.8.0+cu128",))
    joined = on_base(replace(above, whole=False, base=base.reference), base)
    image = facts_of(joined).image
    assert image.cuda == "12.8", "the last one wins"
    assert image.builds == (Build("torch", "2.8.0", "12.8"),)
    assert image.requirements
    assert image.requirements[0].startswith("cuda>=12.8 brand")
    assert image.platforms == {"amd64", "arm64"}


def test_a_new_entrypoint_resets_the_command_of_the_base() -> None:
    base = record("comfyui")
    kept = on_base(told(), base).config
    reset = on_base(told(entrypoint=("/mine",)), base).config
    assert kept
    assert (kept.entrypoint, kept.cmd) == (("/app/start.sh", "--listen"), ("main.py",))
    assert reset
    assert (reset.entrypoint, reset.cmd, reset.user) == (("/mine",), (), "app")


# --- Hostile images ---------------------------------------------------------------------


def test_requirements_without_end_are_few_facts_and_a_gate_that_nobody_reads() -> None:
    many = tuple(f"NVIDIA_REQUIRE_{n}=cuda>=12.{n % 9}" for n in range(9000))
    long = tuple(f"NVIDIA_REQUIRE_{n}={'cuda>=99 ' * 10_000}" for n in range(20))
    began = thread_time()
    for env in (many, long):
        facts = facts_of(told(*env))
        asked = facts.values(Key.REQUIRE)
        assert len(asked) <= MOST_TEXTS + 1
        assert max(len(str(text)) for text in asked) <= MOST_ASKED + 1
        assert is_too_much(facts.image.requirements or ())
        assert facts.disagreements == ()
    assert thread_time() - began < 1


def test_disagreements_of_thousands_of_facts_are_found_in_one_go() -> None:
    facts = tuple(
        Fact(Key.REQUIRE, f"cuda>=12.{n}", Origin.HAND, f"N{n // 2}") for n in range(8000)
    )
    began = thread_time()
    assert len(ImageFacts(Image(), facts).disagreements) == 4000
    assert thread_time() - began < 1


def test_what_nobody_wants_to_read_whole_is_cut() -> None:
    long = replace(Config(), user="u" * 100_000, entrypoint=("sh", "-c", "x" * 100_000))
    facts = facts_of(Told(config=long, whole=True))
    for key in (Key.USER, Key.ENTRYPOINT):
        (value,) = facts.values(key)
        assert (len(str(value)), str(value)[-1]) == (1001, "…")

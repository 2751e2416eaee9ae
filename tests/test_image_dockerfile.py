"""What a Dockerfile tells of the image that it will build."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.dockerfile import MOST_STAGES, TooManyStagesError, is_dockerfile, read_dockerfile
from checks.image.fact import ImageFacts, Key
from checks.image.facts import facts_of
from checks.image.record import Config, Platform
from checks.image.told import Told, on_base
from gpucompare.cuda.image import Build
from tests.images import record

CUDA = "docker.io/nvidia/cuda:12.8.1-base-ubuntu22.04"


def read(*lines: str) -> Told:
    return read_dockerfile("\n".join(lines))


def env(*lines: str) -> dict[str, str]:
    config = read(*lines).config
    assert config
    return config.environment


def facts(*lines: str) -> ImageFacts:
    return facts_of(read(*lines))


# --- FROM ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ["FROM nvidia/cuda:12.8.1-base-ubuntu22.04"],
        ["from --platform=$BUILDPLATFORM nvidia/cuda:12.8.1-base-ubuntu22.04 as x"],
        ["ARG V=12.8.1", "FROM nvidia/cuda:${V}-base-ubuntu22.04"],
        ["ARG V", "FROM nvidia/cuda:${V:-12.8.1}-base-ubuntu22.04"],
        [
            "ARG A=12.8.1",
            "ARG V=$A",
            'FROM nvidia/cuda:"$V"-base'.replace('"', "") + "-ubuntu22.04",
        ],
        ["FROM a AS b", "FROM nvidia/cuda:12.8.1-base-ubuntu22.04 AS run", "FROM run", "FROM run"],
        ["# syntax=docker/dockerfile:1", "", "FROM \\", " nvidia/cuda:12.8.1-base-ubuntu22.04"],
    ],
)
def test_the_last_stage_leads_to_its_base_image(lines: list[str]) -> None:
    told = read(*lines)
    assert told.base == CUDA
    assert told.reference == ""
    assert not told.whole


def test_what_the_name_of_the_base_promises_is_a_fact_from_from() -> None:
    found = facts("FROM nvidia/cuda:12.8.1-base-ubuntu22.04")
    assert [(f.value, f.source) for f in found.told(Key.CUDA)] == [("12.8.1", "from")]
    assert found.image.cuda == "12.8.1"
    assert found.image.requirements is None, "the base's environment was not read"
    assert found.first(Key.USER) is None
    assert (found.reference, found.base) == ("", CUDA)


def test_an_image_from_scratch_has_no_base_and_nothing_is_missing() -> None:
    told = read("FROM scratch", "COPY a /")
    assert (told.base, told.whole) == ("", True)
    assert facts_of(told).image.requirements == ()


def test_a_base_that_cannot_be_filled_in_is_not_known() -> None:
    assert read("ARG BASE", "FROM $BASE").base == ""
    assert read("FROM a:b:c").base == ""
    # An argument of a stage is no argument of FROM.
    assert read("FROM a", "ARG V=1", "FROM b:$V").base == ""


def test_only_the_chain_of_the_last_stage_counts() -> None:
    found = facts(
        "FROM nvidia/cuda:12.8.1-devel-ubuntu22.04 AS build",
        "RUN apt-get install -y nvidia-driver-550",
        "FROM python:3.12 AS run",
        "RUN pip install torch==2.8.0+cu128",
        "FROM run",
        "COPY --from=build /wheels /wheels",
        "RUN pip install vllm==0.9.0",
    )
    assert found.base == "docker.io/library/python:3.12"
    assert set(found.image.builds) == {Build("torch", "2.8.0", "12.8"), Build("vllm", "0.9.0")}
    assert found.values(Key.DRIVER_PACKAGE) == ()


def test_a_platform_that_is_written_out_is_the_only_one() -> None:
    told = read("FROM --platform=linux/arm64 ubuntu", "FROM ubuntu AS x")
    assert told.platforms == ()
    assert read("FROM --platform=linux/arm64 ubuntu").platforms == (Platform("linux", "arm64"),)
    assert read("FROM --platform=$TARGETPLATFORM ubuntu").platforms == ()


# --- ENV and ARG -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("ENV CUDA_VERSION=12.8.1", "12.8.1"),
        ("ENV CUDA_VERSION 12.8.1", "12.8.1"),
        ('ENV A=b CUDA_VERSION="12.8.1" C=d', "12.8.1"),
        ("ENV CUDA_VERSION='12.8.1'", "12.8.1"),
        ("env\tCUDA_VERSION=12.8.1", "12.8.1"),
        ("ENV A=b \\\n  # a comment\n\n  CUDA_VERSION=12.8.1", "12.8.1"),
    ],
)
def test_variables_are_read_in_each_of_their_forms(line: str, value: str) -> None:
    assert env("FROM a", line)["CUDA_VERSION"] == value


def test_a_requirement_in_quotes_keeps_its_spaces() -> None:
    text = "cuda>=12.8 brand=tesla,driver>=470,driver<471"
    found = facts("FROM a", f'ENV NVIDIA_REQUIRE_CUDA="{text}"')
    assert found.image.requirements == (text,)


def test_variables_and_arguments_are_filled_in_where_they_are_known() -> None:
    assert env("ARG V=1", "FROM a", "ENV CUDA_VERSION=12.$V")["CUDA_VERSION"] == "12."
    assert env("ARG V=8", "FROM a", "ARG V", "ENV CUDA_VERSION=12.$V")["CUDA_VERSION"] == "12.8"
    assert env("FROM a", "ARG V=8", "ENV V=9", "ENV CUDA_VERSION=12.$V")["CUDA_VERSION"] == "12.9"


def test_one_line_sees_the_values_from_before_it() -> None:
    lines = ("FROM a", "ENV V=1", "ENV V=2 CUDA_VERSION=12.$V")
    assert env(*lines)["CUDA_VERSION"] == "12.1"


def test_a_stage_inherits_variables_but_no_arguments() -> None:
    lines = (
        "FROM a AS b",
        "ENV CUDA_VERSION=12.8",
        "ARG R=2.8.0",
        "FROM b",
        "ENV PYTORCH_VERSION=$R",
    )
    found = env(*lines)
    assert found["CUDA_VERSION"] == "12.8"
    assert found["PYTORCH_VERSION"] == ""


def test_the_escape_directive_is_obeyed() -> None:
    assert env("# escape=`", "FROM a", "ENV A=b `", "  CUDA_VERSION=12.8")["CUDA_VERSION"] == "12.8"


# --- RUN and the rest ------------------------------------------------------------------


def test_steps_are_read_with_the_values_at_their_place() -> None:
    found = facts(
        "FROM nvidia/cuda:12.8.1-base-ubuntu22.04",
        "ARG TORCH=2.8.0",
        "RUN pip install torch==${TORCH} \\",
        "    --index-url https://download.pytorch.org/whl/cu128",
        "ENV TORCH=2.9.0",
    )
    assert found.image.builds == (Build("torch", "2.8.0", "12.8"),)


def test_a_here_document_is_one_step() -> None:
    found = facts("FROM a", "RUN <<EOF", "set -e", "pip install torch==2.8.0", "EOF", "ENV A=b")
    assert found.image.builds == (Build("torch", "2.8.0"),)


def test_what_only_looks_like_a_here_document_swallows_nothing() -> None:
    found = facts("FROM a", "RUN echo $((1<<N))", "ENV CUDA_VERSION=12.8")
    assert found.image.cuda == "12.8"


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        (["USER app", 'ENTRYPOINT ["/run.sh", "-x"]', 'CMD ["a"]'], ("app", ("/run.sh",), ("a",))),
        (["ENTRYPOINT python app.py"], ("", ("python",), ())),
        (['CMD ["a"]', 'ENTRYPOINT ["b"]'], ("", ("b",), ("a",))),
        (["ARG U=me", "USER $U"], ("me", (), ())),
    ],
)
def test_who_starts_what(lines: list[str], start: tuple[Any, ...]) -> None:
    config = read("FROM a", *lines).config
    assert config
    assert (config.user, config.entrypoint, config.cmd) == start


def test_an_entrypoint_of_a_later_stage_resets_an_earlier_command() -> None:
    config = read("FROM a AS b", 'CMD ["a"]', "FROM b", 'ENTRYPOINT ["c"]').config
    assert config
    assert config.cmd == ()


def test_a_fragment_without_from_is_read_as_far_as_it_goes() -> None:
    found = facts("ENV CUDA_VERSION=12.8.1", "RUN pip install torch==2.8.0")
    assert found.image.cuda == "12.8.1"
    assert found.image.builds == (Build("torch", "2.8.0"),)
    assert found.base == ""


def test_the_base_can_be_read_afterwards() -> None:
    base = record("cuda-12.8.1-runtime")
    told = on_base(read("FROM nvidia/cuda:12.8.1-runtime-ubuntu22.04", "ENV A=b", "USER me"), base)
    assert told.whole
    found = facts_of(told)
    assert found.image.requirements
    assert found.image.requirements[0].startswith("cuda>=12.8 ")
    assert found.values(Key.USER) == ("me",)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("FROM a", True),
        ("# c\n\nARG V", True),
        ("WORKDIR /a\nENV A=b", True),
        ("run pip install torch", True),
        ("ENVIRONMENT a", False),
        ("From here it runs.", False),
        ("docker pull a", False),
        ("", False),
    ],
)
def test_a_dockerfile_is_known_by_its_instructions(text: str, is_one: bool) -> None:
    assert is_dockerfile(text) is is_one


def test_more_stages_than_anyone_writes_are_refused() -> None:
    assert read(*["FROM a"] * MOST_STAGES).base == "docker.io/library/a:latest"
    with pytest.raises(TooManyStagesError):
        read(*["FROM a"] * (MOST_STAGES + 1))


SPELLINGS = (
    "FROM ENV ARG RUN COPY USER CMD ENTRYPOINT LABEL AS a A=b A=$A ${A:-b} \" ' \\ # <<EOF EOF [ "
    "--platform=x scratch nvidia/cuda:12.8.1 pip install torch==2.8.0 ; && `"
)
WORDS = st.sampled_from(["\n", *SPELLINGS.split()])


@given(st.lists(WORDS | st.text(max_size=5), max_size=40))
def test_any_instructions_are_read(words: list[str]) -> None:
    told = read_dockerfile(" ".join(words).replace(" \n ", "\n"))
    assert isinstance(told.config, Config)
    assert facts_of(told).facts is not None

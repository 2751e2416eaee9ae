"""Facts that a reader types in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.fact import Fact, Key
from checks.image.manual import PARAMETERS, ByHand, Notice, NoticeKey, facts_by_hand
from checks.image.steps import FRAMEWORKS
from gpucompare.cuda.image import Build, Image


def typed(**query: str) -> ByHand:
    return facts_by_hand(query)


def image(**query: str) -> Image:
    found = typed(**query)
    assert found.facts
    assert found.notices == ()
    return found.facts.image


def test_cuda_framework_and_release_make_an_image() -> None:
    assert image(cuda="12.8", framework="torch", release="2.8.0") == Image(
        software="cuda", cuda="12.8", builds=(Build("torch", "2.8.0", "12.8"),)
    )


def test_its_gate_and_its_platforms_are_not_known() -> None:
    found = image(cuda="12.8")
    assert found.requirements is None
    assert found.platforms == frozenset()
    assert found.builds == ()


@pytest.mark.parametrize(
    ("text", "cuda"),
    [("12.8", "12.8"), (" 12.8.1 ", "12.8.1"), ("cu128", "12.8"), ("CUDA 11.8", "11.8")],
)
def test_cuda_may_be_written_in_the_ways_people_do(text: str, cuda: str) -> None:
    assert image(cuda=text).cuda == cuda


@pytest.mark.parametrize(
    ("text", "name"),
    [("torch", "torch"), ("PyTorch", "torch"), ("flash_attn", "flash-attn"), ("vLLM", "vllm")],
)
def test_frameworks_go_by_their_usual_names(text: str, name: str) -> None:
    assert image(cuda="12.8.1", framework=text).builds == (Build(name, "", "12.8"),)


def test_a_framework_needs_no_cuda() -> None:
    found = image(framework="torch", release="v2.8.0")
    assert found.builds == (Build("torch", "2.8.0"),)
    assert found.software == ""


def test_a_framework_alone_is_taken_for_the_limits_that_it_has() -> None:
    assert image(framework="flash-attn") == Image(builds=(Build("flash-attn"),))


def test_every_fact_says_that_it_was_typed() -> None:
    found = typed(cuda="12.8.1", framework="torch", release="2.8.0+cu128").facts
    assert found
    assert found.facts == (
        Fact(Key.SOFTWARE, "cuda", "hand"),
        Fact(Key.CUDA, "12.8.1", "hand"),
        Fact(Key.FRAMEWORK, "2.8.0", "hand", "torch"),
        Fact(Key.FRAMEWORK_CUDA, "12.8", "hand", "torch"),
    )


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ({"cuda": "12"}, Notice(NoticeKey.CUDA_MALFORMED, "12")),
        ({"cuda": "cu12"}, Notice(NoticeKey.CUDA_MALFORMED, "cu12")),
        ({"cuda": "newest"}, Notice(NoticeKey.CUDA_MALFORMED, "newest")),
        ({"framework": "caffe"}, Notice(NoticeKey.FRAMEWORK_UNKNOWN, "caffe")),
        ({"release": "2.8.0"}, Notice(NoticeKey.RELEASE_WITHOUT_FRAMEWORK, "2.8.0")),
        ({"release": "new"}, Notice(NoticeKey.RELEASE_MALFORMED, "new")),
    ],
)
def test_a_value_that_cannot_be_taken_is_told(query: dict[str, str], notice: Notice) -> None:
    assert facts_by_hand(query) == ByHand(None, (notice,))


def test_what_can_be_taken_is_taken_beside_what_cannot() -> None:
    found = typed(cuda="12.8", framework="caffe", release="1.0")
    assert found.facts
    assert found.facts.image == Image(software="cuda", cuda="12.8")
    assert [notice.key for notice in found.notices] == [NoticeKey.FRAMEWORK_UNKNOWN]


def test_a_long_value_is_cut_in_its_notice() -> None:
    [notice] = typed(cuda="x" * 500).notices
    assert len(notice.value) == 40


def test_nothing_typed_is_nothing_known() -> None:
    assert typed() == ByHand(None)
    assert typed(cuda=" ", gpu="h100", image="x") == ByHand(None)


VALUES = st.one_of(
    st.text(max_size=12), st.sampled_from(["12.8", "cu128", "2.8.0", "", *FRAMEWORKS])
)


@given(st.dictionaries(st.sampled_from(PARAMETERS), VALUES))
def test_each_value_is_taken_or_told(query: dict[str, str]) -> None:
    found = facts_by_hand(query)
    named = any(query.get(name, "").strip() for name in PARAMETERS)
    assert (found.facts is None and not found.notices) is not named

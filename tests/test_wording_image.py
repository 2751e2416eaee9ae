"""Every key that the reading of images gives has a text, and every text its facts."""

from __future__ import annotations

from enum import StrEnum

import pytest
from django.utils.functional import Promise

from checks import wording_image as wording
from checks.image.advice import Advice, AdviceKey
from checks.image.conventions import ImageRow
from checks.image.fact import Fact, Key, Origin
from checks.image.facts import facts_of
from checks.image.manual import Notice, NoticeKey
from checks.image.paste_fault import PasteError, PasteFault
from checks.image.steps import _AS_WRITTEN
from tests.images import NAMES, record

ABOUT: dict[AdviceKey, dict[str, str | int]] = {
    AdviceKey.MOVING_TAG: {"tag": "latest", "pin": "a@sha256:0"},
    AdviceKey.DRIVER_PACKAGES: {"packages": "nvidia-driver-550"},
    AdviceKey.WEIGHTS: {"how": "files"},
    AdviceKey.GIANT_LAYER: {"size": 5_000_000_000, "share": 80},
    AdviceKey.CUDA_DIFFERS: {"base": "12.8.1", "framework": "torch", "built": "13.0"},
    AdviceKey.RUNS_AS_ROOT_THERE: {"user": "app"},
    AdviceKey.NOT_ROOT_THERE: {"user": "root"},
    AdviceKey.ENTRYPOINT_REPLACED: {"entrypoint": "/run.sh"},
    AdviceKey.TOO_LARGE: {"size": 20_000_000_000, "limit": 9_500_000_000},
    AdviceKey.MAYBE_TOO_LARGE: {"size": 20_000_000_000, "limit": 9_500_000_000},
}


@pytest.mark.parametrize(
    ("texts", "keys"),
    [
        (wording.FACTS, Key),
        (wording.ORIGINS, Origin),
        (wording.ADVICE, AdviceKey),
        (wording.NOTICES, NoticeKey),
        (wording.PASTE_FAULTS, PasteFault),
    ],
    ids=["facts", "origins", "advice", "notices", "faults"],
)
def test_no_key_lacks_a_text_of_its_own(texts: dict[str, object], keys: type[StrEnum]) -> None:
    assert set(texts) == set(keys)
    assert all(isinstance(text, Promise) for text in texts.values()), "translated when shown"
    assert len({str(text) for text in texts.values()}) == len(texts)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        (Key.SOFTWARE, {"cuda", "rocm", "cpu"}),
        (Key.BASE, {"base", "runtime", "devel"}),
        (Key.CHECK_DISABLED, {"yes", "no"}),
        (Key.COMPAT_FORCED, {"yes"}),
        (Key.WEIGHTS, {*_AS_WRITTEN, "large_copy"}),
    ],
)
def test_values_that_are_keys_have_texts(key: Key, values: set[str]) -> None:
    assert set(wording.VALUES[key]) == values


def test_the_tables_software_has_texts() -> None:
    annotation = ImageRow.model_fields["software"].annotation
    assert set(wording.VALUES[Key.SOFTWARE]) == set(annotation.__args__) - {""}  # type: ignore[union-attr]


@pytest.mark.parametrize("key", AdviceKey)
def test_advice_is_filled_in_with_its_reason(key: AdviceKey) -> None:
    about = ABOUT.get(key, {})
    text = wording.advice_text(Advice(key, about))
    assert "%" not in text.replace("80 % of", "")
    for name, value in about.items():
        if name not in ("size", "limit", "how"):
            assert str(value) in text


def test_sizes_in_advice_have_units() -> None:
    text = wording.advice_text(Advice(AdviceKey.TOO_LARGE, ABOUT[AdviceKey.TOO_LARGE]))
    assert text == "There are 20.0 GB to download and this offering takes 9.5 GB at most."


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 MB"), (1, "1 MB"), (29_030_000, "30 MB"), (999_000_000, "999 MB"), (10**9, "1.0 GB")],
)
def test_sizes_in_words(size: int, text: str) -> None:
    assert wording.size_text(size) == text


@pytest.mark.parametrize(
    ("fact", "value", "source"),
    [
        (Fact(Key.CUDA, "12.8.1", "env:CUDA_VERSION"), "12.8.1", "environment (CUDA_VERSION)"),
        (Fact(Key.FRAMEWORK, "2.8.0", "tag", "torch"), "torch 2.8.0", "its tag"),
        (
            Fact(Key.FRAMEWORK_CUDA, "cpu", "history", "torch"),
            "torch No CUDA: a build for the CPU",
            "build history",
        ),
        (Fact(Key.SIZE, 3_450_000_000, "layers"), "3.5 GB", "sizes of the layers"),
        (
            Fact(Key.SOFTWARE, "rocm", "table:images.csv"),
            "ROCm",
            "our table of known images (images.csv)",
        ),
        (Fact(Key.LAYERS, 7, "layers"), "7", "sizes of the layers"),
    ],
)
def test_a_fact_in_words(fact: Fact, value: str, source: str) -> None:
    assert str(wording.value_text(fact)) == value
    assert str(wording.source_text(fact)) == source


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_of_every_sample_can_be_shown(name: str) -> None:
    for fact in facts_of(record(name)).facts:
        assert str(wording.FACTS[fact.key])
        assert str(wording.value_text(fact))
        assert str(wording.source_text(fact))


@pytest.mark.parametrize("fault", PasteFault)
def test_a_fault_says_what_to_paste_instead_or_where_to_go(fault: PasteFault) -> None:
    text = wording.paste_text(PasteError(fault, "12"))
    assert "%" not in text
    assert len(text) > 50
    assert ("12" in text) is ("%(part)s" in str(wording.PASTE_FAULTS[fault]))


@pytest.mark.parametrize("key", NoticeKey)
def test_a_notice_names_the_value(key: NoticeKey) -> None:
    assert "12.x" in wording.notice_text(Notice(key, "12.x"))

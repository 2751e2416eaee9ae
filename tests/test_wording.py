"""Answers in words: in a cell, a facet, a chip."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from providers import wording
from providers.answers import Grade
from providers.dimensions import DIMENSIONS
from providers.models import Offering


@pytest.mark.parametrize(
    ("key", "answer", "text"),
    [
        ("docker_daemon", "root", "Root"),
        ("registry_auth", ["docker_login", "cloud_role"], "docker login, Cloud role"),
        ("registries", ["any"], "Any registry"),
        ("registries", ["ghcr.io", "nvcr.io"], "ghcr.io, nvcr.io"),
        ("spot", True, "Yes"),
        ("spot", False, "No"),
        ("cuda_max", "12.8", "12.8"),
        ("driver", "580.126.20", "580.126.20"),
        ("driver", "535-595", "535–595"),
        ("max_image_gb", Decimal("9.500"), "9.5 GB"),
        ("max_image_gb", Decimal("100.000"), "100 GB"),
        ("billing_increment_s", Decimal("60.000"), "1 min"),
        ("billing_increment_s", Decimal("0.500"), "0.5 s"),
        ("cold_start", "About a minute - at best.", "About a minute - at best."),
    ],
)
def test_a_known_answer_in_words(key: str, answer: Any, text: str) -> None:
    assert wording.answer_text(DIMENSIONS[key], answer) == text


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("docker_daemon", "rootless", "Rootless"),
        ("spot", "yes", "Yes"),
        ("registries", "any", "Any registry"),
        ("registries", "ghcr.io", "ghcr.io"),
        ("billing_increment_s", "1", "1 s"),
        ("billing_increment_s", "3600", "1 h"),
        ("max_image_gb", "20", "20 GB"),
        ("driver", "580", "580"),
    ],
)
def test_a_value_of_a_facet_in_words(key: str, value: str, text: str) -> None:
    assert wording.value_text(DIMENSIONS[key], value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0, "0 s"), (1, "1 s"), (59, "59 s"), (60, "1 min"), (90, "90 s"), (600, "10 min")),
        *((3600, "1 h"), (5400, "90 min"), (86400, "1 day"), (172800, "2 days"), (90000, "25 h")),
    ],
)
def test_whole_minutes_hours_and_days_are_told_as_such(seconds: int, text: str) -> None:
    assert wording.seconds_text(seconds) == text


@given(st.integers(0, 10**8))
def test_no_second_is_lost_on_the_way_to_words(seconds: int) -> None:
    number, unit = wording.seconds_text(seconds).split()
    size = {"s": 1, "min": 60, "h": 3600, "day": 86400, "days": 86400}[unit]
    assert int(number.replace(",", "")) * size == seconds


@pytest.mark.parametrize("key", [d.key for d in DIMENSIONS.values() if d.values])
def test_every_declared_value_has_a_word_of_its_own(key: str) -> None:
    texts = [wording.value_text(DIMENSIONS[key], value) for value in DIMENSIONS[key].allowed]
    assert len(set(texts)) == len(texts)
    assert not set(texts) & set(DIMENSIONS[key].allowed)


# --- Cells -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "answer", "state"),
    [
        ("docker_daemon", "root", Grade.YES),
        ("docker_daemon", "nested", Grade.PARTLY),
        ("docker_daemon", "none", Grade.NO),
        ("registry_auth", ["no"], Grade.NO),
        ("access_modes", ["base_image", "docker_daemon"], Grade.YES),  # the best member's
        ("billed_during_pull", True, Grade.NO),
        ("billed_during_pull", False, Grade.YES),
        ("cuda_max", "12.8", "fact"),
        ("registries", ["any"], "fact"),
        ("max_image_gb", Decimal(0), "fact"),
        ("docker_daemon", None, "unknown"),
    ],
)
def test_the_mark_of_a_cell_follows_the_grade_of_its_answer(
    key: str, answer: Any, state: str
) -> None:
    offering = Offering(**{key: answer})
    assert wording.cell_state(offering, DIMENSIONS[key]) == state


def test_no_answer_reads_as_unknown_and_a_contradicted_one_as_such() -> None:
    spot, ssh = DIMENSIONS["spot"], DIMENSIONS["ssh"]
    offering = Offering(contradicted=["ssh"])
    assert (wording.cell_state(offering, spot), wording.cell_text(offering, spot)) == (
        "unknown",
        "Unknown",
    )
    assert (wording.cell_state(offering, ssh), wording.cell_text(offering, ssh)) == (
        "contradicted",
        "Contradicted",
    )


@pytest.mark.parametrize(
    ("answers", "detail"),
    [
        ({}, ""),
        ({"driver": "580-595"}, "580–595"),
        ({"cuda_max": "13.0"}, "CUDA\u00a0≤\u00a013.0"),
        ({"driver": "580-595", "cuda_max": "13.0"}, "580–595 · CUDA\u00a0≤\u00a013.0"),
    ],
)
def test_known_facts_stand_under_the_answer_they_belong_to(
    answers: dict[str, str], detail: str
) -> None:
    offering = Offering(driver_kind="branches", **answers)
    assert wording.cell_detail(offering, DIMENSIONS["driver_kind"]) == detail
    assert wording.cell_detail(offering, DIMENSIONS["spot"]) == ""


def test_joined_texts_are_translated_when_they_are_shown() -> None:
    text = wording.joined([wording.UNKNOWN, "spot"])
    assert str(text) == "Unknown, spot"
    assert str(wording.joined([])) == ""
    with translation.override("en"):
        assert str(text) == "Unknown, spot"

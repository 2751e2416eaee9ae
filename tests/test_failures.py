"""Why a run brought nothing in: every outcome and every guard has its words, with the figures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.failures import failure_text, percent
from providers.models import Outcome
from providers.refresh.guards import GUARDS

# What each guard says of a broken batch, and what a reader must find of it.
BROKEN: dict[str, tuple[dict[str, Any], list[str]]] = {
    "rows": ({"rows": 12, "usual": 240, "least": 144.0}, ["12 rows", "240", "144"]),
    "filled": (
        {"price": 0.61, "gpu_name": 0.9496, "least": 0.95},
        ["with a price 61 %", "with a GPU 94.9 %", "95 %"],
    ),
    "jumped": ({"jumped": 118, "of": 240, "most": 0.2}, ["118 of 240 prices", "3 times", "20 %"]),
    "not_rising": ({"not_rising": 7, "of": 9, "most": 0.2}, ["7 of 9", "20 %"]),
    "unknown_names": ({"unknown": 4, "of": 50, "most": 0.05}, ["4 of 50", "5 %"]),
    "duplicates": ({"duplicates": 30, "of": 90, "most": 0.02}, ["30 of 90", "2 %"]),
}


def test_the_words_are_tried_for_every_guard_that_there_is() -> None:
    assert set(BROKEN) == set(GUARDS)


@pytest.mark.parametrize("guard", BROKEN)
def test_a_rejected_batch_says_the_figures_of_its_guard(guard: str) -> None:
    figures, parts = BROKEN[guard]
    said = str(failure_text(Outcome.REJECTED, guard, figures))
    assert [part for part in parts if part not in said] == []
    assert guard not in said or "_" not in guard


def test_spot_prices_that_jumped_are_called_that() -> None:
    said = failure_text(Outcome.REJECTED, "jumped", {"spot_jumped": 5, "of": 7, "most": 0.2})
    assert "5 of 7 spot prices" in str(said)
    assert "20 %" in str(said)


def test_each_guard_has_a_sentence_of_its_own() -> None:
    said = {str(failure_text(Outcome.REJECTED, g, figures)) for g, (figures, _) in BROKEN.items()}
    other = str(failure_text(Outcome.REJECTED, "of-an-older-version", {}))
    assert len(said | {other}) == len(GUARDS) + 1


def test_a_single_row_is_one_row() -> None:
    said = failure_text(Outcome.REJECTED, "rows", {"rows": 1, "usual": 20, "least": 12})
    assert str(said).startswith("1 row came")


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.REJECTED])
def test_every_other_outcome_has_words_unless_nothing_went_wrong(outcome: Outcome) -> None:
    went_well = outcome in (Outcome.MERGED, Outcome.RUNNING)
    assert bool(failure_text(outcome, "", {})) is not went_well


def test_a_batch_that_a_curator_accepted_is_no_failure() -> None:
    assert failure_text(Outcome.MERGED, "rows", {"rows": 1, "usual": 9, "least": 5}) == ""


@given(st.floats(0, 1))
def test_only_all_reads_as_all(share: float) -> None:
    said = float(percent(share).removesuffix(" %"))
    assert said <= share * 100 + 1e-3
    assert said > share * 100 - 0.11


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.2, "20 %"), (0.29, "29 %"), (0.9996, "99.9 %"), (1.0, "100 %")],
)
def test_a_share_reads_as_percent(share: float, text: str) -> None:
    assert percent(share) == text

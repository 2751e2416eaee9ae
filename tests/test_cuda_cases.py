"""What people saw on real hosts, or NVIDIA's tables promise, is what the engine answers."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from checks.cases.judge import COLUMNS, case_verdict
from gpucompare.cuda.answer import Run, Start
from gpucompare.cuda.reasons import FIXES, MISSING, REASONS

CASES_FILE = Path(__file__).parent / "samples" / "cuda" / "cases.csv"
Case = dict[str, str]
with CASES_FILE.open(newline="") as _file:
    CASES: list[Case] = list(csv.DictReader(_file))
CERTAIN = [case for case in CASES if case["testable"] == "yes"]


def named(case: Case) -> str:
    return case["id"]


def accepted(case: Case) -> set[str]:
    told = case["ours"] or case["expected_run"]
    return {told, *filter(None, case["also"].split("|"))} if told else set(Run)


@pytest.mark.parametrize("case", CERTAIN, ids=named)
def test_a_certain_case_comes_out_as_it_was_seen(case: Case) -> None:
    found = case_verdict({column: case[column] for column in COLUMNS})
    assert found.run in accepted(case)
    assert found.start == (case["expected_start"] or found.start)
    assert not case["reason"] or case["reason"] in found.reasons


@pytest.mark.parametrize("case", [c for c in CASES if c["testable"] == "partly"], ids=named)
def test_a_case_with_facts_missing_is_not_contradicted(case: Case) -> None:
    found = case_verdict({column: case[column] for column in COLUMNS})
    assert found.run in accepted(case) | {Run.UNKNOWN}
    assert found.start in {case["expected_start"] or found.start, Start.UNKNOWN}


@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_answer_speaks_in_known_keys_and_says_what_is_missing(case: Case) -> None:
    found = case_verdict({column: case[column] for column in COLUMNS})
    assert set(found.reasons) <= REASONS
    assert set(found.fixes) <= FIXES
    assert set(found.missing) <= MISSING
    assert found.missing or Run.UNKNOWN is not found.run
    assert found.missing or Start.UNKNOWN is not found.start


def test_a_row_that_is_not_followed_says_why() -> None:
    argued = {case["id"]: case["note"] for case in CASES if case["ours"]}
    assert set(argued) == {"C028", "C121"}
    assert all(note.startswith("Not followed: ") for note in argued.values())


def test_the_cases_are_many_and_of_every_kind() -> None:
    assert len(CERTAIN) >= 60
    assert {case["expected_run"] for case in CERTAIN} - {""} == set(Run)
    assert {case["expected_start"] for case in CERTAIN} - {""} == set(Start) - {Start.UNKNOWN}

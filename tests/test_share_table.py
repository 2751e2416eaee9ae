"""The table of a share in words: both ways round, with what is gone, given up or changed."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.cuda.answer import Standing
from providers.browse.criteria import Criteria
from providers.shares import wording
from providers.shares.changes import Change
from providers.shares.content import Answer, Content, Price, Row, Verdict
from providers.shares.kinds import Kind
from providers.shares.page import Table
from providers.shares.tables import price_in_words, table
from tests.sharing import answer, answers, content, contents, price, row


def kind(across: bool = False, **fields: Any) -> Kind:
    given: dict[str, Any] = {
        "key": "test",
        "freeze": None,
        "again": None,
        "address": None,
        "title": None,
        "across": across,
    }
    return Kind(**(given | fields))


def drawn(*held: Row, across: bool = False, found: Any = (), **fields: Any) -> Table:
    fields = {"columns": ("docker_daemon",)} | fields
    return table(kind(across), content(*held, **fields), {}, found)


def texts(found: Table) -> list[list[str]]:
    return [
        [str(row.head.text), *(str(cell.said.text) for cell in row.cells)]
        for section in found.sections
        for row in section.rows
    ]


# --- The two ways round ---------------------------------------------------------------------


def test_offerings_stand_down_the_side_with_a_column_for_each_question_and_price() -> None:
    found = drawn(row(1, answers=(answer(),), prices=(price(),)), row(2))
    assert str(found.corner) == "Offering"
    assert [str(head.text) for head in found.columns] == ["Docker daemon", "Cheapest price"]
    assert texts(found) == [["1", "Root", "$2.00"], ["2", "Unknown", "no price"]]


def test_questions_stand_down_the_side_in_their_groups_and_prices_below() -> None:
    asked = ("ssh", "docker_daemon", "custom_image")
    found = drawn(row(1), row(2), across=True, columns=asked)
    assert str(found.corner) == "Question"
    assert [str(head.text) for head in found.columns] == ["1", "2"]
    labels = [str(section.label) for section in found.sections]
    assert labels[0] == "Image"
    assert labels[-1] == "Price"
    assert len(labels) == len(set(labels))
    assert [line[0] for line in texts(found)][-2:] == ["Cheapest on demand", "Cheapest as spot"]


@given(contents, st.booleans())
def test_every_row_has_a_cell_for_every_column_whatever_is_held(
    held: Content, across: bool
) -> None:
    found = table(kind(across), held, {}, ())
    for section in found.sections:
        for one in section.rows:
            assert len(one.cells) == len(found.columns)


@given(contents)
def test_every_offering_stands_in_the_table_once(held: Content) -> None:
    down = table(kind(), held, {}, ())
    names = sorted(str(one.head.text) for section in down.sections for one in section.rows)
    assert names == sorted(row.name for row in held.rows)
    over = table(kind(across=True), held, {}, ())
    assert [head.text for head in over.columns] == [row.name for row in held.rows]


def test_rows_that_may_match_match_no_longer_or_are_closed_stand_apart() -> None:
    found = drawn(row(1, match="no"), row(2, status="closed"), row(3, match="may"), row(4))
    assert [(str(s.label), s.rows[0].head.text) for s in found.sections] == [
        ("", "4"),
        ("May match", "3"),
        ("Closed", "2"),
        ("Does not match", "1"),
    ]


# --- Heads ------------------------------------------------------------------------------------


def test_a_head_says_the_status_and_what_was_not_known() -> None:
    found = drawn(row(status="acquired", match="may", unknown=("docker_daemon", "of the past")))
    (head,) = [one.head for one in found.sections[0].rows]
    assert [str(note) for note in head.notes] == ["Acquired", "Unknown: Docker daemon"]
    assert (head.over, head.url) == ("P", "")


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (Change(1, "gone"), "now: no longer in the catalog"),
        (Change(1, "status", before="active", after="closed"), "now: Closed"),
        (Change(1, "name", before="P 1", after="P New"), "now: P New"),
    ],
)
def test_a_head_says_what_became_of_its_offering(change: Change, note: str) -> None:
    found = drawn(row(1), row(2), found=(change,))
    first, second = (one.head for one in found.sections[0].rows)
    assert [str(text) for text in first.notes] == [note]
    assert second.notes == ()


# --- Cells ------------------------------------------------------------------------------------


def test_a_changed_cell_keeps_what_it_said_and_says_what_it_says_now() -> None:
    change = Change(1, "answer", "other", "docker_daemon", answer(), answer(value="none"))
    found = drawn(row(1, answers=(answer(),)), row(2, answers=(answer(),)), found=(change,))
    first, second = (one.cells[0] for one in found.sections[0].rows)
    assert first.now
    assert (first.said.text, first.now.text, first.now.state) == ("Root", "None", "no")
    assert second.now is None


def test_a_price_that_went_away_says_so_where_it_stood() -> None:
    change = Change(1, "price", "none", "cheapest", price(), None)
    (one,) = drawn(row(1, prices=(price(),)), found=(change,)).sections[0].rows
    assert one.cells[-1].now
    assert (one.cells[-1].said.text, one.cells[-1].now.text) == ("$2.00", "no price")


def test_a_verdict_stands_first_with_its_reasons_in_words() -> None:
    judged = row(1, verdict=Verdict(standing=Standing.CONDITION, reasons=("why",)))
    words = kind(words=lambda verdict: (*verdict.reasons, "and what helps"))
    found = table(words, content(judged, row(2), columns=("docker_daemon",)), {}, ())
    assert str(found.columns[0].text) == "Verdict"
    first, second = (one.cells[0] for one in found.sections[0].rows)
    assert (first.said.state, str(first.said.text)) == ("partly", "Runs with a condition")
    assert first.details == ("why", "and what helps")
    assert (second.said.state, str(second.said.text)) == ("unknown", "Unknown")


# --- Words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "state", "text"),
    [
        (answer(value="root"), "yes", "Root"),
        (answer(value=None), "unknown", "Unknown"),
        (answer(value=None, contradicted=True), "contradicted", "Contradicted"),
        (answer("ssh", "yes"), "yes", "Yes"),
        (answer("registries", ("any",)), "fact", "Any registry"),
        (answer("registries", ("ghcr.io", "quay.io")), "fact", "ghcr.io, quay.io"),
        (answer("driver", "535-595"), "fact", "535–595"),
        (answer("docker_daemon", "given up"), "fact", "given up"),
        (answer("of the past", ("a", "b")), "fact", "a, b"),
        (answer("of the past", "a"), "fact", "a"),
    ],
)
def test_an_answer_reads_as_its_cell_does(held: Answer, state: str, text: str) -> None:
    said = wording.answer_said(held)
    assert (said.state, str(said.text)) == (state, text)


@given(answers)
def test_any_answer_can_be_said(held: Answer) -> None:
    assert isinstance(str(wording.answer_said(held).text), str)
    assert isinstance(wording.answer_about(held), str)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, ""),
        (
            {"basis": "documented", "source_kind": "provider", "read_on": date(2026, 8, 20)},
            "Documented · 20 Aug 2026",
        ),
        (
            {"basis": "probed", "source_kind": "third_party"},
            "Probed · A third party · day not recorded",
        ),
        ({"basis": "hearsay", "source_kind": "provider"}, "hearsay · day not recorded"),
    ],
)
def test_evidence_names_the_basis_who_and_the_day(fields: Any, text: str) -> None:
    source = {"source": "https://docs.example/a"} if fields else {}
    assert wording.answer_about(answer(**source, **fields)) == text


@pytest.mark.parametrize(
    ("then", "now", "text"),
    [
        ("2", "3", "up 50 %"),
        ("3", "2", "down 33 %"),
        ("2", "2.001", "up"),
        ("2", "1.999", "down"),
        ("0", "1", "up"),
    ],
)
def test_how_far_a_price_moved(then: str, now: str, text: str) -> None:
    assert wording.percent(price(then), price(now)) == text


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (price("2"), "$2.00 H100"),
        (price("2", gpu_count=8, instance=price("16").shown), "$2.00 8 × H100 · $16.00 ÷ 8"),
        (price("2", spot=True), "$2.00 H100 · spot"),
        (price("2", "spot", spot=True), "$2.00 H100"),
        (price("2", gpu="", gpu_count=None), "$2.00"),
    ],
)
def test_a_price_in_a_line(held: Price, text: str) -> None:
    said = price_in_words(held, content(row()))
    assert said
    assert str(said.text) == text
    assert price_in_words(None, content(row())) is None


def test_a_snapshot_is_told_from_what_was_seen_live() -> None:
    assert wording.price_about(price()) == "seen 30 November 2026"
    assert wording.price_about(price(origin="snapshot")) == "snapshot, 30 November 2026"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("docker_daemon", "root", "Root"),
        ("gpu", "h100", "H100"),
        ("gpu", "gone", "gone"),
        ("kind", "vm_cloud", "VM cloud"),
        ("kind", "of the past", "of the past"),
        ("verdict", "of the past", "of the past"),
        ("of the past", "x", "x"),
        ("max_price", "2", "$2 / GPU / hour"),
    ],
)
def test_a_criterion_reads_as_its_chip_or_as_it_was_spelled(
    name: str, value: str, text: str
) -> None:
    assert str(wording.criterion(Criteria(), name, value, {"h100": "H100"})) == text

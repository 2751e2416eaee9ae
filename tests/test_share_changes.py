"""What has changed since, as a pure function of two contents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from gpucompare.cuda.answer import Standing
from providers.shares.changes import Change, changes
from providers.shares.content import Content, Row, Verdict
from tests.sharing import answer, content, contents, price, row


def between(then: Row, now: Row) -> list[tuple[str, str, str]]:
    found = changes(content(then), content(now), {then.offering: now.offering})
    return [(change.what, change.key, change.how) for change in found]


@given(contents)
def test_what_stays_as_it_is_has_no_changes(held: Content) -> None:
    numbers = {row.offering: row.offering for row in held.rows}
    assert changes(held, held, numbers) == ()


@given(contents)
def test_without_a_catalog_every_offering_is_gone_and_nothing_else(held: Content) -> None:
    found = changes(held, held.model_copy(update={"rows": ()}), {})
    assert [(c.offering, c.what) for c in found] == [(r.offering, "gone") for r in held.rows]


@given(contents, contents)
def test_every_change_is_of_an_offering_that_stands_in_one_of_the_two(
    then: Content, now: Content
) -> None:
    numbers = {row.offering: row.offering for row in then.rows}
    known = {row.offering for row in (*then.rows, *now.rows)}
    found = changes(then, now, numbers)
    assert {change.offering for change in found} <= known
    assert len(set(map(_place, found))) == len(found)


def _place(change: Change) -> tuple[Any, ...]:
    return change.offering, change.what, change.key


@pytest.mark.parametrize(
    ("then", "now", "how"),
    [
        (answer(value="root"), answer(value="none"), "other"),
        (answer(value=None), answer(value="root"), "known"),
        (answer(value="root"), answer(value=None), "lost"),
        (answer(value="root"), answer(value=None, contradicted=True), "contradicted"),
        (answer(value=None), answer(value=None, contradicted=True), "contradicted"),
        (answer(value=None, contradicted=True), answer(value=None), "lost"),
        (answer(value=None, contradicted=True), answer(value="root"), "known"),
        (answer("registry_auth", ("docker_login",)), answer("registry_auth", ("no",)), "other"),
        (answer("of the past", "a"), answer("of the past", "b"), "other"),
        (answer(value="given up"), answer(value="root"), "other"),
    ],
)
def test_an_answer_that_says_something_else(then: Any, now: Any, how: str) -> None:
    found = between(row(answers=(then,)), row(answers=(now,)))
    assert found == [("answer", then.dimension, how)]


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (answer(), answer(basis="probed", source="https://new.example")),
        (answer("cuda_max", "12"), answer("cuda_max", "12.0")),
        (
            answer("registries", ("ghcr.io", "quay.io")),
            answer("registries", ("quay.io", "ghcr.io")),
        ),
        (answer("of the past", "a"), answer("docker_daemon", "root")),
    ],
)
def test_an_answer_that_says_the_same(then: Any, now: Any) -> None:
    assert between(row(answers=(then,)), row(answers=(now,))) == []


@pytest.mark.parametrize(
    ("then", "now", "how"),
    [
        ((price("2"),), (price("3"),), "up"),
        ((price("3"),), (price("2"),), "down"),
        ((price("2"),), (), "none"),
        ((), (price("2"),), "new"),
        ((price("2"),), (price("2", gpu="A100"),), "other"),
    ],
)
def test_a_price_that_moved(then: Any, now: Any, how: str) -> None:
    assert between(row(prices=then), row(prices=now)) == [("price", "cheapest", how)]


def test_the_same_price_of_another_day_or_from_another_source_has_not_moved() -> None:
    later = price("2.0", day=price().day.replace(year=2027), origin="snapshot")
    assert between(row(prices=(price("2"),)), row(prices=(later,))) == []


def test_what_no_longer_meets_the_criteria_says_so_and_has_no_price_under_them() -> None:
    assert between(row(prices=(price(),)), row(match="no")) == [("match", "", "other")]


def test_closing_renaming_and_a_verdict_are_told_apart() -> None:
    then = row(verdict=Verdict(standing=Standing.FAILS))
    closed = row(status="closed", verdict=Verdict(standing=Standing.RUNS), name="New")
    assert [what for what, *_ in between(then, closed)] == ["name", "status", "verdict"]


@pytest.mark.parametrize(
    ("then", "now", "how"),
    [
        (Verdict(standing=Standing.FAILS), Verdict(standing=Standing.CONDITION), "better"),
        (Verdict(standing=Standing.RUNS), Verdict(standing=Standing.UNKNOWN), "worse"),
        (
            Verdict(standing=Standing.FAILS, reasons=("a",)),
            Verdict(standing=Standing.FAILS, reasons=("b",)),
            "other",
        ),
    ],
)
def test_a_verdict_that_moved(then: Verdict, now: Verdict, how: str) -> None:
    assert between(row(verdict=then), row(verdict=now)) == [("verdict", "", how)]


def test_how_many_listings_stand_alike_is_no_change_of_a_verdict() -> None:
    then = Verdict(standing=Standing.RUNS, listings=3)
    now = Verdict(standing=Standing.RUNS, listings=4, listings_alike=1)
    assert between(row(verdict=then), row(verdict=now)) == []


def test_what_matches_only_now_joined_and_what_may_or_is_closed_did_not() -> None:
    then = content(row(1))
    now = content(row(1), row(2), row(3, match="may"), row(4, status="closed"), row(5, match="no"))
    found = changes(then, now, {1: 1})
    assert [(change.offering, change.what) for change in found] == [(2, "joined")]


def test_an_offering_under_another_number_is_the_same_one() -> None:
    found = changes(content(row(1)), content(row(9, key="p/1", name="1")), {1: 9})
    assert found == ()

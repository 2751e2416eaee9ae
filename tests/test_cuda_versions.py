"""Versions, known exactly or in a range, and what people write for releases."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.cuda.drivers import branch_of, reported_cuda
from gpucompare.cuda.versions import (
    ANY,
    Span,
    beginning,
    driver_span,
    numbers,
    releases_span,
    series_span,
)

texts = st.text(max_size=20) | st.sampled_from(["1" * 5000, "12.", ".12", "1..2", "٣.٤", "-1"])


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("535.104.05", (535, 104, 5)),
        ("12.0", (12,)),
        ("12", (12,)),
        ("0", ()),
        ("12.", None),
        ("", None),
        ("r535", None),
        ("٣", None),
        ("1" * 10, None),
    ],
)
def test_digits_and_dots_are_numbers(text: str, version: tuple[int, ...] | None) -> None:
    assert numbers(text) == version


def test_a_branch_alone_is_any_driver_of_it() -> None:
    assert driver_span("535") == Span((535,), (535, inf))
    assert driver_span("535.104.05") == Span.exactly((535, 104, 5))
    assert driver_span("") is driver_span("0") is driver_span("soon") is None


@pytest.mark.parametrize(
    ("version", "at_least", "above", "equals"),
    [
        ((534,), True, True, False),
        ((535,), True, None, None),
        ((535, 54), None, None, None),
        ((536,), False, False, False),
    ],
)
def test_a_range_answers_where_all_of_it_agrees(
    version: tuple[float, ...], at_least: bool, above: bool, equals: bool
) -> None:
    branch = Span((535,), (535, inf))
    assert branch.at_least(version) is at_least
    assert branch.above(version) is above
    assert branch.equals(version) is equals


@given(*[st.lists(st.integers(0, 20), max_size=3).map(tuple)] * 3, st.data())
def test_a_range_never_says_what_a_version_in_it_denies(
    one: tuple[float, ...], other: tuple[float, ...], asked: tuple[float, ...], data: st.DataObject
) -> None:
    span = Span(*sorted((one, other)))
    inside = data.draw(st.sampled_from([one, other]))
    exact = Span.exactly(inside)
    for ask in (Span.at_least, Span.above, Span.equals):
        assert ask(span, asked) in (ask(exact, asked), None)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("2.7", ["2.7", "2.7.1"], ["2.6.9", "2.8", "2.70"]),
        ("2.7.1", ["2.7.1"], ["2.7.0", "2.7.2"]),
        ("2", ["2.0", "2.99"], ["1.9", "3.0"]),
        ("1.7.x", ["1.7.0", "1.7.9"], ["1.8"]),
        ("v0.7.3", ["0.7.3"], ["0.7.4"]),
        ("2.8-2.10", ["2.8", "2.9.1", "2.10.2"], ["2.7.9", "2.11"]),
        ("2.8 - 2.10", ["2.9"], ["2.11"]),
        ("<2.7", ["0.1", "2.6.9"], ["2.7", "3.0"]),
        (">=0.15.0", ["0.15.0", "1.0"], ["0.14.9"]),
        ("2.11.0a0+a6c236b", ["2.11.0"], ["2.11.1"]),
        ("", ["0.0.1", "99.0"], []),
    ],
)
def test_releases_as_people_write_them(text: str, inside: list[str], outside: list[str]) -> None:
    span = releases_span(text)
    assert span
    for release in inside:
        one = series_span(release)
        assert one
        assert one.overlaps(span), release
    for release in outside:
        other = series_span(release)
        assert other
        assert not other.overlaps(span), release


@given(texts)
def test_no_text_breaks_the_reading_of_versions(text: str) -> None:
    for span in (driver_span(text), series_span(text), releases_span(text), reported_cuda(text)):
        assert span is None or span.low <= span.high or text.startswith("<") or "-" in text
    assert beginning(text) in text
    assert branch_of(text) is None or text[0].isdigit()


def test_any_release_is_in_any() -> None:
    found = series_span("2.7")
    assert found
    assert found.within(ANY)
    assert not ANY.within(found)


@pytest.mark.parametrize(
    ("driver", "branch", "cuda"),
    [
        ("551.78", 550, Span.exactly((12, 4))),
        ("566.07", 565, Span.exactly((12, 7))),
        ("610.62", 610, Span.exactly((13, 3))),
        ("535", 535, Span.exactly((12, 2))),
        ("384.130", None, Span((), (9, inf))),
        ("640.10", 620, Span((13, 5), (inf,))),
    ],
)
def test_drivers_of_windows_and_of_unknown_branches_report_what_is_sure(
    driver: str, branch: int | None, cuda: Span
) -> None:
    assert branch_of(driver) == branch
    assert reported_cuda(driver) == cuda

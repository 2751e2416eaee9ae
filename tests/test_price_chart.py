"""Drawn prices: never beyond the data, and nothing where nothing is known."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from providers.gpu_links import GpuLink
from providers.price_chart import (
    DAY_WIDTH,
    HEIGHT,
    OPEN_CHARTS,
    chart,
    history,
    line,
    periods,
    runs,
)
from providers.price_history import DAY, Series

TODAY = date(2026, 11, 30)
L4 = GpuLink("L4", "l4", "/gpus/l4/")

days = st.integers(0, 89).map(lambda ago: TODAY - timedelta(days=ago))
prices = st.decimals("0.0001", "400", places=4)
all_series = st.dictionaries(days, prices, min_size=1)


def series(*prices: str | None) -> Series:
    """One price a day, the last one today; None where nothing is known."""
    first = TODAY - DAY * (len(prices) - 1)
    return {first + DAY * n: Decimal(p) for n, p in enumerate(prices) if p is not None}


def levels(path: str) -> list[tuple[float, float]]:
    """(x, y) of every day that a path draws."""
    found, x, y = [], 0.0, 0.0
    for command, words in re.findall(r"([MVh])([\d. ]+)", path):
        numbers = [float(word) for word in words.split()]
        if command == "M":
            x, y = numbers
        elif command == "V":
            y = numbers[0]
        else:
            end = x + numbers[0]
            assert end > x
            while x < end:
                found.append((x, y))
                x += DAY_WIDTH
    return found


# --- The line ------------------------------------------------------------------------------


@given(all_series)
def test_the_line_never_lies_outside_of_the_data(known: Series) -> None:
    drawn = chart(L4, known, TODAY)
    for x, y in levels(drawn.path):
        assert 0 <= y <= HEIGHT
        assert 0 <= x <= drawn.width - DAY_WIDTH


@given(all_series)
def test_every_known_day_is_drawn_once_and_no_other(known: Series) -> None:
    first = min(known)
    drawn = [first + DAY * int(x / DAY_WIDTH) for x, _y in levels(line(known))]
    assert drawn == sorted(known)


@given(all_series)
def test_a_dearer_day_is_never_drawn_below_a_cheaper_one(known: Series) -> None:
    heights = dict(zip(sorted(known), (y for _x, y in levels(line(known))), strict=True))
    ordered = [heights[day] for day in sorted(known, key=known.__getitem__)]
    assert ordered == sorted(ordered, reverse=True)


@given(all_series)
def test_the_line_is_lifted_at_every_gap(known: Series) -> None:
    gaps = sum(day - DAY not in known for day in known)
    assert line(known).count("M") == gaps == len(list(runs(known)))


def test_the_dearest_day_touches_the_top_and_the_cheapest_the_bottom() -> None:
    assert line(series("3", "1", "2")) == "M0 0h10V200h10V100h10"


def test_a_price_that_never_moved_lies_half_way_and_has_one_label() -> None:
    drawn = chart(L4, series("2", "2"), TODAY)
    assert (drawn.path, drawn.highest, drawn.lowest) == ("M0 100h20", "$2.00", "")


def test_the_drawing_reaches_to_today_also_when_today_is_not_known() -> None:
    drawn = chart(L4, series("2", "3", None, None), TODAY)
    assert drawn.width == 4 * DAY_WIDTH
    assert drawn.path == "M0 200h10V0h10"
    assert (drawn.first, drawn.last) == ("27 November 2026", "30 November 2026")


# --- The table -----------------------------------------------------------------------------


@given(all_series)
def test_the_table_tells_every_day_and_calls_no_day_free(known: Series) -> None:
    told = list(periods(known, TODAY))
    assert len(told) <= (TODAY - min(known)).days + 1
    assert all(before.price != after.price for before, after in pairwise(told))
    assert all(period.price != "$0.00" for period in told)
    assert any(not period.price for period in told) is (len(known) < (TODAY - min(known)).days + 1)


def test_days_of_one_price_are_one_line_the_latest_first() -> None:
    lines = chart(L4, series("2", "2", None, "3"), TODAY).periods
    assert [(p.first, p.last, p.price) for p in lines] == [
        ("30 November 2026", "", "$3.00"),
        ("29 November 2026", "", ""),
        ("27 November 2026", "28 November 2026", "$2.00"),
    ]


# --- In words ------------------------------------------------------------------------------


def test_the_summary_names_the_latest_and_the_lowest() -> None:
    assert chart(L4, series("1", "3", "2"), TODAY).summary == (
        "$2.00 on 30 November 2026; the lowest was $1.00 on 28 November 2026."
    )


def test_the_summary_says_when_the_latest_is_the_lowest() -> None:
    said = chart(L4, series("2", "1"), TODAY).summary
    assert said == "$1.00 on 30 November 2026, the lowest of these days."


def test_the_summary_counts_the_days_of_which_nothing_is_known() -> None:
    assert str(chart(L4, series("2", None, "1"), TODAY).summary).endswith("known of 1 day.")
    assert str(chart(L4, series("2", None, None, "1"), TODAY).summary).endswith("of 2 days.")


# --- The part of the page ------------------------------------------------------------------


def test_a_single_day_is_a_sentence_that_says_since_when() -> None:
    part = history({L4: series("2")}, TODAY)
    assert part.charts == ()
    assert str(part.instead).startswith("Prices are kept since 30 November 2026;")


def test_nothing_is_said_to_be_nothing() -> None:
    for nothing in ({}, {L4: series(None)}):
        assert history(nothing, TODAY).instead == "No live prices were seen in the last 90 days."


def test_two_days_are_drawn() -> None:
    part = history({L4: series("2", "3")}, TODAY)
    assert [drawn.name for drawn in part.charts] == ["L4"]
    assert part.instead == ""


def test_many_drawings_stand_in_the_order_of_their_gpus_and_the_last_are_folded() -> None:
    links = [GpuLink(f"G{n}", f"g{n}", order=(n,)) for n in range(OPEN_CHARTS + 2)]
    part = history({link: series("1", "2") for link in reversed(links)}, TODAY)
    assert [drawn.name for drawn in (*part.charts, *part.folded)] == [link.name for link in links]
    assert len(part.charts) == OPEN_CHARTS
    assert len({drawn.id for drawn in (*part.charts, *part.folded)}) == len(links)

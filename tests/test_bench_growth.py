"""The growth model reckons from what was measured, and the page that shows it is up to date."""

from __future__ import annotations

import csv

import pytest

from bench import growth
from bench.growth import PARTS, TODAY, Scale, at, gives_way, points_kept
from tests.processes import ROOT

SHOWN = ROOT / "docs" / "performance.md"


def test_a_figure_is_what_was_measured_there_and_between_two_lies_between_them() -> None:
    points = growth.measured()["page_own_ms"]
    assert len(points) > 1
    for listings, value in points:
        assert at("page_own_ms", listings) == pytest.approx(value)
    (fewer, low), (more, high) = points[:2]
    assert min(low, high) <= at("page_own_ms", (fewer + more) // 2) <= max(low, high)


def test_a_figure_does_not_fall_below_that_of_the_fewest_listings() -> None:
    assert at("page_own_ms", 1) == growth.measured()["page_own_ms"][0][1]


def test_every_part_needs_more_as_listings_and_readers_grow() -> None:
    for part in PARTS:
        needs = [part.needs(TODAY.times(n)) for n in growth.TIMES]
        assert needs == sorted(needs), part.name
        assert needs[0] > 0, part.name


def test_ten_times_the_readers_alone_need_ten_times_the_web() -> None:
    web = PARTS[0]
    more = Scale(TODAY.listings, TODAY.pages_per_s * 10)
    assert web.needs(more) == pytest.approx(web.needs(TODAY) * 10)


def test_prices_that_are_rolled_up_are_fewer_than_all_of_them() -> None:
    days = growth.ALL_DAYS + growth.DAILY_DAYS + growth.WEEKLY_DAYS
    assert points_kept(TODAY) < growth.points_a_day(TODAY) * days / 2


def test_the_days_are_those_of_the_settings() -> None:
    from django.conf import settings

    kept = settings.PRICES_KEPT
    assert kept.all_days == growth.ALL_DAYS
    assert kept.daily_days == growth.ALL_DAYS + growth.DAILY_DAYS
    assert kept.kept_days == growth.ALL_DAYS + growth.DAILY_DAYS + growth.WEEKLY_DAYS


def test_what_gives_way_is_named_worst_first() -> None:
    over = gives_way(TODAY.times(100))
    loads = [part.load(TODAY.times(100)) for part in over]
    assert loads == sorted(loads, reverse=True)
    assert all(load > 1 for load in loads)


def test_every_measured_figure_says_when_and_how() -> None:
    with growth.MEASURED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert all(row[name] for name in ("figure", "listings", "value", "measured_on", "how")), row


def test_the_page_shows_plot_and_table_as_they_are_computed() -> None:
    shown = SHOWN.read_text()
    assert growth.table() in shown
    assert growth.chart() in shown
    assert growth.order() in shown

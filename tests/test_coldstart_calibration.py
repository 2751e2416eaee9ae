"""The model against starts that others timed: tables/measurements.csv."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from checks import coldstart
from checks.coldstart import Estimate, Image, Measurement, measurements
from tests.coldstarting import POD

STARTS = [start for start in measurements() if start.what == "start"]
COLD = [start for start in STARTS if start.state == "cold"]
BIG = [start for start in COLD if start.compressed_gb and start.compressed_gb > 10]
CACHED = next(start for start in STARTS if start.state == "cached")
SMALL = next(start for start in COLD if start.compressed_gb == Decimal("6.8"))


def name(start: Measurement) -> str:
    return f"{start.compressed_gb} GB {start.state}"


def modelled(start: Measurement, **given: int) -> Estimate:
    assert start.compressed_gb is not None
    place = coldstart.Place(
        kind=POD.kind,
        isolation=POD.isolation,
        image_cache=POD.image_cache,
        cached=start.state == "cached",
    )
    return coldstart.estimate(Image(compressed_gb=start.compressed_gb), place, given=given)


def test_there_are_starts_to_calibrate_against() -> None:
    assert len(STARTS) == 4
    assert len(BIG) == 2


@pytest.mark.parametrize("start", STARTS, ids=name)
def test_the_range_holds_every_measured_start(start: Measurement) -> None:
    total = modelled(start).total_s
    assert total.low <= start.seconds_low
    assert start.seconds_high <= total.high


@pytest.mark.parametrize("start", [*BIG, CACHED], ids=name)
def test_the_likely_time_is_within_30_percent_of_the_measured_one(start: Measurement) -> None:
    middle = (start.seconds_low + start.seconds_high) / 2
    assert abs(modelled(start).total_s.likely - middle) <= middle * Decimal("0.3")


def test_the_small_start_was_as_quick_as_a_cached_one() -> None:
    """A cold pull cannot beat no pull at all: layers of it must have been there."""
    assert SMALL.seconds_high < CACHED.seconds_low


def test_shared_layers_are_never_taken_for_likely() -> None:
    assert modelled(SMALL).total_s.likely > 2 * SMALL.seconds_high
    assert modelled(SMALL).total_s.likely == modelled(SMALL, shared_share=0).total_s.likely


def test_shared_layers_open_the_low_end_and_explain_the_small_start() -> None:
    apart, shared = modelled(SMALL, shared_share=0), modelled(SMALL)
    assert shared.total_s.low < apart.total_s.low
    assert apart.total_s.high == shared.total_s.high
    every_layer_shared = modelled(SMALL, shared_share=1).total_s
    assert abs(every_layer_shared.likely - SMALL.seconds_low) <= SMALL.seconds_low * Decimal("0.3")


def test_a_range_says_something() -> None:
    """A model that answers "from nothing to hours" would hold every start, too."""
    for start in BIG:
        total = modelled(start).total_s
        assert total.high < 10 * start.seconds_high


def test_the_documentation_shows_what_the_model_says() -> None:
    text = (Path(__file__).parents[1] / "docs" / "cold-start.md").read_text()
    for start in STARTS:
        total = modelled(start).total_s
        figures = f"{total.low:.0f} – {total.likely:.0f} – {total.high:.0f}"
        row = next(line for line in text.splitlines() if line.startswith(f"| {name(start)} "))
        assert row.endswith(f"| {figures} |")

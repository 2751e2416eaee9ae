"""Figures beside a price: each that a source tells has words and a unit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from providers import sources
from providers.listing_extras import extra_facts, is_named


def told_by_sources() -> Iterator[str]:
    """The names that sources give to `figures`."""
    for path in sorted(Path(sources.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "figures":
                yield from (keyword.arg for keyword in node.keywords if keyword.arg)


def test_every_figure_that_a_source_tells_has_words() -> None:
    found = set(told_by_sources())
    assert len(found) >= 8
    assert {name for name in found if not is_named(name)} == set()
    assert is_named("median_usd_gpu_hour")


def test_figures_stand_in_one_order_with_their_units() -> None:
    found = extra_facts({"inet_up_mbps": "940", "disk_gb": "512"})
    assert [(str(label), text) for label, text in found] == [
        ("Disk", "512 GB"),
        ("Upload", "940 Mbit/s"),
    ]


def test_a_figure_without_words_stands_last_as_its_source_spells_it() -> None:
    found = extra_facts({"fan_speed_rpm": "900", "disk_gb": "1"})
    assert [(str(label), text) for label, text in found] == [
        ("Disk", "1 GB"),
        ("fan speed rpm", "900"),
    ]


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ("1843.2", "1843"),
        ("12.54", "12.5"),
        ("0.0026", "0.0026"),
        ("0.00263333", "0.00263"),
        ("0", "0"),
        ("0.15", "0.15"),
        ("100", "100"),
        ("99.96", "100"),
    ],
)
def test_three_digits_say_enough(figure: str, shown: str) -> None:
    assert extra_facts({"spare": figure}) == (("spare", shown),)


def test_no_figures_make_no_lines() -> None:
    assert extra_facts({}) == ()

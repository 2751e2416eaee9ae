"""The tables of the cold start: each figure has a reason, each fault is told, all at once."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Basis, Bounds, Image, Place, Range, assume, assumption_rows
from checks.coldstart.assumptions import ASSUMPTIONS_FILE, BOUNDS, read_assumptions
from checks.coldstart.evidence import (
    DOCUMENTED_FILE,
    MEASUREMENTS_FILE,
    documented,
    read_documented,
    read_measurements,
)
from checks.coldstart.marks import LAYER_MARKS_FILE, read_marks
from gpucompare.csv_rows import FaultyFilesError
from providers.catalog.files import read_directory

CATALOG = Path(__file__).parents[1] / "fixtures" / "catalog"
CODE = Path(coldstart.__file__).parent


def written(folder: Path, like: Path, *rows: str) -> Path:
    path = folder / like.name
    heading = like.read_text().splitlines()[0]
    path.write_text("".join(f"{row}\n" for row in (heading, *rows)))
    return path


# --- Our own figures ---------------------------------------------------------------


def test_every_assumption_says_why_and_what_is_not_judged_says_where() -> None:
    for row in assumption_rows().values():
        assert len(row.why) > 20, row.key
        assert row.basis == "judged" or row.source.startswith("https://"), row.key
        assert row.basis not in ("measured", "calibrated") or row.read_on, row.key


def test_no_assumption_was_read_in_the_future() -> None:
    assert all(
        row.read_on <= date(2026, 11, 30) for row in assumption_rows().values() if row.read_on
    )


@pytest.mark.parametrize("key", [key for key in assumption_rows() if "." not in key])
def test_every_assumption_is_used(key: str) -> None:
    """A figure that no formula reads would be shown to readers for nothing."""
    texts = [path.read_text() for path in CODE.glob("*.py")]
    assert any(f'"{key}"' in text for text in texts)


@pytest.mark.parametrize("key", [key for key in assumption_rows() if "." in key])
def test_what_is_assumed_for_one_place_differs_from_the_general_case(key: str) -> None:
    general = assumption_rows()[key.partition(".")[0]]
    assert assumption_rows()[key].range != general.range


def test_every_documented_number_has_the_source_of_the_catalogs_claim() -> None:
    claims = {
        f"{file.data['slug']}/{offering['slug']}": offering.get("claims", {})
        for file in read_directory(CATALOG)
        for offering in file.data["offerings"]
    }
    dimensions = {"provision_s": "cold_start", "minimum_s": "billing_increment_s"}
    for (offering, what), row in documented().items():
        claim = claims[offering][dimensions[what]]
        assert row.source == claim["source"], offering
        assert (str(row.read_on) if row.read_on else None) == claim["read_on"], offering


def test_every_measurement_was_taken_at_an_offering_of_the_catalog() -> None:
    offerings = {
        f"{file.data['slug']}/{offering['slug']}"
        for file in read_directory(CATALOG)
        for offering in file.data["offerings"]
    }
    assert {row.offering for row in coldstart.measurements()} <= offerings


def test_a_documented_number_is_found_by_its_offering() -> None:
    assert coldstart.provision_of("google-cloud/cloud-run") == Bounds(Decimal(5), Decimal(5))
    assert coldstart.provision_of("massed-compute/virtual-machines") == Bounds(None, Decimal(300))
    assert coldstart.provision_of("runpod/pods") is None
    assert coldstart.minimum_of("aws/ec2-dlami") == 60
    assert coldstart.minimum_of("runpod/pods") is None


# --- The reader's own figures ---------------------------------------------------------------


@given(st.sampled_from(sorted(assumption_rows())), st.data())
def test_a_readers_figure_stands_in_every_case(key: str, data: Any) -> None:
    least, most = BOUNDS[assumption_rows()[key].unit]
    figure = data.draw(st.decimals(least, min(most, Decimal(10**6)), places=3))
    name, _point, place = key.partition(".")
    found = assume({key: figure})
    for case in ("low", "likely", "high"):
        assert found.at(case, name, place) == figure
    assert found.is_given(name, place)


def test_a_range_of_the_readers_keeps_its_ends_the_right_way_round() -> None:
    found = assume({"registry_mb_s": Range(Decimal(10), Decimal(20), Decimal(30))})
    assert found.at("low", "registry_mb_s") == 30  # the best case is the fastest
    assert found.at("high", "registry_mb_s") == 10
    longer = assume({"ready_s": Range(Decimal(10), Decimal(20), Decimal(30))})
    assert longer.at("low", "ready_s") == 10


def test_a_general_figure_of_the_readers_goes_for_every_place() -> None:
    found = assume({"provision_s": 7})
    assert found.at("likely", "provision_s", "vm") == 7
    assert found.is_given("provision_s", "vm")


def test_a_figure_for_one_place_leaves_the_others_alone() -> None:
    found = assume({"provision_s.vm": 7, "provision_s": 9})
    assert found.at("likely", "provision_s", "vm") == 7
    assert found.at("likely", "provision_s", "container") == 9
    alone = assume({"provision_s.vm": 7})
    assert alone.at("likely", "provision_s", "container") == 20
    assert not alone.is_given("provision_s", "container")


def test_the_first_place_with_a_row_of_its_own_counts() -> None:
    found = assume()
    assert found.at("likely", "provision_s", "microvm", "vm") == 10
    assert found.at("likely", "provision_s", "unheard_of", "vm") == 100
    assert found.at("likely", "provision_s", "unheard_of") == 60


@given(st.sampled_from(["provision_s", "container_start_s", "ready_s"]), st.integers(0, 10**6))
def test_a_readers_figure_is_what_its_phase_takes(key: str, figure: int) -> None:
    phase = {"provision_s": 0, "container_start_s": 3, "ready_s": 5}[key]
    found = coldstart.estimate(Image(compressed_gb=1), Place(isolation="vm"), given={key: figure})
    assert found.phases[phase].seconds == Range.exactly(Decimal(figure))
    assert found.phases[phase].basis is Basis.GIVEN
    others = [p for at, p in enumerate(found.phases) if at not in (phase, 4)]
    assert all(p.basis is Basis.ASSUMED for p in others)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("registry_mb_s", 0),
        ("registry_mb_s", -5),
        ("parallel_layers", "0.5"),
        ("shared_share", "1.01"),
        ("unpacked_ratio", "0.5"),
        ("ready_s", -1),
        ("ready_s", "soon"),
        ("ready_s", "NaN"),
        ("ready_s", "1e12"),
        ("shared_share", Range(Decimal(0), Decimal(1), Decimal(2))),
    ],
)
def test_a_figure_that_its_unit_does_not_allow_is_refused_by_name(key: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=key):
        assume({key: wrong})


def test_an_assumption_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(ValueError, match=r"'speed' is no assumption; there are .*provision_s"):
        coldstart.estimate(Image(compressed_gb=1), given={"speed": 5})


def test_a_range_out_of_order_is_refused() -> None:
    for ends in ((2, 1, 3), (1, 3, 2), (-1, 0, 1)):
        with pytest.raises(ValueError, match="not in order"):
            Range(*map(Decimal, ends))


# --- Faults ---------------------------------------------------------------


def test_all_faults_of_the_assumptions_are_told_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        ASSUMPTIONS_FILE,
        "ready_s,5,1,9,s,longer,judged,,,out of order",
        "hub_mb_s,0,1,9,MB/s,shorter,judged,,,a divisor of nothing",
        "share,0,1,2,share,longer,judged,,,more than all",
        "start_s,1,2,3,s,longer,documented,,,without a source",
        "start_s,1,2,3,hours,longer,judged,,,no such unit",
        "link_mbps.vm,1,2,3,Mbit/s,shorter,judged,,,nothing general",
        "x_s,1,2,3,s,longer,judged,,,once",
        "x_s,1,2,3,s,longer,judged,,,twice",
        "x_s.vm,1,2,3,s,shorter,judged,,,the other way round",
        "y_s,1,2,3,s,longer,judged,,",
    )
    with pytest.raises(FaultyFilesError) as caught:
        read_assumptions(path)
    told = caught.value.faults
    assert [fault.partition(": ")[0] for fault in told] == [
        *(f"assumptions.csv:{line}" for line in (2, 3, 4, 5, 6, 11)),
        *(f"assumptions.csv:{line}" for line in (9, 7, 10)),
    ]
    for words in (
        "low, likely and high are not in order",
        "MB/s goes from 0.001 to 1000000000",
        "share goes from 0 to 1",
        "documented needs a source",
        "unit: ",
        "why: ",
        "x_s stands at assumptions.csv:8 already",
        "link_mbps.vm has no general row",
        "x_s.vm has another unit or effect",
    ):
        assert words in str(caught.value)


def test_a_heading_of_another_shape_is_told(tmp_path: Path) -> None:
    path = tmp_path / "assumptions.csv"
    path.write_text("key,value\nready_s,5\n")
    with pytest.raises(FaultyFilesError, match="the columns are key,value; expected key,low"):
        read_assumptions(path)


def test_all_faults_of_the_measurements_are_told_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        MEASUREMENTS_FILE,
        "start,0,cold,1,2,a/b,,2026-01-01,https://x.example",
        "start,1,warm,1,2,a/b,,2026-01-01,https://x.example",
        "start,1,cold,3,2,a/b,,2026-01-01,https://x.example",
        "start,1,cold,1,2,a/b,,someday,https://x.example",
    )
    with pytest.raises(FaultyFilesError) as caught:
        read_measurements(path)
    assert [fault.split(": ")[0] for fault in caught.value.faults] == [
        f"measurements.csv:{line}" for line in (2, 3, 4, 5)
    ]


def test_all_faults_of_the_documented_numbers_are_told_at_once(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        DOCUMENTED_FILE,
        "no-offering,provision_s,1,2,https://x.example,",
        "a/b,provision_s,,,https://x.example,",
        "a/b,provision_s,3,2,https://x.example,",
        "a/b,price,1,2,https://x.example,",
        "a/c,minimum_s,1,2,https://x.example,",
        "a/c,minimum_s,1,2,https://x.example,",
    )
    with pytest.raises(FaultyFilesError) as caught:
        read_documented(path)
    assert [fault.split(": ")[0] for fault in caught.value.faults] == [
        f"documented.csv:{line}" for line in (2, 3, 4, 5, 7)
    ]
    assert "minimum_s of a/c stands there already" in str(caught.value)


def test_a_mark_that_is_no_pattern_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, LAYER_MARKS_FILE, "devel,(,,open", "toys,x,,unknown role")
    with pytest.raises(FaultyFilesError, match="not a regular expression") as caught:
        read_marks(path)
    assert len(caught.value.faults) == 2

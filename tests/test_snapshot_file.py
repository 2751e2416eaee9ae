"""Reading the bundled prices: every fault of every file at once, each with its line."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings

from providers.refresh.snapshot_file import SnapshotRow, read_snapshot

HEAD = ",".join(SnapshotRow.model_fields)
ROW = "akash,deployments,H100,80,1,market,1.25,,https://akash.example/prices,2026-05-24"
TODAY = date(2026, 11, 30)
KNOWN = {("akash", "deployments"), ("runpod", "pods")}


def write(directory: Path, *lines: str, name: str = "prices.csv", head: str = HEAD) -> None:
    (directory / name).write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def read(directory: Path) -> tuple[list[SnapshotRow], list[str]]:
    return read_snapshot(directory, KNOWN, TODAY)


def test_rows_of_all_files_are_read(tmp_path: Path) -> None:
    write(tmp_path, ROW)
    write(tmp_path, ROW.replace("H100", "A100").replace("1.25,", "1.25,0.5"), name="more.csv")
    rows, faults = read(tmp_path)
    assert faults == []
    spot, plain = rows
    assert (plain.usd_per_gpu_hour, plain.spot_usd_per_gpu_hour) == (Decimal("1.25"), None)
    assert spot.spot_usd_per_gpu_hour == Decimal("0.5")
    assert plain.observed_on == date(2026, 5, 24)


def test_the_key_leaves_out_what_may_change() -> None:
    values = dict(zip(SnapshotRow.model_fields, ROW.split(","), strict=True))
    values["spot_usd_per_gpu_hour"] = "0.5"
    row = SnapshotRow.model_validate(values)
    later = row.model_copy(update={"usd_per_gpu_hour": Decimal(9), "observed_on": TODAY})
    assert row.key == later.key == "snapshot:H100/80GB/x1/market"
    for field, other in (("gpu_name", "X"), ("vram_gb", 1), ("gpu_count", 8), ("tier", "")):
        assert row.model_copy(update={field: other}).key != row.key


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("1.25", "0", "usd_per_gpu_hour"),
        ("1.25", "-1", "usd_per_gpu_hour"),
        ("1.25", "free", "usd_per_gpu_hour"),
        ("1.25", "1.2345678", "usd_per_gpu_hour"),
        ("1.25", "NaN", "usd_per_gpu_hour"),
        ("1.25", "", "a row needs usd_per_gpu_hour or spot_usd_per_gpu_hour"),
        ("1.25,", "1.25,1.26", "spot_usd_per_gpu_hour 1.26 is above usd_per_gpu_hour 1.25"),
        (",80,", ",0,", "vram_gb"),
        (",1,market", ",0,market", "gpu_count"),
        ("https://", "ftp://", "source"),
        ("2026-05-24", "24 May", "observed_on"),
        ("2026-05-24", "2026-12-01", "observed_on 2026-12-01 lies in the future"),
        ("akash,", "akashic,", "no offering akashic/deployments in the catalog"),
        ("deployments", "pods", "no offering akash/pods in the catalog"),
        ("H100", "", "gpu_name"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    write(tmp_path, ROW.replace("H100", "H200"), ROW.replace(old, new, 1))
    _rows, (fault,) = read(tmp_path)
    assert fault.startswith("prices.csv:3: ")
    assert told in fault


def test_all_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, ROW.replace("akash,", "nobody,"), ROW.replace("1.25", "0"))
    write(tmp_path, ROW.replace(",80,", ",x,"), name="more.csv")
    _rows, faults = read(tmp_path)
    assert [fault.split(": ")[0] for fault in faults] == [
        "more.csv:2",
        "prices.csv:3",
        "prices.csv:2",
    ]


def test_a_configuration_stands_once_over_all_files(tmp_path: Path) -> None:
    write(tmp_path, ROW, name="a.csv")
    write(tmp_path, ROW.replace("1.25", "1.30"), name="b.csv")
    _rows, faults = read(tmp_path)
    assert faults == ["b.csv:2: the same configuration stands at a.csv:2 already"]


def test_a_folder_without_prices_is_a_fault_not_a_withdrawal_of_all(tmp_path: Path) -> None:
    _rows, (fault,) = read(tmp_path)
    assert fault.endswith("holds no *.csv file")


def test_wrong_columns_are_told(tmp_path: Path) -> None:
    write(tmp_path, ROW, head=HEAD.replace("usd_per_gpu_hour", "price", 1))
    _rows, (fault,) = read(tmp_path)
    assert fault.startswith("prices.csv:1: the columns are")


def test_the_projects_own_prices_are_sound() -> None:
    class Any(set[tuple[str, str]]):
        def __contains__(self, offering: object) -> bool:
            return True

    rows, faults = read_snapshot(settings.LISTINGS_DIR, Any(), TODAY)
    assert faults == []
    assert len(rows) > 200
    assert {row.observed_on for row in rows} == {date(2026, 5, 24)}

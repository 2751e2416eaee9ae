"""`fixtures/listings/*.csv`: dated prices, checked. Pure: files in, rows and faults out."""

from __future__ import annotations

from collections.abc import Container
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gpucompare.csv_rows import Line, read_rows

# Like the columns it goes to: 8 digits before the point, 6 after.
_Price = Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=6)]


class SnapshotRow(BaseModel):
    """One priced configuration. Prices are USD an hour for **one** GPU of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    provider: str
    offering: str
    gpu_name: str = Field(max_length=100)
    vram_gb: int = Field(gt=0)
    gpu_count: int = Field(gt=0, le=1024)
    tier: str = Field(default="", max_length=64)
    usd_per_gpu_hour: _Price | None = None
    spot_usd_per_gpu_hour: _Price | None = None
    source: str = Field(pattern=r"^https?://\S+$", max_length=500)
    observed_on: date

    @model_validator(mode="after")
    def _prices_make_sense(self) -> Self:
        usd, spot = self.usd_per_gpu_hour, self.spot_usd_per_gpu_hour
        if usd is None and spot is None:
            raise ValueError("a row needs usd_per_gpu_hour or spot_usd_per_gpu_hour")
        if usd is not None and spot is not None and spot > usd:
            raise ValueError(f"spot_usd_per_gpu_hour {spot} is above usd_per_gpu_hour {usd}")
        return self

    @property
    def key(self) -> str:
        """What stays the same when price and day change; unique within an offering."""
        return f"snapshot:{self.gpu_name}/{self.vram_gb}GB/x{self.gpu_count}/{self.tier}"


def read_snapshot(
    directory: Path, offerings: Container[tuple[str, str]], today: date
) -> tuple[list[SnapshotRow], list[str]]:
    """The rows of every file, and all faults of all files.

    `offerings` are the known (provider, offering) slugs.
    """
    paths = sorted(directory.glob("*.csv"))
    faults = [] if paths else [f"{directory}: holds no *.csv file"]
    lines: list[Line[SnapshotRow]] = []
    for path in paths:
        found, wrong = read_rows(path, SnapshotRow)
        lines += found
        faults += wrong
    first: dict[tuple[str, str, str], str] = {}
    for line in lines:
        row = line.row
        if (row.provider, row.offering) not in offerings:
            faults.append(f"{line.at}: no offering {row.provider}/{row.offering} in the catalog")
        if row.observed_on > today:
            faults.append(f"{line.at}: observed_on {row.observed_on} lies in the future")
        earlier = first.setdefault((row.provider, row.offering, row.key), line.at)
        if earlier != line.at:
            faults.append(f"{line.at}: the same configuration stands at {earlier} already")
    return [line.row for line in lines], faults

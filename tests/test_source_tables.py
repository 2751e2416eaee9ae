"""The tables that tell which GPUs a name stands for: sourced, whole, and known to the GPU table."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucompare.csv_rows import FaultyFilesError
from providers.gpu_file import read_gpus
from providers.gpus import resolve
from providers.sources.gcp_machines import LOCAL_SSD, MachineRow, left_out, parts
from providers.sources.tables import OWN_TABLE, HardwareRow, TableRow, read_table

KINDS: dict[str, type[TableRow]] = {
    "aws": HardwareRow,
    "azure": HardwareRow,
    "azure_regions": TableRow,
    "gcp": MachineRow,
    "gcp_parts": TableRow,
    "oracle": HardwareRow,
}
PROVIDERS = {"aws": "aws", "azure": "azure", "gcp": "google-cloud", "oracle": "oracle-cloud"}
HEAD = "name,left_out,source,read_on,gpu,gpu_count,vram_gb\n"
GOOD = "p5,,https://example.com/sizes,2026-01-02,H100 SXM,,80\n"


def written(folder: Path, text: str) -> Path:
    (folder / "sizes.csv").write_text(text)
    return folder


def hardware(name: str) -> list[HardwareRow]:
    rows = read_table(name, KINDS[name]).values()
    return [row for row in rows if isinstance(row, HardwareRow) and row.gpu]


def test_every_table_can_be_read() -> None:
    for name, kind in KINDS.items():
        assert read_table(name, kind), name


@pytest.mark.parametrize(("name", "provider"), PROVIDERS.items())
def test_every_gpu_of_a_table_is_one_model_of_the_gpu_table(name: str, provider: str) -> None:
    for row in hardware(name):
        assert resolve(row.gpu, row.vram_gb, provider).gpu, row


@pytest.mark.parametrize(("name", "provider"), PROVIDERS.items())
def test_a_row_from_the_gpu_table_says_what_an_alias_there_says(name: str, provider: str) -> None:
    """Else its source would be an address that does not hold what the row claims."""
    known = {
        (alias.casefold(), gpu.name)
        for gpu in read_gpus()
        for source, alias in gpu.sourced_aliases
        if source == provider
    }
    for row in hardware(name):
        if row.source != OWN_TABLE:
            continue
        word = row.name.casefold()
        starts = (f"{word}.", f"vm.{word}.", f"bm.{word}.")
        named = {model for alias, model in known if alias == word or alias.startswith(starts)}
        assert named == {row.gpu}, row


def test_only_aws_and_oracle_lean_on_the_gpu_table() -> None:
    for name in ("azure", "gcp"):
        assert all(row.source.startswith("https://") for row in hardware(name))


def test_sizes_and_machines_tell_their_gpu_count_for_no_answer_does() -> None:
    assert all(row.gpu_count for name in ("azure", "gcp") for row in hardware(name))


def test_families_and_series_leave_the_count_to_the_answer() -> None:
    assert not any(row.gpu_count for name in ("aws", "oracle") for row in hardware(name))


def test_a_part_left_out_is_a_part_of_no_machine() -> None:
    assert not left_out().keys() & parts()


def test_machines_of_several_parts_name_them_all() -> None:
    for row in read_table("gcp", MachineRow).values():
        assert row.gpu_part, row
        assert bool(row.vcpus) == bool(row.core_part), row
        assert bool(row.memory_gb) == bool(row.ram_part), row
    assert LOCAL_SSD in parts()


def test_a_good_row_is_read(tmp_path: Path) -> None:
    row = read_table("sizes", HardwareRow, written(tmp_path, HEAD + GOOD))["p5"]
    assert (row.gpu, row.gpu_count, row.vram_gb) == ("H100 SXM", None, 80)
    assert str(row.read_on) == "2026-01-02"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("p5,,https://example.com,,,,", "either a GPU or a reason"),
        ("p5,Slices,https://example.com,,H100 SXM,,80", "either a GPU or a reason"),
        ("p5,,https://example.com,,H100 SXM,,", "told with its memory"),
        ("p5,,https://example.com,,H100 SXM,0,80", "gpu_count"),
        ("p5,,,,H100 SXM,8,80", "source"),
        ("p5,,a friend,,H100 SXM,8,80", "source"),
        ("p5,,http://example.com,,H100 SXM,8,80", "source"),
        ("p5,,https://example.com,yesterday,H100 SXM,8,80", "read_on"),
        ("p5,,https://example.com,,H100 SXM,8,80,more", "too many cells"),
        (GOOD.strip(), "'p5' stands twice"),
    ],
)
def test_a_faulty_row_is_told_with_its_line(tmp_path: Path, line: str, fault: str) -> None:
    folder = written(tmp_path, HEAD + GOOD + line + "\n")
    with pytest.raises(FaultyFilesError) as raised:
        read_table("sizes", HardwareRow, folder)
    assert [text for text in raised.value.faults if fault in text and "sizes.csv:3" in text]


def test_a_table_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(FaultyFilesError, match=r"sizes\.csv"):
        read_table("sizes", HardwareRow, tmp_path)

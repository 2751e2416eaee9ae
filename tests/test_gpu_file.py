"""Reading the GPU table: every fault at once, each with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucompare.csv_rows import FaultyFilesError
from providers.gpu_file import GpuRow, read_exceptions, read_gpus

HEAD = ",".join(GpuRow.model_fields)
H100 = "h100-sxm,H100 SXM,h100,H100,NVIDIA,datacenter,80,Hopper,9.0,SXM5,81559,x:H100,,table"
NVL = "h100-nvl,H100 NVL,h100,H100,NVIDIA,datacenter,94,Hopper,9.0,PCIe,95830,,,table"
T4 = "t4,T4,t4,T4,NVIDIA,datacenter,16,Turing,7.5,PCIe,15360,aws:G4dn|x:T 4,,table"


@pytest.fixture
def gpus(tmp_path: Path) -> Path:
    return tmp_path / "gpus.csv"


def write(path: Path, *lines: str, head: str = HEAD) -> Path:
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(FaultyFilesError) as caught:
        read_gpus(path)
    return caught.value.faults


def test_a_good_file_gives_its_rows_in_order(gpus: Path) -> None:
    rows = read_gpus(write(gpus, H100, NVL, T4))
    assert [row.slug for row in rows] == ["h100-sxm", "h100-nvl", "t4"]
    assert rows[0].vram_gb == 80
    assert rows[1].aliases == ()
    assert rows[2].sourced_aliases == [("aws", "G4dn"), ("x", "T 4")]


def test_all_faults_of_a_file_are_told_with_their_lines(gpus: Path) -> None:
    wrong = H100.replace(",80,", ",many,").replace("datacenter", "kitchen")
    found = faults(write(gpus, T4, wrong, NVL.replace("h100-nvl", "H100 NVL", 1)))
    assert len(found) == 3
    assert any(f.startswith("gpus.csv:3: segment:") and "kitchen" in f for f in found)
    assert any(f.startswith("gpus.csv:3: vram_gb:") and "many" in f for f in found)
    assert any(f.startswith("gpus.csv:4: slug:") for f in found)


def test_a_missing_cell_is_named(gpus: Path) -> None:
    assert faults(write(gpus, T4.replace(",Turing,", ",,"))) == [
        "gpus.csv:2: architecture: Field required"
    ]


def test_wrong_columns_are_one_fault(gpus: Path) -> None:
    (fault,) = faults(write(gpus, T4, T4, head=HEAD.replace("vendor", "maker")))
    assert fault.startswith("gpus.csv:1: the columns are")


def test_a_row_with_too_many_cells_is_a_fault(gpus: Path) -> None:
    (fault,) = faults(write(gpus, T4 + ",more"))
    assert "too many cells" in fault


def test_a_missing_file_is_a_fault(gpus: Path) -> None:
    (fault,) = faults(gpus)
    assert "No such file" in fault


def test_bytes_that_are_no_text_are_a_fault(gpus: Path) -> None:
    gpus.write_bytes(HEAD.encode() + b"\n\xff\xfe\n")
    (fault,) = faults(gpus)
    assert fault.startswith("gpus.csv: ")


def test_a_slug_and_a_name_stand_once(gpus: Path) -> None:
    found = faults(write(gpus, H100, NVL, H100.replace("x:H100", "")))
    assert "gpus.csv:4: slug 'h100-sxm' stands at gpus.csv:2 already" in found
    assert "gpus.csv:4: name 'H100 SXM' stands at gpus.csv:2 already" in found


def test_a_family_has_one_name_and_one_vendor(gpus: Path) -> None:
    (fault,) = faults(write(gpus, H100, NVL.replace("NVIDIA", "AMD")))
    assert fault == "gpus.csv:3: vendor is 'AMD', but 'NVIDIA' at gpus.csv:2"


def test_a_family_of_one_shares_its_models_slug(gpus: Path) -> None:
    (fault,) = faults(write(gpus, H100))
    assert fault == "gpus.csv:2: 'h100-sxm' is alone in family 'h100': give both one slug"


def test_a_familys_slug_is_no_models(gpus: Path) -> None:
    (fault,) = faults(write(gpus, H100, NVL.replace("h100-nvl", "h100", 1)))
    assert fault == "gpus.csv:3: slug 'h100' is the slug of a family of several"


def test_an_alias_stands_once_in_a_row(gpus: Path) -> None:
    (fault,) = faults(write(gpus, T4.replace("x:T 4", "aws:G4dn")))
    assert fault == "gpus.csv:2: alias 'aws:G4dn' stands twice"


def test_an_alias_names_its_source(gpus: Path) -> None:
    (fault,) = faults(write(gpus, T4.replace("aws:G4dn", "G4dn")))
    assert fault.startswith("gpus.csv:2: aliases.0:")


def test_measured_memory_fits_the_marketed(gpus: Path) -> None:
    (fault,) = faults(write(gpus, T4.replace("15360", "7680")))
    assert fault == "gpus.csv:2: smi_mib 7680 does not fit vram_gb 16"


def test_an_exception_needs_a_reason_and_a_known_kind(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "aws,Foo,odd,", head="source,name,kind,reason")
    with pytest.raises(FaultyFilesError) as caught:
        read_exceptions(path)
    assert [fault[:14] for fault in caught.value.faults] == ["x.csv:2: kind:", "x.csv:2: reaso"]


def test_the_projects_own_files_are_sound() -> None:
    rows = read_gpus()
    assert len(rows) > 130
    assert {"h100", "a100", "rtx-pro-6000"} <= {row.family for row in rows}
    assert read_exceptions()


def test_families_that_hold_several_models_are_those_that_share_a_trade_name() -> None:
    members: dict[str, list[str]] = {}
    for row in read_gpus():
        members.setdefault(row.family, []).append(row.slug)
    assert {family: slugs for family, slugs in members.items() if len(slugs) > 1} == {
        "h200": ["h200-sxm", "h200-nvl"],
        "h100": ["h100-sxm", "h100-pcie", "h100-nvl", "h100-cnx"],
        "a100": ["a100-sxm-80gb", "a100-pcie-80gb", "a100-sxm-40gb", "a100-pcie-40gb"],
        "v100": ["v100-sxm2-16gb", "v100-pcie-16gb", "v100-32gb"],
        "rtx-pro-6000": [
            "rtx-pro-6000-server",
            "rtx-pro-6000-workstation",
            "rtx-pro-6000-max-q",
        ],
        "rtx-5060-ti": ["rtx-5060-ti-16gb", "rtx-5060-ti-8gb"],
        "rtx-4060-ti": ["rtx-4060-ti-16gb", "rtx-4060-ti-8gb"],
    }


def test_a_family_never_mixes_architectures() -> None:
    kinds: dict[str, set[tuple[str, str]]] = {}
    for row in read_gpus():
        kinds.setdefault(row.family, set()).add((row.architecture, row.compute_capability))
    assert {family: kind for family, kind in kinds.items() if len(kind) > 1} == {}

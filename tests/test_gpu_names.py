"""What a GPU's name means: providers.gpus."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.gpu_file import GpuRow
from providers.gpus import GpuMatch, Spelling, exception, gpu_rows, resolve, vram_of

UNKNOWN = GpuMatch()
ROWS = gpu_rows()
FAMILY_OF = {row.slug: row.family for row in ROWS}
ALIASES = sorted({(s, alias) for row in ROWS for s, alias in row.sourced_aliases})


def model(slug: str) -> GpuMatch:
    return GpuMatch(FAMILY_OF[slug], slug)


def bearers(source: str, alias: str) -> list[GpuRow]:
    return [row for row in ROWS if f"{source}:{alias}" in row.aliases]


def expected(rows: list[GpuRow]) -> GpuMatch:
    """What a name means that several rows bear: the model, or their family, or nothing."""
    families = {row.family for row in rows}
    if len(rows) == 1:
        return model(rows[0].slug)
    return GpuMatch(families.pop()) if len(families) == 1 else UNKNOWN


def test_every_alias_means_its_row_at_its_source() -> None:
    wrong = {
        f"{source}:{alias}": resolve(alias, source=source)
        for source, alias in ALIASES
        if resolve(alias, source=source) != expected(bearers(source, alias))
    }
    assert wrong == {}


def test_an_alias_of_several_rows_is_decided_by_memory() -> None:
    wrong = {
        f"{source}:{alias} {row.vram_gb} GB": resolve(alias, row.vram_gb, source)
        for source, alias in ALIASES
        for row in bearers(source, alias)
        if resolve(alias, row.vram_gb, source)
        != expected([r for r in bearers(source, alias) if r.vram_gb == row.vram_gb])
    }
    assert wrong == {}


def test_an_alias_means_its_family_without_a_source_where_no_other_family_bears_it() -> None:
    families: dict[str, set[str]] = {}
    for row in ROWS:
        for _source, alias in row.sourced_aliases:
            families.setdefault(Spelling.of(alias).stem, set()).add(row.family)
    wrong = {
        alias: resolve(alias)
        for _source, alias in ALIASES
        if len(alone := families[Spelling.of(alias).stem]) == 1
        and resolve(alias).family not in alone
    }
    assert wrong == {}


def test_every_model_answers_to_its_own_name_anywhere() -> None:
    for source in ("", "a-provider-nobody-knows"):
        met = {row.slug: resolve(row.name, row.vram_gb, source) for row in ROWS}
        assert met == {row.slug: model(row.slug) for row in ROWS}


def test_every_family_answers_to_its_name() -> None:
    assert {row.family: resolve(row.family_name).family for row in ROWS} == {
        row.family: row.family for row in ROWS
    }


SEPARATORS = st.sampled_from([" ", "-", "_", "  ", " - "])


@st.composite
def respelled(draw: st.DrawFn) -> tuple[str, str]:
    """A model's name, and the same as somebody else may write it."""
    row = draw(st.sampled_from(ROWS))
    words = [draw(st.sampled_from([w.lower(), w.upper(), w])) for w in row.name.split()]
    spelled = words[0]
    for word in words[1:]:
        spelled += draw(SEPARATORS) + word
    maker = draw(st.sampled_from(["", "NVIDIA ", "nvidia_", "AMD-", "GeForce ", "NVIDIA Tesla "]))
    return row.name, maker + spelled + draw(st.sampled_from(["", " ", " Edition"]))


@given(respelled())
def test_spelling_does_not_matter(names: tuple[str, str]) -> None:
    plain, spelled = names
    assert resolve(spelled) == resolve(plain)


@given(
    st.sampled_from([row for row in ROWS if row.vram_gb and "GB" not in row.name.upper()]),
    st.sampled_from(["{} {}GB", "{} {} GB", "{}-{}gb", "{}_{}GB", "{} ({} GB)", "{} {}GiB"]),
)
def test_memory_in_the_name_counts_like_memory_beside_it(row: GpuRow, form: str) -> None:
    assert resolve(form.format(row.name, row.vram_gb)) == resolve(row.name, row.vram_gb)


@given(st.text(max_size=40), st.none() | st.floats(0.1, 2000), st.sampled_from(["", "aws", "x"]))
def test_any_text_gets_an_answer_of_the_table(name: str, vram: float | None, source: str) -> None:
    match = resolve(name, vram, source)
    assert match.gpu is None or FAMILY_OF[match.gpu] == match.family
    assert match.family is None or match.family in FAMILY_OF.values()


@pytest.mark.parametrize(
    ("name", "vram", "slug"),
    [
        ("H100", 94, "h100-nvl"),
        ("H100", 95830 / 1024, "h100-nvl"),
        ("A100 SXM4", 40, "a100-sxm-40gb"),
        ("A100 SXM", 79.6, "a100-sxm-80gb"),
        ("H100 SXM5", 81559 / 1024, "h100-sxm"),
        ("NVIDIA H100 80GB HBM3", None, "h100-sxm"),
        ("B300", 288, "b300"),
        ("B300", 270, "b300"),
        ("B300", 268, "b300"),
        ("B300", 262, "b300"),
        ("B200", 192, "b200"),
        ("RTX 4060 Ti", 16, "rtx-4060-ti-16gb"),
        ("NVIDIA GeForce RTX 4060 Ti", 8, "rtx-4060-ti-8gb"),
        ("Tesla V100", 32, "v100-32gb"),
        ("RTX 6000", 24, "quadro-rtx-6000"),
        ("RTX 6000", 48, "rtx-6000-ada"),
        ("RTX 4000", 20, "rtx-4000-ada"),
        ("A6000", None, "rtx-a6000"),
        ("L40s 48GB", None, "l40s"),
        ("AMD Instinct MI300X", 192, "mi300x"),
        ("NVIDIA RTX 6000 Ada Generation", None, "rtx-6000-ada"),
        ("RTX PRO 6000 Blackwell Server Edition", None, "rtx-pro-6000-server"),
        ("GB300 NVL72", None, "gb300"),
    ],
)
def test_a_name_means_a_model(name: str, vram: float | None, slug: str) -> None:
    assert resolve(name, vram) == model(slug)


@pytest.mark.parametrize(
    ("name", "vram", "family"),
    [
        ("A100", None, "a100"),
        ("A100", 80, "a100"),
        ("A100-40GB", None, "a100"),
        ("H100", None, "h100"),
        ("H100", 80, "h100"),
        ("H100 NVLink", 80, "h100"),
        ("H200", 141, "h200"),
        ("DGX A100", None, "a100"),
        ("V100", None, "v100"),
        ("RTX 5060 Ti", None, "rtx-5060-ti"),
        ("RTX PRO 6000", 96, "rtx-pro-6000"),
        ("RTX 6000", 96, "rtx-pro-6000"),
    ],
)
def test_a_name_that_leaves_the_form_open_means_its_family(
    name: str, vram: float | None, family: str
) -> None:
    assert resolve(name, vram) == GpuMatch(family)


@pytest.mark.parametrize("name", ["RTX 6000", "RTX 5000", "RTX 4000", "NVIDIA", "", "GPU", "Foo 9"])
def test_a_name_of_several_families_or_of_none_is_unknown(name: str) -> None:
    assert resolve(name) == UNKNOWN


@pytest.mark.parametrize(
    ("name", "source", "slug"),
    [
        ("A100", "skypilot", "a100-sxm-40gb"),
        ("A100", "shadeform", "a100-pcie-40gb"),
        ("H100", "shadeform", "h100-pcie"),
        ("RTX 6000", "lambda", "quadro-rtx-6000"),
        ("RTX 6000", "nebius", "rtx-pro-6000-server"),
        ("RTX 4000", "runpod", "rtx-4000-ada"),
        ("G4dn", "aws", "t4"),
        ("P6e-GB200", "aws", "gb200"),
        ("Quadro_RTX_6000_16GB", "fluidstack", "quadro-rtx-6000"),
    ],
)
def test_a_source_has_its_own_words(name: str, source: str, slug: str) -> None:
    assert resolve(name, source=source) == model(slug)


def test_measured_memory_overrules_the_word_of_the_source() -> None:
    assert resolve("A100", 40, "skypilot") == model("a100-sxm-40gb")
    assert resolve("A100", 80, "skypilot").family == "a100"
    assert resolve("A100", 80, "skypilot") != model("a100-sxm-40gb")


def test_the_nearest_memory_wins_where_two_are_within_the_tolerance() -> None:
    # 85.5 GB is 81559 MiB in decimal GB: within a tenth of both 80 and 94.
    assert resolve("H100", 85.5) == GpuMatch("h100")


@pytest.mark.parametrize(("name", "vram"), [("RTX 4090", 48), ("RTX 2080 Ti", 22), ("L40", 40)])
def test_a_board_with_other_memory_is_of_the_family_but_not_the_model(name: str, vram: int) -> None:
    assert resolve(name, vram) == GpuMatch(resolve(name).family)


@pytest.mark.parametrize(
    ("name", "vram"),
    [("H100", 40), ("H100_40GB", None), ("A10", 4), ("L4", 3), ("A100", 20), ("RTX PRO 6000", 24)],
)
def test_a_slice_is_not_its_card(name: str, vram: float | None) -> None:
    assert resolve(name, vram) == UNKNOWN


def test_mig_slices_stand_apart() -> None:
    slice_ = resolve("PRO 6000 MIG 24GB", source="runpod")
    assert slice_ == model("rtx-pro-6000-mig-1g-24gb")
    assert slice_.family != resolve("RTX PRO 6000").family


@pytest.mark.parametrize(
    ("name", "source", "vram"),
    [
        ("A100 80GB", "modal", 80),
        ("A100-40", "beam", 40),
        ("H100", "modal", None),
        ("H200", "modal", 141),
        ("P4de", "aws", 80),
        ("RTX 4090 48GB", "", 48),
        ("H100_40GB", "baseten", 40),
        ("Foo 9", "", None),
    ],
)
def test_the_memory_that_a_name_promises(name: str, source: str, vram: int | None) -> None:
    assert vram_of(name, source) == vram


def test_the_memory_is_told_apart_from_other_numbers() -> None:
    assert Spelling.of("A100-SXM4-80GB") == Spelling("a100sxm", 80)
    assert Spelling.of("RTX PRO 6000 MIG 1g.24gb").vram_gb is None
    assert Spelling.of("gpu_8x_h100_sxm5").vram_gb is None
    assert Spelling.of("H100-80G-PCIe") == Spelling("h100pcie", 80)


def test_an_exception_is_known_at_its_source_only() -> None:
    found = exception(" h100_40gb ", "baseten")
    assert found is not None
    assert found.reason
    assert exception("H100_40GB", "modal") is None


def test_sources_can_use_it_without_django() -> None:
    code = "import sys, providers.gpus as g; g.resolve('A100'); print('django' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"

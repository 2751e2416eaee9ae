"""The GPU table in the database follows the file, and is left alone when it does."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from providers.gpu_file import GpuRow
from providers.gpus import GpuMatch, gpu_rows
from providers.models import Gpu, GpuFamily
from providers.refresh.gpu_table import gpu_ids, sync_gpus
from providers.refresh.merge import Counts
from tests.factories import make_listing, make_offering

pytestmark = pytest.mark.django_db

ROWS = gpu_rows()


def load() -> str:
    out = StringIO()
    call_command("load_gpus", stdout=out)
    return out.getvalue()


def changed(slug: str, /, **values: object) -> list[GpuRow]:
    return [row.model_copy(update=values) if row.slug == slug else row for row in ROWS]


def writes(queries: CaptureQueriesContext) -> list[str]:
    verbs = ("INSERT", "UPDATE", "DELETE")
    return [q["sql"] for q in queries.captured_queries if q["sql"].startswith(verbs)]


def test_it_fills_models_and_families() -> None:
    assert load() == f"GPUs: {len(ROWS)} new, 0 changed, 0 removed.\n"
    gpu = Gpu.objects.select_related("family").get(slug="h100-sxm")
    assert (gpu.family.slug, gpu.family.name, gpu.family.vendor) == ("h100", "H100", "NVIDIA")
    assert (gpu.name, gpu.vram_gb, gpu.compute_capability) == ("H100 SXM", 80, "9.0")
    assert "runpod:NVIDIA H100 80GB HBM3" in gpu.aliases
    assert GpuFamily.objects.count() == len({row.family for row in ROWS})


def test_a_second_load_writes_nothing_and_says_so() -> None:
    load()
    with CaptureQueriesContext(connection) as queries:
        assert load() == f"GPUs: nothing changed ({len(ROWS)} models).\n"
    assert writes(queries) == []


def test_a_changed_row_is_the_only_one_written() -> None:
    sync_gpus(ROWS)
    assert sync_gpus(changed("t4", notes="Old.")) == Counts(0, 1, len(ROWS) - 1, 0)
    assert Gpu.objects.get(slug="t4").notes == "Old."


def test_a_family_can_change_its_name() -> None:
    sync_gpus(ROWS)
    sync_gpus(changed("t4", family_name="Tesla T4"))
    assert GpuFamily.objects.get(slug="t4").name == "Tesla T4"


def test_a_model_with_a_new_slug_stays_the_same_row() -> None:
    sync_gpus(ROWS)
    before = Gpu.objects.get(slug="t4").pk
    sync_gpus(changed("t4", slug="tesla-t4", family="tesla-t4"))
    assert Gpu.objects.get(slug="tesla-t4").pk == before
    assert not GpuFamily.objects.filter(slug="t4").exists()


def test_a_model_that_left_the_file_goes_with_its_family() -> None:
    sync_gpus(ROWS)
    counts = sync_gpus([row for row in ROWS if row.slug != "t4"])
    assert counts.withdrawn == 1
    assert not Gpu.objects.filter(slug="t4").exists()
    assert not GpuFamily.objects.filter(slug="t4").exists()


def test_a_model_that_a_listing_names_is_kept() -> None:
    sync_gpus(ROWS)
    gpu = Gpu.objects.get(slug="t4")
    make_listing(make_offering(), gpu)
    assert sync_gpus([row for row in ROWS if row.slug != "t4"]).withdrawn == 0
    assert Gpu.objects.filter(slug="t4").exists()
    assert GpuFamily.objects.filter(slug="t4").exists()


def test_ids_are_there_even_before_the_first_load() -> None:
    ids = gpu_ids()
    family, gpu = ids.of(GpuMatch("h100", "h100-sxm"))
    assert Gpu.objects.get(slug="h100-sxm").pk == gpu
    assert ids.of(GpuMatch("h100")) == (family, None)
    assert ids.of(GpuMatch()) == (None, None)


def test_a_faulty_file_is_refused_with_every_fault(settings: Settings, tmp_path: Path) -> None:
    settings.GPUS_FILE = tmp_path / "gpus.csv"
    settings.GPUS_FILE.write_text(",".join(GpuRow.model_fields) + "\n,A\n,B\n", encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        load()
    assert "gpus.csv:2: slug: Field required" in str(caught.value)
    assert "gpus.csv:3: slug: Field required" in str(caught.value)
    assert not Gpu.objects.exists()

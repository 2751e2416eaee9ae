"""Generated listings in this project's own schema, for the side-by-side benchmark.

    GPUCOMPARE_LOCAL_DIR=.local/bench-200000 python -m bench.load --gen GEN --n 200000

GEN is the generator of the benchmark (gen.py), which gives the same rows for the same number. They
go into the database that GPUCOMPARE_LOCAL_DIR or DATABASE_URL names, which must hold nothing else;
loading again replaces them. docs/performance.md tells how they are then served and measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import django

SOURCE = "bench"
# What a model's name has beyond its family's.
_FORM = re.compile(r" (SXM|PCIe|NVL|\d+GB)$")
# The generator's answers in the words of the dimensions; where none is named they are the same.
# "unknown" is no claim.
_WORDS: Mapping[str, Mapping[str, Any]] = {
    "custom_image": {"own_registry_only": "own_registry"},
    "registry_auth": {"yes": ["docker_login"], "no": ["no"]},
    "access_mode": {"notebook": "base_image"},
}
_YES_NO = ("image_cache", "billed_during_pull", "ssh", "privileged")


def generator(path: Path) -> Any:
    """The module at `path`."""
    spec = importlib.util.spec_from_file_location("bench_gen", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def answer(dimension: str, said: str) -> Any:
    """What a claim says; None where the generator does not know."""
    if said == "unknown":
        return None
    if dimension in _YES_NO:
        return said == "yes"
    return _WORDS.get(dimension, {}).get(said, said)


def empty() -> None:
    """Take out what was loaded before. Refuses where anything else stands."""
    from django.db import connection  # noqa: PLC0415 -- needs the settings

    from providers.models import Listing, Provider  # noqa: PLC0415

    others = Listing.objects.exclude(source=SOURCE).exists()
    if others or Provider.objects.exclude(website="https://bench.example").exists():
        raise SystemExit("this database holds more than generated listings: name one of its own")
    tables = ("pricepoint", "listing", "claim", "offering", "provider", "gpu", "gpufamily")
    with connection.cursor() as cursor:
        named = ", ".join(f"providers_{table}" for table in tables)
        cursor.execute(f"TRUNCATE {named}, providers_sourcestate CASCADE")


def load_offerings(gen: Any) -> dict[int, int]:
    """Providers, offerings and their claims; gives the offerings' ids by the generator's."""
    from providers.models import Claim, Offering, Provider  # noqa: PLC0415
    from providers.resolve import resolve_offerings  # noqa: PLC0415

    providers, offerings, _gpus, _regions = gen.reference()
    site = "https://bench.example"
    made = {
        number: Provider.objects.create(slug=key, name=name, kind=kind, website=site)
        for number, key, name, kind in providers
    }
    ids = {}
    for number, provider, key, name, *said in offerings:
        answers = {d: answer(d, s) for d, s in zip(gen.CAPS, said, strict=True)}
        modes = answers.pop("access_mode")
        offering = Offering.objects.create(
            **{"provider": made[provider], "slug": key, "name": name, "position": number},
            **{"summary": name, "docs": site, "access_modes": [modes]},
        )
        ids[number] = offering.pk
        Claim.objects.bulk_create(
            Claim(
                **{"offering": offering, "dimension": dimension, "value": value},
                **{"basis": "documented", "source": site, "source_kind": "provider"},
                read_on="2026-11-01",
            )
            for dimension, value in answers.items()
            if value is not None
        )
    resolve_offerings()
    return ids


def load_gpus(gen: Any) -> dict[int, Any]:
    """Families and models; gives the models by the generator's ids."""
    from providers.models import Gpu, GpuFamily  # noqa: PLC0415

    found = {}
    for number, name, vram in gen.reference()[2]:
        family_name = _FORM.sub("", name)
        family, _made = GpuFamily.objects.get_or_create(
            slug=slug(family_name), defaults={"name": family_name, "vendor": "bench"}
        )
        found[number] = Gpu.objects.create(
            **{"slug": slug(name), "name": name, "family": family, "vram_gb": vram},
            **{"segment": "bench", "architecture": "bench"},
        )
    return found


def rows(gen: Any, count: int, offerings: Mapping[int, int], gpus: Mapping[int, Any]) -> Iterator:  # type: ignore[type-arg]
    """A batch as a refresh merges it."""
    from providers.refresh.facts import ListingFacts  # noqa: PLC0415

    regions = {number: code for number, code, _country in gen.reference()[3]}
    for row in gen.listings(count):
        _id, offering, sku, gpu, gpus_in, region, price, spot, available, driver, cuda, *_ = row
        model = gpus[gpu]
        yield (
            (offerings[offering], sku),
            ListingFacts(
                gpu_name=model.name,
                family_id=model.family_id,
                gpu_id=model.pk,
                gpu_count=gpus_in,
                vram_gb=model.vram_gb,
                region=regions[region],
                usd_per_hour=Decimal(str(price)),
                spot_usd_per_hour=None if spot is None else Decimal(str(spot)),
                spot=spot is not None,
                stock="available" if available else "none",
                driver=driver or "",
                cuda=cuda or "",
                source_url=f"https://bench.example/{sku}",
            ),
        )


def load(gen: Any, count: int) -> None:
    """All of it, as of now."""
    from django.db import connection, transaction  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from providers.models import Origin, SourceState  # noqa: PLC0415
    from providers.refresh.merge import merge  # noqa: PLC0415

    with transaction.atomic():
        empty()
        offerings, gpus = load_offerings(gen), load_gpus(gen)
        now = timezone.now()
        merge(Origin.LIVE, rows(gen, count, offerings, gpus), now=now, source=SOURCE)
        SourceState.objects.create(slug=SOURCE, good_at=now)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def main() -> int:
    asked = argparse.ArgumentParser(description="Load generated listings.")
    asked.add_argument("--gen", type=Path, required=True, help="the benchmark's gen.py")
    asked.add_argument("--n", type=int, required=True, help="how many listings")
    told = asked.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gpucompare.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", interactive=False, verbosity=0)
    begun = time.perf_counter()
    load(generator(told.gen), told.n)
    print(f"{told.n} listings loaded in {time.perf_counter() - begun:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

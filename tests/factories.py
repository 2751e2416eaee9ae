"""Rows for tests: each maker fills in what a test does not care about."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import count
from typing import Any

from providers.answers import version_key
from providers.models import Claim, Gpu, GpuFamily, Listing, Offering, Origin, Provider

_numbers = count(1)
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def make_provider(slug: str = "", **fields: Any) -> Provider:
    slug = slug or f"provider-{next(_numbers)}"
    defaults = {"name": slug.title(), "kind": "vm_cloud", "website": f"https://{slug}.example"}
    return Provider.objects.create(slug=slug, **(defaults | fields))


def make_offering(slug: str = "", provider: Provider | None = None, **fields: Any) -> Offering:
    """An offering whose dimension columns may be given as fields."""
    slug = slug or f"offering-{next(_numbers)}"
    defaults = {"name": slug.title(), "summary": "A way to rent.", "docs": "https://docs.example"}
    return Offering.objects.create(
        provider=provider or make_provider(), slug=slug, **(defaults | fields)
    )


def make_claim(offering: Offering, dimension: str, value: Any, **fields: Any) -> Claim:
    defaults = {
        "basis": "documented",
        "source": "https://docs.example/page",
        "source_kind": "provider",
        "read_on": date(2026, 11, 1),
        "decides": True,
    }
    return Claim.objects.create(
        offering=offering, dimension=dimension, value=value, **(defaults | fields)
    )


def make_gpu(slug: str, family: str = "", **fields: Any) -> Gpu:
    """A model in its family, which is made when it is missing."""
    family = family or slug
    parent, _made = GpuFamily.objects.get_or_create(
        slug=family, defaults={"name": family.upper(), "vendor": "NVIDIA"}
    )
    defaults = {"name": slug.upper(), "segment": "datacenter", "architecture": "Hopper"}
    return Gpu.objects.create(slug=slug, family=parent, **(defaults | fields))


def make_listing(offering: Offering, gpu: Gpu | GpuFamily | None = None, **fields: Any) -> Listing:
    """A live, fresh listing of one GPU; a family leaves the form open, None the name unknown."""
    defaults: dict[str, Any] = {
        "key": f"row-{next(_numbers)}",
        "origin": Origin.LIVE,
        "gpu_name": gpu.name if gpu else "Mystery 9000",
        "gpu_count": 1,
        "first_seen": NOW,
        "seen_at": NOW,
        "gpu": gpu if isinstance(gpu, Gpu) else None,
        "family": gpu.family if isinstance(gpu, Gpu) else gpu,
    }
    for name in ("driver", "cuda"):
        if fields.get(name):
            defaults[f"{name}_key"] = list(version_key(fields[name]))
    return Listing.objects.create(offering=offering, **(defaults | fields))

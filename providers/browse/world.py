"""What is known before any criteria: the offerings and the names of GPUs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from providers.browse.kept import kept
from providers.browse.parameters import Vocabulary
from providers.models import GpuFamily, Offering, Status
from providers.rates import usd_rates


@dataclass(frozen=True)
class GpuIds:
    """What slugs of GPUs stand for in the database."""

    families: list[int]
    models: list[int]
    families_of_models: list[int]  # their listings may be of the model when they name none


@dataclass(frozen=True)
class World:
    """Offerings with their providers, GPU families with their models, and the
    exchange rates. Four queries, unless nothing was written since they were last asked."""

    offerings: tuple[Offering, ...]
    families: tuple[GpuFamily, ...]  # with their models prefetched
    vocabulary: Vocabulary

    @classmethod
    def read(cls) -> World:
        return kept("world", cls._read)

    @classmethod
    def _read(cls) -> World:
        offerings = tuple(Offering.objects.select_related("provider"))
        families = tuple(GpuFamily.objects.prefetch_related("models"))
        slugs = {f.slug for f in families} | {g.slug for f in families for g in f.models.all()}
        providers = {offering.provider.slug for offering in offerings}
        return cls(offerings, families, Vocabulary(providers, slugs, usd_rates()))

    @cached_property
    def gpu_names(self) -> dict[str, str]:
        models = {g.slug: g.name for f in self.families for g in f.models.all()}
        return models | {f.slug: f.name for f in self.families}

    @cached_property
    def gpu_slugs(self) -> dict[int, str]:
        """By id of the model."""
        return {g.pk: g.slug for f in self.families for g in f.models.all()}

    @cached_property
    def family_slugs(self) -> dict[int, str]:
        return {f.pk: f.slug for f in self.families}

    @cached_property
    def by_key(self) -> dict[str, Offering]:
        """Offerings by `provider/offering`, as addresses name them."""
        return {f"{o.provider.slug}/{o.slug}": o for o in self.offerings}

    def gpu_ids(self, slugs: Collection[str]) -> GpuIds:
        models = [(f.pk, g.pk) for f in self.families for g in f.models.all() if g.slug in slugs]
        return GpuIds(
            [f.pk for f in self.families if f.slug in slugs],
            [model for _, model in models],
            [family for family, _ in models],
        )

    @cached_property
    def names_by_family(self) -> dict[int | None, tuple[str, ...]]:
        """The words a search may find a family by."""
        return {f.pk: (f.name, f.slug, *(g.name for g in f.models.all())) for f in self.families}


def is_closed(offering: Offering) -> bool:
    return Status.CLOSED in (offering.status, offering.provider.status)


def fold(text: str) -> str:
    """For searching without regard to case; the Turkish dotted and dotless i are one letter."""
    return text.replace("İ", "i").replace("ı", "i").casefold()

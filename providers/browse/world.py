"""What is known before any criteria: the offerings and the names of GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from providers.browse.parameters import Vocabulary
from providers.models import GpuFamily, Offering, Status


@dataclass(frozen=True)
class World:
    """Offerings with their providers, GPU families with their models. Three queries."""

    offerings: tuple[Offering, ...]
    families: tuple[GpuFamily, ...]  # with their models prefetched
    vocabulary: Vocabulary

    @classmethod
    def read(cls) -> World:
        offerings = tuple(Offering.objects.select_related("provider"))
        families = tuple(GpuFamily.objects.prefetch_related("models"))
        slugs = {f.slug for f in families} | {g.slug for f in families for g in f.models.all()}
        providers = {offering.provider.slug for offering in offerings}
        return cls(offerings, families, Vocabulary(providers, slugs))

    @cached_property
    def gpu_names(self) -> dict[str, str]:
        models = {g.slug: g.name for f in self.families for g in f.models.all()}
        return models | {f.slug: f.name for f in self.families}

    @cached_property
    def names_by_family(self) -> dict[int | None, tuple[str, ...]]:
        """The words a search may find a family by."""
        return {f.pk: (f.name, f.slug, *(g.name for g in f.models.all())) for f in self.families}


def is_closed(offering: Offering) -> bool:
    return Status.CLOSED in (offering.status, offering.provider.status)


def fold(text: str) -> str:
    """For searching without regard to case; the Turkish dotted and dotless i are one letter."""
    return text.replace("İ", "i").replace("ı", "i").casefold()

"""What is known before any criteria: the offerings and the names of GPUs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from providers.browse.answer_table import AnswerTable
from providers.browse.judge import Truth
from providers.browse.kept import Few, kept
from providers.browse.parameters import Vocabulary
from providers.models import Gpu, GpuFamily, Offering, Status
from providers.rates import usd_rates

T = TypeVar("T")

# Of what follows from a world and is asked for again: more would be kept for nobody.
_MOST = 1024
# A few megabytes.
_MOST_LISTED = 2000


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
    def models(self) -> dict[int, tuple[Gpu, ...]]:
        """The models of each family, by its id."""
        return {family.pk: tuple(family.models.all()) for family in self.families}

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

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, or gave for the same key; nobody may change it."""
        found: T | None = self._made.get(key)
        if found is None:
            if len(self._made) >= _MOST:
                self._made.clear()
            found = self._made[key] = make()
        return found

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    # Many pages begin with the same listings: what they are by id, and what is told of them.

    @cached_property
    def listed(self) -> Few[int, tuple[Any, ...]]:
        return Few(_MOST_LISTED)

    @cached_property
    def told(self) -> Few[Hashable, Any]:
        return Few(_MOST_LISTED)

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each offering in `offerings`, by its id."""
        return {offering.pk: place for place, offering in enumerate(self.offerings)}

    @cached_property
    def open(self) -> tuple[Offering, ...]:
        """Those that are not closed."""
        return tuple(o for o in self.offerings if not is_closed(o))

    @cached_property
    def open_by_id(self) -> dict[int, Offering]:
        return {offering.pk: offering for offering in self.open}

    @cached_property
    def open_ones(self) -> NDArray[np.int8]:
        """YES for each offering that is not closed, else NO."""
        said = [Truth.YES if o.pk in self.open_by_id else Truth.NO for o in self.offerings]
        return np.array(said, dtype=np.int8)

    @cached_property
    def answer_table(self) -> AnswerTable:
        return AnswerTable.of(self.offerings, self.open)

    def gpu_ids(self, slugs: Collection[str]) -> GpuIds:
        models = [(f, g.pk) for f, models in self.models.items() for g in models if g.slug in slugs]
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

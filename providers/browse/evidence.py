"""Who told the answers that a table holds, and how long ago."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from providers.models import Claim, Offering


@dataclass(frozen=True)
class Evidence:
    """Source and day of each deciding claim, by offering and dimension."""

    told: Mapping[int, Mapping[str, tuple[str, date | None]]]

    @classmethod
    def read(cls) -> Evidence:
        """One query."""
        told: dict[int, dict[str, tuple[str, date | None]]] = defaultdict(dict)
        found = Claim.objects.filter(decides=True).order_by()
        for offering, dimension, source, read_on in found.values_list(
            "offering_id", "dimension", "source", "read_on"
        ):
            told[offering][dimension] = (source, read_on)
        return cls(told)

    def of(self, offering: Offering, dimensions: Collection[str]) -> tuple[list[str], date | None]:
        """The addresses behind these answers, each once, and the day since which none is older.

        No day where one of them bears none: nobody knows how old that one is.
        """
        told = self.told.get(offering.pk, {})
        used = [told[key] for key in dimensions if key in told]
        days = [read_on for _source, read_on in used]
        known = [day for day in days if day]
        oldest = min(known) if known and len(known) == len(days) else None
        return list(dict.fromkeys(source for source, _read_on in used)), oldest

"""The GPUs that the catalog names for an offering stand as listings without price or stock."""

from __future__ import annotations

from django.utils import timezone

from providers.gpus import vram_of
from providers.models import Offering, Origin
from providers.refresh.facts import Key, ListingFacts
from providers.refresh.gpu_table import gpu_ids
from providers.refresh.lock import Table, sole_writer
from providers.refresh.merge import Counts, merge
from providers.refresh.unknown_names import SightedName, queue_unknown


def sync_stand_ins() -> Counts:
    """Make the listings of origin `catalog` those of all offerings' `gpu_names`.

    Fills the GPU tables first where they lag behind. A name that left is withdrawn, one
    that came back is the same listing again. Call it after the catalog has changed.
    """
    now = timezone.now()
    with sole_writer(Table.LISTINGS):
        ids = gpu_ids()
        incoming: dict[Key, ListingFacts] = {}
        sighted = []
        for offering_id, provider, names in _named():
            for name in dict.fromkeys(names):
                sighting = SightedName(provider, name)
                family_id, gpu_id = ids.of(sighting.resolve())
                incoming[offering_id, f"catalog:{name}"] = ListingFacts(
                    name, family_id, gpu_id, vram_gb=vram_of(name, provider)
                )
                sighted.append(sighting)
        queue_unknown(Origin.CATALOG, sighted, now)
        return merge(Origin.CATALOG, incoming.items(), now=now)


def _named() -> list[tuple[int, str, list[str]]]:
    """(offering's id, provider's slug, GPU names) of the offerings that name GPUs."""
    offerings = Offering.objects.exclude(gpu_names=None).order_by()
    rows = offerings.values_list("pk", "provider__slug", "gpu_names")
    return [(pk, provider, names or []) for pk, provider, names in rows]

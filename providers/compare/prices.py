"""Of all prices of the compared offerings: the cheapest of the asked GPUs, and who rents what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from providers.browse.criteria import Criteria
from providers.browse.query import Cheapest
from providers.browse.world import World
from providers.models import Offering, Origin
from providers.prices import GpuPrice, by_offering


@dataclass(frozen=True)
class Prices:
    """By id of offering; amounts in USD an hour."""

    on_demand: Mapping[int, Cheapest]
    spot: Mapping[int, Cheapest]
    # Slugs of families and models → how many of the offerings rent them, most first.
    rented: Mapping[str, int]


def read(view: Criteria, offerings: Sequence[Offering], world: World, now: datetime) -> Prices:
    """The cheapest listing of each kind that is, or may be, of an asked GPU. One query."""
    found = by_offering(view, [offering.pk for offering in offerings], now)
    asked = list(filter(_asks(view, world), found))
    return Prices(
        _cheapest(price for price in asked if not price.spot),
        _cheapest(price for price in asked if price.spot),
        _rented(world, found),
    )


def _asks(view: Criteria, world: World) -> Callable[[GpuPrice], bool]:
    """As browse judges: an unknown name may be any GPU, an open form any model of its family."""
    slugs = view.all("gpu")
    ids = world.gpu_ids(slugs)

    def asked(price: GpuPrice) -> bool:
        if not slugs or price.family is None:
            return True
        may_be = price.gpu is None and price.family in ids.families_of_models
        return price.family in ids.families or price.gpu in ids.models or may_be

    return asked


def _cheapest(found: Iterable[GpuPrice]) -> dict[int, Cheapest]:
    """Live prices that can be trusted stand before dated ones, however cheap those are."""
    first: dict[int, Cheapest] = {}
    for price in found:
        if price.cheapest is not None:
            known = first.setdefault(price.offering, price.cheapest)
            first[price.offering] = min(known, price.cheapest, key=_standing)
    return first


def _standing(price: Cheapest) -> tuple[bool, bool, Decimal]:
    return (not price.trusted, price.origin != Origin.LIVE, price.shown)


def _rented(world: World, found: Iterable[GpuPrice]) -> dict[str, int]:
    """A model stands for its family too."""
    families = {family.pk: family.slug for family in world.families}
    models = {gpu.pk: gpu.slug for family in world.families for gpu in family.models.all()}
    pairs = set()
    for price in found:
        named = {families.get(price.family or 0), models.get(price.gpu or 0)}
        pairs |= {(price.offering, slug) for slug in named if slug}
    counts = Counter(slug for _, slug in pairs)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

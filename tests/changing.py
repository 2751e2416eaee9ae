"""Changes for tests: each maker fills in what a test does not care about."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.http import QueryDict

from providers.browse.criteria import Criteria
from providers.browse.world import World
from providers.changes.select import Selection
from providers.models import Change, Gpu, GpuFamily, Offering, What, Why
from tests.factories import NOW


def usd(value: object) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def make_change(what: What, offering: Offering | None, **fields: Any) -> Change:
    """A change, each later than the one made before it."""
    at = NOW + timedelta(seconds=Change.objects.count())
    why = Why.REFRESH if what not in (What.CLAIM, What.STATUS) else Why.CATALOG
    return Change.objects.create(
        **({"what": what, "offering": offering, "at": at, "why": why} | fields)
    )


def make_answer(
    offering: Offering, before: Any, after: Any, dimension: str = "docker_daemon", **fields: Any
) -> Change:
    sides = {"dimension": dimension, "before": before, "after": after}
    return make_change(What.CLAIM, offering, **(sides | fields))


def make_price(
    offering: Offering,
    gpu: Gpu | GpuFamily,
    usd_before: object,
    usd_after: object,
    what: What = What.PRICE,
    **fields: Any,
) -> Change:
    """A notable step of a price, unless `notable` says otherwise; a family leaves the form open.

    `before` and `after` are whether it is in stock.
    """
    where = (
        {"family": gpu.family, "gpu": gpu} if isinstance(gpu, Gpu) else {"family": gpu, "gpu": None}
    )
    old, new = usd(usd_before), usd(usd_after)
    sides = {"usd_before": old, "usd_after": new, "usd_told": old}
    return make_change(what, offering, **(where | sides | {"source": "acme"} | fields))


def selection(query: str = "") -> Selection:
    world = World.read()
    criteria, ignored = Criteria.parse(QueryDict(query), world.vocabulary)
    assert ignored == []
    return Selection(criteria, world, NOW)


def shown(query: str = "") -> list[int]:
    """The ids of the changes under a query string, oldest first."""
    return sorted(selection(query).changes().values_list("pk", flat=True))

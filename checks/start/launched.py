"""What the page of a launch reads: an offering's answers with their claims, and its GPUs."""

from __future__ import annotations

from checks import launch
from providers.browse.world import World
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Listing, Offering


def answered(offering: Offering) -> launch.Offering:
    """The offering as the recipes take it. One query."""
    deciding = Claim.objects.filter(offering=offering, decides=True)
    claims = {claim.dimension: claim for claim in deciding}
    answers = {key: _answer(offering, key, claims.get(key)) for key in DIMENSIONS}
    return launch.Offering(offering.provider.slug, offering.slug, answers)


def _answer(offering: Offering, key: str, claim: Claim | None) -> launch.Answer:
    value = offering.answer(key)
    contradicted = key in offering.contradicted
    if claim is None:
        # What the offering answers itself stands on its own documentation.
        own = DIMENSIONS[key].on_offering and value is not None
        return launch.Answer(value, offering.docs if own else "", contradicted=contradicted)
    return launch.Answer(value, claim.source, claim.basis, claim.read_on, contradicted)


def gpus_of(offering: Offering, world: World) -> dict[str, str]:
    """The GPUs that it lists, names by slug, in the order of the catalog. One query."""
    listed = Listing.objects.filter(offering=offering, withdrawn_at=None, family__isnull=False)
    found = set(listed.order_by().values_list("family__slug", "gpu__slug").distinct())
    slugs = {model or family for family, model in found}
    return {slug: name for slug, name in world.gpu_names.items() if slug in slugs}

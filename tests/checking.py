"""What tests of the check share: an image to ask about, and the answer worked out the long way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checks.conditions import Asked, conditions
from checks.hosts import Claimed, Hardware, machines
from checks.image.fact import ImageFacts
from checks.judgement import Said, judge
from gpucompare.cuda.answer import Standing
from gpucompare.cuda.image import Build, Image
from providers.browse.criteria import Criteria
from providers.browse.ranks import HostKey
from providers.browse.world import World
from providers.models import Listing, Offering
from tests.test_browse_counts import LISTING_NAMES, all3, current, listing_says, says

TORCH = Image(
    software="cuda",
    cuda="12.4.1",
    builds=(Build("torch", "2.6.0", "12.4"),),
    requirements=(),
    platforms=frozenset({"amd64"}),
)
ASKED = Asked(ImageFacts(TORCH, ()), private=False)


def said_of(offering: Offering, row: Listing | None, world: World, asked: Asked = ASKED) -> Said:
    """What is said of the host of one listing, or of an offering that lists nothing."""
    key = HostKey(offering.pk, None, None, "", "")
    if row is not None:
        key = HostKey(offering.pk, row.family_id, row.gpu_id, row.driver, row.cuda)
    known = Hardware(world.families).of(key.family, key.gpu)
    found = judge(asked.facts.image, machines(key, known, Claimed.of(offering)))
    return Said(found, conditions(asked, offering))


def speaking(offering: Offering, criteria: Criteria) -> list[tuple[Listing, bool | None]]:
    """The listings that meet the criteria about listings, or else those that may."""
    asked = {name: v for name, v in criteria.filters() if name in LISTING_NAMES}
    said = [
        (row, all3(listing_says(row, offering, n, v, criteria) for n, v in asked.items()))
        for row in current(offering)
    ]
    surely = [one for one in said if one[1] is True]
    return surely or [one for one in said if one[1] is None]


def standing_of(offering: Offering, criteria: Criteria, world: World) -> Standing:
    rows = speaking(offering, criteria)
    standings = [said_of(offering, row, world).standing for row, _ in rows]
    if not current(offering):
        return said_of(offering, None, world).standing
    return min(standings, key=list(Standing).index, default=Standing.UNKNOWN)


def with_verdict(offering: Offering, criteria: Criteria, world: World) -> bool | None:
    """All criteria together, the one about the verdict too."""
    others = says(offering, criteria.without("verdict"))
    asked = criteria.all("verdict")
    if not asked or others is False:
        return others
    standing = standing_of(offering, criteria, world)
    maybe = None if standing is Standing.UNKNOWN else False
    return all3([others, True if standing in asked else maybe])


def counts(offerings: Iterable[Offering], criteria: Criteria, world: World) -> tuple[int, int]:
    said = [with_verdict(o, criteria, world) for o in offerings if o.status != "closed"]
    return said.count(True), said.count(None)


def open_to_all(offerings: Iterable[Offering], **fields: Any) -> None:
    """Takes away what would keep every image from these offerings."""
    fields = {"custom_image": "any", "gpu_passthrough": "automatic"} | fields
    Offering.objects.filter(pk__in=[o.pk for o in offerings]).update(**fields)
    for offering in offerings:
        for name, value in fields.items():
            setattr(offering, name, value)

"""Browse and compare as kinds of shares."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from providers.answers import Text
from providers.browse import query
from providers.browse.criteria import PAGING, Criteria
from providers.browse.judge import Truth
from providers.browse.parameters import PARAMETERS
from providers.browse.query import BrowseResult, Judged
from providers.browse.world import World
from providers.compare import prices
from providers.compare.selection import Selection
from providers.dimensions import DIMENSIONS
from providers.models import Offering
from providers.shares.content import MOST_ROWS, Content, Pair, TooLargeError
from providers.shares.kinds import Kind, NothingToShareError, Now
from providers.shares.rows import Match, Source, frozen_rows
from providers.wording import joined

MATCHES: dict[Truth, Match] = {Truth.YES: "yes", Truth.MAYBE: "may", Truth.NO: "no"}


def criteria_of(content: Content) -> Criteria:
    """The criteria as they were, whatever has become of the names in them."""
    return Criteria(content.values, content.usd_per_unit)


def criteria_now(content: Content, world: World) -> Criteria:
    """As far as they still mean something: a provider or a GPU may have gone."""
    asked = QueryDict(criteria_of(content).query())
    return Criteria.parse(asked, world.vocabulary)[0]


def filters_of(content: Content) -> list[tuple[str, tuple[str, ...]]]:
    """What narrowed the rows, also by questions that are no longer asked."""
    return [(n, v) for n, v in content.values if n not in PARAMETERS or PARAMETERS[n].filters]


def on_all_pages(criteria: Criteria) -> Criteria:
    """A share holds every row, so where one was in them is no part of it."""
    for place in PAGING:
        criteria = criteria.put(place)
    return criteria


# --- Browse ------------------------------------------------------------------------------


def freeze_browse(asked: QueryDict, world: World, moment: datetime) -> Content:
    criteria, _ignored = Criteria.parse(asked, world.vocabulary)
    result = query.browse(on_all_pages(criteria), world, moment)
    rows = _shown(result)
    if not rows:
        raise NothingToShareError
    if len(rows) > MOST_ROWS:
        raise TooLargeError
    return _browse_content(result, rows, moment)


def browse_again(content: Content, now: Now) -> Content:
    """The result of today; what was in it then and is not now stands as no match.

    Where a filter means nothing any more, what else it would let in is nobody's guess.
    """
    criteria = criteria_now(content, now.world)
    result = query.browse(criteria, now.world, now.moment)
    shown = _shown(result)
    if list(criteria.filters()) != filters_of(content):
        known = {offering.pk for offering in now.offerings.values()}
        shown = [row for row in shown if row.offering.pk in known]
    here = {row.offering.pk: row for row in (*result.rows, *result.closed)}
    names = {row.offering.pk for row in shown}
    left = [
        here.get(offering.pk) or Judged(offering, Truth.NO)
        for offering in now.offerings.values()
        if offering.pk not in names
    ]
    return _browse_content(result, [*shown, *left][:MOST_ROWS], now.moment)


def _shown(result: BrowseResult) -> list[Judged]:
    hidden = result.criteria.one("unknown") == "hide"
    return [*result.match, *(() if hidden else result.may), *result.closed]


def _browse_content(result: BrowseResult, rows: Sequence[Judged], moment: datetime) -> Content:
    criteria = result.criteria
    sources = [
        Source(row.offering, {"cheapest": row.cheapest}, MATCHES[row.truth], row.unknown)
        for row in rows
    ]
    return Content(
        kind="browse",
        day=moment.date(),
        values=criteria.values,
        usd_per_unit=criteria.usd_per_unit,
        columns=criteria.columns,
        match=len(result.match),
        may=len(result.may),
        rows=frozen_rows(sources, criteria.columns),
    )


def _browse_address(content: Content, now: Now) -> str:
    return criteria_now(content, now.world).url(reverse("browse"))


def _browse_title(content: Content) -> Text:
    return _("Where will my container run?")


BROWSE = Kind("browse", freeze_browse, browse_again, _browse_address, _browse_title)


# --- Compare ------------------------------------------------------------------------------


def freeze_compare(asked: QueryDict, world: World, moment: datetime) -> Content:
    selection, _ignored = Selection.parse(asked, world.by_key, world.vocabulary)
    if not selection.offerings:
        raise NothingToShareError
    offerings = [world.by_key[key] for key in selection.offerings]
    own = tuple((n, v) for n, v in selection.pairs() if n in ("base", "equal"))
    return _compare_content(offerings, selection.view, own, Now(world, moment, {}))


def compare_again(content: Content, now: Now) -> Content:
    rows = content.rows
    found = [now.offerings[row.offering] for row in rows if row.offering in now.offerings]
    view = criteria_now(content, now.world)
    return _compare_content(found, view, content.beside, now)


def _compare_content(
    offerings: Sequence[Offering], view: Criteria, beside: tuple[Pair, ...], now: Now
) -> Content:
    found = prices.read(view, offerings, now.world, now.moment)
    sources = [
        Source(o, {"on_demand": found.on_demand.get(o.pk), "spot": found.spot.get(o.pk)})
        for o in offerings
    ]
    return Content(
        kind="compare",
        day=now.moment.date(),
        values=view.values,
        beside=beside,
        usd_per_unit=view.usd_per_unit,
        columns=tuple(DIMENSIONS),
        match=len(offerings),
        rows=frozen_rows(sources, DIMENSIONS),
    )


def _compare_address(content: Content, now: Now) -> str:
    """The same columns under the names of today."""
    keys = {
        row.key: f"{found.provider.slug}/{found.slug}"
        for row in content.rows
        if (found := now.offerings.get(row.offering))
    }
    beside = dict(content.beside)
    base, fold = keys.get(beside.get("base", ""), ""), beside.get("equal") == "fold"
    selection = Selection(tuple(keys.values()), base, fold, criteria_now(content, now.world))
    return selection.url(reverse("compare"))


def _compare_title(content: Content) -> Text:
    return joined([row.title for row in content.rows])


COMPARE = Kind(
    "compare", freeze_compare, compare_again, _compare_address, _compare_title, across=True
)

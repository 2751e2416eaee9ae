"""A share, and how it would look today → SharePage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.parameters import PARAMETERS
from providers.claim_views import offering_url
from providers.models import Offering
from providers.shares import tables, wording
from providers.shares.changes import Change
from providers.shares.content import Content
from providers.shares.kinds import Kind
from providers.shares.of_pages import criteria_of, filters_of
from providers.shares.opened import Opened
from providers.shares.page import Changed, ChangeLine, Fact, Said, SharePage


def share_page(
    share_id: str, opened: Opened, absolute: Callable[[str], str], *, show_now: bool
) -> SharePage:
    """The page; `absolute` gives an address with scheme and host."""
    kind, then, found, now = opened.kind, opened.then, opened.changes, opened.now
    path = reverse("share", args=[share_id])
    shown = opened.today if show_now else then
    everywhere = {offering.pk: offering for offering in now.world.offerings}
    offerings = everywhere if show_now else now.offerings
    day = spoken.day(then.day)
    title = format_lazy("{} · {}", kind.title(then), day)
    return SharePage(
        title=title,
        description=description(kind, then, now.world.gpu_names),
        day=day,
        today=spoken.day(now.moment.date()),
        now=show_now,
        then_url=path,
        now_url=f"{path}?now=1",
        live_url=kind.address(then, now),
        address=absolute(path),
        picture=absolute(reverse("share-picture", args=[share_id])),
        facts=tuple(facts(kind, then, now.world.gpu_names)),
        changes=tuple(_changed(then, found, everywhere | dict(now.offerings))),
        count=len(found),
        rows=len(shown.rows),
        table=tables.table(kind, shown, offerings, () if show_now else found),
    )


def description(kind: Kind, then: Content, gpu_names: Mapping[str, str]) -> str:
    """One line for a chat: what was asked, how many, and of which day."""
    if kind.across:
        count = len(then.rows)
        text = ngettext(
            "%(n)d offering side by side, as it was on %(day)s, and what has changed since.",
            "%(n)d offerings side by side, as they were on %(day)s, and what has changed since.",
            count,
        )
    else:
        count = then.match
        text = ngettext(
            "%(n)d matching offering as of %(day)s, and what has changed since.",
            "%(n)d matching offerings as of %(day)s, and what has changed since.",
            count,
        )
    asked = [f"{fact.label}: {fact.value}." for fact in facts(kind, then, gpu_names)][:-1]
    return " ".join((*asked, text % {"n": count, "day": spoken.day(then.day)}))


def facts(kind: Kind, then: Content, gpu_names: Mapping[str, str]) -> Iterator[Fact]:
    """What was asked: the filters, what the kind asks besides, and the unit of its prices."""
    yield from (Fact(label, value) for label, value in kind.facts(then))
    criteria = criteria_of(then)
    for name, values in filters_of(then):
        for value in values:
            said = wording.criterion(criteria, name, value, gpu_names)
            yield Fact(wording.criterion_label(name), said)
    yield Fact(_("Prices in"), links.price_unit(criteria))


# --- Changes -----------------------------------------------------------------------------


def _changed(
    then: Content, found: tuple[Change, ...], offerings: Mapping[int, Offering]
) -> Iterator[Changed]:
    titles = {row.offering: row.title for row in then.rows}
    for number, several in groupby(found, key=lambda change: change.offering):
        changes = list(several)
        title = titles.get(number) or changes[0].after.title
        offering = offerings.get(number)
        url = offering_url(offering) if offering else ""
        yield Changed(title, url, tuple(_line(change, then) for change in changes))


def _line(change: Change, then: Content) -> ChangeLine:
    if change.what == "gone":
        text = _("No longer in the catalog. What was known of it stays readable here.")
        return ChangeLine("", text)
    if change.what == "joined":
        return ChangeLine("", _("Matches now, and did not then."))
    said = [_said(change.what, value, then) for value in (change.before, change.after)]
    return ChangeLine(_label(change), _how(change), *said)


def _label(change: Change) -> Text:
    labels: Mapping[str, Text] = {
        "name": _("Name"),
        "status": _("Status"),
        "match": _("The filters"),
        "verdict": PARAMETERS["verdict"].label,
        "price": wording.PRICES.get(change.key, change.key),
    }
    return labels.get(change.what) or wording.dimension_label(change.key)


def _how(change: Change) -> Text:
    if change.what == "name":
        return _("renamed")
    if change.what == "price" and change.how in ("up", "down"):
        return wording.percent(change.before, change.after)
    return wording.HOW[change.how]


def _said(what: str, value: Any, then: Content) -> Said | None:
    """Prices in the currency and at the rate of the share: a rate is no change of a price."""
    match what:
        case "answer":
            return wording.answer_said(value)
        case "price":
            return tables.price_in_words(value, then)
        case "verdict":
            return tables.verdict_said(value)
        case "status":
            return Said("", wording.status_text(value))
        case "match":
            return Said("", wording.MATCHES[value])
    return Said("", value)

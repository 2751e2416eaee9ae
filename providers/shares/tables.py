"""The table of a share: offerings down the side, or questions with the offerings across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from providers.answers import Text
from providers.browse import links
from providers.browse.parameters import PARAMETERS
from providers.claim_views import offering_url
from providers.dimensions import DIMENSIONS, GROUPS
from providers.models import Offering
from providers.shares import wording
from providers.shares.changes import Change
from providers.shares.content import Content, Price, Row, Verdict
from providers.shares.kinds import Kind
from providers.shares.of_pages import criteria_of
from providers.shares.page import Head, Said, SharedCell, Table, TableRow, TableSection
from providers.wording import UNKNOWN, joined

Places = Mapping[tuple[int, str, str], Change]


def table(
    kind: Kind, content: Content, offerings: Mapping[int, Offering], found: Sequence[Change]
) -> Table:
    """`offerings` by their number in `content`; `found` is marked in the cells."""
    drawn = _Drawn(kind, content, offerings, {(c.offering, c.what, c.key): c for c in found})
    return drawn.across() if kind.across else drawn.down()


class _Drawn:
    def __init__(
        self, kind: Kind, content: Content, offerings: Mapping[int, Offering], places: Places
    ) -> None:
        self.kind, self.content = kind, content
        self.offerings, self.places = offerings, places
        self.criteria = criteria_of(content)
        held = {price.kind for row in content.rows for price in row.prices}
        usual = ("on_demand", "spot") if kind.across else ("cheapest",)
        self.prices = tuple(k for k in wording.PRICES if k in held or k in usual)

    # --- Offerings down the side ------------------------------------------------------

    def down(self) -> Table:
        judged = any(row.verdict for row in self.content.rows)
        columns = [Head(PARAMETERS["verdict"].label)] if judged else []
        columns += [self._question(key, short=True) for key in self.content.columns]
        columns += [self._price_head(key) for key in self.prices]
        sections = [
            TableSection(label, tuple(self._row(row, judged) for row in rows))
            for label, rows in self._sections()
        ]
        return Table(_("Offering"), tuple(columns), tuple(sections))

    def _sections(self) -> Iterator[tuple[Text, list[Row]]]:
        labels: Mapping[str, Text] = {
            "yes": "",
            "may": wording.MATCHES["may"],
            "closed": pgettext("offerings", "Closed"),
            "no": wording.MATCHES["no"],
        }
        for key, label in labels.items():
            rows = [row for row in self.content.rows if _standing(row) == key]
            if rows:
                yield label, rows

    def _row(self, row: Row, judged: bool) -> TableRow:
        cells = [self._verdict(row)] if judged else []
        cells += [self._answer(row, key) for key in self.content.columns]
        cells += [self._price(row, key) for key in self.prices]
        return TableRow(self._offering(row), tuple(cells))

    # --- Questions down the side -------------------------------------------------------

    def across(self) -> Table:
        rows = self.content.rows
        # What is in no group any more stands last.
        places = {group: place for place, group in enumerate(GROUPS)}
        asked = sorted(self.content.columns, key=lambda key: places.get(_group(key), len(places)))
        sections = [
            TableSection(GROUPS.get(group, ""), tuple(self._line(key) for key in keys))
            for group, keys in groupby(asked, key=_group)
        ]
        priced = tuple(
            TableRow(self._price_head(key), tuple(self._price(row, key) for row in rows))
            for key in self.prices
        )
        sections.append(TableSection(_("Price"), priced))
        return Table(_("Question"), tuple(map(self._offering, rows)), tuple(sections))

    def _line(self, key: str) -> TableRow:
        cells = tuple(self._answer(row, key) for row in self.content.rows)
        return TableRow(self._question(key), cells)

    # --- Heads ---------------------------------------------------------------------------

    def _question(self, key: str, short: bool = False) -> Head:
        question = DIMENSIONS[key].question if key in DIMENSIONS else ""
        return Head(wording.dimension_label(key, short), question=question)

    def _price_head(self, key: str) -> Head:
        return Head(wording.PRICES[key], notes=(links.price_unit(self.criteria),))

    def _offering(self, row: Row) -> Head:
        offering = self.offerings.get(row.offering)
        url = offering_url(offering) if offering else ""
        return Head(row.name, row.provider, url, tuple(self._notes(row)))

    def _notes(self, row: Row) -> Iterator[Text]:
        if row.status != "active":
            yield wording.status_text(row.status)
        if row.unknown:
            known = [PARAMETERS[name].unknown_label for name in row.unknown if name in PARAMETERS]
            yield _("Unknown: %(what)s") % {"what": joined(known)}
        if (row.offering, "gone", "") in self.places:
            yield _("now: no longer in the catalog")
        if closed := self.places.get((row.offering, "status", "")):
            yield _("now: %(what)s") % {"what": wording.status_text(closed.after)}
        if renamed := self.places.get((row.offering, "name", "")):
            yield _("now: %(what)s") % {"what": renamed.after}

    # --- Cells ---------------------------------------------------------------------------

    def _answer(self, row: Row, key: str) -> SharedCell:
        answer = next((a for a in row.answers if a.dimension == key), None)
        if answer is None:
            return SharedCell(Said("unknown", UNKNOWN))
        change = self.places.get((row.offering, "answer", key))
        return SharedCell(
            wording.answer_said(answer),
            () if self.kind.across else _told(wording.detail(row, key)),
            wording.answer_about(answer),
            answer.source,
            wording.source_host(answer) if answer.source else "",
            wording.answer_said(change.after) if change else None,
        )

    def _price(self, row: Row, key: str) -> SharedCell:
        price = next((p for p in row.prices if p.kind == key), None)
        change = self.places.get((row.offering, "price", key))
        now = price_in_words(change.after, self.content) if change else None
        if change and now is None:
            now = Said("", _("no price"))
        if price is None:
            return SharedCell(Said("", _("no price")), now=now)
        said = wording.price_said(price, self.criteria)
        details = _told(wording.price_detail(price, self.criteria))
        return SharedCell(said, details, wording.price_about(price), now=now)

    def _verdict(self, row: Row) -> SharedCell:
        if row.verdict is None:
            return SharedCell(Said("unknown", UNKNOWN))
        change = self.places.get((row.offering, "verdict", ""))
        words = tuple(self.kind.words(row.verdict))
        now = verdict_said(change.after) if change else None
        return SharedCell(verdict_said(row.verdict), words, now=now)


def _told(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _standing(row: Row) -> str:
    return "closed" if row.status == "closed" and row.match != "no" else row.match


def _group(key: str) -> str:
    return DIMENSIONS[key].group if key in DIMENSIONS else ""


_MARKS = {"runs": "yes", "condition": "partly", "fails": "no"}


def verdict_said(verdict: Verdict) -> Said:
    state = _MARKS.get(verdict.standing.value, "unknown")
    return Said(state, wording.standing_text(verdict.standing.value))


def price_in_words(price: Price | None, content: Content) -> Said | None:
    """A price with its GPU, in the unit of the share."""
    if price is None:
        return None
    criteria = criteria_of(content)
    said = wording.price_said(price, criteria)
    return Said("", f"{said.text} {wording.price_detail(price, criteria)}".strip())

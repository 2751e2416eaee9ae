"""CheckResult → CheckPage: the matrix of browse with a verdict on each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from checks.page import CheckPage, NamedLink, Tally
from checks.present_verdict import Cells, Names
from checks.verdicts import Checked, CheckResult
from checks.wording import HEADINGS, MEANINGS
from gpucompare import spoken
from gpucompare.cuda.answer import Standing
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.frame import frame
from providers.browse.judge import Truth
from providers.browse.page import Choice, Column, ExtraColumn, Group, Row, Section
from providers.browse.paging import paged
from providers.browse.parameters import PARAMETERS, PRICED
from providers.browse.present import groups
from providers.dimensions import DIMENSIONS
from providers.models import Offering
from providers.wording import joined

CELL = "checks/verdict.html"
# What decides most about an image; other columns are there for the asking.
COLUMNS = ("custom_image", "registry_auth", "gpu_passthrough", "driver_kind")
_ELSEWHERE = 3
# Best first: what one needs stands on the first page, which a phone should not wait for.
PAGE_SIZE = 50


# What else a page shows of each offering, by "provider/offering".
Beside = Callable[[Sequence[Checked]], Mapping[str, object]]


def check_page(
    result: CheckResult, ignored: Sequence[Ignored], now: datetime, firsts: Beside | None = None
) -> CheckPage:
    """`firsts` tells the first start at each of the rows that are shown."""
    criteria, path = result.criteria, reverse("check")
    hidden = criteria.one("unknown") == "hide"
    shown = [*result.match, *(() if hidden else result.may), *result.closed]
    rows, pages = paged(shown, PAGE_SIZE, criteria, path)
    priced = (one.row.cheapest for one in result.rows if one.row.cheapest)
    framed = frame(result, ignored, path, ((p.origin, p.seen_at) for p in priced))
    columns = columns_of(criteria)
    return CheckPage(
        **(framed | {"sorts": _sorts(framed["sorts"], criteria, path, firsts is not None)}),
        sections=_sections(result, rows, columns, now, firsts(rows) if firsts else {}),
        columns=tuple(
            Column(d.key, d.column_label, d.question) for d in (DIMENSIONS[key] for key in columns)
        ),
        extra=ExtraColumn(PARAMETERS["verdict"].label, CELL, len(columns) + 3),
        column_choices=_column_choices(criteria, columns, path),
        match=len(result.match),
        may=len(result.may),
        total=len(result.judging.open),
        providers=len({one.row.offering.provider_id for one in result.match}),
        listings_url=replace(criteria, beside=()).put("columns").url(reverse("listings")),
        compare_url=reverse("compare"),
        compare_hidden=links.only(criteria, *PRICED),
        pages=pages,
        lead=_lead(result.counts[Standing.RUNS]),
        tallies=tuple(_tallies(result, path)),
        computed=spoken.moment(now),
    )


def columns_of(criteria: Criteria) -> tuple[str, ...]:
    """The columns that are asked for; beside a verdict there is room for fewer than in browse."""
    return criteria.columns if "columns" in dict(criteria.values) else COLUMNS


def _column_choices(criteria: Criteria, columns: tuple[str, ...], path: str) -> tuple[Choice, ...]:
    def toggled(key: str) -> tuple[str, ...]:
        return tuple(c for c in columns if c != key) if key in columns else (*columns, key)

    return tuple(
        Choice(d.key, d.label, criteria.put("columns", *toggled(d.key)).url(path), d.key in columns)
        for d in DIMENSIONS.values()
    )


def _sorts(
    sorts: Iterable[Choice], criteria: Criteria, path: str, with_total: bool
) -> tuple[Choice, ...]:
    """Where nothing else is asked for, what is least to do stands first."""
    url, active = criteria.put("sort", "total").url(path), criteria.one("sort") == "total"
    total = Choice("total", _("Lowest total of a job first"), url, active)
    return (
        *(
            replace(choice, label=_("Least to do first")) if choice.key == "name" else choice
            for choice in sorts
        ),
        *((total,) if with_total else ()),
    )


# --- The sentence ----------------------------------------------------------------------------


_REST = (Standing.CONDITION, Standing.UNKNOWN, Standing.FAILS)


def sentence(result: CheckResult) -> str:
    """How many offerings run it, and how the others stand, for where there is nothing to follow."""
    counts = [(standing, len(result.counts[standing])) for standing in _REST]
    rest = (_tally_text(standing, count) for standing, count in counts if count)
    return spoken.semicolon().join([_lead(result.counts[Standing.RUNS]), *rest])


def _lead(runs: Sequence[Offering]) -> str:
    if not runs:
        return _("No offering is known to run it unchanged")
    count, providers = len(runs), len({offering.provider_id for offering in runs})
    at = ngettext(
        "Runs unchanged at %(n)d offering", "Runs unchanged at %(n)d offerings", count
    ) % {"n": count}
    of = ngettext("of %(n)d provider", "of %(n)d providers", providers) % {"n": providers}
    return f"{at} {of}"


def _tallies(result: CheckResult, path: str) -> Iterator[Tally]:
    """The rest of the sentence, each part with the address of those offerings alone."""
    for standing in _REST:
        if count := len(result.counts[standing]):
            url = result.criteria.put("verdict", standing.value).url(path)
            yield Tally(standing.value, _tally_text(standing, count), url)


def _tally_text(standing: Standing, n: int) -> str:
    match standing:
        case Standing.CONDITION:
            text = ngettext("%(n)d needs a condition", "%(n)d need a condition", n)
        case Standing.UNKNOWN:
            text = ngettext("%(n)d is not known", "%(n)d are not known", n)
        case _:
            text = ngettext("%(n)d fails", "%(n)d fail", n)
    return text % {"n": n}


# --- Rows --------------------------------------------------------------------------------------


def _sections(
    result: CheckResult,
    rows: Sequence[Checked],
    columns: tuple[str, ...],
    now: datetime,
    firsts: Mapping[str, object],
) -> tuple[Section, ...]:
    closed = {id(one) for one in result.closed}
    cells = _Cells(result, firsts)
    view = result.criteria.put("columns", *columns)
    # Explicit columns: the default of browse is another one.
    found = []
    for key, members in groupby(rows, key=lambda one: _section_of(one, closed)):
        part = list(members)
        heading, explanation, count = _heading(key, result)
        in_groups = groups((one.row for one in part), view, now)
        with_verdicts = cells.beside(in_groups, part)
        found.append(Section(key, heading, explanation, with_verdicts, count))
    return tuple(found)


def _section_of(one: Checked, closed: set[int]) -> str:
    if id(one) in closed:
        return "closed"
    return "may" if one.row.truth is Truth.MAYBE else one.stand.standing.value


def _heading(key: str, result: CheckResult) -> tuple[Text, Text, int]:
    if key == "may":
        names = {name for one in result.may for name in one.row.unknown}
        unknown = joined([p.unknown_label for name, p in PARAMETERS.items() if name in names])
        explanation = _("Not known there: %(what)s.") % {"what": unknown}
        return _("May match the filters"), explanation, len(result.may)
    if key == "closed":
        gone = _("Can no longer be rented; kept so that it stays readable.")
        return pgettext("offerings", "Closed"), gone, len(result.closed)
    standing = Standing(key)
    count = sum(one.stand.standing is standing for one in result.match)
    return HEADINGS[standing], MEANINGS[standing], count


class _Cells:
    """The verdicts of all rows, and where else each image can go."""

    def __init__(self, result: CheckResult, firsts: Mapping[str, object]) -> None:
        self._firsts = firsts
        self._cells = Cells(Names.of(result.world))
        self._others: dict[Standing, list[Offering]] = {standing: [] for standing in Standing}
        for one in result.match:
            self._others[one.stand.standing].append(one.row.offering)
        self._urls: dict[str, str] = {}

    def beside(self, in_groups: Sequence[Group], checked: Iterable[Checked]) -> tuple[Group, ...]:
        by_key = {_key(one.row.offering): one for one in checked}
        return tuple(
            replace(group, rows=tuple(self._with(row, by_key[row.key]) for row in group.rows))
            for group in in_groups
        )

    def _with(self, row: Row, one: Checked) -> Row:
        base = f"{row.url.partition('#')[0]}{one.row.offering.slug}/"
        cell = self._cells.cell(one.stand, base, self._elsewhere(one))
        return replace(row, extra=replace(cell, first=self._firsts.get(row.key)))

    def _elsewhere(self, one: Checked) -> tuple[NamedLink, ...]:
        """The next best offerings of other providers that stand alike; nothing for what fails."""
        standing, here = one.stand.standing, one.row.offering.provider_id
        if standing not in (Standing.RUNS, Standing.CONDITION):
            return ()
        better = self._others[Standing.RUNS]
        alike = better if standing is Standing.RUNS else [*better, *self._others[standing]]
        found = [o for o in alike if o.provider_id != here][:_ELSEWHERE]
        return tuple(NamedLink(str(o), self._url(o)) for o in found)

    def _url(self, offering: Offering) -> str:
        slug = offering.provider.slug
        if slug not in self._urls:
            self._urls[slug] = reverse("provider", args=[slug])
        return f"{self._urls[slug]}#{offering.slug}"


def _key(offering: Offering) -> str:
    return f"{offering.provider.slug}/{offering.slug}"

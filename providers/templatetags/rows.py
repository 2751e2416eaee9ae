"""What pages repeat hundreds of times: facets, cells of the matrix, and rows of listings.

Put together as text: a template's own loop takes ten times as long for the same. Everything that
comes from elsewhere goes through `escape`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gpucompare import spoken
from gpucompare.escaping import escape, escaped
from providers.answers import Text
from providers.browse.criteria import Toggles
from providers.browse.page import Cell, Cells, Facet, FacetValue, ListedPrice, ListingsPage

register = template.Library()


def _safe(text: object) -> str:
    return escaped(str(text))


# --- Facets ------------------------------------------------------------------------------


@register.filter
def facet_list(facets: Iterable[Facet]) -> SafeString:
    """Every facet with its values: links that toggle them, and how many rows match and may."""
    number = spoken.whole_numbers()
    return SafeString("\n".join(_facet(facet, number) for facet in facets))


def _facet(facet: Facet, number: Callable[[int], str]) -> str:
    key, more = _safe(facet.key), ""
    if facet.folded:
        count = len(facet.folded)
        told = ngettext("%(n)s more", "%(n)s more", count) % {"n": count}
        more = (
            f'<details class="more" id="more-{key}"><summary>{_safe(told)}</summary>'
            f"{_values(facet.folded, facet.toggles, number)}</details>"
        )
    opened = " open" if facet.open or facet.active else ""
    return (
        f'<details class="facet" id="facet-{key}"{opened}>'
        f'<summary title="{_safe(facet.question)}">{_safe(facet.label)}</summary>'
        f"{_values(facet.values, facet.toggles, number)}{more}</details>"
    )


def _values(values: Sequence[FacetValue], toggles: Toggles, number: Callable[[int], str]) -> str:
    items = []
    hrefs = toggles.hrefs(value.key for value in values)
    for (_key, match, may, active, *worded), href in zip(values, hrefs, strict=True):
        begun, title, label = _of_value(*worded)
        current = ' aria-current="true"' if active else ""
        perhaps = f"+{number(may)}" if may else ""
        items.append(
            f"{begun}{href}{title}{current}{label}{number(match)}"
            f"</b> <small>{perhaps}</small></a></li>"
        )
    return f'<ul class="values">{"".join(items)}</ul>'


@lru_cache(maxsize=8192)
def _of_value(element: str, label: str, told: str) -> tuple[str, str, str]:
    """What stays the same of a value from page to page, before and behind its address."""
    title = f' title="{_safe(told)}"' if told else ""
    return f'<li><a id="{_safe(element)}" href="', f'"{title}', f">{_safe(label)} <b>"


# --- Offerings ---------------------------------------------------------------------------


@register.filter
def answer_cells(cells: Cells) -> SafeString:
    """The cells of a row of the matrix. Every byte of one counts a thousand times."""
    if not cells.drawn:
        due = f"<em>{_safe(_('due for review'))}</em>"
        cells.drawn = "".join(_answer_cell(cell, due) for cell in cells)
    return SafeString(cells.drawn)


def _answer_cell(cell: Cell, due: str) -> str:
    text = _safe(cell.text)
    if cell.language:
        text = f'<bdi lang="{_safe(cell.language)}">{text}</bdi>'
    detail = f"<small>{_safe(cell.detail)}</small>" if cell.detail else ""
    return (
        f'<td role="cell" class="{_safe(cell.state)}{" due" if cell.due else ""}">'
        f'<a href="{_safe(cell.url)}"><i>{_safe(cell.label)} </i>{text}'
        f"{due if cell.due else ''}{detail}</a></td>"
    )


# --- Listings ----------------------------------------------------------------------------


@register.filter
def listing_rows(page: ListingsPage) -> SafeString:
    """Rows of the table of listings. The roles repeat what the elements mean, because phones show
    rows as cards and browsers then forget it."""
    return SafeString("\n".join(_Rows(page).lines()))


class _Rows:
    """The words that all rows repeat, and the rows."""

    def __init__(self, page: ListingsPage) -> None:
        self._page = page
        self._unit, self._other_unit = _safe(page.price_unit), _safe(page.other_unit)
        self._unknown = f'<span class="quiet">{_safe(_("Unknown"))}</span>'
        self._unknown_of = _safe(_("Unknown:"))
        self._spot, self._spot_word = _safe(_("Spot")), _safe(_("spot"))
        self._stock, self._region = _safe(_("Stock")), _safe(_("Region"))
        self._host, self._seen = _safe(_("Driver and CUDA")), _safe(_("Seen"))
        self._no_price = _safe(_("no price"))

    def lines(self) -> Iterator[str]:
        for row in self._page.rows:
            if row.id == self._page.may_starts:
                yield _may_match()
            yield self._row(row)

    def _row(self, row: ListedPrice) -> str:
        return (
            f'<tr role="row">\n{_gpu(row)}\n{self._offering(row)}\n{self._price(row)}\n'
            f'  <td role="cell" class="number"><i><bdi>{self._other_unit}</bdi></i>'
            f"{escaped(row.other or '–')}</td>\n"
            f'  <td role="cell" class="number"><i>{self._spot}</i>{escaped(row.spot or "–")}</td>\n'
            f'  <td role="cell"><i>{self._stock}</i>'
            f'<span class="mark {escaped(row.stock_state)}">{escaped(row.stock)}</span></td>\n'
            f'  <td role="cell"><i>{self._region}</i>{self._or_unknown(escaped(row.region))}</td>\n'
            f'  <td role="cell"><i>{self._host}</i>{self._or_unknown(_host(row))}</td>\n'
            f"{self._sighting(row)}\n</tr>"
        )

    def _or_unknown(self, told: str) -> str:
        return f"<bdi>{told}</bdi>" if told else self._unknown

    def _offering(self, row: ListedPrice) -> str:
        tier = f" · {escaped(row.tier)}" if row.tier else ""
        unknown = ""
        if row.unknown:
            labels = spoken.comma().join(map(_safe, row.unknown))
            unknown = f"<small>{self._unknown_of} {labels}</small>"
        return (
            f'  <td role="cell"><a href="{escaped(row.offering_url)}">{escaped(row.provider)}</a> '
            f"<small>{escaped(row.offering)}{tier}</small>{unknown}</td>"
        )

    def _price(self, row: ListedPrice) -> str:
        price = row.price
        told = self._no_price
        if price.amount:
            divisor = escaped(price.divisor)
            title = f' title="{divisor}"' if divisor else ""
            told = f"<b{title}>{escaped(price.amount)}</b>"
            told += f" <small>{self._spot_word}</small>" if price.spot else ""
            told += f' <small class="ltr">{divisor}</small>' if divisor else ""
        return (
            f'  <td role="cell" class="number {escaped(price.band)}" data-cells>'
            f'<a href="{escape(row.url)}"><i><bdi>{self._unit}</bdi></i>{told}</a></td>'
        )

    def _sighting(self, row: ListedPrice) -> str:
        link = ""
        if row.source_url:
            address = f'href="{escape(row.source_url)}" rel="noopener nofollow"'
            link = f' <a class="ltr" {address}>{escaped(row.source_host)}</a>'
        return (
            f'  <td role="cell" class="seen {escaped(row.price.band)}"><i>{self._seen}</i>'
            f'<span title="{escaped(row.seen)}">{escaped(row.price.age)}</span>{link}</td>'
        )


def _gpu(row: ListedPrice) -> str:
    count = f"{escaped(row.gpu_count)} × " if row.gpu_count else ""
    name = f"<bdi>{escaped(row.gpu)}</bdi>"
    if row.gpu_url:
        name = f'<a href="{escaped(row.gpu_url)}">{name}</a>'
    return (
        f'  <th role="rowheader" scope="row"><b class="ltr">{count}{name}</b> '
        f'<small class="ltr">{escaped(row.vram)}</small></th>'
    )


def _host(row: ListedPrice) -> str:
    cuda = f"CUDA&nbsp;{escaped(row.cuda)}" if row.cuda else ""
    between: Text = " · " if row.driver and cuda else ""
    return f"{escaped(row.driver)}{between}{cuda}"


def _may_match() -> str:
    told = _("Something that was asked for is not known of these rows; each says what.")
    return (
        '<tr role="row" class="section"><th role="rowheader" scope="rowgroup" colspan="9">'
        f"<h3>{_safe(_('May match'))}</h3>\n<p>{_safe(told)}</p></th></tr>"
    )

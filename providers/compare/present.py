"""Comparison → ComparePage: words, marks and addresses for the template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from html import escape
from itertools import groupby

from django.urls import reverse
from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Ignored
from providers.browse.frame import snapshot_day
from providers.browse.page import Choice, HiddenField
from providers.browse.present import answer_cell, price_cell
from providers.browse.world import is_closed
from providers.claim_views import offering_url
from providers.compare import suggest
from providers.compare.comparison import Comparison
from providers.compare.differences import Line, count
from providers.compare.page import (
    Column,
    ComparedCell,
    ComparedRow,
    ComparePage,
    FoldedRow,
    NextLink,
    OptionGroup,
    OthersLink,
    PriceRow,
    RowGroup,
)
from providers.compare.selection import LIMIT, Selection
from providers.compare.sources import sources
from providers.compare.wording import price_kinds, sentences, summary
from providers.dimensions import DIMENSIONS, GROUPS
from providers.models import Offering, Status
from providers.wording import cell_state, cell_text, joined, value_text


def compare_page(
    comparison: Comparison,
    ignored: Sequence[Ignored],
    absolute: Callable[[str], str],
    now: datetime,
) -> ComparePage:
    """The page for a comparison; `absolute` gives an address with scheme and host."""
    selection, path = comparison.selection, reverse("compare")
    names = joined([str(offering) for offering in comparison.offerings])
    said = summary(comparison)
    return ComparePage(
        title=names,
        notices=tuple(notice(part) for part in ignored),
        columns=tuple(_columns(comparison, path)),
        summary=said,
        sentences=sentences(said) if said else (),
        groups=_groups(comparison, now),
        prices=_prices(comparison, now),
        price_unit=links.price_unit(selection.view),
        price_of=joined([comparison.world.gpu_names[slug] for slug in selection.view.all("gpu")]),
        gpus=tuple(_gpus(comparison, path)),
        units=links.units(selection, path),
        fold=_fold(selection, path),
        equal=sum(line.equal for line in comparison.lines),
        exports=links.exports(selection, path),
        embed_url=(embedded := absolute(selection.url(reverse("embed-compare")))),
        embed_code=_embed_code(embedded, names),
        others=_others(comparison),
        neighbours=_neighbours(comparison, path),
        ready=() if comparison.offerings else _ready(comparison, path),
        sources=sources(comparison, now.date()),
        options=_options(comparison),
        chosen=selection.offerings,
        hidden=_hidden(selection),
        snapshot_day=_snapshot_day(comparison),
        canonical_url=selection.url(path),
        address=absolute(selection.url(path)),
        today=spoken.day(now),
    )


def _embed_code(url: str, names: Text) -> str:
    """To be shown as text, not as a frame of our own."""
    told = f'src="{escape(url)}" title="{escape(str(names))}"'
    return f'<iframe {told} width="100%" height="480" loading="lazy"></iframe>'


def notice(ignored: Ignored) -> Text:
    """What of an address could not be followed."""
    match ignored.reason:
        case "missing":
            return _("not found: %(offering)s") % {"offering": ignored.value}
        case "twice":
            return _("named twice, shown once: %(offering)s") % {"offering": ignored.value}
        case "surplus":
            return _("left out: %(offering)s; at most %(n)d can be compared at once") % {
                "offering": ignored.value,
                "n": LIMIT,
            }
    return links.notice(ignored)


# --- Columns ---------------------------------------------------------------------------


def _columns(comparison: Comparison, path: str) -> Iterator[Column]:
    selection = comparison.selection
    last = len(selection.offerings) - 1
    pairs = zip(selection.offerings, comparison.offerings, strict=True)
    for place, (key, offering) in enumerate(pairs):
        yield Column(
            key,
            offering.provider.name,
            reverse("provider", args=[offering.provider.slug]),
            offering.name,
            offering_url(offering),
            _status(offering),
            key == selection.base,
            selection.based_on(key).url(path),
            selection.moved(key, -1).url(path),
            selection.moved(key, 1).url(path),
            place == 0,
            place == last,
            selection.without(key).url(path),
            count(comparison.lines, place),
        )


def _status(offering: Offering) -> Text:
    """An offering ends with its provider."""
    if is_closed(offering):
        return Status.CLOSED.label
    return "" if offering.status == Status.ACTIVE else offering.get_status_display()


# --- Rows ------------------------------------------------------------------------------


def _groups(comparison: Comparison, now: datetime) -> tuple[RowGroup, ...]:
    by_group: dict[str, list[Line]] = {key: [] for key in GROUPS}
    for line in comparison.lines:
        by_group[line.dimension.group].append(line)
    return tuple(
        RowGroup(
            GROUPS[key],
            tuple(_row(line, comparison, now) for line in found if not comparison.folds(line)),
            tuple(_folded(line, comparison) for line in found if comparison.folds(line)),
        )
        for key, found in by_group.items()
        if found
    )


def _row(line: Line, comparison: Comparison, now: datetime) -> ComparedRow:
    dimension = line.dimension
    return ComparedRow(
        line.key,
        dimension.label,
        dimension.question,
        dimension.main,
        line.equal,
        tuple(
            ComparedCell(
                answer_cell(o, dimension, comparison.read_on(o), _cells_address(o), now),
                standing.value,
            )
            for o, standing in zip(comparison.offerings, line.standings, strict=True)
        ),
    )


def _cells_address(offering: Offering) -> str:
    return f"{reverse('provider', args=[offering.provider.slug])}{offering.slug}/"


def _folded(line: Line, comparison: Comparison) -> FoldedRow:
    any_of_them = comparison.base
    return FoldedRow(
        line.dimension.label,
        cell_state(any_of_them, line.dimension),
        cell_text(any_of_them, line.dimension),
        f"{_cells_address(any_of_them)}{line.key}/",
    )


def _prices(comparison: Comparison, now: datetime) -> tuple[PriceRow, ...]:
    view = comparison.selection.view
    return tuple(
        PriceRow(label, tuple(price_cell(found.get(o.pk), view, now) for o in comparison.offerings))
        for label, found in price_kinds(comparison)
    )


def _snapshot_day(comparison: Comparison) -> Text:
    found = (*comparison.prices.on_demand.values(), *comparison.prices.spot.values())
    return snapshot_day((price.origin, price.seen_at) for price in found)


# --- Menus and forms -------------------------------------------------------------------


def _gpus(comparison: Comparison, path: str) -> Iterator[Choice]:
    """GPUs that prices may be for, those that most columns rent first; an asked one is there."""
    selection = comparison.selection
    asked = selection.view.all("gpu")
    yield Choice("any", _("Cheapest of all"), selection.put("gpu").url(path), not asked)
    rented = comparison.prices.rented
    for slug in (*rented, *(slug for slug in asked if slug not in rented)):
        label = _("%(gpu)s (%(n)d of %(total)d)") % {
            "gpu": comparison.world.gpu_names[slug],
            "n": rented.get(slug, 0),
            "total": len(comparison.offerings),
        }
        yield Choice(slug, label, selection.put("gpu", slug).url(path), slug in asked)


def _fold(selection: Selection, path: str) -> Choice:
    label = _("Show equal rows") if selection.fold else _("Fold equal rows")
    return Choice("fold", label, selection.folded(not selection.fold).url(path), selection.fold)


def _hidden(selection: Selection) -> tuple[HiddenField, ...]:
    """All of the address but the columns."""
    pairs = selection.pairs()
    return tuple(HiddenField(name, value) for name, value in pairs if name != "o")


def _options(comparison: Comparison) -> tuple[OptionGroup, ...]:
    """Every offering that is not a column yet; none when there is no room for one more."""
    chosen = comparison.selection.offerings
    if len(chosen) >= LIMIT:
        return ()
    left = [(k, o) for k, o in comparison.world.by_key.items() if k not in chosen]
    return tuple(
        OptionGroup(provider, tuple((key, offering.name) for key, offering in members))
        for provider, members in groupby(left, key=lambda pair: pair[1].provider.name)
    )


# --- What to look at next --------------------------------------------------------------


def _others(comparison: Comparison) -> tuple[OthersLink, ...]:
    everything = comparison.world.offerings
    return tuple(
        OthersLink(
            found.count,
            tuple(
                (
                    DIMENSIONS[name].label,
                    joined([value_text(DIMENSIONS[name], v) for v in values]),
                )
                for name, values in found.criteria.values
            ),
            found.criteria.url(reverse("browse")),
        )
        for found in suggest.others(comparison.offerings, comparison.lines, everything)
    )


def _neighbours(comparison: Comparison, path: str) -> tuple[NextLink, ...]:
    selection = comparison.selection
    if not 0 < len(selection.offerings) < LIMIT:
        return ()
    found = suggest.closest(comparison.base, comparison.offerings, comparison.world.offerings)
    return tuple(
        NextLink(str(o), "", selection.joined_by(f"{o.provider.slug}/{o.slug}").url(path))
        for o in found
    )


def _ready(comparison: Comparison, path: str) -> tuple[NextLink, ...]:
    return tuple(
        NextLink(
            found.label,
            joined([str(offering) for offering in found.offerings]),
            Selection(tuple(f"{o.provider.slug}/{o.slug}" for o in found.offerings)).url(path),
        )
        for found in suggest.ready(comparison.world.offerings)
    )

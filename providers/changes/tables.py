"""Changes as a table for export: language-free, each on its own row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from providers.answers import query_form
from providers.browse.export import Table, iso
from providers.changes.catalog import CONTRADICTED
from providers.changes.present import Presenter
from providers.changes.select import Selection, behind, place_of
from providers.models import Change, What

# Rows that an export holds in memory at once.
_PAGE = 2000

_COLUMNS = (
    *("id", "at", "what", "provider", "offering", "dimension", "gpu", "price_is_spot"),
    *("before", "after", "usd_per_gpu_hour_before", "usd_per_gpu_hour_after"),
    *("effect", "why", "refreshed", "source", "digest"),
)


def changes_table(selection: Selection) -> Table:
    """All changes of `selection`, newest first; `digest` holds the figures of one as JSON."""
    known = Presenter(selection)
    return Table(
        "changes", _COLUMNS, (_record(c, known) for c in _every(selection) if known.knows(c))
    )


def _every(selection: Selection) -> Iterator[Change]:
    """Read page by page, so that memory stays small."""
    rows, place = selection.changes(), selection.criteria.one("after")
    while True:
        page: Sequence[Change] = list(rows.filter(behind(place))[:_PAGE])
        yield from page
        if len(page) < _PAGE:
            return
        place = place_of(page[-1])


def _record(change: Change, known: Presenter) -> tuple[Any, ...]:
    provider, offering = known.slugs(change)
    before = change.usd_before
    if change.what == What.PRICE and not known.selection.limits:
        before = change.usd_told or before
    return (
        change.pk,
        iso(change.at),
        str(change.what),
        provider,
        offering,
        change.dimension,
        known.gpu_slug(change.family_id, change.gpu_id),
        change.spot if change.family_id is not None else None,
        _spelled(change.before),
        _spelled(change.after),
        before,
        change.usd_after,
        known.effect(change),
        str(change.why),
        change.source,
        change.source_url,
        json.dumps(change.figures) if change.figures else None,
    )


def _spelled(value: Any) -> Any:
    """As the query string spells it, so that before and after can be asked for."""
    if value == CONTRADICTED:
        return "contradicted"
    return value if value is None or isinstance(value, list) else query_form(value)

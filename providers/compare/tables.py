"""A comparison as a table for export: in keys for programs, in words for a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from itertools import chain
from typing import Any

from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.browse.export import Table, answer_value, iso
from providers.browse.links import price_unit
from providers.browse.present import price_cell
from providers.browse.query import Cheapest
from providers.browse.tables import in_period, price_column
from providers.compare.comparison import Comparison
from providers.compare.differences import Line, Standing
from providers.compare.sources import sources
from providers.compare.wording import price_kinds, sentences, summary
from providers.models import Offering
from providers.wording import cell_text


def compare_table(comparison: Comparison, wanted: str, now: datetime) -> Table:
    """Words in Markdown, which people read; keys and numbers in all other formats."""
    return _for_readers(comparison, now) if wanted == "md" else _for_programs(comparison)


def _for_programs(comparison: Comparison) -> Table:
    """One record a question and one a fact about prices; a column an offering, by its key.

    Behind them, for each offering, who told the answer and when.
    """
    keys = comparison.selection.offerings
    told = (f"{key} {fact}" for key in keys for fact in ("source", "read_on"))
    columns = ("group", "row", "main", "standing", *keys, *told)
    return Table("comparison", columns, (*_answers(comparison), *_priced(comparison)))


def _answers(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    for line in comparison.lines:
        if not comparison.folds(line):
            dimension = line.dimension
            values = (answer_value(o, line.key) for o in comparison.offerings)
            told = (_told(comparison, o, line.key) for o in comparison.offerings)
            about = (dimension.group, line.key, dimension.main, _standing(line))
            yield (*about, *values, *chain.from_iterable(told))


def _told(comparison: Comparison, offering: Offering, key: str) -> tuple[str | None, date | None]:
    """Source and day of the claim that decides an answer."""
    deciding = (c for c in comparison.claims[offering.pk] if c.decides and c.dimension == key)
    return next(((claim.source, claim.read_on) for claim in deciding), (None, None))


def _standing(line: Line) -> str:
    if line.equal:
        return Standing.SAME
    return Standing.DIFFERENT if line.differs else Standing.OPEN


def _priced(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    view = comparison.selection.view
    for kind, found in _kinds(comparison).items():
        cheapest = [found.get(offering.pk) for offering in comparison.offerings]
        facts: Mapping[str, list[Any]] = {
            price_column(view): [in_period(c.shown, view) if c else None for c in cheapest],
            "gpu": [c.gpu_name if c else None for c in cheapest],
            "gpu_count": [c.gpu_count if c else None for c in cheapest],
            "price_origin": [c.origin if c else None for c in cheapest],
            "price_seen_at": [iso(c.seen_at) if c else None for c in cheapest],
        }
        for name, values in facts.items():
            untold = [None] * (2 * len(cheapest))  # the day of a price is a row of its own
            yield ("price", f"{kind}_{name}", None, None, *values, *untold)


def _kinds(comparison: Comparison) -> Mapping[str, Mapping[int, Cheapest]]:
    return {"on_demand": comparison.prices.on_demand, "spot": comparison.prices.spot}


def _for_readers(comparison: Comparison, now: datetime) -> Table:
    """The same in the language of the page, the summary before it and its sources behind it."""
    names = (str(offering) for offering in comparison.offerings)
    said = summary(comparison)
    return Table(
        "comparison",
        (_("Question"), *names),
        (*_worded(comparison), *_worded_prices(comparison, now)),
        sentences(said) if said else (),
        tuple(_sources(comparison, now.date())),
    )


def _worded(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    """A sign that needs no colour stands before what differs from the base."""
    for line in comparison.lines:
        if not comparison.folds(line):
            pairs = zip(comparison.offerings, line.standings, strict=True)
            texts = (
                f"{'≠ ' if said is Standing.DIFFERENT else ''}{cell_text(o, line.dimension)}"
                for o, said in pairs
            )
            label = str(line.dimension.label)
            yield (f"**{label}**" if line.dimension.main else label, *texts)


def _worded_prices(comparison: Comparison, now: datetime) -> Iterator[tuple[str, ...]]:
    view = comparison.selection.view
    for label, found in price_kinds(comparison):
        cells = (_price(found.get(o.pk), comparison, now) for o in comparison.offerings)
        yield (f"{label} ({price_unit(view)})", *cells)


def _price(found: Cheapest | None, comparison: Comparison, now: datetime) -> str:
    if found is None:
        return _("no price")
    cell = price_cell(found, comparison.selection.view, now)
    facts = [cell.amount, cell.gpu, cell.divisor, str(cell.age)]
    return spoken.joined(fact for fact in facts if fact)


def _sources(comparison: Comparison, today: date) -> Iterator[str]:
    for group in sources(comparison, today):
        for source in group.sources:
            yield f"{group.name}: {source.labels}: <{source.url}> ({source.about})"

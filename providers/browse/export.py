"""The rows of a browse page as a download: CSV, JSON or a Markdown table."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import StreamingHttpResponse
from django.urls import reverse

from providers.answers import query_form
from providers.browse.judge import Truth
from providers.browse.query import BrowseResult, Judged

_PRICE_HEADERS = ("gpu", "gpu_count", "spot", "price_origin", "price_seen_at")


def export_response(
    result: BrowseResult, wanted: str, address: str, now: datetime
) -> StreamingHttpResponse:
    """A streamed download of the rows that match or may match; `match` says which."""
    content_type, write = FORMATS[wanted]
    response = StreamingHttpResponse(
        write(headers(result), records(result), {"source": address, "made_at": iso(now)}),
        content_type=f"{content_type}; charset=utf-8",
    )
    response["Content-Disposition"] = f'inline; filename="gpucompare.{wanted}"'
    return response


def headers(result: BrowseResult) -> tuple[str, ...]:
    """Column names; a price states its unit in its name. Language-free."""
    criteria = result.criteria
    unit = f"usd_per_{criteria.one('per')}_{criteria.one('period')}"
    about = ("provider", "offering", "provider_name", "offering_name", "status", "match", "unknown")
    return (*about, *criteria.columns, unit, *_PRICE_HEADERS, "url")


def records(result: BrowseResult) -> Iterator[dict[str, Any]]:
    """One flat record an offering: answers as the query string spells them, None for unknown."""
    show = result.criteria.one("unknown") == "show"
    for row in result.rows:
        if show or row.truth is Truth.YES:
            yield _record(row, "yes" if row.truth is Truth.YES else "may", result)
    for row in result.closed:
        yield _record(row, "closed", result)


def _record(row: Judged, match: str, result: BrowseResult) -> dict[str, Any]:
    offering = row.offering
    values = [
        offering.provider.slug,
        offering.slug,
        offering.provider.name,
        offering.name,
        offering.status,
        match,
        list(row.unknown),
        *(_answer(row, key) for key in result.criteria.columns),
        *_price(row, result),
        f"{reverse('provider', args=[offering.provider.slug])}#{offering.slug}",
    ]
    return dict(zip(headers(result), values, strict=True))


def _answer(row: Judged, key: str) -> Any:
    if key in row.offering.contradicted:
        return "contradicted"
    answer = row.offering.answer(key)
    if answer is None:
        return None
    return answer if isinstance(answer, list) else query_form(answer)


def _price(row: Judged, result: BrowseResult) -> tuple[Any, ...]:
    cheapest = row.cheapest
    if cheapest is None:
        return (None,) * (1 + len(_PRICE_HEADERS))
    amount = round(cheapest.shown * result.criteria.hours, 6).normalize()
    return (
        amount,
        cheapest.gpu_name,
        cheapest.gpu_count,
        cheapest.spot,
        cheapest.origin,
        iso(cheapest.seen_at),
    )


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _flat(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:f}" if isinstance(value, Decimal) else query_form(value)


# --- Formats -----------------------------------------------------------------------


class _Line:
    """A file for csv.writer that hands each line back."""

    def write(self, line: str) -> str:
        return line


def safe_for_spreadsheets(text: str) -> str:
    """A cell that would start a formula is kept as text by an apostrophe."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _csv(
    names: tuple[str, ...], rows: Iterable[Mapping[str, Any]], about: Mapping[str, str]
) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(names)
    for row in rows:
        yield writer.writerow([safe_for_spreadsheets(_flat(row[name])) for name in names])


def _json(
    names: tuple[str, ...], rows: Iterable[Mapping[str, Any]], about: Mapping[str, str]
) -> Iterator[str]:
    yield json.dumps(about)[:-1] + ', "rows": ['
    for i, row in enumerate(rows):
        yield (",\n" if i else "\n") + json.dumps(row, ensure_ascii=False, default=str)
    yield "\n]}\n"


def _markdown(
    names: tuple[str, ...], rows: Iterable[Mapping[str, Any]], about: Mapping[str, str]
) -> Iterator[str]:
    yield "| " + " | ".join(names) + " |\n"
    yield "|" + " --- |" * len(names) + "\n"
    for row in rows:
        yield "| " + " | ".join(_in_table(_flat(row[name])) for name in names) + " |\n"
    yield f"\n{about['source']} ({about['made_at']})\n"


def _in_table(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


_Writer = Callable[[tuple[str, ...], Iterable[Mapping[str, Any]], Mapping[str, str]], Iterator[str]]
FORMATS: Mapping[str, tuple[str, _Writer]] = {
    "csv": ("text/csv", _csv),
    "json": ("application/json", _json),
    "md": ("text/markdown", _markdown),
}

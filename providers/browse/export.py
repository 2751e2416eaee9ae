"""Tables as downloads: CSV, JSON or a Markdown table. Language-free, streamed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import StreamingHttpResponse

from providers.answers import query_form
from providers.models import Offering


@dataclass(frozen=True)
class Table:
    """Rows on their way out: names of columns (units in them) and one record a row."""

    name: str  # of the file, without its ending
    columns: tuple[str, ...]
    records: Iterable[Sequence[Any]]
    # Paragraphs and a list round the table, for readers: only Markdown has room for them.
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def export_response(
    table: Table, wanted: str, address: str, now: datetime
) -> StreamingHttpResponse:
    """A streamed download of `table` as one of FORMATS."""
    content_type, write = FORMATS[wanted]
    response = StreamingHttpResponse(
        write(table, {"source": address, "made_at": iso(now)}),
        content_type=f"{content_type}; charset=utf-8",
    )
    response["Content-Disposition"] = f'inline; filename="{table.name}.{wanted}"'
    return response


def answer_value(offering: Offering, key: str) -> Any:
    """An answer as the query string spells it; None for unknown, `contradicted` for that."""
    if key in offering.contradicted:
        return "contradicted"
    answer = offering.answer(key)
    if answer is None:
        return None
    return answer if isinstance(answer, list) else query_form(answer)


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


def _named(table: Table) -> Iterator[dict[str, Any]]:
    return (dict(zip(table.columns, record, strict=True)) for record in table.records)


class _Line:
    """A file for csv.writer that hands each line back."""

    def write(self, line: str) -> str:
        return line


def safe_for_spreadsheets(text: str) -> str:
    """A cell that would start a formula is kept as text by an apostrophe."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _csv(table: Table, about: Mapping[str, str]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(table.columns)
    for record in table.records:
        yield writer.writerow([safe_for_spreadsheets(_flat(value)) for value in record])


def _json(table: Table, about: Mapping[str, str]) -> Iterator[str]:
    yield json.dumps(about)[:-1] + ', "rows": ['
    for i, record in enumerate(_named(table)):
        yield (",\n" if i else "\n") + json.dumps(record, ensure_ascii=False, default=_flat)
    yield "\n]}\n"


def _markdown(table: Table, about: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{_in_table(text)}\n\n" for text in table.lead)
    yield "| " + " | ".join(map(_in_table, table.columns)) + " |\n"
    yield "|" + " --- |" * len(table.columns) + "\n"
    for record in table.records:
        yield "| " + " | ".join(_in_table(_flat(value)) for value in record) + " |\n"
    yield "\n" if table.notes else ""
    yield from (f"- {_in_table(text)}\n" for text in table.notes)
    yield f"\n{about['source']} ({about['made_at']})\n"


def _in_table(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


_Writer = Callable[[Table, Mapping[str, str]], Iterator[str]]
FORMATS: Mapping[str, tuple[str, _Writer]] = {
    "csv": ("text/csv", _csv),
    "json": ("application/json", _json),
    "md": ("text/markdown", _markdown),
}

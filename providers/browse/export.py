"""Tables as downloads: CSV, JSON or a Markdown table. Language-free, streamed.

Each says where it is from, when it was made and under which licence: JSON in `meta`, Markdown in
its last line, CSV in the column `licence` and, as every download, in the header `Link`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urljoin

from django.http import StreamingHttpResponse
from django.urls import reverse

from providers.answers import query_form
from providers.browse.held import let_go
from providers.browse.spreadsheet import guarded
from providers.models import Offering

# Of the data, by its name in the SPDX list; docs/data-licence.md says what it means.
LICENCE = "CC-BY-4.0"
# Rows are sent together until they are so long.
_PART = 32 * 1024


@dataclass(frozen=True)
class Table:
    """Rows on their way out: names of columns (units in them) and one record a row."""

    name: str  # of the file, without its day and ending
    columns: tuple[str, ...]
    records: Iterable[Sequence[Any]]
    # Paragraphs and a list round the table, for readers: only Markdown has room for them.
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    # The same in words and in the language of the page, where Markdown holds that instead.
    for_readers: Callable[[], Table] | None = None


@dataclass(frozen=True)
class About:
    """Where a download is from."""

    source: str  # its address
    made_at: str
    licence_url: str


def export_response(
    table: Table, wanted: str, address: str, now: datetime
) -> StreamingHttpResponse:
    """A streamed download of `table` as one of FORMATS, named by the day."""
    content_type, write = FORMATS[wanted]
    about = About(address, iso(now), urljoin(address, reverse("data-licence")))
    response = StreamingHttpResponse(
        let_go(_parts(write(table, about))), content_type=f"{content_type}; charset=utf-8"
    )
    name = f"{table.name}-{now.astimezone(UTC):%Y-%m-%d}.{wanted}"
    response["Content-Disposition"] = f'inline; filename="{name}"'
    response["Link"] = f'<{about.licence_url}>; rel="license"'
    return response


def _parts(lines: Iterator[str]) -> Generator[bytes]:
    """The head at once, so that whoever waits sees an answer; then lines in larger parts."""
    yield next(lines).encode()
    part: list[str] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size > _PART:
            yield "".join(part).encode()
            part, size = [], 0
    yield "".join(part).encode()


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
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, date):
        return value.isoformat()
    return f"{value:f}" if isinstance(value, Decimal) else query_form(value)


# --- Formats -----------------------------------------------------------------------


def _named(table: Table) -> Iterator[dict[str, Any]]:
    return (dict(zip(table.columns, record, strict=True)) for record in table.records)


class _Line:
    """A file for csv.writer that hands each line back."""

    def write(self, line: str) -> str:
        return line


def _cell(value: Any) -> str:
    """A number stays one, also below zero; what is written in words must start no formula."""
    text = _flat(value)
    return guarded(text) if isinstance(value, (str, list)) else text


def _csv(table: Table, about: About) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow([*map(guarded, table.columns), "licence"])
    for record in table.records:
        yield writer.writerow([*map(_cell, record), LICENCE])


def _json(table: Table, about: About) -> Iterator[str]:
    meta = {
        "source": about.source,
        "made_at": about.made_at,
        "licence": LICENCE,
        "licence_url": about.licence_url,
    }
    yield f'{{"meta": {json.dumps(meta)}, "rows": ['
    for i, record in enumerate(_named(table)):
        yield (",\n" if i else "\n") + json.dumps(record, ensure_ascii=False, default=_flat)
    yield "\n]}\n"


def _markdown(table: Table, about: About) -> Iterator[str]:
    table = table.for_readers() if table.for_readers else table
    yield from (f"{_in_line(text)}\n\n" for text in table.lead)
    yield "| " + " | ".join(map(_in_table, table.columns)) + " |\n"
    yield "|" + " --- |" * len(table.columns) + "\n"
    for record in table.records:
        yield "| " + " | ".join(_in_table(_flat(value)) for value in record) + " |\n"
    yield "\n" if table.notes else ""
    yield from (f"- {_in_line(text)}\n" for text in table.notes)
    yield f"\n{about.source} ({about.made_at}), {LICENCE}: {about.licence_url}\n"


def _in_line(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("|", "\\|").split())


# Of a cell nothing may become a link, a tag or code.
_ESCAPED = str.maketrans({mark: f"\\{mark}" for mark in "\\|<[`"})


def _in_table(text: str) -> str:
    return " ".join(text.translate(_ESCAPED).split())


_Writer = Callable[[Table, About], Iterator[str]]
FORMATS: Mapping[str, tuple[str, _Writer]] = {
    "csv": ("text/csv", _csv),
    "json": ("application/json", _json),
    "md": ("text/markdown", _markdown),
}

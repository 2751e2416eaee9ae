"""The offerings of a check as a table for export: keys, in no language, and words in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checks.present import columns_of
from checks.present_verdict import Names
from checks.verdicts import Checked, CheckResult
from checks.worded import worded_table
from gpucompare.cuda.answer import Standing
from providers.browse.evidence import Evidence
from providers.browse.export import Table
from providers.browse.judge import Truth
from providers.browse.tables import offering_record, offerings_columns

_VERDICT = (
    "verdict",
    "start",
    "run",
    "share",
    "reasons",
    "fixes",
    "missing",
    "conditions",
    "listings_alike",
    "listings",
    "gpus_alike",
)


def check_table(result: CheckResult) -> Table:
    """One record an offering, best first; its columns are those of browse after the verdict."""
    criteria = result.criteria.put("columns", *columns_of(result.criteria))
    about, rest = offerings_columns(criteria)
    columns = (*about, *_VERDICT, *rest)
    return Table("check", columns, _records(result), for_readers=lambda: worded_table(result))


def _records(result: CheckResult) -> Iterator[tuple[Any, ...]]:
    show = result.criteria.one("unknown") == "show"
    criteria = result.criteria.put("columns", *columns_of(result.criteria))
    names, evidence = Names.of(result.world), Evidence.read()
    standing = [(one, "") for one in result.rows if show or one.row.truth is Truth.YES]
    for one, match in (*standing, *((one, "closed") for one in result.closed)):
        about, rest = offering_record(one.row, criteria, evidence, match)
        yield (*about, *_verdict(one, names), *rest)


def _verdict(one: Checked, names: Names) -> tuple[Any, ...]:
    stand, said = one.stand, one.stand.said
    alike = stand.of(stand.standing) if stand.standing is not Standing.FAILS else []
    gpus = dict.fromkeys(filter(None, (names.name(on.gpu) for on in alike)))
    return (
        said.standing.value,
        said.found.best.start.value,
        said.found.best.run.value,
        said.found.share.value,
        list(said.reasons),
        list(said.fixes),
        list(said.missing),
        [found.key.value for found in said.conditions],
        stand.its_listings,
        stand.listings,
        list(gpus),
    )

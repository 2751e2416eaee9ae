"""manage.py load_catalog [DIR] [--take file|desk] [--check]"""

from collections.abc import Iterator
from pathlib import Path

from providers.catalog.commands import LoadCommand
from providers.catalog.merge import Side
from providers.catalog.store import LoadReport, load


class Command(LoadCommand[LoadReport]):
    help = "Load the catalog's files into the database; all of it or nothing."
    what = "catalog"
    setting = "CATALOG_DIR"

    def load(self, directory: Path, *, take: Side | None, check: bool) -> LoadReport:
        return load(directory, take=take, check=check)

    def done(self, report: LoadReport) -> Iterator[str]:
        for (table, what), count in sorted(report.counts.items()):
            yield f"{count} {table} {what}"
        if report.resolved:
            yield f"answers of {report.resolved} offerings resolved"

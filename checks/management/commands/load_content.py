"""manage.py load_content [DIR] [--take file|desk] [--check]"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checks.content.standing import standing_lines
from checks.content.store import LoadReport, load
from providers.catalog.commands import LoadCommand
from providers.catalog.merge import Side


class Command(LoadCommand[LoadReport]):
    help = "Load guide, FAQ and glossary into the database; all of it or nothing."
    what = "content"
    setting = "CONTENT_DIR"

    def load(self, directory: Path, *, take: Side | None, check: bool) -> LoadReport:
        return load(directory, take=take, check=check)

    def done(self, report: LoadReport) -> Iterator[str]:
        for what, count in sorted(report.counts.items()):
            yield f"{count} texts {what}"

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if options["verbosity"] > 1:
            for line in standing_lines():
                self.stdout.write(line)

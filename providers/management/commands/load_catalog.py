"""manage.py load_catalog [DIR] [--take file|desk] [--check]"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from providers.catalog.faults import CatalogFaults
from providers.catalog.merge import Side
from providers.catalog.store import CatalogConflicts, LoadReport, load


class Command(BaseCommand):
    help = "Load the catalog's files into the database; all of it or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", nargs="?", type=Path, default=settings.CATALOG_DIR)
        parser.add_argument(
            "--take",
            type=Side,
            choices=list(Side),
            help="whose word stands where file and desk changed the same thing",
        )
        parser.add_argument("--check", action="store_true", help="try everything, keep nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        take = options["take"]
        try:
            report = load(options["directory"], take=take, check=options["check"])
        except CatalogFaults as wrong:
            raise CommandError(f"{wrong}\n{len(wrong.faults)} fault(s); nothing loaded") from wrong
        except CatalogConflicts as met:
            raise CommandError(
                f"{met}\nnothing loaded; settle them, or say --take file or --take desk"
            ) from met
        for slug, conflicts in report.settled.items():
            for conflict in conflicts:
                self.stdout.write(f"took the {take}: {slug}.yaml: {conflict}")
        self.stdout.write(_summary(report) + (" (checked only)" if options["check"] else ""))


def _summary(report: LoadReport) -> str:
    done = [f"{count} {table} {what}" for (table, what), count in sorted(report.counts.items())]
    if report.resolved:
        done.append(f"answers of {report.resolved} offerings resolved")
    changes = ", ".join(done) or "nothing changed"
    return f"catalog: {report.files} files, {report.changed_files} of them changed: {changes}"

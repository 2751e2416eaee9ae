"""manage.py lint_catalog [DIR] [--strict] [--fix]"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from providers.catalog import canonical
from providers.catalog.files import Parsed, read_directory
from providers.catalog.lint import Remark, lint
from providers.catalog.rule import Severity
from providers.catalog.validate import document_of


class Command(BaseCommand):
    help = "Judge the catalog's files by every rule about curated data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", nargs="?", type=Path, default=settings.CATALOG_DIR)
        parser.add_argument("--strict", action="store_true", help="warnings are errors")
        parser.add_argument(
            "--fix", action="store_true", help="first write each valid file in its canonical form"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        if options["fix"]:
            _write_canonical(directory, read_directory(directory))
        remarks = lint(read_directory(directory), timezone.now().date())
        for remark in remarks:
            # Verbosity 0 leaves the warnings to the counts below.
            if options["verbosity"] or options["strict"] or remark.severity is Severity.ERROR:
                self.stdout.write(str(remark))
        for line in _counts(remarks):
            self.stdout.write(line)
        errors = sum(r.severity is Severity.ERROR or options["strict"] for r in remarks)
        if errors:
            raise CommandError(f"catalog: {errors} errors in {directory}")


def _write_canonical(directory: Path, files: Iterable[Parsed]) -> None:
    for file in files:
        document, _faults = document_of(file)
        if document is not None and canonical.text_of(document) != file.text:
            (directory / file.name).write_bytes(canonical.text_of(document).encode())


def _counts(remarks: Iterable[Remark]) -> list[str]:
    counted = Counter((remark.severity, remark.rule) for remark in remarks)
    lines = [f"{count:5} {severity}: {rule}" for (severity, rule), count in sorted(counted.items())]
    return lines or ["catalog: nothing to remark"]

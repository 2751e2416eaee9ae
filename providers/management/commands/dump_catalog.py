"""manage.py dump_catalog DIR"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from providers.catalog.store import dump


class Command(BaseCommand):
    help = "Write the database's catalog as files, one a provider."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        try:
            written = dump(directory)
        except OSError as error:
            raise CommandError(f"{directory}: {error.strerror}") from error
        for slug, changed in written.items():
            if changed:
                self.stdout.write(f"{slug}.yaml: changed at the desk")
        for path in sorted(directory.glob("*.yaml")):
            if path.stem not in written:
                self.stdout.write(f"{path.name}: no provider of the database; left as it is")
        self.stdout.write(f"catalog: {len(written)} files written to {directory}")

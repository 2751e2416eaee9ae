"""What commands between files and the database share: a load that joins both, and a dump."""

from __future__ import annotations

from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from providers.catalog.faults import CatalogFaults
from providers.catalog.merge import Conflicts, Loaded, Side

Report = TypeVar("Report", bound=Loaded)


class ConflictError(CommandError):
    """Files and desk changed the same thing. Nothing was loaded; what stood before stands."""


class LoadCommand(BaseCommand, ABC, Generic[Report]):
    """manage.py load_… [DIR] [--take file|desk] [--check]"""

    what: ClassVar[str]
    setting: ClassVar[str]  # the setting that names the usual directory

    @abstractmethod
    def load(self, directory: Path, *, take: Side | None, check: bool) -> Report: ...

    @abstractmethod
    def done(self, report: Report) -> Iterable[str]:
        """What was done, each in a few words; nothing where nothing was."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        usual = getattr(settings, self.setting)
        parser.add_argument("directory", nargs="?", type=Path, default=usual)
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
            report = self.load(options["directory"], take=take, check=options["check"])
        except CatalogFaults as wrong:
            raise CommandError(f"{wrong}\n{len(wrong.faults)} fault(s); nothing loaded") from wrong
        except Conflicts as met:
            raise ConflictError(
                f"{met}\nnothing loaded; settle them at /admin/catalog/conflicts/,"
                " or say --take file or --take desk"
            ) from met
        for name, conflicts in report.settled.items():
            for conflict in conflicts:
                self.stdout.write(f"took the {take}: {name}.yaml: {conflict}")
        changes = ", ".join(self.done(report)) or "nothing changed"
        files = f"{report.files} files, {report.changed_files} of them changed"
        checked = " (checked only)" if options["check"] else ""
        self.stdout.write(f"{self.what}: {files}: {changes}{checked}")


class DumpCommand(BaseCommand, ABC):
    """manage.py dump_… DIR"""

    what: ClassVar[str]
    files: ClassVar[str]  # where they lie in the directory, as a pattern
    stray: ClassVar[str]  # what a file is that the database does not know

    @abstractmethod
    def dump(self, directory: Path) -> Mapping[str, bool]:
        """Write the files; for the name of each, whether the desk changed it."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"]
        try:
            written = self.dump(directory)
        except OSError as error:
            raise CommandError(f"{directory}: {error.strerror}") from error
        for name, changed in written.items():
            if changed:
                self.stdout.write(f"{name}.yaml: changed at the desk")
        for path in sorted(directory.glob(self.files)):
            name = path.relative_to(directory).with_suffix("").as_posix()
            if name not in written:
                self.stdout.write(f"{name}.yaml: {self.stray}; left as it is")
        self.stdout.write(f"{self.what}: {len(written)} files written to {directory}")

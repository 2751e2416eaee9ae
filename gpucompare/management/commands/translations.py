"""`manage.py translations update|check|compile`: the interface's catalogues, without gettext."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser

from gpucompare.translations import catalogues
from gpucompare.translations.extract import messages
from gpucompare.translations.faults import faults
from gpucompare.translations.terms import Glossaries

ORIGINAL = settings.LANGUAGE_CODE


class Command(BaseCommand):
    help = (
        "update brings the catalogues in step with the code, check says what is missing or wrong, "
        "compile makes what Django reads."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", choices=("update", "check", "compile"))
        parser.add_argument("--language", help="only this one; a new one is begun by update")

    def handle(self, *, task: str, language: str | None, **options: Any) -> None:
        folder = Path(settings.LOCALE_PATHS[0])
        asked = [code for code, _name in settings.LANGUAGES if code != ORIGINAL]
        if language and language not in asked:
            raise CommandError(f"{language!r} is none of LANGUAGES: {', '.join(asked)}; add it")
        getattr(self, f"_{task}")(folder, [language] if language else asked)

    def _update(self, folder: Path, languages: list[str]) -> None:
        texts = messages()
        for code in languages:
            changed = catalogues.write(folder, code, catalogues.updated(folder, code, texts))
            self.stdout.write(f"{code}: {'updated' if changed else 'nothing to do'}")

    def _check(self, folder: Path, languages: list[str]) -> None:
        texts = messages()
        found = [
            str(fault)
            for code in languages
            for fault in faults(
                catalogues.read(folder, code), texts, Glossaries.read(settings.CONTENT_DIR, code)
            )
        ]
        if found:
            raise CommandError("\n".join([*found, f"{len(found)} faults"]))
        self.stdout.write(f"{len(texts)} texts in {len(languages)} languages: no fault")

    def _compile(self, folder: Path, languages: list[str]) -> None:
        for path in catalogues.compile_all(folder):
            self.stdout.write(f"{path.parent.parent.name}: compiled")

"""`manage.py refresh`: read providers' APIs now."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from providers.models import Outcome, RefreshRun
from providers.refresh.enabled import enabled, key_variable, source, without_key
from providers.refresh.network import client
from providers.refresh.run import AlreadyRunningError, refresh
from providers.sources import SOURCES


class Command(BaseCommand):
    help = "Reads the APIs of all sources that need no key or have one, or of the named ones."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("sources", nargs="*", metavar="source")
        parser.add_argument("--dry-run", action="store_true", help="judge, but write nothing")

    def handle(self, *args: Any, sources: list[str], dry_run: bool, **options: Any) -> None:
        slugs = sources or enabled()
        unknown = [slug for slug in slugs if slug not in SOURCES]
        if unknown:
            raise CommandError(f"no source {', '.join(unknown)}; there are {', '.join(SOURCES)}")
        if missing := without_key(slugs):
            names = ", ".join(map(key_variable, missing))
            raise CommandError(f"set {names}: {', '.join(missing)} answer only with a key")
        went = {s: self._one(f"{n}/{len(slugs)}", s, dry_run) for n, s in enumerate(slugs, 1)}
        bad = [slug for slug, good in went.items() if not good]
        if bad:
            raise CommandError(f"{len(bad)} of {len(slugs)} did not go in: {', '.join(bad)}")

    def _one(self, place: str, slug: str, dry_run: bool) -> bool:
        if self.stdout.isatty():
            self.stdout.write(f"[{place}] {slug} …", ending="\r")
            self.stdout.flush()
        try:
            run = refresh(source(slug), client(slug), dry_run=dry_run)
        except AlreadyRunningError:
            self.stdout.write(f"{slug:<16} already running")
            return True
        self.stdout.write(_line(run))
        return run.outcome == Outcome.MERGED


def _line(run: RefreshRun) -> str:
    counts = f"{run.fetched} rows: {run.new} new, {run.changed} changed, "
    counts += f"{run.unchanged} unchanged, {run.withdrawn} withdrawn, {run.quarantined} kept out"
    why = run.error or (f"{run.guard} {run.figures}" if run.guard else counts)
    return f"{run.source:<16} {run.outcome:<12} {why}"

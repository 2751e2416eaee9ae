"""`manage.py refresh`: read providers' APIs now."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper

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
        told = _Told(self.stdout, len(slugs))
        went = {slug: self._one(told, slug, dry_run) for slug in slugs}
        told.summary()
        bad = [slug for slug, good in went.items() if not good]
        if bad:
            raise CommandError(f"{len(bad)} of {len(slugs)} did not go in: {', '.join(bad)}")

    def _one(self, told: _Told, slug: str, dry_run: bool) -> bool:
        told.begin(slug)
        try:
            run = refresh(source(slug), client(slug), dry_run=dry_run)
        except AlreadyRunningError:
            told.end(slug, ["already running"])
            return True
        told.end(slug, [run.outcome, *_figures(run)], _why(run))
        return run.outcome == Outcome.MERGED


_HEAD = ("source", "outcome", "rows", "new", "changed", "unchanged", "withdrawn", "kept out")
_BAR = 24


class _Told:
    """What is said meanwhile: on a terminal a bar and then a table, otherwise a line a source."""

    def __init__(self, out: OutputWrapper, total: int) -> None:
        self.out = out
        self.total = total
        self.bar = out.isatty()
        self.rows: list[tuple[list[str], str]] = []

    def begin(self, slug: str) -> None:
        if self.bar:
            done = _BAR * len(self.rows) // self.total
            bar = "#" * done + "." * (_BAR - done)
            self.out.write(f"[{bar}] {len(self.rows)}/{self.total} {slug:<16}", ending="\r")
            self.out.flush()

    def end(self, slug: str, figures: list[str], why: str = "") -> None:
        self.rows.append(([slug, *figures], why))
        if not self.bar:
            self.out.write(_line([slug, *figures], why))

    def summary(self) -> None:
        if not self.bar:
            return
        cells = [list(_HEAD), *(row for row, _why in self.rows)]
        widths = [max(len(r[n]) for r in cells if len(r) > n) for n in range(len(_HEAD))]
        for row, why in [(list(_HEAD), ""), *self.rows]:
            first, rest = row[:2], row[2:]
            texts = [text.ljust(width) for text, width in zip(first, widths, strict=False)]
            texts += [text.rjust(width) for text, width in zip(rest, widths[2:], strict=False)]
            self.out.write("  ".join([*texts, why]).rstrip())


def _figures(run: RefreshRun) -> list[str]:
    counts = (run.fetched, run.new, run.changed, run.unchanged, run.withdrawn, run.quarantined)
    return [str(count) for count in counts]


def _why(run: RefreshRun) -> str:
    """What kept a run out, in the words of the guard or the fault."""
    return run.error or (f"{run.guard} {run.figures}" if run.guard else "")


def _line(row: list[str], why: str) -> str:
    slug, outcome, *counts = row
    told = why or ", ".join(f"{n} {name}" for n, name in zip(counts, _HEAD[2:], strict=False))
    return f"{slug:<16} {outcome:<12} {told.replace(' rows, ', ' rows: ', 1)}".rstrip()

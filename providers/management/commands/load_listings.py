"""`manage.py load_listings`: the bundled dated prices → the database."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gpucompare.csv_rows import FaultyFilesError
from providers.refresh.snapshot import load_snapshot


class Command(BaseCommand):
    help = "Loads the bundled snapshot of prices; writes nothing when it is loaded already."

    def handle(self, **options: Any) -> None:
        try:
            counts = load_snapshot(settings.LISTINGS_DIR)
        except FaultyFilesError as error:
            raise CommandError(f"nothing loaded:\n{error}") from error
        if counts.wrote:
            told = f"{counts.new} new, {counts.changed} changed, {counts.withdrawn} withdrawn"
            self.stdout.write(f"Snapshot prices: {told}.")
        else:
            self.stdout.write(f"Snapshot prices: nothing changed ({counts.unchanged} listings).")

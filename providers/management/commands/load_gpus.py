"""`manage.py load_gpus`: the GPU table of the repository → the database."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gpucompare.csv_rows import FaultyFilesError
from providers.gpu_file import read_gpus
from providers.refresh.gpu_table import sync_gpus


class Command(BaseCommand):
    help = "Loads the GPU table; writes nothing when it is loaded already."

    def handle(self, **options: Any) -> None:
        try:
            counts = sync_gpus(read_gpus(settings.GPUS_FILE))
        except FaultyFilesError as error:
            raise CommandError(f"nothing loaded:\n{error}") from error
        if counts.wrote:
            told = f"{counts.new} new, {counts.changed} changed, {counts.withdrawn} removed"
            self.stdout.write(f"GPUs: {told}.")
        else:
            self.stdout.write(f"GPUs: nothing changed ({counts.unchanged} models).")

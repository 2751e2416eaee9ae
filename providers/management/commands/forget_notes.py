"""`manage.py forget_notes`: empties the notes of corrections that are older than 30 days."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from providers.corrections.store import forget_notes


class Command(BaseCommand):
    help = "Empties what readers noted with their corrections once it is 30 days old."

    def handle(self, **options: Any) -> None:
        count = forget_notes(timezone.now())
        self.stdout.write(f"{count} {'note' if count == 1 else 'notes'} emptied.")

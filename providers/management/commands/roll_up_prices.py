"""`manage.py roll_up_prices`: keeps the price history within its settings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from providers.price_roll_up import AlreadyRollingError, roll_up, rolled_until


class Command(BaseCommand):
    help = (
        "Takes away the price points that GPUCOMPARE_PRICES_… no longer keep: of old days all but "
        "the lowest, highest and last price of each listing. Refreshes and pages go on meanwhile."
    )

    def handle(self, **options: Any) -> None:
        try:
            found = roll_up(timezone.now())
        except AlreadyRollingError:
            self.stdout.write("already running")
            return
        except KeyboardInterrupt:
            raise CommandError("stopped; the next one goes on from here") from None
        for step, until in rolled_until().items():
            self.stdout.write(f"{step:<9} until {until:%Y-%m-%d}: {found[step]}")
        count = found.total()
        self.stdout.write(f"{count} price {'point' if count == 1 else 'points'} taken away.")

"""`manage.py watch_sources`: look again at the pages that claims cite."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from providers.models import Claim, Provider
from providers.watch.fetch import Found, visitor
from providers.watch.keep import Reviews
from providers.watch.round import AlreadyWatchingError, Chosen, Told, watch


class Command(BaseCommand):
    help = (
        "Looks at the pages that claims cite, those first that were not looked at for longest, and "
        "leaves curators a review where one changed, moved or is gone. Changes no claim."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--claim", type=int, action="append", default=[], help="its number")
        parser.add_argument("--provider", default="", help="pages cited about this one")
        parser.add_argument("--limit", type=int, help="so many pages")
        parser.add_argument(
            "--failing", action="store_true", help="pages that failed, or that rounds left out"
        )
        parser.add_argument("--dry-run", action="store_true", help="look, but write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = Chosen(
            claims=tuple(options["claim"]),
            provider=options["provider"],
            limit=options["limit"],
            failing=options["failing"],
        )
        _check(chosen)
        try:
            told = watch(visitor(), chosen, dry_run=options["dry_run"], tell=self._tell)
        except AlreadyWatchingError:
            self.stdout.write("already running")
            return
        except KeyboardInterrupt:
            raise CommandError("stopped; the next round goes on from here") from None
        self.stdout.write(_summary(told))

    def _tell(self, address: str, found: Found, reviews: Reviews) -> None:
        new = ", ".join(f"{count} {kind}" for kind, count in sorted(reviews.items()) if count)
        why = f"  ({found.why})" if found.why else ""
        self.stdout.write(f"{found.look.value:<12} {address}{why}{'  → ' if new else ''}{new}")


def _check(chosen: Chosen) -> None:
    if chosen.limit is not None and chosen.limit < 1:
        raise CommandError("--limit is a number of pages, 1 or more")
    if chosen.provider and not Provider.objects.filter(slug=chosen.provider).exists():
        raise CommandError(f"no provider {chosen.provider}")
    standing = set(Claim.objects.filter(pk__in=chosen.claims).values_list("pk", flat=True))
    if unknown := set(chosen.claims) - standing:
        raise CommandError(f"no claim that stands: {', '.join(map(str, sorted(unknown)))}")


def _summary(told: Told) -> str:
    looks = ", ".join(f"{count} {look}" for look, count in sorted(told.looks.items()))
    reviews = ", ".join(f"{count} {kind}" for kind, count in sorted(told.reviews.items()) if count)
    left = f"; {told.left} left" if told.left else ""
    return f"{told.looks.total()} pages: {looks or 'none'}; reviews: {reviews or 'none'}{left}"

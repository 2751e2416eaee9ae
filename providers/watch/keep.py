"""Writes down what came of a look at a page: the page, its passages, and reviews. No claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from providers.models import (
    Claim,
    Look,
    Passage,
    ReviewKind,
    ReviewOutcome,
    SourcePage,
    SourceReview,
)
from providers.watch.compare import Open, judged
from providers.watch.fetch import Found
from providers.watch.passage import RULES, Near

GOOD = (Look.READ, Look.UNCHANGED)
# The server is there, and so is the page, though it has no text for us.
THERE = (*GOOD, Look.NOT_TEXT, Look.TOO_LARGE)
FAILED = (Look.GONE, Look.UNREACHABLE)
# Days on which a page must have failed before a curator hears of it.
DAYS_TO_FAIL = 3
_DAYS_KEPT = 10

Reviews = Counter[str]  # by kind, and "settled"


def citing(claims: Iterable[int]) -> list[Claim]:
    """Those of `claims` that stand, with their passages; `edited` if since that was read."""
    edits = Claim.history.model.objects.filter(
        id=OuterRef("pk"), history_date__gt=OuterRef("passage__seen_at")
    )
    rows = Claim.objects.filter(pk__in=claims).order_by("pk")
    return list(rows.select_related("passage__page").annotate(edited=Exists(edits)))


def holds(claim: Claim, address: str) -> bool:
    """Whether its passage can be compared: of this page, of this claim as it is, by these rules."""
    passage = getattr(claim, "passage", None)
    return (
        passage is not None
        and passage.page.address == address
        and passage.digest.startswith(f"{RULES}-")
        and not getattr(claim, "edited", False)
    )


def keep(
    address: str,
    found: Found,
    claims: Sequence[Claim],
    nears: Mapping[int, Near],
    *,
    dry_run: bool = False,
) -> Reviews:
    """One transaction; with `dry_run` all of it is taken back. `nears` is by claim, if it was read.

    Two that kept the same page at once would wait for each other here, and the second compares
    with what the first has kept.
    """
    with transaction.atomic():
        SourcePage.objects.get_or_create(address=address)
        page = SourcePage.objects.select_for_update().get(address=address)
        newly = bool(found.moved_to) and found.moved_to != page.moved_to
        keeping = _Keeping(page, timezone.now())
        keeping.page(found)
        # As they are now: a curator may have been faster than the network.
        for claim in citing(each.pk for each in claims):
            keeping.claim(claim, found, nears.get(claim.pk), newly=newly)
        transaction.set_rollback(dry_run)
    return keeping.reviews


def settle_moot() -> int:
    """Reviews whose claim was retired or cites another page by now: it was changed."""
    gone = [
        review.pk
        for review in SourceReview.objects.filter(settled_at=None).select_related("claim", "page")
        if review.claim.retired_at or cited(review.claim.source) != review.page.address
    ]
    rows = SourceReview.objects.filter(pk__in=gone, settled_at=None)
    return rows.update(settled_at=timezone.now(), outcome=ReviewOutcome.CLAIM_CHANGED)


def cited(source: str) -> str:
    """The address of a source's page: without the fragment."""
    return source.partition("#")[0]


class _Keeping:
    def __init__(self, page: SourcePage, now: datetime) -> None:
        self._page = page
        self._now = now
        self.reviews: Reviews = Counter()

    def page(self, found: Found) -> None:
        page = self._page
        page.looked_at, page.look = self._now, found.look.value
        if found.look in GOOD:
            page.good_at, page.moved_to = self._now, found.moved_to
        if found.look == Look.READ:
            page.etag, page.last_modified = found.known.etag, found.known.last_modified
        if found.look in THERE:
            page.failed_on = []
        if found.look in FAILED:
            days = {*page.failed_on, self._now.date().isoformat()}
            page.failed_on = sorted(days)[-_DAYS_KEPT:]
        page.save()

    def claim(self, claim: Claim, found: Found, near: Near | None, *, newly: bool) -> None:
        waiting = SourceReview.objects.filter(claim=claim, settled_at=None).first()
        if found.look in FAILED:
            if len(self._page.failed_on) >= DAYS_TO_FAIL:
                self._gone(claim, waiting)
        elif found.look in GOOD:
            self._good(claim, near, waiting, newly=newly)
        elif found.look in THERE and waiting and waiting.kind == ReviewKind.GONE:
            self._settle(waiting, ReviewOutcome.NOTHING)

    def _good(
        self, claim: Claim, near: Near | None, waiting: SourceReview | None, *, newly: bool
    ) -> None:
        kept = claim.passage.text if holds(claim, self._page.address) else None
        if kept is None:
            # Whoever edited or confirmed it since has seen the page as it is.
            if waiting and getattr(claim, "edited", False):
                self._settle(waiting, ReviewOutcome.STILL_TRUE)
            if near is not None:
                self._keep_passage(claim, near)
            return
        now = near or Near(kept)
        open_review = Open(waiting.kind, waiting.before) if waiting else None
        moved = bool(self._page.moved_to)
        finding = judged(kept, now, open_review, moved=moved, newly=newly)
        if finding.kind:
            self._open(claim, waiting, finding.kind, finding.before, now.text)
        elif waiting:
            self._settle(waiting, ReviewOutcome.NOTHING)
        self._keep_passage(claim, now)

    def _gone(self, claim: Claim, waiting: SourceReview | None) -> None:
        if waiting and waiting.kind == ReviewKind.GONE:
            return
        passage = getattr(claim, "passage", None)
        before = waiting.before if waiting else passage.text if passage else ""
        settled = SourceReview.objects.filter(
            page=self._page, claim=claim, kind=ReviewKind.GONE, settled_at__isnull=False
        )
        if self._page.good_at:
            settled = settled.filter(found_at__gt=self._page.good_at)
        # Who was told once that it is gone is not told every week.
        if waiting or not settled.exists():
            self._open(claim, waiting, ReviewKind.GONE, before, "")

    def _open(
        self, claim: Claim, waiting: SourceReview | None, kind: ReviewKind, before: str, after: str
    ) -> None:
        says = {"kind": kind.value, "before": before, "after": after}
        if waiting and says == {name: getattr(waiting, name) for name in says}:
            return
        review = waiting or SourceReview(claim=claim)
        review.page, review.found_at = self._page, self._now
        for name, value in says.items():
            setattr(review, name, value)
        review.save()
        self.reviews[kind.value] += 1

    def _settle(self, review: SourceReview, outcome: ReviewOutcome) -> None:
        review.settled_at, review.outcome = self._now, outcome.value
        review.save(update_fields=["settled_at", "outcome"])
        self.reviews["settled"] += 1

    def _keep_passage(self, claim: Claim, near: Near) -> None:
        Passage.objects.update_or_create(
            claim=claim,
            defaults={
                "page": self._page,
                "text": near.text,
                "digest": near.digest,
                "seen_at": self._now,
            },
        )

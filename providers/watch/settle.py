"""What a curator says of a review: the claim still holds, it was changed, or it does not matter."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from providers.claims import confirm
from providers.models import Passage, ReviewOutcome, SourceReview


class SettledError(Exception):
    """Somebody was faster."""

    def __init__(self, review: SourceReview) -> None:
        super().__init__(f"settled already as {review.outcome}")
        self.review = review


def settle(number: int, outcome: ReviewOutcome, by: User) -> SourceReview:
    """Raises SettledError. A claim that still holds is confirmed as of today."""
    with transaction.atomic():
        reviews = SourceReview.objects.select_related("claim").select_for_update(of=("self",))
        review = reviews.get(pk=number)
        if review.settled_at:
            raise SettledError(review)
        if outcome == ReviewOutcome.STILL_TRUE:
            confirm([review.claim], timezone.now().date())
            # What was confirmed is the page as it was seen: what differs from that is news.
            Passage.objects.filter(claim=review.claim_id).update(seen_at=timezone.now())
        review.settled_at, review.settled_by = timezone.now(), by
        review.outcome = outcome.value
        review.save(update_fields=["settled_at", "settled_by", "outcome"])
    return review

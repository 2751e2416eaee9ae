"""Pages that claims cite: when they were looked at, what stood near the claim, what changed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from providers.models.claim import Claim
from providers.models.constraints import one_of


class Look(models.TextChoices):
    """How the last look at a page ended."""

    READ = "read", _("Read")
    UNCHANGED = "unchanged", _("Not modified")
    GONE = "gone", _("Gone")  # the server says so: 404, 410
    UNREACHABLE = "unreachable", _("Unreachable")
    REFUSED = "refused", _("Refused")  # 401, 403, 429, robots.txt
    TOO_LARGE = "too_large", _("Too large")
    NOT_TEXT = "not_text", _("Not a page of text")
    UNSAFE = "unsafe", _("Not a public address")


class SourcePage(models.Model):
    """One address, without its fragment, however many claims cite it."""

    address = models.URLField(max_length=500, unique=True)
    looked_at = models.DateTimeField(null=True, blank=True)
    look = models.CharField(max_length=16, choices=Look.choices, blank=True)
    # The last time that it was read, or found as it was.
    good_at = models.DateTimeField(null=True, blank=True)
    etag = models.CharField(max_length=200, blank=True)
    last_modified = models.CharField(max_length=64, blank=True)
    # Where it leads by now, if that is another address.
    moved_to = models.URLField(max_length=500, blank=True)
    # Days on which it failed since it was last good: one bad day is no dead link.
    failed_on = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["address"]
        constraints = [one_of("look", ["", *Look.values], "source_page_look_allowed")]

    def __str__(self) -> str:
        return self.address


class Passage(models.Model):
    """The text near what a claim says, as it stood when it was last read."""

    page = models.ForeignKey(SourcePage, on_delete=models.CASCADE, related_name="passages")
    claim = models.OneToOneField(Claim, on_delete=models.CASCADE, related_name="passage")
    text = models.TextField(max_length=8000)
    digest = models.CharField(max_length=64)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["page", "claim"]

    def __str__(self) -> str:
        return f"{self.page_id}: {self.text[:60]}"


class ReviewKind(models.TextChoices):
    CHANGED = "changed", pgettext_lazy("source page", "The passage changed")
    GONE = "gone", pgettext_lazy("source page", "The page is gone")
    MOVED = "moved", pgettext_lazy("source page", "The page moved")


class ReviewOutcome(models.TextChoices):
    STILL_TRUE = "still_true", pgettext_lazy("source page", "The claim still holds")
    CLAIM_CHANGED = "claim_changed", pgettext_lazy("source page", "The claim was changed")
    NOTHING = "nothing", pgettext_lazy("source page", "No matter")


class SourceReview(models.Model):
    """A page that changed under a claim. Nothing is changed by it; a curator looks."""

    page = models.ForeignKey(SourcePage, on_delete=models.CASCADE, related_name="reviews")
    claim = models.ForeignKey(Claim, on_delete=models.CASCADE, related_name="source_reviews")
    kind = models.CharField(max_length=16, choices=ReviewKind.choices)
    before = models.TextField(blank=True, max_length=8000)
    after = models.TextField(blank=True, max_length=8000)
    found_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    outcome = models.CharField(max_length=16, choices=ReviewOutcome.choices, blank=True)

    class Meta:
        ordering = ["-found_at", "pk"]
        verbose_name = _("source to review")
        verbose_name_plural = _("sources to review")
        constraints = [
            one_of("kind", ReviewKind.values, "source_review_kind_allowed"),
            one_of("outcome", ["", *ReviewOutcome.values], "source_review_outcome_allowed"),
            models.UniqueConstraint(
                fields=["claim"],
                condition=models.Q(settled_at=None),
                name="source_review_open_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.page}: {self.kind}"

"""Runs that brought listings in."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from providers.models.constraints import one_of


class Outcome(models.TextChoices):
    MERGED = "merged", _("Merged")
    UNCHANGED = "unchanged", _("Unchanged")
    FAILED = "failed", _("Failed")


class RefreshRun(models.Model):
    """One run of one source, with its counts and its outcome."""

    source = models.CharField(max_length=64)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=16, choices=Outcome.choices)
    fetched = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    withdrawn = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-started_at"]
        constraints = [one_of("outcome", Outcome.values, "refresh_outcome_allowed")]
        indexes = [models.Index(fields=["source", "-started_at"], name="refresh_latest")]

    def __str__(self) -> str:
        return f"{self.source} {self.started_at:%Y-%m-%d %H:%M} {self.outcome}"

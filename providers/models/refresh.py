"""Runs that brought listings in, what they kept out, and the rates they were converted at."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from providers.models.constraints import above_zero, one_of


class Outcome(models.TextChoices):
    """How a run ended; the source errors bear the names of their classes' outcomes."""

    RUNNING = "running", _("Running")
    MERGED = "merged", _("Merged")
    REJECTED = "rejected", _("Rejected by a guard")
    UNREACHABLE = "unreachable", _("Unreachable")
    THROTTLED = "throttled", _("Throttled")
    REFUSED = "refused", _("Refused")
    MALFORMED = "malformed", _("Malformed")
    EMPTY = "empty", _("Empty")
    FAILED = "failed", _("Failed")
    # Killed half way; nothing of it was written.
    INTERRUPTED = "interrupted", _("Interrupted")
    # Another run took over before this one could merge.
    OVERTAKEN = "overtaken", _("Overtaken")


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
    quarantined = models.PositiveIntegerField(default=0)
    # Share of rows that fill each field, as the guards judged them: {"price": 0.98, …}.
    fill_rates = models.JSONField(default=dict, blank=True)
    # Which guard rejected the batch, and its figures.
    guard = models.CharField(max_length=32, blank=True)
    figures = models.JSONField(default=dict, blank=True)
    error_class = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)
    # Seconds that the provider asked to wait; not kept, it is for whoever started the run.
    retry_after: float | None = None

    class Meta:
        ordering = ["-started_at"]
        constraints = [one_of("outcome", Outcome.values, "refresh_outcome_allowed")]
        indexes = [models.Index(fields=["source", "-started_at"], name="refresh_latest")]

    def __str__(self) -> str:
        return f"{self.source} {self.started_at:%Y-%m-%d %H:%M} {self.outcome}"


class SourceState(models.Model):
    """Where a source stands: when its last good run was, and which run is the current one."""

    slug = models.CharField(max_length=32, unique=True)
    # Its listings without a time of their own were seen then.
    good_at = models.DateTimeField(null=True, blank=True)
    # A run merges only while it is this one: whoever came later has taken over.
    current_run = models.ForeignKey(
        RefreshRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug


class RejectedBatch(models.Model):
    """A batch that a guard kept out, until a curator accepts it or lets it go."""

    run = models.OneToOneField(RefreshRun, on_delete=models.CASCADE, related_name="rejected_batch")
    # The normalised rows, as providers.refresh wrote them.
    rows = models.JSONField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    # A curator looked and left it out.
    kept_out_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-run__started_at"]
        verbose_name_plural = "rejected batches"
        permissions = [("settle_rejectedbatch", "Can accept a rejected batch or keep it out")]

    def __str__(self) -> str:
        return f"{self.run}"


class QuarantinedRow(models.Model):
    """A row of a batch that could not be taken, with the reason; the rest went in."""

    run = models.ForeignKey(RefreshRun, on_delete=models.CASCADE, related_name="quarantined_rows")
    place = models.CharField(max_length=200)
    reason = models.CharField(max_length=500)

    class Meta:
        ordering = ["run", "pk"]

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class ExchangeRate(models.Model):
    """What one unit of a currency is worth in USD, on the day the rate was set."""

    currency = models.CharField(max_length=3)
    day = models.DateField()
    usd = models.DecimalField(max_digits=18, decimal_places=9)

    class Meta:
        ordering = ["currency", "-day"]
        constraints = [
            models.UniqueConstraint(fields=["currency", "day"], name="exchange_rate_once"),
            above_zero("usd", "exchange_rate_above_zero"),
        ]

    def __str__(self) -> str:
        return f"{self.currency} {self.day}: {self.usd}"

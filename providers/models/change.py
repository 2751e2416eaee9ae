"""What changed, when and why: answers, standings, prices, stock. Written once, never edited."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from providers.dimensions import DIMENSIONS
from providers.models.constraints import above_zero, one_of
from providers.models.gpu import Gpu, GpuFamily
from providers.models.offering import Offering
from providers.models.provider import Provider
from providers.models.refresh import RefreshRun


class What(models.TextChoices):
    """What a change is about; each fills its own fields."""

    CLAIM = "claim", _("Answer")
    STATUS = "status", _("Status")  # without `before` it is new in the catalog
    # Of an offering × GPU: price and stock stand on both sides, one of them changed.
    LISTED = "listed", _("Listed")
    WITHDRAWN = "withdrawn", _("No longer listed")
    PRICE = "price", _("Price")
    STOCK = "stock", _("Stock")
    DIGEST = "digest", _("Digest")  # the changes that it stands for are its members


PRICED = (What.LISTED, What.WITHDRAWN, What.PRICE, What.STOCK)


class Why(models.TextChoices):
    CATALOG = "catalog", _("Catalog load")
    DESK = "desk", _("Curator")
    REFRESH = "refresh", _("Refresh")


class Change(models.Model):
    """One change. Prices are the cheapest of an offering for a GPU, in USD an hour and GPU."""

    at = models.DateTimeField()
    what = models.CharField(max_length=16, choices=What.choices)
    why = models.CharField(max_length=16, choices=Why.choices)
    # The slug of the source that was refreshed, and the run while it is kept.
    source = models.CharField(max_length=32, blank=True)
    run = models.ForeignKey(RefreshRun, on_delete=models.SET_NULL, null=True, blank=True)
    # A provider's own standing has no offering; a digest has neither.
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, null=True, blank=True)
    offering = models.ForeignKey(
        Offering, on_delete=models.CASCADE, null=True, blank=True, related_name="changes"
    )
    dimension = models.CharField(
        max_length=64, blank=True, choices=[(d.key, d.label) for d in DIMENSIONS.values()]
    )
    family = models.ForeignKey(GpuFamily, on_delete=models.CASCADE, null=True, blank=True)
    # NULL beside a family: listings that leave the form open.
    gpu = models.ForeignKey(Gpu, on_delete=models.CASCADE, null=True, blank=True)
    # An answer, a status, or whether it is in stock (true, false). NULL: unknown, or not there;
    # {"contradicted": true}: claims disagree.
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    # Of a spot price; else on demand, or the spot price that stands alone.
    spot = models.BooleanField(default=False)
    usd_before = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    usd_after = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    # The price that was last told, when this one differs enough to be told.
    usd_told = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    # A smaller step is kept, for those who wait for a price to cross a limit.
    notable = models.BooleanField(default=True)
    # Who says so; empty where the source of a refresh does.
    source_url = models.URLField(max_length=500, blank=True)
    digest = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="members"
    )
    # Of a digest: counts, and the steepest fall and rise.
    figures = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            one_of("what", What.values, "change_what_allowed"),
            one_of("why", Why.values, "change_why_allowed"),
            above_zero("usd_before", "change_before_above_zero"),
            above_zero("usd_after", "change_after_above_zero"),
            above_zero("usd_told", "change_told_above_zero"),
            models.CheckConstraint(
                condition=Q(what=What.DIGEST)
                | Q(offering__isnull=False)
                | Q(provider__isnull=False),
                name="change_is_about_something",
            ),
            models.CheckConstraint(
                condition=Q(digest=None) | ~Q(what=What.DIGEST), name="change_digest_is_outermost"
            ),
        ]
        indexes = [
            models.Index(fields=["-at", "-id"], name="change_latest"),
            models.Index(
                fields=["-at", "-id"],
                condition=Q(digest=None, notable=True),
                name="change_latest_told",
            ),
            models.Index(fields=["family", "gpu", "-at"], name="change_of_gpu"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.what} {self.offering_id or self.provider_id or ''}"


class GpuStanding(models.Model):
    """How an offering × GPU stood at the last merge of its source, on demand or as spot: what
    the next one is compared to."""

    source = models.CharField(max_length=32)
    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="+")
    family = models.ForeignKey(GpuFamily, on_delete=models.CASCADE, related_name="+")
    gpu = models.ForeignKey(Gpu, on_delete=models.CASCADE, null=True, related_name="+")
    spot = models.BooleanField()
    # As in Change; `usd_told` is what the last notable change said.
    usd = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    usd_told = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    # The last that was known; NULL: never.
    in_stock = models.BooleanField(null=True)

    class Meta:
        ordering = ["source", "offering", "family", "gpu", "spot"]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "offering", "family", "gpu", "spot"],
                nulls_distinct=False,
                name="gpu_standing_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.offering_id} {self.family_id} {self.gpu_id}"

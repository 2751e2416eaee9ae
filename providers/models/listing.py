"""Listings: priced, rentable configurations, and how their prices moved."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from providers.models.constraints import above_zero, one_of
from providers.models.gpu import Gpu, GpuFamily
from providers.models.offering import Offering


class Origin(models.TextChoices):
    LIVE = "live", _("Live")
    SNAPSHOT = "snapshot", _("Snapshot")
    # A GPU that the catalog names: stands for listings of unknown price and stock.
    CATALOG = "catalog", _("Catalog")


class Stock(models.TextChoices):
    AVAILABLE = "available", _("In stock")
    SCARCE = "scarce", _("Scarce")
    NONE = "none", _("Out of stock")
    UNKNOWN = "unknown", _("Stock unknown")


class Listing(models.Model):
    """A GPU model × count × region of an offering. Withdrawn when it goes away, never deleted."""

    offering = models.ForeignKey(Offering, on_delete=models.PROTECT, related_name="listings")
    # What makes the row the same row in the next batch of its source.
    key = models.CharField(max_length=200)
    origin = models.CharField(max_length=16, choices=Origin.choices)
    # The slug of the source that a live row came from; empty for the other origins.
    source = models.CharField(max_length=32, blank=True)
    gpu_name = models.CharField(max_length=120)
    # Family without GPU: the name leaves the form open. Neither: the name is unknown.
    family = models.ForeignKey(GpuFamily, on_delete=models.PROTECT, null=True, blank=True)
    gpu = models.ForeignKey(Gpu, on_delete=models.PROTECT, null=True, blank=True)
    # NULL: unknown (catalog rows).
    gpu_count = models.PositiveSmallIntegerField(null=True, blank=True)
    # GB of one GPU; NULL when neither the source nor the GPU table says.
    vram_gb = models.PositiveIntegerField(null=True, blank=True)
    region = models.CharField(max_length=64, blank=True)
    # USD an hour for the whole instance.
    usd_per_hour = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    spot_usd_per_hour = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    # The prices as the source states them, and what they are for: "EUR / instance / hour".
    stated_price = models.CharField(max_length=64, blank=True)
    stated_spot_price = models.CharField(max_length=64, blank=True)
    stated_unit = models.CharField(max_length=64, blank=True)
    # Whether it can be had as spot; NULL: unknown.
    spot = models.BooleanField(null=True, blank=True)
    stock = models.CharField(max_length=16, choices=Stock.choices, default=Stock.UNKNOWN)
    stock_count = models.PositiveIntegerField(null=True, blank=True)
    driver = models.CharField(max_length=32, blank=True)
    cuda = models.CharField(max_length=16, blank=True)
    # The same as numbers, for comparing in the database; NULL when not known.
    driver_key = ArrayField(models.IntegerField(), null=True, blank=True, editable=False)
    cuda_key = ArrayField(models.IntegerField(), null=True, blank=True, editable=False)
    # The provider's own word: secure, community, marketplace …
    tier = models.CharField(max_length=64, blank=True)
    source_url = models.URLField(max_length=500, blank=True)
    # Volatile figures (bandwidth, free disk) as of the last change; they are no change themselves.
    extras = models.JSONField(default=dict, blank=True)
    first_seen = models.DateTimeField()
    # For a snapshot the day it was read. NULL: at its source's last good run, which saves writing
    # every row that a run only saw again.
    seen_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["offering", "key"]
        constraints = [
            models.UniqueConstraint(fields=["offering", "key"], name="listing_key_unique"),
            one_of("origin", Origin.values, "listing_origin_allowed"),
            one_of("stock", Stock.values, "listing_stock_allowed"),
            above_zero("usd_per_hour", "listing_price_above_zero"),
            above_zero("spot_usd_per_hour", "listing_spot_price_above_zero"),
            above_zero("gpu_count", "listing_gpu_count_above_zero"),
            above_zero("vram_gb", "listing_vram_above_zero"),
            models.CheckConstraint(
                condition=~Q(origin=Origin.CATALOG)
                | Q(usd_per_hour=None, spot_usd_per_hour=None, stock=Stock.UNKNOWN),
                name="listing_catalog_row_unpriced",
            ),
            models.CheckConstraint(
                condition=Q(seen_at__isnull=False) | Q(origin=Origin.LIVE),
                name="listing_seen_at_given",
            ),
            models.CheckConstraint(
                condition=Q(gpu=None) | Q(family__isnull=False), name="listing_gpu_has_family"
            ),
        ]
        indexes = [
            models.Index(fields=["source"], name="listing_source"),
            models.Index(
                fields=["offering", "family", "gpu"],
                condition=Q(withdrawn_at=None),
                name="listing_current",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} {self.key}"


class PricePoint(models.Model):
    """A price as it stood from `at` on, until the next point of the same listing.

    NULL: there was none, also because the listing was withdrawn. That is written when it comes
    back; until then its `withdrawn_at` ends the last price.
    """

    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="price_points")
    at = models.DateTimeField()
    usd_per_hour = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    spot_usd_per_hour = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)

    class Meta:
        ordering = ["listing", "at"]
        constraints = [
            models.UniqueConstraint(fields=["listing", "at"], name="price_point_once"),
            above_zero("usd_per_hour", "price_point_above_zero"),
            above_zero("spot_usd_per_hour", "price_point_spot_above_zero"),
        ]
        # A run gives all its points one time, so that this index is a tenth of the other.
        indexes = [models.Index(fields=["at"], name="price_point_at")]

    def __str__(self) -> str:
        return f"{self.listing_id} {self.at:%Y-%m-%d %H:%M}"

"""Companies that rent GPUs, and the catalog files that describe them."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from simple_history.models import HistoricalRecords

from providers.models.constraints import one_of


class ProviderKind(models.TextChoices):
    CONTAINER_CLOUD = "container_cloud", _("Container cloud")
    VM_CLOUD = "vm_cloud", _("VM cloud")
    MARKETPLACE = "marketplace", _("Marketplace")
    HYPERSCALER = "hyperscaler", _("Hyperscaler")
    SERVERLESS = "serverless", _("Serverless")
    BARE_METAL = "bare_metal", _("Bare metal")
    NOTEBOOK = "notebook", _("Notebook")
    AGGREGATOR = "aggregator", _("Aggregator")


class Status(models.TextChoices):
    ACTIVE = "active", pgettext_lazy("status", "Active")
    ACQUIRED = "acquired", pgettext_lazy("status", "Acquired")
    CLOSED = "closed", pgettext_lazy("status", "Closed")


class MadeAt(models.TextChoices):
    """Where a row was made; a row made at the desk is not closed when no file names it."""

    CATALOG = "catalog", _("Catalog file")
    DESK = "desk", _("Curators' desk")


class Provider(models.Model):
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=32, choices=ProviderKind.choices)
    website = models.URLField(max_length=500)
    # ISO 3166 code; empty when not found.
    headquarters = models.CharField(max_length=2, blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    status_note = models.CharField(max_length=500, blank=True)
    # NULL: the catalog says nothing about a pricing API.
    pricing_api_public = models.BooleanField(null=True, blank=True)
    pricing_api_docs = models.URLField(max_length=500, blank=True)
    made_at = models.CharField(max_length=16, choices=MadeAt.choices, default=MadeAt.DESK)

    history = HistoricalRecords()

    class Meta:
        ordering = ["name"]
        constraints = [
            one_of("kind", ProviderKind.values, "provider_kind_allowed"),
            one_of("status", Status.values, "provider_status_allowed"),
        ]

    def __str__(self) -> str:
        return self.name


class CatalogFile(models.Model):
    """A catalog file as last loaded: the base of the three-way merge."""

    slug = models.SlugField(max_length=64, unique=True)
    text = models.TextField()
    loaded_at = models.DateTimeField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return f"{self.slug}.yaml"

"""Claims: who says what about an offering, on what basis, and when it was read."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from providers.dimensions import CLAIMED
from providers.models.constraints import one_of
from providers.models.offering import Offering


class Basis(models.TextChoices):
    """How a claim is known, strongest first."""

    PROBED = "probed", _("Probed")
    DOCUMENTED = "documented", _("Documented")
    DERIVED = "derived", _("Derived")
    REPORTED = "reported", _("Reported")


class SourceKind(models.TextChoices):
    """Who speaks, strongest first."""

    PROVIDER = "provider", _("The provider")
    INTEGRATOR = "integrator", _("An integrator")
    THIRD_PARTY = "third_party", _("A third party")


class Standing(models.Manager["Claim"]):
    """Claims that were not retired: what the catalog says today."""

    def get_queryset(self) -> models.QuerySet[Claim]:
        return super().get_queryset().filter(retired_at=None)


class Claim(models.Model):
    """One answer to one dimension for one offering. Several may answer the same dimension.

    A claim that a curator retires stays, with the reason, and says nothing any more: `objects`
    are those that stand, `every` are all.
    """

    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="claims")
    dimension = models.CharField(max_length=64, choices=[(d.key, d.label) for d in CLAIMED])
    value = models.JSONField()
    basis = models.CharField(max_length=16, choices=Basis.choices)
    source = models.URLField(max_length=500)
    source_kind = models.CharField(max_length=16, choices=SourceKind.choices)
    # NULL: day not recorded; sorts oldest and counts as due for review.
    read_on = models.DateField(null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    # Whether this claim gives the offering's column its value; written by `resolve` only.
    decides = models.BooleanField(default=False, editable=False)
    retired_at = models.DateTimeField(null=True, blank=True, editable=False)
    retired_why = models.CharField(max_length=300, blank=True, editable=False)

    history = HistoricalRecords(excluded_fields=["decides", "position"])

    every = models.Manager()
    objects = Standing()

    class Meta:
        base_manager_name = "every"
        default_manager_name = "objects"
        ordering = ["offering", "dimension", "position", "pk"]
        constraints = [
            one_of("dimension", [d.key for d in CLAIMED], "claim_dimension_allowed"),
            one_of("basis", Basis.values, "claim_basis_allowed"),
            one_of("source_kind", SourceKind.values, "claim_source_kind_allowed"),
            models.CheckConstraint(
                condition=models.Q(source__regex=r"^https?://"), name="claim_source_given"
            ),
        ]
        indexes = [
            models.Index(
                fields=["dimension"], condition=models.Q(decides=True), name="claim_decides"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.offering_id} {self.dimension} = {self.value}"

"""What readers say is wrong, kept apart until a curator takes it over as a claim."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from providers.dimensions import CLAIMED
from providers.models.claim import Claim
from providers.models.constraints import one_of
from providers.models.offering import Offering


class CorrectionState(models.TextChoices):
    OPEN = "open", pgettext_lazy("correction", "Waiting for a curator")
    TAKEN = "taken", pgettext_lazy("correction", "Taken over")
    DECLINED = "declined", pgettext_lazy("correction", "Not taken over")


class Correction(models.Model):
    """A reader's answer to one dimension of one offering. It holds nothing about who sent it."""

    # Long and random: whoever has the link, and nobody else, sees what became of it.
    token = models.CharField(max_length=32, unique=True)
    offering = models.ForeignKey(Offering, on_delete=models.CASCADE, related_name="corrections")
    dimension = models.CharField(max_length=64, choices=[(d.key, d.label) for d in CLAIMED])
    # As it was typed; a curator makes an answer of it.
    value = models.CharField(max_length=500)
    source = models.URLField(max_length=500, blank=True)
    # Emptied after 30 days: people write their names into such fields.
    note = models.TextField(max_length=1000, blank=True)
    made_at = models.DateTimeField()
    state = models.CharField(
        max_length=16, choices=CorrectionState.choices, default=CorrectionState.OPEN
    )
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # What the curator says to the reader.
    reply = models.CharField(max_length=500, blank=True)
    claim = models.ForeignKey(
        Claim, on_delete=models.SET_NULL, null=True, blank=True, related_name="corrections"
    )

    class Meta:
        ordering = ["-made_at", "-pk"]
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        constraints = [
            one_of("state", CorrectionState.values, "correction_state_allowed"),
            one_of("dimension", [d.key for d in CLAIMED], "correction_dimension_allowed"),
        ]
        indexes = [models.Index(fields=["state", "-made_at"], name="correction_waiting")]

    def __str__(self) -> str:
        return f"{self.offering_id} {self.dimension}: {self.value}"

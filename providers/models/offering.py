"""Offerings, with one typed column for the resolved answer of each dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from providers.answers import Dimension, Kind
from providers.dimensions import DIMENSIONS
from providers.models.constraints import one_of
from providers.models.provider import MadeAt, Provider, Status


def _char(dimension: Dimension) -> models.Field[Any, Any]:
    return models.CharField(max_length=64, null=True, editable=False)


def _text(dimension: Dimension) -> models.Field[Any, Any]:
    return models.TextField(null=True, editable=False)


def _array(dimension: Dimension) -> models.Field[Any, Any]:
    return ArrayField(models.CharField(max_length=255), null=True, editable=False)


def _boolean(dimension: Dimension) -> models.Field[Any, Any]:
    return models.BooleanField(null=True, editable=False)


def _number(dimension: Dimension) -> models.Field[Any, Any]:
    return models.DecimalField(max_digits=12, decimal_places=3, null=True, editable=False)


_COLUMNS = {
    Kind.CHOICE: _char,
    Kind.SET: _array,
    Kind.HOSTS: _array,
    Kind.YES_NO: _boolean,
    Kind.VERSION: _char,
    Kind.VERSIONS: _char,
    Kind.NUMBER: _number,
    Kind.TEXT: _text,
}


def _allowed(dimension: Dimension) -> Q:
    if dimension.kind is Kind.SET:
        return Q(**{f"{dimension.key}__contained_by": list(dimension.allowed)})
    return Q(**{f"{dimension.key}__in": list(dimension.allowed)})


def _constraints() -> list[models.BaseConstraint]:
    """Allowed values, in the database, for every dimension that lists its values."""
    return [
        models.CheckConstraint(condition=_allowed(d), name=f"offering_{d.key}_allowed")
        for d in DIMENSIONS.values()
        if d.kind in (Kind.CHOICE, Kind.SET)
    ]


if TYPE_CHECKING:

    class Answers(models.Model):
        """The resolved answer of each dimension; NULL is unknown or contradicted."""

        class Meta:
            abstract = True

else:
    # An abstract base, not add_to_class: migrations and history both see its fields.
    Answers = type(
        "Answers",
        (models.Model,),
        {
            "__module__": __name__,
            "Meta": type("Meta", (), {"abstract": True}),
            **{d.key: _COLUMNS[d.kind](d) for d in DIMENSIONS.values()},
        },
    )


class Offering(Answers):
    """One way of renting at a provider whose containers behave differently from its others."""

    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="offerings")
    slug = models.SlugField(max_length=64)
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    status_note = models.CharField(max_length=500, blank=True)
    summary = models.CharField(max_length=500)
    docs = models.URLField(max_length=500)
    # GPUs as the provider names them; NULL when it names none.
    # What they mean stands in listings of origin `catalog`.
    gpu_names = ArrayField(models.CharField(max_length=120), null=True, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    made_at = models.CharField(max_length=16, choices=MadeAt.choices, default=MadeAt.DESK)
    # Dimensions whose best claims disagree; written together with the columns.
    contradicted = ArrayField(
        models.CharField(max_length=64), default=list, blank=True, editable=False
    )

    # Answers follow from claims, which have a history of their own; `access_modes` is edited here.
    history = HistoricalRecords(
        excluded_fields=["contradicted", *(d.key for d in DIMENSIONS.values() if not d.on_offering)]
    )

    class Meta:
        ordering = ["provider__name", "position", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["provider", "slug"], name="offering_slug_unique"),
            one_of("status", Status.values, "offering_status_allowed"),
            *_constraints(),
        ]

    def __str__(self) -> str:
        return f"{self.provider.name} {self.name}"

    def answer(self, key: str) -> Any:
        """The resolved answer of dimension `key`; None when unknown or contradicted."""
        return getattr(self, key)


def rented(prefix: str = "") -> Q:
    """What can still be rented; `prefix` leads from another table to offerings."""
    return ~Q(**{f"{prefix}status": Status.CLOSED}) & ~Q(
        **{f"{prefix}provider__status": Status.CLOSED}
    )

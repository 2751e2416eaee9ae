"""Rules that the database itself keeps."""

from collections.abc import Iterable

from django.db import models
from django.db.models import Q


def one_of(field: str, values: Iterable[str], name: str) -> models.CheckConstraint:
    """`field` holds one of `values` (or NULL where the column allows it)."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": list(values)}), name=name)


def above_zero(field: str, name: str) -> models.CheckConstraint:
    """`field` is greater than zero, or NULL: a price of 0 is no price."""
    return models.CheckConstraint(condition=Q(**{f"{field}__gt": 0}), name=name)

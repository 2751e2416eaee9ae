"""Rows of history for what is written many at once; a save of one row writes its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from django.db import models
from simple_history.utils import (
    bulk_create_with_history,
    bulk_update_with_history,
    get_history_model_for_model,
)

# As much of a reason as a row of history has place for.
REASON_LENGTH: Final = 100
_AT_ONCE: Final = 500


def reason(text: str) -> str:
    """`text` as a row of history can hold it."""
    return text if len(text) <= REASON_LENGTH else f"{text[: REASON_LENGTH - 1]}…"


def because(row: Any, why: str) -> None:
    """Give one row a reason of its own for what is written of it next."""
    row._change_reason = reason(why)


@cache
def tracked(model: type[models.Model]) -> frozenset[str]:
    """The fields whose changes are history; the others only say where a row stands."""
    return frozenset(field.name for field in get_history_model_for_model(model).tracked_fields)


def create(rows: Sequence[Any], why: str) -> None:
    """Write new rows, each with its first row of history."""
    if rows:
        bulk_create_with_history(rows, type(rows[0]), default_change_reason=reason(why))


def update(rows: Sequence[Any], fields: Iterable[str], why: str) -> None:
    """Write `fields` of rows that changed, each with one row of history."""
    if rows:
        model = type(rows[0])
        bulk_update_with_history(
            rows,
            model,
            sorted(fields),
            batch_size=_AT_ONCE,
            default_change_reason=reason(why),
            # The default manager may leave out rows that are written here.
            manager=model._base_manager,
        )


def move(rows: Sequence[Any], fields: Iterable[str]) -> None:
    """Write `fields` of rows that say what they said before: no history."""
    if rows:
        type(rows[0])._base_manager.bulk_update(rows, sorted(fields), batch_size=_AT_ONCE)

"""What a curator makes of corrections: a claim, or an answer to whoever sent them. Once each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from providers.models import Claim, Correction, CorrectionState


class SettledError(Exception):
    """Somebody settled this correction before."""

    def __init__(self, correction: Correction) -> None:
        super().__init__(correction.get_state_display())
        self.correction = correction


def take_over(
    pk: int, by: AbstractBaseUser, make: Callable[[], Claim], reply: str = ""
) -> Correction:
    """Let `make` write the claim that follows from it. Raises SettledError, and then made none."""
    with transaction.atomic():
        correction = _waiting(pk)
        correction.claim = make()
        _settle(correction, by, CorrectionState.TAKEN, reply)
    return correction


def decline(pk: int, by: AbstractBaseUser, reply: str) -> Correction:
    """Not taken over, for the reason that the reader is told. Raises SettledError."""
    with transaction.atomic():
        correction = _waiting(pk)
        _settle(correction, by, CorrectionState.DECLINED, reply)
    return correction


def decline_all(chosen: QuerySet[Correction], by: AbstractBaseUser, reply: str) -> int:
    """Those of `chosen` that wait, however many, in one statement; how many they were."""
    waiting = chosen.order_by().filter(state=CorrectionState.OPEN)
    return waiting.update(**_settled(by, CorrectionState.DECLINED, reply))


def _waiting(pk: int) -> Correction:
    # Two curators at once: the second waits here and then finds it settled.
    correction = Correction.objects.select_for_update(no_key=True).get(pk=pk)
    if correction.state != CorrectionState.OPEN:
        raise SettledError(correction)
    return correction


def _settled(by: AbstractBaseUser, state: CorrectionState, reply: str) -> dict[str, Any]:
    return {"state": state, "settled_at": timezone.now(), "settled_by": by, "reply": reply}


def _settle(
    correction: Correction, by: AbstractBaseUser, state: CorrectionState, reply: str
) -> None:
    for name, value in _settled(by, state, reply).items():
        setattr(correction, name, value)
    correction.save()

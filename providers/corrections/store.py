"""Takes corrections in, finds them by their token, and forgets their notes."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q

from providers.models import Correction, CorrectionState, Offering
from providers.shares.store import DIGITS

# 120 bits in the digits of shares: nobody meets a token by trying.
TOKEN_LENGTH = 24
# Of one answer of one offering; more would only say the same.
MOST_OF_A_CELL = 20
# Until then a note is kept, and the same text is the same correction.
KEPT_FOR = timedelta(days=30)
# Any number that no other user of advisory locks in this database takes.
_LOCK = 7_309_552


class NoRoomError(Exception):
    """As many wait as may: `reason` is `cell` or `full`, see GPUCOMPARE_CORRECTIONS_OPEN."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def twin(
    offering: Offering, dimension: str, said: Mapping[str, str], now: datetime
) -> Correction | None:
    """The correction that says the same already, if one still waits or is recent."""
    lately = Q(state=CorrectionState.OPEN) | Q(made_at__gt=now - KEPT_FOR)
    alike = Correction.objects.filter(lately, offering=offering, dimension=dimension, **said)
    return alike.order_by("pk").first()


def receive(
    offering: Offering, dimension: str, said: Mapping[str, str], now: datetime
) -> Correction:
    """The correction that says this, new or as it was sent before. Raises NoRoomError."""
    with transaction.atomic():
        # One at a time: the bounds hold, and a double click is one correction.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        if found := twin(offering, dimension, said, now):
            return found
        waiting = Correction.objects.filter(state=CorrectionState.OPEN)
        if waiting.filter(offering=offering, dimension=dimension).count() >= MOST_OF_A_CELL:
            raise NoRoomError("cell")
        if waiting.count() >= settings.CORRECTIONS_OPEN:
            raise NoRoomError("full")
        return Correction.objects.create(
            token=new_token(), offering=offering, dimension=dimension, made_at=now, **said
        )


def new_token() -> str:
    return "".join(secrets.choice(DIGITS) for _place in range(TOKEN_LENGTH))


def find(token: str) -> Correction | None:
    if len(token) != TOKEN_LENGTH or not set(token) <= set(DIGITS):
        return None
    found = Correction.objects.select_related("offering__provider")
    return found.filter(token=token).first()


def forget_notes(now: datetime) -> int:
    """Empty the notes that are older than they may be; how many were."""
    old = Correction.objects.filter(made_at__lte=now - KEPT_FOR).exclude(note="")
    return old.update(note="")

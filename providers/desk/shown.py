"""What a form was made of, so that one that was overtaken by another curator is noticed.

A form carries what it shows as `pk:digest,pk:digest`; whoever reads it back compares that with
the claims as they stand, and the history says what lies between.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from providers.claims import SAYS
from providers.models import Claim
from providers.wording import spelled

# Longer ones are no ids.
_DIGITS = 18


def digest(claim: Any) -> str:
    """What a claim, or a row of its history, says, and whether it stands."""
    said = [getattr(claim, name) for name in SAYS]
    text = json.dumps([*said, claim.retired_at is not None], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def fingerprint(claims: Iterable[Claim]) -> str:
    return ",".join(f"{claim.pk}:{digest(claim)}" for claim in claims)


def read(text: str) -> dict[int, str]:
    """The digests by claim that a form carried; what is no such pair is left out."""
    pairs = (part.partition(":") for part in text.split(","))
    return {pk: told for text, _colon, told in pairs if (pk := number(text)) is not None}


def number(text: str) -> int | None:
    """The id that a form or an address names; None where it names none."""
    plain = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if plain else None


def changed_since(shown: Mapping[int, str], now: Iterable[Claim]) -> tuple[str, ...]:
    """What is otherwise with the claims `now`, in a sentence each; none where all is as shown."""
    return tuple(_change(claim, shown.get(claim.pk)) for claim in now if _differs(claim, shown))


def _differs(claim: Claim, shown: Mapping[int, str]) -> bool:
    if claim.pk not in shown and claim.retired_at is not None:
        return False
    return shown.get(claim.pk) != digest(claim)


def _change(claim: Claim, told: str | None) -> str:
    by = _by(claim)
    if claim.retired_at is not None:
        return f"{said(claim)} was retired{by}: {claim.retired_why}"
    if told is None:
        return f"{said(claim)} was added{by}"
    before = next((row for row in claim.history.all() if digest(row) == told), None)
    if before is None:
        return f"{said(claim)} stands now{by}"
    if before.retired_at is not None:
        return f"{said(claim)} stands again{by}"
    names = [name for name in SAYS if getattr(before, name) != getattr(claim, name)]
    steps = [f"{_name(n)} {_text(n, before)} → {_text(n, claim)}" for n in names]
    return f"Changed{by}: {'; '.join(steps)}"


def said(claim: Any) -> str:
    """A claim in a line: `root (documented, docs.example/page)`."""
    return f"{spelled(claim.value)} ({claim.basis}, {claim.source})"


def _by(claim: Claim) -> str:
    last = claim.history.select_related("history_user").first()
    return f" by {last.history_user}" if last and last.history_user else ""


def _name(field: str) -> str:
    return field.replace("_", " ")


def _text(field: str, claim: Any) -> str:
    value = getattr(claim, field)
    if field == "value":
        return spelled(value)
    return str(value) if value else "(nothing)"

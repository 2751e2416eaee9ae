"""When a form was handed out, signed: one that comes back at once was sent by a program."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.signing import BadSignature, Signer

# Nobody reads the form and answers in less.
QUICKEST = timedelta(seconds=3)
VALID_FOR = timedelta(hours=24)


def stamped(cell: str, now: datetime) -> str:
    return _signer().sign(f"{cell} {int(now.timestamp())}")


def fault_of(stamp: str, cell: str, now: datetime) -> str:
    """`quick`, `old` (also where it is none of ours, or for another cell), or nothing."""
    try:
        stamped_cell, _space, at = _signer().unsign(stamp).rpartition(" ")
    except BadSignature:
        return "old"
    age = now - datetime.fromtimestamp(int(at), now.tzinfo)
    if stamped_cell != cell or age > VALID_FOR:
        return "old"
    return "quick" if age < QUICKEST else ""


def _signer() -> Signer:
    return Signer(salt="providers.corrections")

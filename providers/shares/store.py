"""Makes shares and finds them: the id is a keyed hash of the content."""

from __future__ import annotations

from itertools import count

from django.conf import settings
from django.db.models import Sum
from django.utils.crypto import salted_hmac

from providers.models import Share
from providers.shares.content import Content, freeze, thaw

# Crockford's base32: no two digits that are taken for each other, and case means nothing.
DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
# 60 bits: whoever tries a million a second meets one of a million shares in two weeks.
LENGTH = 12
_LOOKALIKES = str.maketrans("oil", "011", "-")


class FullError(Exception):
    """All shares together hold as much as they may: see GPUCOMPARE_SHARES_MB."""


def make(content: Content) -> Share:
    """The share of this content, new or as it stands. Raises TooLargeError and FullError."""
    plain, packed = freeze(content)
    for attempt in count():
        pk = share_id(plain, attempt)
        found = Share.objects.filter(pk=pk).first() or _write(pk, content, packed)
        if thaw(bytes(found.content)) == content:
            return found
    raise AssertionError("ids never end")


def _write(pk: str, content: Content, packed: bytes) -> Share:
    held = Share.objects.aggregate(held=Sum("size"))["held"] or 0
    if held + len(packed) > settings.SHARES_MB * 1024**2:
        raise FullError
    # Another process may have frozen the same at the same time.
    share, _made = Share.objects.get_or_create(
        pk=pk,
        defaults={
            "kind": content.kind,
            "day": content.day,
            "content": packed,
            "size": len(packed),
        },
    )
    return share


def share_id(plain: bytes, attempt: int = 0) -> str:
    """Twelve digits; a later attempt gives others, should two contents ever meet in one."""
    digest = salted_hmac(f"providers.shares {attempt}", plain, algorithm="sha256").digest()
    number = int.from_bytes(digest)
    return "".join(DIGITS[number >> 5 * place & 31] for place in range(LENGTH))


def normal(typed: str) -> str:
    """An id as somebody read it out: capitals, hyphens and letters that look like digits."""
    return typed.casefold().translate(_LOOKALIKES)


def find(pk: str) -> Share | None:
    if not set(pk) <= set(DIGITS):
        return None
    return Share.objects.filter(pk=pk).first()

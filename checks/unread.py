"""How HTTP is told of an image that was not read: the status, and when to ask again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils import timezone

from checks.image.reading import Reading
from checks.image.reasons import Reason

# A registry mostly answers within a second or two.
ASK_AGAIN_S: Final = 2

_STATUS: Final[Mapping[Reason, int]] = {
    # The way to the registry, and what it is like: another server's fault.
    Reason.UNREACHABLE: 502,
    Reason.TIMEOUT: 504,
    Reason.BAD_TLS: 502,
    Reason.REFUSED: 502,
    Reason.MALFORMED: 502,
    Reason.DIGEST_MISMATCH: 502,
    Reason.TOO_MANY_REDIRECTS: 502,
    Reason.THROTTLED: 503,
    # This site.
    Reason.BUSY: 503,
    Reason.READING_IS_OFF: 503,
    Reason.TOO_MANY_READS: 429,
    Reason.OUR_FAULT: 500,
}


def status_of(reason: Reason) -> int:
    """422 where another name would do, 5xx where only time does."""
    return _STATUS.get(reason, 422)


def retry_headers(reading: Reading) -> dict[str, str]:
    """`Retry-After` in seconds, where waiting helps and is asked for."""
    reason = reading.reason or Reason.OUR_FAULT
    if status_of(reason) not in (429, 503) or reason is Reason.READING_IS_OFF:
        return {}
    wait = (reading.retry_at - timezone.now()).total_seconds() if reading.retry_at else 0
    return {"Retry-After": str(max(ASK_AGAIN_S, round(wait)))}

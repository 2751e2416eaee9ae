"""What other machines answer, and how the libraries say that they did not."""

from __future__ import annotations

from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry


def retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header, a number or a date; None when it says nothing usable."""
    try:
        return Retry().parse_retry_after(header) if header else None
    except (InvalidHeader, ValueError, OverflowError):
        return None


def root_of(fault: BaseException) -> BaseException:
    """The innermost fault: ConnectionRefusedError, gaierror … The outer ones wrap it."""
    while inner := fault.__cause__ or fault.__context__:
        fault = inner
    return fault

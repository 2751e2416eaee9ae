"""Values of the environment that are secret: as they are, or in a file that is named instead."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path


class SecretError(ValueError):
    """One line: which variable cannot be used and why. It never holds what the file holds."""


def secret(name: str, environ: Mapping[str, str]) -> str:
    """What NAME says, or the file that NAME_FILE names; "" where neither is set.

    Raises SecretError for both at once, and for a file that cannot be read or holds nothing: a
    secret that was meant to be there is never silently missing.
    """
    said, file = environ.get(name, ""), environ.get(f"{name}_FILE", "")
    if not file:
        return said
    if said:
        raise SecretError(f"set {name} or {name}_FILE, not both")
    try:
        return _content(file)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "it holds no text"
        raise SecretError(f"{name}_FILE={file} cannot be used: {why}") from None


@cache
def _content(file: str) -> str:
    """Read once: what a process started with, it keeps, whatever becomes of the file."""
    if not (text := Path(file).read_text(encoding="utf-8").strip()):
        raise ValueError
    return text

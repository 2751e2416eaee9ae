"""Text as HTML, for what is put together without a template."""

from __future__ import annotations

from functools import lru_cache
from html import escape

__all__ = ["escape", "escaped"]


@lru_cache(maxsize=16_384)
def escaped(text: str) -> str:
    """As `escape` says it, for words: pages repeat the same few thousand over and over."""
    return escape(text)

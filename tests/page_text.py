"""What a page says."""

from __future__ import annotations

import re
from html import unescape
from typing import Any


def text(response: Any) -> str:
    """What a page says, without its tags."""
    said = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(unescape(said).split())

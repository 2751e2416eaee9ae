"""Parts of addresses, and what every list has."""

from __future__ import annotations

from typing import Annotated, Final

from ninja import Path, Schema
from pydantic import Field

Slug = Annotated[str, Path(pattern="^[a-z0-9-]{1,64}$", description="As addresses name it")]
# What the database can count to.
Id = Annotated[int, Path(ge=1, lt=2**63, description="As lists name it")]

PREFIX: Final = "/api/v1"


class Part(Schema):
    """A part of a list."""

    next: str | None = Field(None, description="Address of what follows; null at the end")

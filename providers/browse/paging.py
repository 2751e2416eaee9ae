"""A table page by page: the rows of the page that is asked for, and links to all of them."""

from __future__ import annotations

from typing import TypeVar

from providers.browse.criteria import Criteria
from providers.browse.page import Choice

Row = TypeVar("Row")


def paged(
    rows: list[Row], size: int, criteria: Criteria, path: str
) -> tuple[list[Row], tuple[Choice, ...]]:
    """A page beyond the last is the last; where one page holds all, there is no link."""
    count = max(1, -(-len(rows) // size))
    page = min(criteria.page, count)
    choices = (
        Choice(str(n), str(n), criteria.put("page", str(n)).url(path), n == page)
        for n in range(1, count + 1)
        if count > 1
    )
    return rows[(page - 1) * size : page * size], tuple(choices)

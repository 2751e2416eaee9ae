"""What an embedded comparison shows: the main questions, prices, and the way to all the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from providers.answers import Text
from providers.browse.criteria import Ignored
from providers.compare.comparison import Comparison
from providers.compare.page import Column, ComparedRow, PriceRow
from providers.compare.present import compare_page
from providers.dimensions import DIMENSIONS


@dataclass(frozen=True)
class FramedPage:
    title: Text  # "RunPod Pods, Vast.ai Instances"
    notices: tuple[Text, ...]
    columns: tuple[Column, ...]
    rows: tuple[ComparedRow, ...]  # the main questions, those that are folded left out
    prices: tuple[PriceRow, ...]  # only where one is known
    price_unit: Text
    questions: int  # on the page that the link leads to
    address: str  # of that page, with scheme and host
    today: Text
    example: str = "?o=provider/offering&o=provider/offering"


def framed_page(
    comparison: Comparison,
    ignored: Sequence[Ignored],
    absolute: Callable[[str], str],
    now: datetime,
) -> FramedPage:
    """`absolute` gives an address with scheme and host."""
    page = compare_page(comparison, ignored, absolute, now)
    return FramedPage(
        title=page.title,
        notices=page.notices,
        columns=page.columns,
        rows=tuple(row for group in page.groups for row in group.rows if row.main),
        prices=tuple(row for row in page.prices if any(cell.amount for cell in row.cells)),
        price_unit=page.price_unit,
        questions=len(DIMENSIONS),
        address=page.address,
        today=page.today,
    )

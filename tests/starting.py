"""What tests of the first start's pages share: a market, an image that was read, pages as data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from html import unescape
from html.parser import HTMLParser
from typing import Any

from providers.models import Offering
from tests.big_images import big
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know

IMAGE = "acme/trainer:1"
COLD = f"/cold-start/?image={IMAGE}"
SIZED = "/cold-start/?compressed_gb=16.3"
CASES = ("low", "likely", "high")


def known_image(layers: Iterable[tuple[int, str]] | None = None) -> None:
    know(IMAGE, big(tuple(layers)) if layers else big())


def market(*prices: str, **answers: Any) -> list[Offering]:
    """An offering for each price, on which CUDA 12.4 runs; "" lists a GPU without a price."""
    h100 = make_gpu("h100-sxm", "h100")
    found = []
    for n, price in enumerate(prices):
        provider = make_provider(f"cloud-{n}", kind="container_cloud")
        told = {"custom_image": "any", "gpu_passthrough": "automatic"} | answers
        offering = make_offering("pods", provider, **told)
        for key, value in told.items():
            make_claim(offering, key, value)
        usd = Decimal(price) if price else None
        make_listing(offering, h100, usd_per_hour=usd, driver="580.65.06")
        found.append(offering)
    return found


@dataclass
class Tables(HTMLParser):
    """The tables of a page: cells as (text, exact figures), by the class of their table."""

    html: str
    rows: dict[str, list[list[tuple[str, list[str]]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._table = ""
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "table":
            self._table = given.get("class", "")
            self.rows.setdefault(self._table, [])
        elif self._table and tag == "tr":
            self.rows[self._table].append([])
        elif self._table and tag in ("td", "th"):
            self.rows[self._table][-1].append(("", []))
        elif self._table and tag == "data":
            self.rows[self._table][-1][-1][1].append(given["value"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._table = ""

    def handle_data(self, data: str) -> None:
        if self._table and self.rows[self._table] and self.rows[self._table][-1]:
            text, figures = self.rows[self._table][-1][-1]
            self.rows[self._table][-1][-1] = (" ".join(f"{text} {data}".split()), figures)


def tables(response: Any) -> dict[str, list[list[tuple[str, list[str]]]]]:
    """Rows by table, without their heads."""
    found = Tables(response.content.decode()).rows
    return {name: rows[1:] for name, rows in found.items()}


def figures(row: list[tuple[str, list[str]]]) -> list[Decimal]:
    """The exact figures of a row in their order."""
    return [Decimal(figure) for _text, told in row for figure in told]


def notices(response: Any) -> list[str]:
    found = re.findall(r'<p class="notice">([^<]*)</p>', response.content.decode())
    return [unescape(one) for one in found]

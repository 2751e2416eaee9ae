"""What both of RunPod's APIs lead to: Pods of a card on the Secure or the Community Cloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from providers.sources.base import ListingRecord, Per, StockLevel, price
from providers.sources.reading import sizes

SECURE, COMMUNITY = "secure", "community"
UNKNOWN_CARD = "unknown"  # an entry of the list that is no GPU

Levels = Mapping[str, StockLevel]  # by data centre; "" where it is not told


@dataclass(frozen=True)
class Card:
    id: str  # the device name that the driver gives
    name: str
    vram_gb: int | None
    cuda: str = ""


@dataclass(frozen=True)
class Terms:
    """How a card is sold on one of the two clouds. Prices are per GPU, as they came."""

    tier: str
    price: object
    spot_price: object = None
    most: int | None = None
    least: int | None = None
    # Stock by number of GPUs; a number that is missing is not known.
    stock: Mapping[int, Levels] = field(default_factory=dict)


def pods(card: Card, terms: Terms) -> Iterator[ListingRecord]:
    """A listing for each number of GPUs and place. None where the card is not sold: price 0."""
    asked, spot = price(terms.price, Per.GPU), price(terms.spot_price, Per.GPU)
    if card.id == UNKNOWN_CARD or (asked is None and spot is None):
        return
    for count in sizes(terms.most or 1, terms.least or 1):
        for region, level in (terms.stock.get(count) or {"": StockLevel.UNKNOWN}).items():
            yield ListingRecord(
                offering="runpod/pods",
                key=f"{card.id}/{terms.tier}/{count}x/{region}",
                gpu_name=card.name,
                gpu_count=count,
                price=asked,
                spot_price=spot,
                spot=True if spot else None,
                vram_gb=card.vram_gb,
                region=region,
                tier=terms.tier,
                stock=level,
                cuda=card.cuda,
            )


def highest(versions: Iterable[str]) -> str:
    """The highest of the CUDA versions that hosts have now: 12.11 is above 12.2.

    A Pod may land on any host unless its request names the version: then on one that has it.
    """
    known = [tuple(map(int, v.split("."))) for v in versions if v.replace(".", "").isdigit()]
    return ".".join(map(str, max(known, default=())))

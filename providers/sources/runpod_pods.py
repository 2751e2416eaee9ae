"""What both of RunPod's APIs lead to: Pods of a card on the Secure or the Community Cloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from providers.sources.base import ListingRecord, Per, StockLevel, Untold, price
from providers.sources.reading import sizes

OFFERING = "runpod/pods"
SECURE, COMMUNITY = "secure", "community"
COUNTS = tuple(sizes(8))
UNKNOWN_CARD = "unknown"  # an entry of the list that is no GPU

Levels = Mapping[str, StockLevel]  # by data centre


@dataclass(frozen=True)
class Stock:
    """Of a number of GPUs on one cloud: in all of it, and at the data centres that have them."""

    level: StockLevel = StockLevel.UNKNOWN
    places: Levels = field(default_factory=dict)
    whole: bool = True  # else there may be data centres that could not be told


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
    stock: Mapping[int, Stock] = field(default_factory=dict)  # by number of GPUs


def pods(card: Card, terms: Terms) -> Iterator[ListingRecord | Untold]:
    """A listing for each number of GPUs, wherever they are, and one for each place that has them.

    None where the card is not sold: price 0.
    """
    asked, spot = price(terms.price, Per.GPU), price(terms.spot_price, Per.GPU)
    if card.id == UNKNOWN_CARD or (asked is None and spot is None):
        return
    for count in sizes(terms.most or 1, terms.least or 1):
        stock, start = terms.stock[count], f"{card.id}/{terms.tier}/{count}x/"
        if not stock.whole:
            yield Untold(OFFERING, start)
        for region, level in {"": stock.level, **stock.places}.items():
            yield ListingRecord(
                offering=OFFERING,
                key=start + region,
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

"""Pages that never end: each brings something new and names a further one, as its provider would.

Only what paging looks at stands in them; only their number tells that something is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from tests.provider_server import SAMPLES, Answer, Exchange


def endless_pages(play: str) -> Answer:
    """The pages of one play, a new one for every call."""
    numbers = count(1)

    def answer(exchange: Exchange) -> None:
        exchange.whole(200, json.dumps(PAGES[play](next(numbers))).encode())

    return answer


def _primeintellect(number: int) -> Any:
    body = json.loads((SAMPLES / "primeintellect" / "gpus-1.json").read_text())
    items = [{**item, "cloudId": f"{item['cloudId']} {number}"} for item in body["items"]]
    return {"items": items, "totalCount": 10**6}


PAGES: Mapping[str, Callable[[int], Any]] = {
    "azure": lambda n: {
        "Items": [{"meterId": n}],
        "NextPageLink": f"https://next.example?$skip={n}",
    },
    "digitalocean": lambda n: {
        "sizes": [{"slug": f"size-{n}"}],
        "links": {"pages": {"next": "https://next.example"}},
    },
    "gcp": lambda n: {"skus": [{"skuId": n}], "nextPageToken": f"token-{n}"},
    "linode": lambda n: {"data": [{"id": f"type-{n}"}], "pages": 10**6},
    "primeintellect": _primeintellect,
    "scaleway": lambda n: {"servers": {f"S-{n}-{each}": {} for each in range(100)}},
    "vast": lambda n: {"offers": [{"id": n}]},
    "vultr": lambda n: {"plans": [{"id": f"plan-{n}"}], "meta": {"links": {"next": f"c-{n}"}}},
}

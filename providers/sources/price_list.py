"""A price list of AWS read while it streams: hundreds of MB in, a few hundred entries out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import ijson

from providers.sources.base import MalformedError

# A list without products is shorter than this.
EMPTY_BYTES = 16 * 1024


def thinned(chunks: Iterable[bytes], name: str, wanted: Callable[[Any], bool]) -> dict[str, Any]:
    """The wanted products of a list and their on-demand terms, in the list's own shape.

    Holds one entry at a time beside what it keeps, and stops once everything kept has its terms:
    the reserved ones behind them are most of the file. A list may say that there are no products:
    that of a region that is about to open does. Raises MalformedError.
    """
    products: dict[str, Any] = {}
    terms: dict[str, Any] = {}
    entries, priced = ijson.sendable_list(), ijson.sendable_list()
    readers = [
        ijson.kvitems_coro(entries, "products"),
        ijson.kvitems_coro(priced, "terms.OnDemand"),
    ]
    seen, terms_begun, head = 0, False, b""
    try:
        for chunk in chunks:
            head += chunk if not seen and len(head) < EMPTY_BYTES else b""
            for reader in readers:
                reader.send(chunk)
            if entries and terms_begun:
                raise MalformedError(f"{name}: products stand behind terms")
            seen, terms_begun = seen + len(entries), terms_begun or bool(priced)
            products.update((sku, entry) for sku, entry in entries if wanted(entry))
            terms.update((sku, entry) for sku, entry in priced if sku in products)
            # Where both are in one chunk, only the next one tells that no more products come.
            if seen and terms_begun and not entries and terms.keys() == products.keys():
                break
            entries.clear()
            priced.clear()
        else:
            for reader in readers:
                reader.close()  # a list that ends in the middle is noticed here
    except (ijson.JSONError, UnicodeDecodeError) as fault:
        raise MalformedError(f"{name}: not JSON ({fault})") from None
    if not seen and not _says_empty(head):
        raise MalformedError(f"{name}: no products")
    return {"products": products, "terms": {"OnDemand": terms}}


def _says_empty(text: bytes) -> bool:
    """Whether this is a whole list, of no products and hence without prices."""
    try:
        content = json.loads(text)
    except ValueError:
        return False
    parts = [content.get(name) for name in ("products", "terms")] if type(content) is dict else []
    return parts in ([{}, {}], [{}, {"OnDemand": {}}])

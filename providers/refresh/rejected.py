"""A batch that a guard kept out, as JSON and back, so that a curator may still accept it."""

from __future__ import annotations

from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from providers.refresh.facts import ListingFacts
from providers.refresh.normalise import Batch

_DECIMALS = ("usd_per_hour", "spot_usd_per_hour")


def as_json(batch: Batch) -> list[dict[str, Any]]:
    """The rows with their keys; amounts as text, so that none is rounded."""
    return [
        {"offering_id": offering, "key": key}
        | {name: str(v) if isinstance(v, Decimal) else v for name, v in asdict(facts).items()}
        for (offering, key), facts in batch.rows.items()
    ]


def from_json(rows: list[dict[str, Any]]) -> Batch:
    """The batch again. Its bad rows are not in it: they stay where they are."""
    names = {f.name for f in fields(ListingFacts)}
    batch = Batch()
    for row in rows:
        facts = {name: value for name, value in row.items() if name in names}
        facts |= {n: Decimal(facts[n]) for n in _DECIMALS if facts.get(n) is not None}
        batch.rows[row["offering_id"], row["key"]] = ListingFacts(**facts)
    return batch

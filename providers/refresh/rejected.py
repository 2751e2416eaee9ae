"""A batch that a guard kept out, as JSON and back, so that a curator may still accept it."""

from __future__ import annotations

from dataclasses import asdict, fields
from decimal import Decimal
from typing import Any

from providers.refresh.facts import ListingFacts
from providers.refresh.normalise import Batch, Kept

_DECIMALS = ("usd_per_hour", "spot_usd_per_hour")


def as_json(batch: Batch) -> list[dict[str, Any]]:
    """The rows with their keys; amounts as text, so that none is rounded.

    Behind them what stays of the listings that stand: the rows kept out, and how the keys of
    untold rows begin.
    """
    rows = [
        {"offering_id": offering, "key": key}
        | {name: str(v) if isinstance(v, Decimal) else v for name, v in asdict(facts).items()}
        for (offering, key), facts in batch.rows.items()
    ]
    bad = [{"kept": asdict(kept)} for kept in batch.quarantined if kept.key]
    return rows + bad + [{"untold": list(key)} for key in sorted(batch.untold)]


def from_json(rows: list[dict[str, Any]]) -> Batch:
    """The batch again, without the bad rows that are of no listing."""
    batch = Batch()
    for row in rows:
        if "untold" in row:
            batch.untold.add(tuple(row["untold"]))
        elif "kept" in row:
            kept = row["kept"]
            batch.quarantined.append(Kept(kept["place"], kept["reason"], tuple(kept["key"])))
        else:
            batch.rows[row["offering_id"], row["key"]] = _facts(row)
    return batch


def _facts(row: dict[str, Any]) -> ListingFacts:
    names = {f.name for f in fields(ListingFacts)}
    facts = {name: value for name, value in row.items() if name in names}
    facts |= {n: Decimal(facts[n]) for n in _DECIMALS if facts.get(n) is not None}
    return ListingFacts(**facts)

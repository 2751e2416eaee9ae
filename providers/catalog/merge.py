"""Three-way merge of catalog documents: the file as last loaded, the file now, the database.

Pure. A document is laid out as a tree whose leaves are single fields, offerings
stand in it by slug and claims by (dimension, source, n-th of that source), so
that two people who change different fields of one claim do not meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any, Final

from pydantic import BaseModel

from providers.catalog.schema import (
    KEY_ABOVE,
    ClaimDocument,
    OfferingDocument,
    PricingApi,
    ProviderDocument,
)
from providers.dimensions import CLAIMED

ClaimKey = tuple[str, str, int]
Tree = dict[Any, Any]


class Side(StrEnum):
    """Whose word stands where both changed the same thing."""

    FILE = "file"
    DESK = "desk"


class _Missing:
    def __repr__(self) -> str:
        return "(nothing)"


MISSING: Final = _Missing()


@dataclass(frozen=True)
class Conflict:
    """Both sides changed `path`, differently. A side is MISSING where it removed it."""

    path: tuple[Any, ...]
    base: Any
    file: Any
    desk: Any

    def __str__(self) -> str:
        where = ".".join(map(_step, self.path)) or "the provider"
        file, desk = _shown(self.file, self.base), _shown(self.desk, self.base)
        return f"{where}{_before(self.base)}: the file has {file}; the desk has {desk}"


# Whose word stands in a conflict; None where nobody has said yet.
Settle = Callable[[Conflict], Side | None]
# The same for the files of a directory, each conflict with the name of its file.
Take = Callable[[str, Conflict], Side | None]


def always(take: Side | None) -> Settle:
    """The same side in every conflict."""
    return lambda _conflict: take


def of_file(take: Side | Take | None, name: str) -> Settle:
    """What `take` says of the conflicts of one file."""
    return partial(take, name) if callable(take) else always(take)


def left_open(
    met: Mapping[str, tuple[Conflict, ...]], take: Side | Take | None
) -> dict[str, tuple[Conflict, ...]]:
    """Those of the conflicts of each file of which `take` does not say whose word stands."""
    rest = {n: tuple(c for c in met[n] if of_file(take, n)(c) is None) for n in met}
    return {name: conflicts for name, conflicts in rest.items() if conflicts}


class Conflicts(Exception):  # noqa: N818 - it carries many conflicts, not one error
    """Files and desk changed the same things differently; nothing was written."""

    def __init__(self, conflicts: Mapping[str, tuple[Conflict, ...]]) -> None:
        self.conflicts = conflicts
        lines = (f"{name}.yaml: {c}" for name, several in conflicts.items() for c in several)
        super().__init__("\n".join(lines))


@dataclass
class Loaded:
    """What a load did with its files; `settled` are the conflicts by the name of their file."""

    files: int
    changed_files: int = 0
    settled: dict[str, tuple[Conflict, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Waiting:
    """The files that were changed since they were loaded, and what a load would stop at."""

    files: list[str]
    conflicts: dict[str, tuple[Conflict, ...]]


@dataclass(frozen=True)
class Merged:
    """The joined document (None: gone) and the conflicts that were met on the way."""

    document: ProviderDocument | None
    conflicts: tuple[Conflict, ...]


def merge(
    base: ProviderDocument | None,
    file: ProviderDocument | None,
    desk: ProviderDocument | None,
    take: Side | Settle = Side.FILE,
) -> Merged:
    """Join both sides' changes since `base`; where they conflict the result holds `take`'s side.

    `take` may decide conflict by conflict; one that it leaves open holds the file's side.
    What only one side changed is taken from it. A part that one side removed and
    the other changed is a conflict as a whole.
    """
    join = Join(take)
    trees = [MISSING if side is None else _tree(side) for side in (base, file, desk)]
    joined = join((), *trees)
    document = None if joined is MISSING else _document(joined)
    return Merged(document, tuple(join.conflicts))


class Join:
    """Joins trees part by part and keeps the conflicts that it meets."""

    def __init__(self, take: Side | Settle) -> None:
        self.conflicts: list[Conflict] = []
        self._settle = take if callable(take) else always(take)

    def __call__(self, path: tuple[Any, ...], base: Any, file: Any, desk: Any) -> Any:
        if isinstance(file, dict) and isinstance(desk, dict):
            return self._parts(path, base if isinstance(base, dict) else {}, file, desk)
        if _same(file, desk) or _same(desk, base):
            return file
        if _same(file, base):
            return desk
        conflict = Conflict(path, base, file, desk)
        self.conflicts.append(conflict)
        return desk if self._settle(conflict) is Side.DESK else file

    def _parts(self, path: tuple[Any, ...], base: Tree, file: Tree, desk: Tree) -> Tree:
        joined = {}
        for key in _order(base, file, desk):
            sides = (side.get(key, MISSING) for side in (base, file, desk))
            joined[key] = self((*path, key), *sides)
        return {key: part for key, part in joined.items() if part is not MISSING}


def _same(one: Any, other: Any) -> bool:
    """Equality that keeps true and 1 apart. The order of parts is no edit of any of them."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def _order(base: Tree, file: Tree, desk: Tree) -> list[Any]:
    """The file's order with the desk's additions after it; the desk's if only the desk moved."""
    lead, after = file, desk
    if list(file) == list(base) or (_moved(base, desk) and not _moved(base, file)):
        lead, after = desk, file
    return [*lead, *(key for key in after if key not in lead)]


def _moved(base: Tree, side: Tree) -> bool:
    return [key for key in side if key in base] != [key for key in base if key in side]


def keyed(claims: Iterable[tuple[str, str]]) -> list[ClaimKey]:
    """Keys for claims given as (dimension, source) in their order."""
    seen: Counter[tuple[str, str]] = Counter()
    keys = []
    for dimension, source in claims:
        keys.append((dimension, source, seen[dimension, source]))
        seen[dimension, source] += 1
    return keys


def _tree(provider: ProviderDocument) -> Tree:
    api = provider.pricing_api or PricingApi.model_construct()
    return {
        **_leaves(provider, without=("pricing_api", "offerings")),
        "pricing_api": _leaves(api),
        "offerings": {offering.slug: _offering_tree(offering) for offering in provider.offerings},
    }


def _offering_tree(offering: OfferingDocument) -> Tree:
    claims = [claim for several in in_order(offering.claims).values() for claim in several]
    keys = keyed((claim.dimension, claim.source) for claim in claims)
    trees = (_leaves(claim, without=("dimension",)) for claim in claims)
    return {
        **_leaves(offering, without=("claims",)),
        "claims": dict(zip(keys, trees, strict=True)),
    }


def _leaves(part: BaseModel, without: tuple[str, ...] = ()) -> Tree:
    """The fields of `part`. A base of older rules may lack one that is asked for today."""
    keys = (key for key in type(part).model_fields if key not in without)
    return {key: getattr(part, key, MISSING) for key in keys}


def _document(tree: Tree) -> ProviderDocument:
    api = tree["pricing_api"]
    known = any(part is not None for part in api.values())
    return ProviderDocument.model_construct(
        **{
            **tree,
            "pricing_api": PricingApi.model_construct(**api) if known else None,
            "offerings": [_offering(offering) for offering in tree["offerings"].values()],
        }
    )


def _offering(tree: Tree) -> OfferingDocument:
    claims: dict[str, list[ClaimDocument]] = {}
    for (dimension, _source, _n), fields in tree["claims"].items():
        claim = ClaimDocument.model_construct(**{KEY_ABOVE: dimension, **fields})
        claims.setdefault(dimension, []).append(claim)
    return OfferingDocument.model_construct(**{**tree, "claims": in_order(claims)})


def in_order(claims: Mapping[str, list[ClaimDocument]]) -> dict[str, list[ClaimDocument]]:
    """`claims` with their dimensions in the declared order; what is not declared comes last."""
    known = [d.key for d in CLAIMED if d.key in claims]
    return {key: claims[key] for key in [*known, *(k for k in claims if k not in known)]}


def _step(part: Any) -> str:
    if not isinstance(part, tuple):
        return str(part)
    dimension, source, number = part
    again = f" #{number + 1}" if number else ""
    return f"{dimension}[{source}{again}]"


def _shown(side: Any, base: Any) -> str:
    if side is MISSING:
        return "nothing"
    if isinstance(side, dict):
        before = base if isinstance(base, dict) else {}
        changed = [_step(key) for key in side if not _same(side[key], before.get(key, MISSING))]
        return f"another {', '.join(changed)}" if changed else "the same as before"
    return str(side) if isinstance(side, date) else repr(side)


def _before(base: Any) -> str:
    if base is MISSING:
        return " (new)"
    return "" if isinstance(base, dict) else f" (was {_shown(base, MISSING)})"

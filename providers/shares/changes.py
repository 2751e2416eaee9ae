"""What has changed since a share was made. Pure: two contents in, changes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from providers.compare.differences import comparable_form
from providers.dimensions import DIMENSIONS
from providers.shares.content import Answer, Content, Price, Row, Verdict

What = Literal["gone", "status", "name", "match", "answer", "price", "verdict", "joined"]
How = Literal[
    "other", "known", "lost", "contradicted", "up", "down", "new", "none", "better", "worse"
]


@dataclass(frozen=True)
class Change:
    """One difference. `key` is the dimension or the kind of price; `before` and `after` are what
    stood there: an Answer, a Price, a Verdict, or a word of the content."""

    offering: int  # its number in the share; of those that joined, today's
    what: What
    how: How = "other"
    key: str = ""
    before: Any = None
    after: Any = None


def changes(then: Content, now: Content, numbers: Mapping[int, int]) -> tuple[Change, ...]:
    """In the order of the share's rows, then what joined.

    `numbers` leads from an offering's number in the share to today's; what is missing is gone.
    """
    today = {row.offering: row for row in now.rows}
    found: list[Change] = []
    for row in then.rows:
        current = today.get(numbers.get(row.offering, 0))
        found += _of_row(row, current) if current else [Change(row.offering, "gone")]
    known = set(numbers.values())
    for row in now.rows:
        if row.offering not in known and row.match == "yes" and row.status != "closed":
            found.append(Change(row.offering, "joined", after=row))
    return tuple(found)


def _of_row(then: Row, now: Row) -> Iterator[Change]:
    number = then.offering
    if then.title != now.title:
        yield Change(number, "name", before=then.title, after=now.title)
    if then.status != now.status:
        yield Change(number, "status", before=then.status, after=now.status)
    if then.match != now.match:
        yield Change(number, "match", before=then.match, after=now.match)
    yield from _answers(then, now)
    # What no longer meets the criteria has no price under them.
    if now.match != "no":
        yield from _prices(then, now)
    if then.verdict and now.verdict and (how := _verdict_moved(then.verdict, now.verdict)):
        yield Change(number, "verdict", how, before=then.verdict, after=now.verdict)


def _answers(then: Row, now: Row) -> Iterator[Change]:
    today = {answer.dimension: answer for answer in now.answers}
    for answer in then.answers:
        # A question that is no longer asked has no answer that could have changed.
        current = today.get(answer.dimension)
        if current and (how := _answer_moved(answer, current)):
            yield Change(then.offering, "answer", how, answer.dimension, answer, current)


def _answer_moved(then: Answer, now: Answer) -> How | None:
    if _form(then) == _form(now):
        return None
    if now.contradicted:
        return "contradicted"
    if now.value is None:
        return "lost"
    return "known" if then.value is None else "other"


def _form(answer: Answer) -> tuple[bool, Any]:
    """12 and 12.0 say the same, and so do sets in any order."""
    dimension, value = DIMENSIONS.get(answer.dimension), answer.value
    if dimension is None or dimension.fault(_as_written(value)) is not None:
        return answer.contradicted, value
    return answer.contradicted, comparable_form(dimension, _as_written(value))


def _as_written(value: str | tuple[str, ...] | None) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _prices(then: Row, now: Row) -> Iterator[Change]:
    before = {price.kind: price for price in then.prices}
    after = {price.kind: price for price in now.prices}
    for kind in dict.fromkeys((*before, *after)):
        old, new = before.get(kind), after.get(kind)
        if how := _price_moved(old, new):
            yield Change(then.offering, "price", how, kind, old, new)


def _price_moved(then: Price | None, now: Price | None) -> How | None:
    """Another day or another source of the same price is no change."""
    if then is None or now is None:
        return None if then is now else "new" if then is None else "none"
    if then.shown != now.shown:
        return "up" if now.shown > then.shown else "down"
    same = (then.gpu, then.gpu_count, then.spot) == (now.gpu, now.gpu_count, now.spot)
    return None if same else "other"


def _verdict_moved(then: Verdict, now: Verdict) -> How | None:
    """Why an image fails may change while it still fails."""
    if then.standing != now.standing:
        order = [one.value for one in type(then.standing)]
        moved = order.index(now.standing.value) < order.index(then.standing.value)
        return "better" if moved else "worse"
    said = [(v.reasons, v.fixes, v.missing, v.conditions) for v in (then, now)]
    return None if said[0] == said[1] else "other"

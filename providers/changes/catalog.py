"""Changes of answers and standings: what the catalog says before and after, and the difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db import transaction

from providers.changes.keep import keep
from providers.dimensions import DIMENSIONS
from providers.models import Change, Claim, Offering, Provider, What, Why

CONTRADICTED: Final = {"contradicted": True}
_STATUS = "status"


@dataclass(frozen=True)
class State:
    """The catalog as pages show it, by id: answers by dimension and the status under `status`."""

    offerings: Mapping[int, Mapping[str, Any]]
    providers: Mapping[int, str]


@dataclass(frozen=True)
class Step:
    """One difference. `field` is a dimension or `status`; an offering or else a provider."""

    field: str
    before: Any
    after: Any
    offering: int | None = None
    provider: int | None = None


@contextmanager
def told(why: Why) -> Iterator[None]:
    """A transaction round an edit of the catalog; the changes that it makes are written down.

    Whoever edits the catalog at the same time waits, so that each change is told once.
    """
    with transaction.atomic():
        before = read_state()
        yield
        after = read_state()
        if before.offerings:
            keep(_changes(differences(before, after), why), why)
        elif after.offerings:
            keep([], why, first=_counts(after))


def read_state() -> State:
    # In the order that `resolve_offerings` locks them in; without keys, so that refreshes go on.
    rows = Offering.objects.order_by("pk").select_for_update(of=("self",), no_key=True)
    providers = Provider.objects.order_by().values_list("pk", "status")
    return State({o.pk: _standing(o) for o in rows}, dict(providers))


def _standing(offering: Offering) -> dict[str, Any]:
    answers = {key: _plain(offering.answer(key)) for key in DIMENSIONS}
    disagreed = dict.fromkeys(offering.contradicted, CONTRADICTED)
    return {_STATUS: offering.status, **answers, **disagreed}


def _plain(answer: Any) -> Any:
    """An answer as JSON holds it; the members of a set have no order."""
    if isinstance(answer, Decimal):
        return int(answer) if answer == int(answer) else float(answer)
    return sorted(answer) if isinstance(answer, list) else answer


def differences(before: State, after: State) -> list[Step]:
    """What leads from one state to the other. What is new is told by its status alone."""
    steps = []
    for pk, status in after.providers.items():
        old = before.providers.get(pk)
        if old != status and old is not None:
            steps.append(Step(_STATUS, old, status, provider=pk))
    for pk, standing in after.offerings.items():
        known = before.offerings.get(pk)
        if known is None:
            steps.append(Step(_STATUS, None, standing[_STATUS], offering=pk))
            continue
        steps += [
            Step(field, known.get(field), value, offering=pk)
            for field, value in standing.items()
            if known.get(field) != value
        ]
    return steps


def _changes(steps: list[Step], why: Why) -> list[Change]:
    sources = _sources([step for step in steps if step.field != _STATUS])
    return [
        Change(
            what=What.STATUS if step.field == _STATUS else What.CLAIM,
            why=why,
            offering_id=step.offering,
            provider_id=step.provider,
            dimension="" if step.field == _STATUS else step.field,
            before=step.before,
            after=step.after,
            source_url=sources.get((step.offering, step.field), ""),
        )
        for step in steps
    ]


def _sources(steps: list[Step]) -> dict[tuple[int | None, str], str]:
    """Who says what now stands, by offering and dimension."""
    if not steps:
        return {}
    deciding = Claim.objects.filter(
        decides=True,
        offering__in={step.offering for step in steps},
        dimension__in={step.field for step in steps},
    )
    rows = deciding.order_by().values_list("offering_id", "dimension", "source")
    return {(offering, dimension): source for offering, dimension, source in rows}


def _counts(state: State) -> Counter[str]:
    answers = (s for o in state.offerings.values() for key, s in o.items() if key != _STATUS)
    return Counter(
        providers=len(state.providers),
        offerings=len(state.offerings),
        answers=sum(answer is not None for answer in answers),
    )

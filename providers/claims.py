"""What a curator does with claims: confirm, replace, retire, add.

Each is one edit of the catalog: the offerings' columns follow, what changes is told, and the
history gets one row for each claim, with the reason. A claim is retired and never deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Max
from django.utils import timezone
from pydantic import ValidationError as DocumentError

from gpucompare import history
from providers.catalog.schema import KEY_ABOVE, ClaimDocument
from providers.changes.catalog import told
from providers.models import Claim, Offering, Why
from providers.resolve import resolve_offerings

CONFIRMED, REPLACED, ADDED = "confirmed", "replaced", "added"
# What a claim says; the rest is where it stands.
SAYS = ("value", "basis", "source", "source_kind", "read_on", "note")


def confirm(claims: Sequence[Claim], day: date) -> int:
    """Their sources were read again on `day` and say the same; how many got that day.

    A claim that was retired meanwhile, or that was read on a later day already, is left alone.
    """
    if day > timezone.now().date():
        raise ValidationError("A source cannot have been read on a day to come.")
    with told(Why.DESK):
        older = [c for c in standing(claims) if c.read_on is None or c.read_on < day]
        for claim in older:
            claim.read_on = day
        history.update(older, ["read_on"], CONFIRMED)
        _follow(older)
    return len(older)


def replace(claim: Claim, **fields: Any) -> Claim:
    """A claim that says `fields` instead, in the place of `claim`, which is retired.

    What is not given is as it was; where nothing is another, `claim` stays as it is.
    """
    with told(Why.DESK):
        held = standing([claim])
        if not held:
            raise ValidationError("This claim was retired meanwhile.")
        (old,) = held
        says = {name: getattr(old, name) for name in SAYS}
        if says | fields == says:
            return old
        new = judged(_claim(old.offering_id, old.dimension, old.position, **(says | fields)))
        take_out([old], REPLACED, REPLACED)
        _create(new, f"{REPLACED} no. {old.pk}")
    return _as_it_stands(new)


def retire(claims: Sequence[Claim], why: str) -> int:
    """They say nothing any more and stay in the history, with the reason; how many were retired."""
    why = why.strip()
    if not why:
        raise ValidationError("Say why the claim is retired.")
    longest = Claim._meta.get_field("retired_why").max_length or 0
    if len(why) > longest:
        raise ValidationError(f"The reason is longer than {longest} characters.")
    with told(Why.DESK):
        held = standing(claims)
        take_out(held, why, f"retired: {why}")
        _follow(held)
    return len(held)


def add(offering: Offering, dimension: str, **fields: Any) -> Claim:
    """A new claim, after those that answer the same question of this offering."""
    with told(Why.DESK):
        others = Claim.objects.filter(offering=offering, dimension=dimension)
        last = others.order_by().aggregate(last=Max("position"))["last"]
        new = _claim(offering.pk, dimension, 0 if last is None else last + 1, **fields)
        _create(judged(new), ADDED)
    return _as_it_stands(new)


def standing(claims: Iterable[Claim]) -> list[Claim]:
    """Those of `claims` that stand, as they are now, held until the edit ends."""
    chosen = Claim.objects.filter(pk__in=[claim.pk for claim in claims])
    return list(chosen.order_by("pk").select_for_update(of=("self",), no_key=True))


def judged(claim: Claim) -> Claim:
    """`claim`, held to the rules of the catalog's files; and it does not stand there already."""
    says = {name: getattr(claim, name) for name in SAYS}
    try:
        ClaimDocument.model_validate(
            {**says, "note": claim.note or None, KEY_ABOVE: claim.dimension}
        )
    except DocumentError as error:
        # Without what pydantic prefixes, a fault at each field.
        faults = {
            str(each["loc"][0]): [str(each.get("ctx", {}).get("error", each["msg"]))]
            for each in error.errors(include_url=False)
        }
        raise ValidationError(faults) from None
    twins = Claim.objects.filter(offering=claim.offering_id, dimension=claim.dimension, **says)
    if twins.exclude(pk=claim.pk).exists():
        raise ValidationError("The same claim stands there already; once is enough.")
    return claim


def _claim(offering: int, dimension: str, position: int, **fields: Any) -> Claim:
    unknown = fields.keys() - set(SAYS)
    if unknown:
        raise TypeError(f"a claim does not say {', '.join(sorted(unknown))}")
    return Claim(offering_id=offering, dimension=dimension, position=position, **fields)


def take_out(claims: Sequence[Claim], why: str, told_as: str) -> None:
    """Retire `claims`, which are held; who edits tells what follows."""
    now = timezone.now()
    for claim in claims:
        claim.retired_at, claim.retired_why, claim.decides = now, why, False
    history.update(claims, ["retired_at", "retired_why", "decides"], told_as)


def _create(claim: Claim, told_as: str) -> None:
    history.create([claim], told_as)
    _follow([claim])


def _follow(claims: Iterable[Claim]) -> None:
    offerings = {claim.offering_id for claim in claims}
    if offerings:
        resolve_offerings(offerings)


def _as_it_stands(claim: Claim) -> Claim:
    """With what `resolve` made of it."""
    claim.refresh_from_db()
    return claim

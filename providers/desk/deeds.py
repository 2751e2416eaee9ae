"""What a curator does on an offering's screen. Each is judged against what the form showed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from django.core.exceptions import BadRequest, ValidationError
from django.http import Http404, QueryDict

from gpucompare import spoken
from providers import claims as catalog
from providers.answers import Dimension
from providers.claim_views import CellPage
from providers.desk import queries, shown
from providers.desk.forms import ClaimEntry, RetireForm
from providers.desk.standing import as_page, rivals, with_claim
from providers.dimensions import CLAIMED, DIMENSIONS
from providers.models import Claim, Offering

_CLAIMED = frozenset(d.key for d in CLAIMED)
_OVERTAKEN: Final = "It was retired meanwhile: as a claim of its own, what you typed can be saved."


@dataclass(frozen=True)
class Done:
    """It was written. `anchor` is where on the screen that can be seen."""

    message: str
    anchor: str


@dataclass(frozen=True)
class Opened:
    """What is open on the screen: a form, or a deed that was refused."""

    deed: str
    dimension: str
    shown: str
    claim: Claim | None = None
    form: ClaimEntry | RetireForm | None = None
    preview: CellPage | None = None
    changed: Sequence[str] = ()

    @property
    def told_no_preview(self) -> bool:
        """Whether what was typed leaves open what the page would say."""
        return self.preview is None and self.form is not None and self.form.is_bound


def opened(offering: Offering, asked: QueryDict, today: date) -> Opened | None:
    """The form that an address asks for."""
    if (key := asked.get("add", "")) in _CLAIMED:
        standing = queries.claims_on(offering, key)
        form = ClaimEntry(offering, DIMENSIONS[key])
        return Opened("add", key, shown.fingerprint(standing), form=form)
    for deed in ("replace", "retire"):
        claim = _claim(offering, asked.get(deed, ""))
        if claim and claim.retired_at is None:
            return _first(deed, offering, claim, today)
    return None


def _first(deed: str, offering: Offering, claim: Claim, today: date) -> Opened:
    """The form of a deed before anything was typed."""
    seen, dimension = shown.fingerprint([claim]), DIMENSIONS[claim.dimension]
    if deed == "replace":
        return Opened(
            deed, claim.dimension, seen, claim, ClaimEntry(offering, dimension, old=claim)
        )
    preview = _without(offering, [claim], dimension, today)
    return Opened(deed, claim.dimension, seen, claim, RetireForm(), preview)


def act(offering: Offering, post: QueryDict, today: date) -> Done | Opened:
    """Do what a form asks; what is refused comes back as it was typed."""
    deed = _DEEDS.get(post.get("deed", ""))
    if deed is None:
        raise BadRequest("no such deed")
    with queries.held():
        return deed(offering, post, today)


def _confirm(offering: Offering, post: QueryDict, today: date) -> Done | Opened:
    claim = _claim_of(offering, post)
    changed = shown.changed_since(_shown(post), [claim])
    if changed:
        return Opened("confirm", claim.dimension, "", claim, changed=changed)
    catalog.confirm([claim], today)
    return _done(claim, f"confirmed as of {spoken.day(today)}")


def _retire(offering: Offering, post: QueryDict, today: date) -> Done | Opened:
    claim, form = _claim_of(offering, post), RetireForm(post)
    changed = shown.changed_since(_shown(post), [claim])
    if form.is_valid() and not changed and _saving(post):
        catalog.retire([claim], form.cleaned_data["why"])
        return Done(f"{_label(claim.dimension)}: retired.", claim.dimension)
    seen = shown.fingerprint([claim]) if changed else post.get("shown", "")
    if claim.retired_at is not None:
        return Opened("confirm", claim.dimension, "", claim, changed=changed)
    preview = _without(offering, [claim], DIMENSIONS[claim.dimension], today)
    return Opened("retire", claim.dimension, seen, claim, form, preview, changed)


def _right(offering: Offering, post: QueryDict, today: date) -> Done | Opened:
    """One side of a contradiction is right: the others are retired."""
    claim, form = _claim_of(offering, post), RetireForm(post)
    dimension, seen = DIMENSIONS[claim.dimension], _shown(post)
    standing = queries.claims_on(offering, claim.dimension)
    changed = _changed_about(standing, seen)
    wrong = rivals(dimension, standing, claim)
    if form.is_valid() and not changed and wrong:
        catalog.retire(wrong, form.cleaned_data["why"])
        return _done(claim, f"{len(wrong)} retired")
    told = changed or (() if wrong else ("Nothing contradicts it any more.",))
    return Opened("right", claim.dimension, "", claim, form, changed=told)


def _replace(offering: Offering, post: QueryDict, today: date) -> Done | Opened:
    old = _claim_of(offering, post)
    dimension = DIMENSIONS[old.dimension]
    form = ClaimEntry(offering, dimension, post, old=old)
    changed = shown.changed_since(_shown(post), [old])
    if form.is_valid() and not changed and _saving(post):
        new = _written(form, lambda: catalog.replace(old, **form.says()))
        if new:
            return _done(new, "replaced")
    standing = queries.claims_on(offering, old.dimension)
    if old.retired_at is not None:
        told, seen = (*changed, _OVERTAKEN), shown.fingerprint(standing)
        preview = _with(offering, form, standing, None, today)
        return Opened("add", old.dimension, seen, None, form, preview, told)
    seen = shown.fingerprint([old]) if changed else post.get("shown", "")
    preview = _with(offering, form, standing, old, today)
    return Opened("replace", old.dimension, seen, old, form, preview, changed)


def _add(offering: Offering, post: QueryDict, today: date) -> Done | Opened:
    key = post.get("dimension", "")
    if key not in _CLAIMED:
        raise Http404
    form = ClaimEntry(offering, DIMENSIONS[key], post)
    standing = queries.claims_on(offering, key)
    changed = _changed_about(standing, _shown(post))
    if form.is_valid() and not changed and _saving(post):
        new = _written(form, lambda: catalog.add(offering, key, **form.says()))
        if new:
            return _done(new, "added")
    seen = shown.fingerprint(standing) if changed else post.get("shown", "")
    preview = _with(offering, form, standing, None, today)
    return Opened("add", key, seen, None, form, preview, changed)


_Deed = Callable[[Offering, QueryDict, date], Done | Opened]
_DEEDS: Mapping[str, _Deed] = MappingProxyType(
    {
        "confirm": _confirm,
        "retire": _retire,
        "right": _right,
        "replace": _replace,
        "add": _add,
    }
)


def _written(form: ClaimEntry, write: Callable[[], Claim]) -> Claim | None:
    """The claim that was written; None where the catalog refused it, told in the form."""
    try:
        return write()
    except ValidationError as fault:
        form.add_error(None, fault)
        return None


def _with(
    offering: Offering, form: ClaimEntry, standing: list[Claim], old: Claim | None, today: date
) -> CellPage | None:
    typed = form.typed()
    if typed is None:
        return None
    dimension = DIMENSIONS[typed.dimension]
    return as_page(offering, dimension, with_claim(standing, typed, old), today)


def _without(
    offering: Offering, gone: Sequence[Claim], dimension: Dimension, today: date
) -> CellPage:
    standing = queries.claims_on(offering, dimension.key)
    return as_page(offering, dimension, [c for c in standing if c not in gone], today)


def _changed_about(standing: Sequence[Claim], seen: Mapping[int, str]) -> tuple[str, ...]:
    """What changed about a dimension: claims that went, came, or say something else."""
    gone = queries.every(seen.keys() - {claim.pk for claim in standing})
    return shown.changed_since(seen, [*gone.values(), *standing])


def _claim(offering: Offering, text: str) -> Claim | None:
    pk = shown.number(text)
    return queries.claim(offering, pk) if pk is not None else None


def _claim_of(offering: Offering, post: QueryDict) -> Claim:
    claim = _claim(offering, post.get("claim", ""))
    if claim is None:
        raise Http404
    return claim


def _shown(post: QueryDict) -> dict[int, str]:
    return shown.read(post.get("shown", ""))


def _saving(post: QueryDict) -> bool:
    return post.get("do") != "preview"


def _label(dimension: str) -> str:
    return str(DIMENSIONS[dimension].label)


def _done(claim: Claim, how: str) -> Done:
    return Done(f"{_label(claim.dimension)}: {how}.", f"claim-{claim.pk}")

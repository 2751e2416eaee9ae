"""A correction as a curator sees it: beside the claims of its cell, with the form of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django import forms
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest
from django.utils import timezone

from providers import claims, queries
from providers.admin_forms import ClaimForm
from providers.claim_views import ClaimView, claim_view
from providers.corrections.present import Cell, cell_now, value_text
from providers.corrections.settle import take_over
from providers.corrections.typed import longest
from providers.dimensions import DIMENSIONS
from providers.models import Basis, Claim, Correction, Offering, SourceKind

if TYPE_CHECKING:
    _Admin = ModelAdmin[Correction]
else:
    _Admin = ModelAdmin

BESIDE = "beside"


@dataclass(frozen=True)
class DeskPage:
    """The correction, what the site says, and the claims that stand."""

    cell: Cell
    value: str  # in words, where it is an allowed answer
    allowed: str
    claims: tuple[tuple[int, ClaimView], ...]  # each with its number


def desk_page(correction: Correction, standing: Sequence[Claim], today: date) -> DeskPage:
    dimension = DIMENSIONS[correction.dimension]
    return DeskPage(
        cell=cell_now(correction.offering, dimension),
        value=value_text(correction),
        allowed=" · ".join(dimension.allowed),
        claims=tuple((claim.pk, claim_view(claim, today)) for claim in standing),
    )


def standing_claims(correction: Correction) -> Sequence[Claim]:
    return queries.claims(correction.offering, correction.dimension)


class DeclineForm(forms.Form):
    reply = forms.CharField(
        label="What the reader is told",
        max_length=longest("reply"),
        widget=forms.TextInput(attrs={"size": 80}),
    )


class TakeForm(ClaimForm):
    """The claim that a correction becomes, under the rules of every claim."""

    place = forms.ChoiceField(label="Where it stands", widget=forms.RadioSelect)
    reply = forms.CharField(
        label="What the reader is told",
        max_length=longest("reply"),
        required=False,
        widget=forms.TextInput(attrs={"size": 80}),
    )

    def __init__(self, *args: Any, standing: Sequence[Claim], **options: Any) -> None:
        super().__init__(*args, **options)
        self.standing = {str(claim.pk): claim for claim in standing}
        instead = [(pk, f"Instead of claim no. {pk}, which is retired") for pk in self.standing]
        choices = [(BESIDE, "Beside the claims that stand"), *instead]
        place = self.fields["place"]
        place.choices = choices if instead else [(BESIDE, "As the only claim")]  # type: ignore[attr-defined]
        if not instead:
            place.initial = BESIDE

    def write(self) -> Claim:
        """The claim, added or in the place of another. Raises ValidationError."""
        says = {name: self.cleaned_data[name] for name in claims.SAYS}
        if replaced := self.standing.get(self.cleaned_data["place"]):
            return claims.replace(replaced, **says)
        return claims.add(self.instance.offering, self.instance.dimension, **says)

    def take(self, correction: Correction, by: AbstractBaseUser) -> Correction:
        """Raises SettledError, and ValidationError where the claim meanwhile cannot be written."""
        return take_over(correction.pk, by, self.write, self.cleaned_data["reply"])


def take_form(
    admin: _Admin, request: HttpRequest, correction: Correction, standing: Sequence[Claim]
) -> TakeForm:
    """Filled in with what the reader sent, or with what the curator made of it."""
    made: Any = forms.modelform_factory(
        Claim,
        form=TakeForm,
        fields=claims.SAYS,
        formfield_callback=partial(_field, admin, request),
    )
    form: TakeForm = made(
        request.POST if request.method == "POST" else None,
        instance=Claim(offering=correction.offering, dimension=correction.dimension),
        initial=first_guess(correction),
        standing=standing,
        prefix="take",
    )
    return form


def _field(admin: _Admin, request: HttpRequest, column: Any, **options: Any) -> Any:
    if column.name == "read_on":
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        return column.formfield(widget=widget, **options)
    return admin.formfield_for_dbfield(column, request, **options)


def first_guess(correction: Correction) -> dict[str, Any]:
    """What the claim would say, once the curator has read the source today."""
    own = is_own_page(correction.offering, correction.source)
    return {
        "value": correction.value,
        "source": correction.source,
        "basis": Basis.DOCUMENTED if own else Basis.REPORTED,
        "source_kind": SourceKind.PROVIDER if own else SourceKind.THIRD_PARTY,
        "read_on": timezone.now().date(),
    }


def is_own_page(offering: Offering, source: str) -> bool:
    """Whether the source is a page of the provider's: its site, or where its documentation is."""
    host = _host(source)
    homes = {_host(offering.provider.website), _host(offering.docs)} - {""}
    return any(host == home or host.endswith(f".{home}") for home in homes)


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").removeprefix("www.")

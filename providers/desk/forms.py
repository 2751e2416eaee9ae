"""The forms of an offering's screen: a claim as the file knows it, and why one is retired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone

from providers.admin_forms import ClaimForm
from providers.answers import Dimension
from providers.claims import SAYS
from providers.models import Claim, Offering
from providers.wording import spelled

if TYPE_CHECKING:
    from django.http import QueryDict

# What decides how a dimension stands.
_RESOLVED_BY = frozenset(SAYS) - {"note"}


class ClaimEntry(ClaimForm):
    """A claim about one dimension of one offering, new or in the place of `old`."""

    source = forms.URLField(
        label="Source", max_length=500, assume_scheme="https", widget=forms.URLInput()
    )
    note = forms.CharField(label="Note", max_length=500, required=False)

    class Meta:
        model = Claim
        fields = ["value", "source", "basis", "source_kind", "read_on", "note"]
        widgets = {"read_on": forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})}

    def __init__(
        self,
        offering: Offering,
        dimension: Dimension,
        data: QueryDict | None = None,
        *,
        old: Claim | None = None,
    ) -> None:
        said = {name: getattr(old, name) for name in SAYS} if old else {}
        if old:
            said["value"] = spelled(old.value)
        super().__init__(
            data,
            instance=Claim(offering=offering, dimension=dimension.key),
            # Who writes a claim has just read its source.
            initial=said | {"read_on": timezone.now().date()},
            auto_id="entry-%s",
            label_suffix="",
        )
        self.old = old
        self.fields["value"].help_text = self._hint(dimension)
        if dimension.allowed:
            self.fields["value"].widget.attrs["list"] = "entry-allowed"

    def clean_value(self) -> Any:
        if self.old and self.cleaned_data["value"] == spelled(self.old.value):
            return self.old.value  # 60.0 of a file stays 60.0
        return super().clean_value()

    def says(self) -> dict[str, Any]:
        """What a form without faults says."""
        return {name: self.cleaned_data[name] for name in SAYS}

    def typed(self) -> Claim | None:
        """The claim as typed, not saved; None where a fault leaves open what it would say."""
        if _RESOLVED_BY & self.errors.keys():
            return None
        said = {name: self.cleaned_data.get(name, "") for name in SAYS}
        return Claim(offering=self.instance.offering, dimension=self.instance.dimension, **said)


class RetireForm(forms.Form):
    why = forms.CharField(
        label="Why",
        max_length=300,
        help_text="Stands in the history beside the claim.",
        widget=forms.TextInput(attrs={"size": 60}),
    )

    def __init__(self, data: QueryDict | None = None, *, why: str = "") -> None:
        super().__init__(data, initial={"why": why}, auto_id="entry-%s", label_suffix="")

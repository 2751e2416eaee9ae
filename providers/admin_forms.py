"""The forms of the curators' desk. What they take, a catalog file could say too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib.postgres.forms import SimpleArrayField
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import lazystr
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel
from pydantic import ValidationError as DocumentError

from providers.answers import Dimension, Kind
from providers.catalog.schema import (
    KEY_ABOVE,
    ClaimDocument,
    OfferingDocument,
    ProviderDocument,
)
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Status
from providers.wording import spelled

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Any]
else:
    _ModelForm = forms.ModelForm

_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_LEFT = {Status.ACQUIRED.value, Status.CLOSED.value}
_ACCESS_MODES = DIMENSIONS["access_modes"]


def read_answer(dimension: Dimension, text: str) -> Any:
    """The answer that `text` spells, for `Dimension.fault` to judge; undoes `spelled`."""
    match dimension.kind:
        case Kind.SET | Kind.HOSTS:
            return [member for part in text.split(",") if (member := part.strip())]
        case Kind.YES_NO:
            return _YES_NO.get(text.casefold(), text)
        case Kind.NUMBER:
            return _number(text)
        case _:
            return text


def _number(text: str) -> Any:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    # Left as text where it is no answer anyway: 1e999999 as a whole number would take minutes.
    if not number.is_finite() or abs(number) >= 10**9:
        return text
    return int(number) if number == int(number) else float(number)


class FileForm(_ModelForm):
    """A form that holds its row to the rules of the catalog's files, field by field.

    So whatever stands at the desk can be dumped as a file and loaded again. Model and fields
    are named by the admin that uses it.
    """

    document: ClassVar[type[BaseModel]]
    # Keys of the file whose fields are called otherwise.
    renamed: ClassVar[Mapping[str, str]] = {}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for field, message in self._faults():
            # A fault of the form itself says it better.
            if field in self.fields and field not in self.errors:
                self.add_error(field, message)
        return cleaned

    def as_file(self) -> dict[str, Any]:
        """What a file would say, keys without a value left out."""
        field_of = {key: self.renamed.get(key, key) for key in self.document.model_fields}
        said = {key: self.cleaned_data.get(field) for key, field in field_of.items()}
        return {key: value for key, value in said.items() if value not in (None, "", [])}

    def _faults(self) -> Iterator[tuple[str, str]]:
        try:
            self.document.model_validate(self.as_file())
        except DocumentError as error:
            for each in error.errors(include_url=False):
                if each["type"] == "value_error":
                    key = str(each["loc"][0])
                    yield self.renamed.get(key, key), str(each["ctx"]["error"])


class ClosableForm(FileForm):
    """What is closed at the desk, or taken over by another company, says why."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        left = "status" in self.changed_data and cleaned.get("status") in _LEFT
        if left and not cleaned.get("status_note"):
            self.add_error("status_note", "Say why, in a sentence for readers.")
        return cleaned


class ProviderForm(ClosableForm):
    document = ProviderDocument
    renamed: ClassVar[Mapping[str, str]] = {"pricing_api": "pricing_api_docs"}

    def as_file(self) -> dict[str, Any]:
        docs = self.cleaned_data.get("pricing_api_docs")
        return super().as_file() | {"pricing_api": {"docs": docs} if docs else None}


class LinesField(SimpleArrayField):
    """A list of texts, one a line; blank lines count for nothing."""

    widget = forms.Textarea(attrs={"rows": 8, "cols": 40})

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, delimiter="\n", **options)

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):
            value = "\n".join(line for line in value.splitlines() if line.strip())
        return super().to_python(value)


class OfferingForm(ClosableForm):
    document = OfferingDocument
    renamed: ClassVar[Mapping[str, str]] = {"access_modes": "ways_in", "gpus": "gpu_names"}

    # Stands for `access_modes`, the one dimension that no claims answer: a form may not name a
    # column that is not editable, as those of all dimensions are.
    ways_in = forms.MultipleChoiceField(
        label=lazystr(_ACCESS_MODES.label),
        help_text=lazystr(_ACCESS_MODES.question),
        choices=[(value.key, value.label) for value in _ACCESS_MODES.values],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    gpu_names = LinesField(
        forms.CharField(max_length=120),
        label=_("GPU names"),
        help_text=_("One a line, as the provider names them. Empty: it names none."),
        required=False,
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial["ways_in"] = self.instance.answer("access_modes") or []

    def clean_gpu_names(self) -> list[str] | None:
        return self.cleaned_data["gpu_names"] or None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if "ways_in" in self.changed_data:  # their order alone is no change
            self.instance.access_modes = cleaned.get("ways_in") or None
        return cleaned


class ClaimForm(FileForm):
    document = ClaimDocument

    value = forms.CharField(
        label=_("Value"), max_length=2000, widget=forms.TextInput(attrs={"size": 60})
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk and "value" in self.fields:
            self.initial["value"] = spelled(self.instance.value)
            self.fields["value"].help_text = self._hint(DIMENSIONS[self.instance.dimension])

    def _hint(self, dimension: Dimension) -> str:
        allowed = " · ".join(dimension.allowed)
        return f"{dimension.question} {allowed}".strip()

    def _asked(self, name: str) -> Any:
        """A field that the page of an old claim shows without letting it be changed."""
        return self.cleaned_data.get(name) or getattr(self.instance, name, None)

    def clean_value(self) -> Any:
        if self.instance.pk and "value" not in self.changed_data:
            return self.instance.value  # 60.0 of a file stays 60.0
        dimension = DIMENSIONS.get(self._asked("dimension") or "")
        text = self.cleaned_data["value"]
        if dimension is None:
            return text
        answer = read_answer(dimension, text)
        fault = dimension.fault(answer)
        if fault:
            raise ValidationError(fault)
        return answer

    def clean_read_on(self) -> date | None:
        day: date | None = self.cleaned_data["read_on"]
        if day and day > timezone.now().date():
            raise ValidationError("This day has not come yet.")
        return day

    def as_file(self) -> dict[str, Any]:
        return {"read_on": None, **super().as_file(), KEY_ABOVE: self._asked("dimension")}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors and self._stands_already():
            raise ValidationError(_("The same claim stands there already; once is enough."))
        return cleaned

    def _stands_already(self) -> bool:
        names = ("value", "basis", "source", "source_kind", "read_on", "note")
        twins = Claim.objects.filter(
            offering=self._asked("offering"),
            dimension=self._asked("dimension"),
            **{name: self.cleaned_data[name] for name in names},
        )
        return twins.exclude(pk=self.instance.pk).exists()

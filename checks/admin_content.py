"""What the desk accepts of a text: the rules of the files, told beside the field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError

from checks.content.files import anchors_of
from checks.content.rules import (
    MAX_LISTING_COUNTS,
    ORIGINAL,
    FieldFault,
    anchor_faults,
    entry_faults,
    listing_counts,
)
from checks.content.schema import EntryDocument
from checks.models import ContentEntry

if TYPE_CHECKING:
    _Form = forms.ModelForm[ContentEntry]
else:
    _Form = forms.ModelForm

_FIELDS = ("title", "body", "live", "dimension", "sources", "forms", "avoid")


class ContentForm(_Form):
    """A text in one language. A translation says whether it follows the English of today."""

    language = forms.ChoiceField(choices=settings.LANGUAGES)
    follows = forms.BooleanField(
        required=False,
        label=_("Says what the English says today"),
        help_text=_("Without this a translation is outdated, and the English is shown instead."),
    )

    class Meta:
        model = ContentEntry
        fields = ("kind", "language", "key", *_FIELDS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        row = self.instance
        original = original_of(row.kind, row.key) if row.pk else None
        self.fields["follows"].initial = original is None or row.of == original.digest
        if row.pk:  # key and language are its address
            # Who only looks at a text has none of these fields.
            for name in self.fields.keys() & {"kind", "language", "key"}:
                self.fields[name].disabled = True

    def clean_body(self) -> str:
        return _as_kept(self.cleaned_data["body"])

    def clean_live(self) -> str:
        return _as_kept(self.cleaned_data["live"])

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        given["of"] = self._made_from(given)
        # All of them first: an error takes its field out of what was given.
        for fault in list(self._faults(given)):
            self.add_error(fault.field if fault.field in self.fields else None, fault.message)
        return given

    def _made_from(self, given: dict[str, Any]) -> str | None:
        """The digest of the English that a translation says it was made from."""
        if given["language"] == ORIGINAL:
            return None
        original = original_of(given["kind"], given["key"])
        if original is None:
            self.add_error("key", _("There is no such English text to translate."))
        elif given["follows"]:
            return original.digest
        return self.instance.of or None

    def _faults(self, given: dict[str, Any]) -> Iterator[FieldFault]:
        filled = {name: given[name] for name in (*_FIELDS, "of") if given.get(name)}
        try:
            entry = EntryDocument.model_validate(filled)
        except ValidationError as error:
            for each in error.errors(include_url=False):
                message = str(each.get("ctx", {}).get("error", each["msg"]))
                yield FieldFault(str(each["loc"][0]), message)
            return
        found = list(entry_faults(given["kind"], given["language"], entry))
        yield from found
        if not found:
            yield from anchor_faults(entry, anchors_of(_keys()))
            yield from self._too_many_counts(given)

    def _too_many_counts(self, given: dict[str, Any]) -> Iterator[FieldFault]:
        others = ContentEntry.objects.filter(kind=given["kind"], language=given["language"])
        texts = others.exclude(pk=self.instance.pk).values_list("body", "live")
        counted = listing_counts(
            [given["body"], given["live"], *(t for pair in texts for t in pair)]
        )
        if len(counted) > MAX_LISTING_COUNTS:
            known = ", ".join(sorted(counted))
            message = (
                f"the page would count listings in more than {MAX_LISTING_COUNTS} ways: {known}"
            )
            yield FieldFault("live", message)


def _as_kept(text: str) -> str:
    """As a file has it: a form sends line breaks of its own."""
    return text.replace("\r\n", "\n").rstrip("\n")


def original_of(kind: str, key: str) -> ContentEntry | None:
    return ContentEntry.objects.filter(kind=kind, key=key, language=ORIGINAL).first()


def _keys() -> dict[str, list[str]]:
    keys: dict[str, list[str]] = {}
    for kind, key in ContentEntry.objects.filter(language=ORIGINAL).values_list("kind", "key"):
        keys.setdefault(f"{ORIGINAL}/{kind}", []).append(key)
    return keys

"""The curators' desk, for texts: each beside how it stands in the other languages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Max, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Concat
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from checks.admin_content import ContentForm, original_of
from checks.content.rules import ORIGINAL
from checks.content.schema import digest
from checks.content.standing import Standing, standing_of, translations, wanting
from checks.models import ContentEntry
from gpucompare.desk_history import WithHistory

_SAME_TEXT = ContentEntry.objects.filter(kind=OuterRef("kind"), key=OuterRef("key")).order_by()
_TEXT = TextField()
_WORDS = {
    Standing.CURRENT: _("current"),
    Standing.OUTDATED: _("outdated"),
    Standing.MISSING: _("missing"),
}


class StandingFilter(admin.SimpleListFilter):
    """What is left to translate."""

    title = _("translations")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("wanting", _("missing or outdated somewhere")), ("outdated", _("outdated"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[ContentEntry]
    ) -> QuerySet[ContentEntry]:
        if self.value() == "outdated":
            return queryset.exclude(language=ORIGINAL).exclude(of=F("original_digest"))
        if self.value() == "wanting":
            return wanting(queryset)
        return queryset


@admin.register(ContentEntry)
class ContentEntryAdmin(WithHistory):
    """A text is not deleted here: it goes when its file no longer has it."""

    form = ContentForm
    list_display = ("key", "kind", "language", "title", "standing", "edited_at")
    list_filter = ("kind", "language", StandingFilter)
    search_fields = ("key", "title", "body", "live")
    readonly_fields = ("english", "edited_at")
    list_per_page = 100

    def get_queryset(self, request: HttpRequest) -> QuerySet[ContentEntry]:
        made = _SAME_TEXT.exclude(language=ORIGINAL)
        pair = Concat("language", Value(":"), "of", Value(":"), "pk", output_field=_TEXT)
        original = _SAME_TEXT.filter(language=ORIGINAL)
        found: QuerySet[ContentEntry] = super().get_queryset(request)
        return found.annotate(
            original_digest=Subquery(original.values("digest")[:1]),
            made_from=ArraySubquery(made.annotate(pair=pair).values("pair")),
        )

    @admin.display(description=_("translations"))
    def standing(self, row: ContentEntry) -> SafeString | str:
        """Of a translation, how it stands; of the English, how each translation does."""
        if row.language != ORIGINAL:
            current = row.of == getattr(row, "original_digest", None)
            return str(_WORDS[Standing.CURRENT if current else Standing.OUTDATED])
        made = {language: (of, pk) for language, of, pk in _split(row)}
        return format_html_join(
            " · ",
            '{} <a href="{}">{}</a>',
            (_translation(row, code, *made.get(code, (None, ""))) for code in translations()),
        )

    @admin.display(description=_("English"))
    def english(self, row: ContentEntry) -> SafeString | str:
        """What a translation is to say."""
        original = original_of(row.kind, row.key) if row.language != ORIGINAL else None
        if original is None:
            return ""
        parts = ((part,) for part in (original.title, original.body, original.live) if part)
        text = format_html_join("", '<pre lang="en" dir="ltr">{}</pre>', parts)
        return format_html("<div>{}</div>", text)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ContentEntry, form: Any, change: bool) -> None:
        obj.of = form.cleaned_data["of"] or ""
        _edited(obj)
        if not change:
            obj.position = _position(obj)
        super().save_model(request, obj, form, change)

    def put_back(self, row: ContentEntry, changed: set[str]) -> None:
        _edited(row)
        super().put_back(row, changed)


def _edited(row: ContentEntry) -> None:
    row.digest = digest(row.title, row.body, row.live)
    row.edited_at = timezone.now()


def _split(row: ContentEntry) -> list[list[str]]:
    return [pair.split(":") for pair in getattr(row, "made_from", ())]


def _translation(row: ContentEntry, code: str, of: str | None, pk: str) -> tuple[str, str, str]:
    """(language, where to edit or add it, how it stands)."""
    standing = standing_of(row, of)
    if of is None:
        asked = urlencode({"kind": row.kind, "language": code, "key": row.key})
        url = f"{reverse('admin:checks_contententry_add')}?{asked}"
    else:
        url = reverse("admin:checks_contententry_change", args=[pk])
    return code, url, str(_WORDS[standing])


def _position(row: ContentEntry) -> int:
    """Beside the English, or after the last."""
    original = original_of(row.kind, row.key)
    if original is not None:
        return original.position
    rows = ContentEntry.objects.filter(kind=row.kind, language=row.language)
    last: int | None = rows.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1

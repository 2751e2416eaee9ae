"""The history of a row at the desk: who, when, before and after, and back to any version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from gpucompare import history

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

_A_PAGE = 50
_KINDS = {"+": "added", "~": "changed", "-": "deleted"}


@dataclass(frozen=True)
class Changed:
    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Version:
    """A row as one edit left it."""

    number: int
    at: datetime
    who: str
    what: str
    why: str
    changes: Sequence[Changed]
    newest: bool


class WithHistory(_ModelAdmin):
    """Saves what changed and nothing else, and shows what was saved."""

    # Fields that say where a row stands: no version is gone back to for them.
    stays: Sequence[str] = ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A form that is sent as it came makes no history."""
        if not change or self._differs(obj):
            super().save_model(request, obj, form, change)

    def _differs(self, row: models.Model) -> bool:
        old = type(row)._base_manager.get(pk=row.pk)
        fields = (field for field in row._meta.concrete_fields if self._edited(field))
        return any(getattr(old, f.attname) != getattr(row, f.attname) for f in fields)

    def _edited(self, field: Any) -> bool:
        tracked = history.tracked(cast("type[models.Model]", self.model))
        return field.name == "position" or field.name in tracked

    # --- The page -------------------------------------------------------------------

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        if request.method == "POST":
            return self._sent(request, row)
        page = Paginator(_rows(row), _A_PAGE).get_page(request.GET.get("page"))
        context = {
            **self.admin_site.each_context(request),
            "title": f"History of {row}",
            "opts": self.opts,
            "original": row,
            "page": page,
            "versions": list(self._versions(page)),
            "may_revert": self.has_change_permission(request),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/desk/history.html", context)

    def _versions(self, page: Any) -> Iterator[Version]:
        rows = page.paginator.object_list[page.start_index() - 1 : page.end_index() + 1]
        kept = list(rows) if page.paginator.count else []
        for place, row in enumerate(kept[:_A_PAGE]):
            older = kept[place + 1] if place + 1 < len(kept) else None
            yield Version(
                row.history_id,
                row.history_date,
                str(row.history_user or ""),
                _KINDS[row.history_type],
                row.history_change_reason or "",
                list(self._changes(older, row)),
                page.number == 1 and place == 0,
            )

    def _changes(self, older: Any, row: Any) -> Iterator[Changed]:
        for field in row.tracked_fields:
            before = getattr(older, field.attname) if older else None
            after = getattr(row, field.attname)
            if not field.primary_key and before != after and (older or after not in ("", [])):
                yield Changed(str(field.verbose_name), before, after)

    # --- Going back -----------------------------------------------------------------

    def _sent(self, request: HttpRequest, row: Any) -> HttpResponse:
        if not self.has_change_permission(request):
            raise PermissionDenied
        number = request.POST.get("version", "")
        found = _rows(row).exclude(history_type="-")
        version = get_object_or_404(found, history_id=number if number.isdigit() else 0)
        try:
            done = self._back(request, row, version, request.POST.get("newest", ""))
        except ValidationError as fault:
            for message in fault.messages:
                self.message_user(request, f"Not put back. {message}", messages.ERROR)
        else:
            self.log_change(request, row, done)
            self.message_user(request, f"{row}: {done}.", messages.SUCCESS)
        return HttpResponseRedirect(request.get_full_path())

    def _back(self, request: HttpRequest, row: Any, version: Any, newest: str) -> str:
        done = f"back to {version.history_date:%Y-%m-%d %H:%M:%S} (version {version.history_id})"
        with self.editing():
            held = type(row)._base_manager.select_for_update(of=("self",), no_key=True)
            row = held.get(pk=row.pk)
            if str(_rows(row).first().history_id) != newest:
                raise ValidationError("It was changed meanwhile: look at what is new first.")
            changed = self._put(request, row, version)
            history.because(row, done)
            self.put_back(row, changed)
        return done

    def _put(self, request: HttpRequest, row: Any, version: Any) -> set[str]:
        fields = [f for f in version.tracked_fields if f.name not in self.stays]
        others = {f.name for f in fields if getattr(row, f.attname) != getattr(version, f.attname)}
        if not others:
            raise ValidationError("It says so already.")
        withheld = sorted(others.intersection(self.withheld(request)))
        if withheld:
            raise ValidationError(f"Your role does not change: {', '.join(withheld)}.")
        for field in fields:
            setattr(row, field.attname, getattr(version, field.attname))
        return others

    def withheld(self, request: HttpRequest) -> Sequence[str]:
        """Fields that this user leaves alone."""
        return ()

    def editing(self) -> AbstractContextManager[Any]:
        """What an edit of such a row happens in."""
        return cast("AbstractContextManager[Any]", transaction.atomic())

    def put_back(self, row: Any, changed: set[str]) -> None:
        """Save a row that says again what it said, if that is still allowed."""
        # What is as it was may be older than today's rules; and Django's array stumbles over NULL.
        asked = {name for name in changed if getattr(row, name) is not None}
        row.full_clean(exclude={field.name for field in row._meta.fields} - asked)
        row.save()


def _rows(row: models.Model) -> Any:
    """Newest first; two of one moment in the order that they were written in."""
    rows = cast("Any", type(row)).history.filter(**{row._meta.pk.attname: row.pk})
    return rows.select_related("history_user").order_by("-history_date", "-history_id")

"""Between desk and files: the desk's work as a patch, and conflicts that stop a load."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from providers.catalog.faults import CatalogFaults
from providers.catalog.merge import Conflicts, Loaded
from providers.desk.conflicts import (
    ChangedSinceShownError,
    Choices,
    Screen,
    read_choices,
    screen,
    seen_text,
    settle,
)
from providers.desk.patch import diffs, patch_text
from providers.desk.records import Records, shown_records

# More than these are settled with one choice for all of them, or with the command.
MOST_CHOICES = 400
_SIDE = "side-"


@require_safe
def patch(request: HttpRequest) -> HttpResponse:
    """What a dump would change in the files; with ?format=patch for `git apply`."""
    found = [(records, list(diffs(records))) for records in _shown(request)]
    text = patch_text(each for _records, several in found for each in several)
    if request.GET.get("format") == "patch":
        response = HttpResponse(
            text.encode(errors="surrogateescape"), content_type="text/x-patch; charset=utf-8"
        )
        response["Content-Disposition"] = 'attachment; filename="desk.patch"'
        return response
    context = {
        **admin.site.each_context(request),
        "title": "The desk's work as a patch",
        "found": found,
        "any": bool(text),
        "behind": any(each.behind for _records, several in found for each in several),
    }
    return TemplateResponse(request, "admin/desk/patch.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def conflicts(request: HttpRequest) -> HttpResponse:
    """Each conflict with both sides and a choice; a POST loads the files with these choices."""
    shown = _shown(request)
    if request.method != "POST":
        return _page(request, [screen(records) for records in shown])
    if not any(records.settled_by(request) for records in shown):
        raise PermissionDenied
    records = next((r for r in shown if r.setting == request.POST.get("files")), None)
    if records is None:
        raise Http404
    if not records.settled_by(request):
        raise PermissionDenied
    choices = _choices(request)
    refused = _load(request, records, choices)
    if refused is None:
        return HttpResponseRedirect(request.path)
    screens = [screen(each, choices if each is records else None) for each in shown]
    return _page(request, screens, refused, status=409)


def _shown(request: HttpRequest) -> list[Records]:
    shown = shown_records(request)
    if not shown:
        raise PermissionDenied
    return shown


def _choices(request: HttpRequest) -> Choices:
    sides = (
        (key.removeprefix(_SIDE), str(side))
        for key, side in request.POST.items()
        if key.startswith(_SIDE)
    )
    return read_choices(request.POST.get("seen", ""), sides, request.POST.get("others", ""))


def _load(request: HttpRequest, records: Records, choices: Choices) -> str | None:
    """Load the files; None when it was done, else why not."""
    try:
        loaded = settle(records, choices)
    except ChangedSinceShownError:
        return "Nothing was loaded: what you decided on has changed meanwhile. Look again."
    except Conflicts as left:
        number = sum(map(len, left.conflicts.values()))
        return f"Nothing was loaded: {number} without a choice."
    except CatalogFaults:
        return "Nothing was loaded: a file is wrong."
    messages.success(request, _done(records, loaded))
    return None


def _done(records: Records, loaded: Loaded) -> str:
    settled = sum(map(len, loaded.settled.values()))
    files = f"{loaded.changed_files} changed file{'' if loaded.changed_files == 1 else 's'} loaded"
    return f"{records.title}: {files}, {settled} conflict{'' if settled == 1 else 's'} settled."


def _page(
    request: HttpRequest, screens: Sequence[Screen], refused: str = "", status: int = 200
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": "Files and desk",
        "refused": refused,
        "screens": [
            (each, seen_text(each.conflicts), each.records.settled_by(request)) for each in screens
        ],
        "most": MOST_CHOICES,
    }
    return TemplateResponse(request, "admin/desk/conflicts.html", context, status=status)

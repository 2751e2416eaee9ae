"""Claims of one source: read it once, and confirm together what it still says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from gpucompare import spoken
from providers import claims as catalog
from providers.desk import queries, rights, shown
from providers.desk.screen import Row, row_of
from providers.dimensions import DIMENSIONS
from providers.models import Claim, Offering

_A_PAGE = 100


@dataclass(frozen=True)
class Claimed:
    """A claim among those of its source."""

    offering: Offering
    dimension: str
    row: Row


@dataclass(frozen=True)
class Confirmed:
    """How many got the day, and which were left out, with what changed about them."""

    number: int
    left_out: Sequence[str]


@require_safe
def by_source(request: HttpRequest) -> HttpResponse:
    rights.may_look(request, "claim")
    due, provider = request.GET.get("due") == "1", request.GET.get("provider", "")
    found = queries.sources(timezone.now().date(), due=due, provider=provider)
    page = Paginator(found, _A_PAGE).get_page(request.GET.get("page"))
    rest = request.GET.copy()
    rest.pop("page", None)
    context = {
        **admin.site.each_context(request),
        "title": "Claims by source",
        "opts": Claim._meta,
        "page": page,
        "rest": rest.urlencode(),
        "due": due,
        "provider": provider,
        "providers": queries.providers_with_claims(),
    }
    return TemplateResponse(request, "admin/providers/claim/by_source.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def from_source(request: HttpRequest) -> HttpResponse:
    rights.may_look(request, "claim", "offering")
    if request.method == "POST":
        rights.must_write(request)
        _tell(request, confirm_shown(request.POST, timezone.now().date()))
        return HttpResponseRedirect(request.get_full_path())
    source = request.GET.get("source", "")
    found = queries.claims_from(source)
    if not found:
        raise Http404
    today = timezone.now().date()
    context = {
        **admin.site.each_context(request),
        "title": "Claims of one source",
        "opts": Claim._meta,
        "source": source,
        "claims": [_claimed(claim, today) for claim in found],
        "all": request.GET.get("all") == "1",
        "may_write": rights.may_write(request),
    }
    return TemplateResponse(request, "admin/providers/claim/from_source.html", context)


def _claimed(claim: Claim, today: date) -> Claimed:
    dimension = DIMENSIONS[claim.dimension]
    return Claimed(claim.offering, str(dimension.label), row_of(dimension, [claim], claim, today))


def confirm_shown(post: QueryDict, today: date) -> Confirmed:
    """Confirm the checked claims that still are as the form showed them; the others are named."""
    seen = shown.read(",".join(post.getlist("checked")))
    with queries.held():
        found = queries.every(seen)
        same = [claim for claim in found.values() if not shown.changed_since(seen, [claim])]
        left_out = [_named(c, seen) for c in found.values() if c not in same]
        catalog.confirm(same, today)
    return Confirmed(len(same), left_out)


def _named(claim: Claim, seen: dict[int, str]) -> str:
    (change,) = shown.changed_since(seen, [claim])
    label = DIMENSIONS[claim.dimension].label
    return f"{claim.offering}, {label}: left out. {change}"


def _tell(request: HttpRequest, done: Confirmed) -> None:
    if done.number:
        day = spoken.day(timezone.now().date())
        messages.success(request, f"{done.number} confirmed as of {day}.")
    elif not done.left_out:
        messages.warning(request, "Nothing was checked, so nothing was confirmed.")
    for text in done.left_out:
        messages.warning(request, text)

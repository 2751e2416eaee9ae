"""Pages of providers and offerings. No queries and no rules here: they are fetched and shown."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.middleware import HtmxDetails

from providers import claim_views, price_history, provider_tables, queries
from providers.browse import listings as priced
from providers.browse import query, tables
from providers.browse.asked_format import by_format, format_asked
from providers.browse.criteria import Criteria, Ignored
from providers.browse.export import FORMATS, export_response
from providers.browse.page import FilteredPage
from providers.browse.parameters import clean
from providers.browse.present import browse_page
from providers.browse.present_listings import listings_page
from providers.browse.world import World
from providers.compare import tables as compare_tables
from providers.compare.comparison import Comparison
from providers.compare.page import ComparePage
from providers.compare.present import compare_page
from providers.compare.selection import Selection
from providers.dimensions import DIMENSIONS
from providers.price_chart import history
from providers.prices import units_asked
from providers.provider_pages import provider_page
from providers.structured import data_block, organization


class HtmxRequest(HttpRequest):
    htmx: HtmxDetails


def part_of(request: HtmxRequest, part: str) -> str:
    """The template's part that htmx swaps; nothing when a whole page is asked for."""
    return f"#{part}" if request.htmx and not request.htmx.history_restore_request else ""


def tell_address(request: HtmxRequest, response: HttpResponse, url: str) -> None:
    """Where the part that htmx swaps in stands; twice the same is no second step in the history."""
    try:
        here = request.htmx.current_url_abs_path
    except ValueError:  # an address that nobody can be at
        here = None
    response["HX-Replace-Url" if here == url else "HX-Push-Url"] = url


@require_safe
@by_format
def browse(request: HtmxRequest) -> HttpResponseBase:
    if request.GET.get("image", "").strip():
        return HttpResponseRedirect(f"{reverse('check')}?{request.GET.urlencode()}")
    now = timezone.now()
    world = World.read()
    criteria, ignored = read_criteria(request, world)
    result = query.browse(criteria, world, now)
    if wanted := format_asked(request):
        table = tables.browse_table(result)
        return export_response(table, wanted, request.build_absolute_uri(), now)
    return filtered_page(request, "browse", browse_page(result, ignored, now))


@require_safe
@by_format
def listings(request: HtmxRequest) -> HttpResponseBase:
    now = timezone.now()
    world = World.read()
    criteria, ignored = read_criteria(request, world)
    if wanted := format_asked(request):
        table = tables.listings_table(criteria, now)
        return export_response(table, wanted, request.build_absolute_uri(), now)
    result = priced.listings(criteria, world, now)
    return filtered_page(request, "listings", listings_page(result, ignored, now))


def read_criteria(request: HttpRequest, world: World) -> tuple[Criteria, list[Ignored]]:
    """The criteria of an address, and what in it is not understood, a format included."""
    criteria, ignored = Criteria.parse(request.GET, world.vocabulary)
    return criteria, [*ignored, *unknown_format(request)]


def unknown_format(request: HttpRequest) -> list[Ignored]:
    wanted = clean(request.GET.get("format", ""), 40)
    return [Ignored("format", wanted, tuple(FORMATS))] if wanted not in ("", *FORMATS) else []


def filtered_page(
    request: HtmxRequest, name: str, page: FilteredPage | ComparePage
) -> HttpResponse:
    """A page with Criteria, or the part of it that htmx swaps, at its canonical address."""
    part = part_of(request, "browse")
    response = render(request, f"providers/{name}.html{part}", {"page": page})
    if part:
        tell_address(request, response, page.canonical_url)
    return response


@require_safe
@by_format
def compare(request: HtmxRequest) -> HttpResponseBase:
    now = timezone.now()
    world = World.read()
    selection, ignored = Selection.parse(request.GET, world.by_key, world.vocabulary)
    comparison = Comparison.read(selection, world, now)
    if wanted := format_asked(request):
        table = compare_tables.compare_table(comparison, wanted, now)
        address = request.build_absolute_uri(selection.url(request.path))
        return export_response(table, wanted, address, now)
    ignored += unknown_format(request)
    page = compare_page(comparison, ignored, request.build_absolute_uri, now)
    return filtered_page(request, "compare", page)


@require_safe
@by_format
def provider(request: HttpRequest, slug: str) -> HttpResponseBase:
    now, units = timezone.now(), units_asked(request.GET)
    facts = queries.provider_facts(slug, units, now)
    if facts is None:
        raise Http404
    if wanted := format_asked(request):
        table = provider_tables.claims_table(facts, wanted, units, now)
        return export_response(table, wanted, request.build_absolute_uri(), now)
    found = price_history.offerings_history([o.pk for o in facts.offerings], now)
    series = {facts.gpus.link(family, None, ""): days for family, days in found.items()}
    page, drawn = provider_page(facts, units, now), history(series, now.date())
    address = request.build_absolute_uri(request.path)
    told = data_block(organization(facts, address, request.build_absolute_uri))
    context = {"page": page, "history": drawn, "structured": told}
    return render(request, "providers/provider.html", context)


@require_safe
@vary_on_headers("HX-Request")
def cell(request: HtmxRequest, slug: str, offering: str, dimension: str) -> HttpResponse:
    found = queries.offering(slug, offering)
    if found is None or dimension not in DIMENSIONS:
        raise Http404
    page = claim_views.cell_page(
        found,
        DIMENSIONS[dimension],
        queries.claims(found, dimension),
        timezone.now().date(),
    )
    return render(request, f"providers/cell.html{part_of(request, 'detail')}", {"cell": page})

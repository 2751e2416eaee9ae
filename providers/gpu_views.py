"""Pages of GPUs. No queries and no rules here: they are fetched and shown."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from providers import price_history, queries
from providers.browse.asked_format import by_format, format_asked
from providers.browse.export import export_response
from providers.browse.query import browse
from providers.browse.world import World, is_closed
from providers.gpu_index import gpu_index
from providers.gpu_links import GpuLink
from providers.gpu_pages import Subject, gpu_page, rented_criteria
from providers.gpu_tables import gpus_table
from providers.price_chart import history
from providers.prices import by_family, units_asked


@require_safe
@by_format
def gpus(request: HttpRequest) -> HttpResponseBase:
    now, units, world = timezone.now(), units_asked(request.GET), World.read()
    rentable = [offering.pk for offering in world.offerings if not is_closed(offering)]
    result, cheapest = browse(units, world, now), by_family(units, rentable, now)
    if wanted := format_asked(request):
        table = gpus_table(result, cheapest, world)
        return export_response(table, wanted, request.build_absolute_uri(), now)
    page = gpu_index(result, cheapest, world, now)
    return render(request, "providers/gpus.html", {"page": page})


@require_safe
def gpu(request: HttpRequest, slug: str) -> HttpResponse:
    now, units, world = timezone.now(), units_asked(request.GET), World.read()
    subject = Subject.find(slug, world)
    if subject is None:
        raise Http404
    result = browse(rented_criteria(subject, units), world, now)
    form_open = queries.form_open_at(subject.family) if subject.model_alone else set()
    page = gpu_page(subject, result, form_open, world, now)
    series = price_history.model_history if subject.model_alone else price_history.family_history
    whose = subject.models[0] if subject.model_alone else subject.family
    drawn = history({GpuLink(subject.name, slug): series(whose.pk, now)}, now.date())
    return render(request, "providers/gpu.html", {"page": page, "history": drawn})

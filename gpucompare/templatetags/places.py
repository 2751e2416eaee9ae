"""`{% places as links %}`: the places of the header, with the one that the page belongs to."""

from __future__ import annotations

from django import template
from django.template.context import Context

from gpucompare.places import PlaceLink, place_links

register = template.Library()


@register.simple_tag(takes_context=True)
def places(context: Context) -> tuple[PlaceLink, ...]:
    """The page of a server error is drawn without a request, that of a wrong address without a
    view: then no place is the current one."""
    found = getattr(context.get("request"), "resolver_match", None)
    return place_links(found.url_name or "" if found else "")

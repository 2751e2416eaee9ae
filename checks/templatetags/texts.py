"""`{% explained "cold.bill" %}`: links to the answers of the FAQ that explain what stands above."""

from __future__ import annotations

from typing import Any

from django import template

from checks.content.anchors import explained as links_of

register = template.Library()


@register.inclusion_tag("checks/content/explained.html")
def explained(*keys: str) -> dict[str, Any]:
    return {"links": links_of(keys)}

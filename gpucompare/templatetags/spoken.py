"""`{{ page.match|number }}`: a count for people, grouped as the language writes it; and the
points between words: `{% comma %}`, `{% semicolon %}`, `{% stop %}`."""

from __future__ import annotations

from decimal import Decimal

from django import template

from gpucompare import spoken

register = template.Library()


register.simple_tag(spoken.comma, name="comma")
register.simple_tag(spoken.semicolon, name="semicolon")
register.simple_tag(spoken.stop, name="stop")


@register.filter
def number(value: float | Decimal) -> str:
    return spoken.number(value)

"""What pages repeat dozens of times: choices of a menu, chips, and the fields of forms.

Put together as text, as rows are (:mod:`providers.templatetags.rows`).
"""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gpucompare.escaping import escape, escaped
from providers.browse.page import Chip, Choice, HiddenField, NumberField

register = template.Library()


@register.filter
def choice_links(choices: Iterable[Choice], kind: str = "") -> SafeString:
    """The items of a menu; with a kind, each has an id, so that focus finds it after a swap."""
    return SafeString("".join(_choice(choice, kind) for choice in choices))


def _choice(choice: Choice, kind: str) -> str:
    named = f'id="{kind}-{escaped(choice.key)}" ' if kind else ""
    current = ' aria-current="true"' if choice.active else ""
    return (
        f'<li><a {named}href="{escape(choice.url)}"{current}>{escaped(str(choice.label))}</a></li>'
    )


@register.filter
def chip_links(chips: Iterable[Chip]) -> SafeString:
    """The filters in use, each a link to the page without it."""
    remove = escaped(_("Remove:"))
    return SafeString("\n  ".join(_chip(chip, remove) for chip in chips))


def _chip(chip: Chip, remove: str) -> str:
    told = f"{escaped(str(chip.label))} <b>{escape(str(chip.value))}</b>"
    return (
        f'<li><a class="chip" id="{escape(chip.id)}" href="{escape(chip.url)}">'
        f'<span class="vh">{remove} </span><span>{told}</span></a></li>'
    )


@register.filter
def hidden_inputs(fields: Iterable[HiddenField]) -> SafeString:
    """What a form carries along."""
    return SafeString("".join(map(_hidden, fields)))


def _hidden(field: HiddenField) -> str:
    return f'<input type="hidden" name="{escaped(field.name)}" value="{escape(field.value)}">'


@register.filter
def number_inputs(fields: Iterable[NumberField]) -> SafeString:
    """Limits that are typed in, with their labels."""
    return SafeString("".join(map(_number, fields)))


def _number(field: NumberField) -> str:
    name = escaped(field.name)
    hint = f"<small>{escaped(str(field.hint))}</small>" if field.hint else ""
    return (
        f'<label for="n-{name}"><span>{escaped(str(field.label))}{hint}</span>'
        f'<input class="field ltr" id="n-{name}" name="{name}" value="{escape(field.value)}"'
        f' inputmode="{field.inputmode}" autocomplete="off"></label>'
    )

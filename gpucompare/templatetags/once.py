"""`{% once %}…{% endonce %}`: what depends on nothing but the language is drawn once for each."""

from __future__ import annotations

from django import template
from django.template.base import Node, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


class OnceNode(Node):
    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist
        self._drawn: dict[str | None, SafeString] = {}

    def render(self, context: Context) -> SafeString:
        language = get_language()
        if language not in self._drawn:
            self._drawn[language] = self.nodelist.render(context)
        return self._drawn[language]


@register.tag
def once(parser: Parser, token: Token) -> OnceNode:
    nodelist = parser.parse(["endonce"])
    parser.delete_first_token()
    return OnceNode(nodelist)

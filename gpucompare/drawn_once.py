"""Templates whose parts that depend on nothing but the language are drawn once for each language.

The loader goes through what it has compiled: neighbours among plain text, `{% translate %}`,
`{% static %}` and `{% url %}` that name no variable become one node, which keeps its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from django.template.base import (
    FilterExpression,
    Node,
    NodeList,
    Origin,
    Template,
    TextNode,
    Variable,
)
from django.template.context import Context
from django.template.defaulttags import IfNode, URLNode
from django.template.loaders import base, cached
from django.templatetags.i18n import TranslateNode
from django.templatetags.static import StaticNode
from django.utils.safestring import SafeString
from django.utils.translation import get_language


class OnceNode(Node):
    """Nodes that draw the same for everybody who reads a language."""

    child_nodelists = ()

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = NodeList(nodes)
        self.token, self.origin = nodes[0].token, nodes[0].origin
        self._drawn: dict[str | None, SafeString] = {}

    def render_annotated(self, context: Context) -> SafeString:
        language = get_language()
        drawn = self._drawn.get(language)
        if drawn is None:
            drawn = self._drawn[language] = self.nodes.render(context)
        return drawn

    render = render_annotated


class _Joining(base.Loader):
    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        template = super().get_template(template_name, skip)
        _join(template.nodelist)
        return template


class Loader(cached.Loader, _Joining):
    """Compiles a template once, and joins its constant parts then."""


def _join(nodes: NodeList) -> None:
    """In place: blocks and partials are held from elsewhere, too."""
    for inner in (inner for node in nodes for inner in _within(node)):
        _join(inner)
    nodes[:] = [
        node
        for constant, run in groupby(nodes, _is_constant)
        for node in (_joined(list(run)) if constant else run)
    ]


def _joined(run: list[Node]) -> list[Node]:
    return run if all(type(node) is TextNode for node in run) else [OnceNode(run)]


def _within(node: Node) -> Iterator[NodeList]:
    if isinstance(node, IfNode):  # its `nodelist` is a copy
        yield from (inner for _condition, inner in node.conditions_nodelists)
        return
    for name in node.child_nodelists:
        if isinstance(inner := getattr(node, name, None), NodeList):
            yield inner


def _is_constant(node: Node) -> bool:
    match node:
        case TextNode():
            return True
        case TranslateNode(filter_expression=text, message_context=context, asvar=None):
            return _is_literal(text) and (context is None or _is_literal(context))
        case StaticNode(path=path, varname=None):
            return _is_literal(path)
        case URLNode(view_name=name, args=[], asvar=None):
            return _is_literal(name) and not node.kwargs
    return False


def _is_literal(told: FilterExpression) -> bool:
    said = told.var
    return not told.filters and (not isinstance(said, Variable) or said.literal is not None)

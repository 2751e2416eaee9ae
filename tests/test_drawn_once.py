"""What of a template depends on the language alone is drawn once for each, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template import Context, Engine, Template, TemplateDoesNotExist
from django.template.loader import get_template
from django.utils import translation

from gpucompare.drawn_once import OnceNode

LANGUAGES = [code for code, _name in settings.LANGUAGES]
Made = Callable[[str], Template]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """A template of that text, as the site's own come to be."""
    plain = "django.template.loaders.filesystem.Loader"
    loaders = [("gpucompare.drawn_once.Loader", [plain])]
    libraries = {
        "i18n": "django.templatetags.i18n",
        "static": "django.templatetags.static",
    }
    engine = Engine(dirs=[str(tmp_path)], loaders=loaders, libraries=libraries)

    def make(text: str) -> Template:
        (tmp_path / "made.html").write_text("{% load i18n static %}" + text)
        return engine.get_template("made.html")

    return make


def drawn(template: Template, **context: Any) -> str:
    return template.render(Context(context))


def parts(template: Template) -> list[str]:
    """The kinds of its nodes, after what loads the libraries."""
    return [type(node).__name__ for node in template.nodelist[1:]]


def test_neighbours_that_depend_on_the_language_alone_are_one_node(made: Made) -> None:
    text = '<a href="{% url "browse" %}">{% translate "Price" %}</a>{% static "css/base.css" %}'
    assert parts(made(text + "{{ n }}" + text)) == ["OnceNode", "VariableNode", "OnceNode"]


@pytest.mark.parametrize(
    "text",
    [
        '{% translate "Price" as price %}{{ price }}',
        "{% translate n %}",
        '{% translate "Price"|upper %}',
        "{% url name %}",
        '{% url "provider" n %}',
        '{% url "browse" as address %}{{ address }}',
        "{% static n %}",
        '{% static "css/base.css" as sheet %}{{ sheet }}',
        "{% if n %}yes{% endif %}",
        "only text",
    ],
)
def test_what_depends_on_more_is_drawn_each_time(made: Made, text: str) -> None:
    assert "OnceNode" not in parts(made(text))


def test_each_language_keeps_its_own(made: Made) -> None:
    template = made('{% translate "Price" %}, {{ n }}, {% url "gpus" %}')
    for language in (*LANGUAGES, *LANGUAGES):
        with translation.override(language):
            prefix = "" if language == "en" else f"/{language}"
            price = translation.gettext("Price")
            assert drawn(template, n=language) == f"{price}, {language}, {prefix}/gpus/"


def test_a_context_of_the_text_is_told_apart(made: Made) -> None:
    template = made('{% translate "Check" context "an image" %}|{% translate "Check" %}')
    with translation.override("tr"):
        check = translation.pgettext("an image", "Check")
        assert drawn(template) == f"{check}|{translation.gettext('Check')}"


def test_what_stands_inside_is_joined_too(made: Made) -> None:
    inner = '<b>{% translate "Price" %}</b>'
    template = made(
        f"{{% if n %}}{inner}{{% else %}}-{inner}{{% endif %}}"
        f"{{% for one in many %}}{inner}{{% empty %}}none {inner}{{% endfor %}}"
        f"{{% block a %}}{inner}{{% endblock %}}{{% with x=1 %}}{inner}{{% endwith %}}"
    )
    assert parts(template) == ["IfNode", "ForNode", "BlockNode", "WithNode"]
    assert drawn(template, n=1, many="ab") == "<b>Price</b>" * 5
    assert drawn(template, n=0, many="") == "-<b>Price</b>none <b>Price</b>" + "<b>Price</b>" * 2
    assert len(template.nodelist.get_nodes_by_type(OnceNode)) == 6


def test_the_pages_of_the_site_are_joined() -> None:
    def joined(name: str) -> int:
        template: Template = get_template(name).template  # type: ignore[attr-defined]
        return len(template.nodelist.get_nodes_by_type(OnceNode))

    assert joined("base.html") > 5
    assert joined("providers/browse/facets.html") > 2


def test_a_template_that_is_not_there_is_still_not_there() -> None:
    with pytest.raises(TemplateDoesNotExist):
        get_template("nowhere.html")

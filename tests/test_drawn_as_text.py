"""What pages repeat often is put together as text: the same as the long way, and escaped."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from babel import Locale
from babel.numbers import format_decimal
from django.conf import settings
from django.http import QueryDict
from django.template import Context, Template
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from gpucompare import spoken
from providers.browse.criteria import Criteria
from providers.browse.page import Cell, Cells, Facet, FacetValue
from providers.browse.parameters import PARAMETERS, Vocabulary
from providers.templatetags import rows

LANGUAGES = [code for code, _name in settings.LANGUAGES]
VOCABULARY = Vocabulary({"alpha"}, {"h100", "h100-sxm", "l4"}, {"USD": Decimal(1)})
VALUES = {
    "docker_daemon": ["root", "none"],
    "registries": ["docker.io", "1.ecr.amazonaws.com"],
    "gpu": ["h100", "l4"],
    "region": ["eu west", "a&b", "تونس"],
    "max_price": ["2", "0.5"],
    "in_stock": ["1"],
    "sort": ["price"],
    "page": ["2"],
}
EVIL = '<b title="\'">&'


@given(
    st.dictionaries(st.sampled_from(sorted(VALUES)), st.integers(1, 2)),
    st.sampled_from(sorted(set(VALUES) - {"page"})),
)
def test_an_address_with_a_value_toggled_is_the_same_as_the_long_way(
    asked: dict[str, int], name: str
) -> None:
    query = QueryDict(mutable=True)
    for other, count in asked.items():
        query.setlist(other, VALUES[other][:count])
    criteria, _ = Criteria.parse(query, VOCABULARY)
    toggle = criteria.toggles(name, "/listings/")
    for value in VALUES[name]:
        assert toggle(value) == criteria.toggled(name, value).url("/listings/")


@pytest.mark.parametrize("language", LANGUAGES)
@given(number=st.integers(0, 10**12))
def test_whole_numbers_are_grouped_as_cldr_says(language: str, number: int) -> None:
    with translation.override(language):
        told = spoken.number(number)
    assert told == format_decimal(number, locale=Locale.parse(language), numbering_system="latn")


@pytest.mark.parametrize("name", ["h100-sxm", "H100 SXM", "h100 sxm"])
def test_a_gpu_may_be_asked_for_by_a_name_that_is_spelled_like_its_slug(name: str) -> None:
    assert PARAMETERS["gpu"].normalise(name, VOCABULARY) == "h100-sxm"
    assert PARAMETERS["gpu"].normalise(f"{name} x", VOCABULARY) is None


def test_what_depends_on_the_language_alone_is_drawn_once_for_each() -> None:
    drawn = Template('{% load i18n once %}{% once %}{% translate "Price" %}{{ n }}{% endonce %}')
    for language in ("en", "tr", "en"):
        with translation.override(language):
            assert (
                drawn.render(Context({"n": language}))
                == f"{translation.gettext('Price')}{language}"
            )
    assert drawn.render(Context({"n": "other"})).endswith("en")


def test_nothing_that_comes_from_elsewhere_is_markup() -> None:
    value = FacetValue(EVIL, EVIL, 1, 2, True, EVIL, EVIL, EVIL)
    facet = Facet("region", EVIL, EVIL, (value,), False, (value,))
    cell = Cell("ssh", EVIL, EVIL, EVIL, EVIL, True, EVIL, EVIL)
    for told in (rows.facet_list([facet]), rows.answer_cells(Cells([cell]))):
        assert not re.search(r"<b title|=\"<|'", told)
        assert "&lt;b title=&quot;&#x27;&quot;&gt;&amp;" in told

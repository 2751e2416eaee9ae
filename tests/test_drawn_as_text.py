"""What pages repeat often is put together as text: the same as the long way, and escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from html import escape

import pytest
from babel import Locale
from babel.numbers import format_decimal
from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from gpucompare import spoken
from gpucompare.addresses import by_slug
from providers.browse.criteria import Criteria, Toggles
from providers.browse.page import (
    Cell,
    Cells,
    Chip,
    Choice,
    Facet,
    FacetValue,
    HiddenField,
    NumberField,
)
from providers.browse.parameters import PARAMETERS, Vocabulary
from providers.templatetags import menus, rows

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
    toggles = criteria.toggles(name, "/listings/")
    addresses = [criteria.toggled(name, value).url("/listings/") for value in VALUES[name]]
    assert [toggles.url(value) for value in VALUES[name]] == addresses
    assert toggles.hrefs(VALUES[name]) == [escape(address) for address in addresses]


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


def test_menus_chips_and_forms_hold_no_markup_from_elsewhere() -> None:
    drawn = (
        menus.choice_links([Choice(EVIL, EVIL, EVIL, True)], "sort"),
        menus.chip_links([Chip(EVIL, EVIL, EVIL, EVIL)]),
        menus.hidden_inputs([HiddenField(EVIL, EVIL)]),
        menus.number_inputs([NumberField(EVIL, EVIL, EVIL, "decimal", EVIL)]),
    )
    for told in drawn:
        assert isinstance(told, SafeString)
        assert not re.search(r"<b title|=\"<|'", told)
        assert "&lt;b title=&quot;&#x27;&quot;&gt;&amp;" in told


def test_a_choice_has_an_id_only_in_a_menu_that_is_swapped() -> None:
    choice = Choice("price", "Price", "/?sort=price", False)
    assert menus.choice_links([choice]) == '<li><a href="/?sort=price">Price</a></li>'
    drawn = menus.choice_links([replace(choice, active=True)], "sort")
    assert drawn == (
        '<li><a id="sort-price" href="/?sort=price" aria-current="true">Price</a></li>'
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["provider", "gpu"])
def test_an_address_by_its_slug_is_the_one_that_leads_there(name: str, language: str) -> None:
    with translation.override(language):
        address = by_slug(name)
        assert address("l4-24-gb") == reverse(name, args=["l4-24-gb"])


def test_nothing_that_comes_from_elsewhere_is_markup() -> None:
    value = FacetValue(EVIL, 1, 2, True, EVIL, EVIL, EVIL)
    toggles = Toggles(PARAMETERS["region"], (), f"/{EVIL}", "", "")
    facet = Facet("region", EVIL, EVIL, (value,), False, toggles, (value,))
    cell = Cell("ssh", EVIL, EVIL, EVIL, EVIL, True, EVIL, EVIL)
    for told in (rows.facet_list([facet]), rows.answer_cells(Cells([cell]))):
        assert not re.search(r"<b title|=\"<|'", told)
        assert "&lt;b title=&quot;&#x27;&quot;&gt;&amp;" in told

"""Every filter, sort, column and download is an address with words for it."""

from __future__ import annotations

import re

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from providers.browse import links
from providers.browse.criteria import Criteria, Ignored
from providers.browse.page import Choice
from providers.browse.parameters import PARAMETERS, Vocabulary
from providers.dimensions import DIMENSIONS, MAIN

VOCABULARY = Vocabulary(providers={"runpod", "aws"}, gpus={"h100", "h100-sxm"})
NAMES = {"h100": "H100", "h100-sxm": "H100 SXM"}


def criteria(query: str) -> Criteria:
    found, ignored = Criteria.parse(QueryDict(query), VOCABULARY)
    assert ignored == []
    return found


def notices(query: str) -> list[str]:
    _criteria, ignored = Criteria.parse(QueryDict(query), VOCABULARY)
    return [str(links.notice(part)) for part in ignored]


def by_key(choices: tuple[Choice, ...]) -> dict[str, Choice]:
    return {choice.key: choice for choice in choices}


# --- Chips -------------------------------------------------------------------------------


def chips(query: str) -> list[tuple[str, str, str]]:
    found = links.chips(criteria(query), "/", NAMES)
    return [(str(chip.label), str(chip.value), chip.url) for chip in found]


def test_each_value_of_each_filter_is_a_chip_that_takes_it_away() -> None:
    assert chips("docker_daemon=root&docker_daemon=nested&q=lambda&sort=price") == [
        ("Search", "lambda", "/?docker_daemon=root&docker_daemon=nested&sort=price"),
        ("Docker daemon", "Root", "/?q=lambda&docker_daemon=nested&sort=price"),
        ("Docker daemon", "Nested", "/?q=lambda&docker_daemon=root&sort=price"),
    ]


@pytest.mark.parametrize(
    ("query", "label", "value"),
    [
        ("spot=yes", "Spot", "Yes"),
        ("registries=any", "Registries", "Any registry"),
        ("billing_increment_s=3600", "Billing increment", "1 h"),
        ("driver=580", "Driver version", "580"),
        ("kind=vm_cloud", "Kind of provider", "VM cloud"),
        ("provider=runpod", "Provider", "runpod"),
        ("gpu=h100-sxm", "GPU", "H100 SXM"),
        ("gpu_count=8", "GPU count", "8"),
        ("min_vram=80", "VRAM at least", "80 GB"),
        ("region=eu-west", "Region", "eu-west"),
        ("min_cuda=12.8", "CUDA at least", "12.8"),
        ("max_price=2.5", "Price at most", "$2.5 / GPU / hour"),
        ("max_price=60&per=instance&period=day", "Price at most", "$60 / instance / day"),
        ("in_stock=1", "In stock", "In stock"),
        ("freshness=stale", "Price seen", "Stale"),
    ],
)
def test_a_chip_says_in_words_what_it_filters(query: str, label: str, value: str) -> None:
    assert [chip[:2] for chip in chips(query)] == [(label, value)]


def test_what_only_changes_the_view_is_no_chip() -> None:
    assert chips("sort=price&per=instance&period=day&unknown=hide&columns=spot&page=2") == []


@given(st.lists(st.text(min_size=1, max_size=12), max_size=3))
def test_a_chip_has_an_id_that_html_allows(texts: list[str]) -> None:
    query = QueryDict(mutable=True)
    query.setlist("region", texts)
    query["q"] = " ".join(texts)
    found, _ignored = Criteria.parse(query, VOCABULARY)
    for chip in links.chips(found, "/", NAMES):
        assert not re.search(r"\s", chip.id)


# --- Notices -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        (
            "docker_daemon=maybe",
            "ignored: docker_daemon=maybe; allowed: root, rootless, nested, none",
        ),
        ("spot_only=yes", "ignored: spot_only=yes; allowed: 1"),
        ("provider=nobody", "ignored: provider=nobody; allowed: aws, runpod"),
        ("colour=red", "ignored: colour=red; there is no such filter"),
        ("max_price=2&max_price=3", "ignored: max_price=2; only one value counts, the last"),
        ("min_cuda=new", "ignored: min_cuda=new; this is not a value of the filter"),
        ("max_price=-1", "ignored: max_price=-1; this is not a value of the filter"),
    ],
)
def test_what_was_not_understood_is_named_with_what_would_be(query: str, notice: str) -> None:
    assert notices(query) == [notice]


def test_a_flood_of_values_is_told_by_its_number() -> None:
    flood = "&".join(f"region=r{n}" for n in range(57))
    assert notices(flood) == ["ignored: 7 more values of region"]


def test_a_long_list_of_what_is_allowed_is_cut_off() -> None:
    assert notices("columns=colour")[0].endswith(", image_cache, container_user …")
    few = links.notice(Ignored("x", "y", tuple("abcdefghijkl")))
    many = links.notice(Ignored("x", "y", tuple("abcdefghijklm")))
    assert str(few).endswith("k, l")
    assert str(many).endswith("k, l …")


@pytest.mark.parametrize("braces", ["{}", "{0}", "%(given)s", "%s", "{given.__class__}"])
def test_what_an_address_holds_is_never_read_as_a_pattern(braces: str) -> None:
    part = Ignored("docker_daemon", braces, ("root",))
    assert str(links.notice(part)) == f"ignored: docker_daemon={braces}; allowed: root"


# --- Menus -------------------------------------------------------------------------------


def test_each_order_is_an_address_and_the_one_in_use_is_marked() -> None:
    found = by_key(links.sorts(criteria("q=a&sort=price&page=3"), "/"))
    assert {key: choice.url for key, choice in found.items()} == {
        "name": "/?q=a",
        "price": "/?q=a&sort=price",
        "-price": "/?q=a&sort=-price",
        "freshness": "/?q=a&sort=freshness",
        "known": "/?q=a&sort=known",
    }
    assert [key for key, choice in found.items() if choice.active] == ["price"]
    assert set(found) == set(PARAMETERS["sort"].allowed(VOCABULARY))


def test_each_unit_of_a_price_is_an_address() -> None:
    found = by_key(links.units(criteria("per=instance&max_price=3"), "/"))
    assert found["per-gpu"].url == "/?max_price=3"
    assert found["period-day"].url == "/?max_price=3&per=instance&period=day"
    active = {key for key, choice in found.items() if choice.active}
    assert active == {"per-instance", "period-hour"}


def test_a_column_is_put_in_or_taken_out() -> None:
    found = by_key(links.columns(Criteria(), "/"))
    assert set(found) == set(DIMENSIONS)
    assert {key for key, choice in found.items() if choice.active} == {d.key for d in MAIN}
    more = criteria(found["spot"].url.removeprefix("/?"))
    assert more.columns == (*(d.key for d in MAIN), "spot")
    less = criteria(found["docker_daemon"].url.removeprefix("/?"))
    assert less.columns == tuple(d.key for d in MAIN if d.key != "docker_daemon")
    assert by_key(links.columns(more, "/"))["spot"].url == "/"


@pytest.mark.parametrize(
    ("query", "csv"), [("", "/?format=csv"), ("q=a&sort=price", "/?q=a&sort=price&format=csv")]
)
def test_a_download_is_the_same_address_with_a_format(query: str, csv: str) -> None:
    found = links.exports(criteria(query), "/")
    assert [choice.label for choice in found] == ["CSV", "JSON", "MD"]
    assert found[0].url == csv


def test_rows_that_may_match_are_hidden_and_shown_by_one_switch() -> None:
    shown = links.unknown_switch(criteria("q=a"), "/")
    assert (shown.active, shown.url) == (False, "/?q=a&unknown=hide")
    hidden = links.unknown_switch(criteria("q=a&unknown=hide"), "/")
    assert (hidden.active, hidden.url) == (True, "/?q=a")
    assert shown.label != hidden.label


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("", "$ / GPU / hour"),
        ("per=instance", "$ / instance / hour"),
        ("period=month", "$ / GPU / month"),
        ("per=instance&period=day", "$ / instance / day"),
    ],
)
def test_a_price_states_what_it_is_for(query: str, unit: str) -> None:
    assert links.price_unit(criteria(query)) == unit
    limit = next(field for field in links.numbers(criteria(query)) if field.name == "max_price")
    assert limit.hint == unit


# --- Forms -------------------------------------------------------------------------------


def test_a_form_carries_what_it_does_not_ask_for() -> None:
    asked = criteria("q=a&docker_daemon=root&docker_daemon=none&max_price=3&sort=price&page=2")
    search = [(field.name, field.value) for field in links.hidden(asked, "q")]
    assert search == [
        ("docker_daemon", "root"),
        ("docker_daemon", "none"),
        ("max_price", "3"),
        ("sort", "price"),
    ]
    limits = [field.name for field in links.hidden(asked, *links.NUMBERS)]
    assert limits == ["q", "docker_daemon", "docker_daemon", "sort"]


def test_limits_show_what_is_asked() -> None:
    asked = criteria("max_price=2.50&min_vram=80&min_driver=570&min_cuda=12.8")
    assert [(field.name, field.value) for field in links.numbers(asked)] == [
        ("max_price", "2.5"),
        ("min_vram", "80"),
        ("min_driver", "570"),
        ("min_cuda", "12.8"),
    ]
    assert {field.value for field in links.numbers(Criteria())} == {""}

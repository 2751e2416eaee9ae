"""Criteria and the query string are the same thing, in one canonical spelling."""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from providers.answers import Kind
from providers.browse.criteria import MAX_IGNORED, MAX_VALUES, Criteria, Ignored
from providers.browse.parameters import PARAMETERS, Parameter, Vocabulary
from providers.dimensions import DIMENSIONS, MAIN

VOCABULARY = Vocabulary(
    providers={"runpod", "vast-ai", "aws"},
    gpus={"h100", "h100-sxm", "l4"},
    verdicts=("runs", "condition", "unknown", "fails"),
)

_VERSIONS = st.lists(st.integers(0, 999), min_size=1, max_size=4).map(
    lambda parts: ".".join(map(str, parts))
)
_TEXT = st.text(min_size=1, max_size=30)
_RAW = {
    "q": _TEXT,
    "region": _TEXT,
    "gpu_count": st.integers(1, 1024).map(str),
    "min_vram": st.integers(1, 4096).map(str),
    "min_driver": _VERSIONS,
    "min_cuda": _VERSIONS,
    "max_price": st.decimals("0.01", "9999", places=3).map(str),
    "page": st.integers(1, 100_000).map(str),
    "after": st.just("0_1_2.5_7"),
}
_BY_KIND = {
    Kind.VERSION: _VERSIONS,
    Kind.VERSIONS: _VERSIONS,
    Kind.NUMBER: st.decimals(0, 10_000, places=2).map(str),
    Kind.HOSTS: st.sampled_from(["any", "docker.io", "NVCR.io", "1.dkr.ecr.amazonaws.com"]),
}


def raw_values(parameter: Parameter) -> st.SearchStrategy[str]:
    """Well-formed values of a parameter, spelled in any way that is accepted."""
    if parameter.name in _RAW:
        return _RAW[parameter.name]
    allowed = tuple(parameter.allowed(VOCABULARY))
    return st.sampled_from(allowed) if allowed else _BY_KIND[DIMENSIONS[parameter.name].kind]


QUERIES = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(raw_values(p), min_size=1, max_size=3 if p.many else 1)
        for name, p in PARAMETERS.items()
    },
)


def parse(query: str) -> tuple[Criteria, list[Ignored]]:
    return Criteria.parse(QueryDict(query), VOCABULARY)


def query_of(values: dict[str, list[str]]) -> str:
    query = QueryDict(mutable=True)
    for name, texts in values.items():
        query.setlist(name, texts)
    return query.urlencode()


@given(QUERIES)
def test_criteria_to_query_and_back_is_the_identity(values: dict[str, list[str]]) -> None:
    criteria, _ignored = parse(query_of(values))
    again, ignored = parse(criteria.query())
    assert again == criteria
    assert ignored == []


@given(QUERIES, st.randoms())
def test_one_state_has_one_address(values: dict[str, list[str]], random: object) -> None:
    names = list(values)
    random.shuffle(names)  # type: ignore[attr-defined]
    shuffled = {name: [*reversed(values[name]), *values[name]] for name in names}
    several = {name for name in names if PARAMETERS[name].many}
    doubled = {n: shuffled[n] if n in several else values[n] for n in names}
    assert parse(query_of(doubled))[0].query() == parse(query_of(values))[0].query()


@given(st.dictionaries(st.text(max_size=10), st.lists(st.text(max_size=40), max_size=4)))
def test_no_query_string_is_too_strange(values: dict[str, list[str]]) -> None:
    criteria, ignored = parse(query_of(values))
    assert parse(criteria.query())[0] == criteria
    assert len(ignored) <= MAX_IGNORED


@given(QUERIES, st.sampled_from(sorted(DIMENSIONS)))
def test_toggling_twice_changes_nothing_but_the_page(
    values: dict[str, list[str]], key: str
) -> None:
    dimension = DIMENSIONS[key]
    if not dimension.filterable or not dimension.allowed:
        return
    criteria = parse(query_of(values))[0]
    value = dimension.allowed[0]
    assert criteria.toggled(key, value).toggled(key, value) == criteria.put("page").put("after")


def test_defaults_are_left_out() -> None:
    main = "&".join(f"columns={d.key}" for d in reversed(MAIN))
    query = f"unknown=show&per=gpu&period=hour&currency=USD&sort=name&page=1&spot_only=&{main}"
    assert parse(query)[0] == Criteria()


def test_every_filterable_dimension_is_a_parameter_by_its_key() -> None:
    for dimension in DIMENSIONS.values():
        assert (dimension.key in PARAMETERS) is dimension.filterable


def test_values_stand_in_the_declared_order() -> None:
    criteria, _ = parse("gpu_count=8&docker_daemon=none&docker_daemon=root&gpu_count=10")
    assert criteria.query() == "docker_daemon=root&docker_daemon=none&gpu_count=8&gpu_count=10"


def test_an_unknown_value_is_named_with_what_is_allowed() -> None:
    criteria, ignored = parse("docker_daemon=maybe&docker_daemon=root")
    assert criteria.query() == "docker_daemon=root"
    assert ignored == [
        Ignored("docker_daemon", "maybe", ("root", "rootless", "nested", "none"), "value")
    ]


def test_an_unknown_parameter_is_named() -> None:
    assert parse("colour=red")[1] == [Ignored("colour", "red", (), "parameter")]


def test_a_name_that_only_the_database_knows_is_checked() -> None:
    criteria, ignored = parse("provider=runpod&provider=nobody&gpu=h100&gpu=h900")
    assert criteria.query() == "provider=runpod&gpu=h100"
    assert [i.value for i in ignored] == ["nobody", "h900"]


def test_of_a_single_value_given_twice_the_last_counts_and_the_first_is_named() -> None:
    criteria, ignored = parse("max_price=2&max_price=3.50")
    assert criteria.query() == "max_price=3.5"
    assert ignored == [Ignored("max_price", "2", (), "repeated")]


def test_a_flood_of_values_is_cut_off_and_said() -> None:
    flood = "&".join(f"region=r{n}" for n in range(MAX_VALUES + 7))
    criteria, ignored = parse(flood)
    assert len(criteria.all("region")) == MAX_VALUES
    assert ignored == [Ignored("region", "7", (), "too_many")]


@pytest.mark.parametrize(
    "query",
    [
        *("max_price=0", "max_price=-1", "max_price=NaN", "max_price=Infinity", "max_price=1e99"),
        *("gpu_count=0", "gpu_count=1.5", "min_vram=many", "min_cuda=12.x", "min_driver=-5"),
        *("page=0", "page=99999999999999999999", "per=core", "spot_only=yes"),
    ],
)
def test_a_value_out_of_bounds_is_ignored_with_a_notice(query: str) -> None:
    criteria, ignored = parse(query)
    assert criteria == Criteria()
    assert [i.name for i in ignored] == [query.partition("=")[0]]


@pytest.mark.parametrize(
    ("given_", "canonical"),
    [
        ("max_price=2.50", "max_price=2.5"),
        ("max_price=1e3", "max_price=1000"),
        ("gpu_count=008", "gpu_count=8"),
        ("min_driver=535.129.03", "min_driver=535.129.3"),
        ("registries=NVCR.io", "registries=nvcr.io"),
        ("region=EU-West-1", "region=eu-west-1"),
        ("q=+two%00+words+", "q=two+words"),
    ],
)
def test_a_value_has_one_spelling(given_: str, canonical: str) -> None:
    assert parse(given_)[0].query() == canonical


def test_a_price_limit_is_read_in_the_shown_unit() -> None:
    criteria, _ = parse("max_price=48&period=day")
    assert criteria.max_usd_per_hour == Decimal(2)


def test_another_filter_leads_back_to_the_first_page_and_keeps_the_view() -> None:
    criteria, _ = parse("q=h100&sort=price&page=3")
    assert criteria.toggled("kind", "vm_cloud").query() == "q=h100&kind=vm_cloud&sort=price"
    assert criteria.unfiltered().query() == "sort=price"


# --- What stands beside criteria ---------------------------------------------------------

BESIDE = (("image", "ghcr.io/a/b:1"), ("cuda", "12.8"))


def test_what_a_page_asks_besides_criteria_comes_first_and_stays_readable() -> None:
    criteria = Criteria.of({"gpu": ("h100",)}, beside=BESIDE)
    assert criteria.url("/check/") == "/check/?image=ghcr.io/a/b:1&cuda=12.8&gpu=h100"
    assert Criteria(beside=BESIDE).query() == "image=ghcr.io/a/b:1&cuda=12.8"


@given(QUERIES, st.sampled_from(["gpu", "sort", "page", "max_price"]))
def test_it_is_carried_along_by_every_change(raw: dict[str, list[str]], name: str) -> None:
    criteria, _ = parse(urlencode(raw, doseq=True))
    asked = Criteria.of(dict(criteria.values), beside=BESIDE)
    for changed in (asked.without(name), asked.unfiltered(), asked.put(name, *asked.all(name))):
        assert changed.beside == BESIDE


@given(QUERIES, QUERIES)
def test_a_change_gives_what_reading_its_address_would(
    raw: dict[str, list[str]], other: dict[str, list[str]]
) -> None:
    criteria, _ = parse(urlencode(raw, doseq=True))
    changed_by, _ = parse(urlencode(other, doseq=True))
    for name, kept in changed_by.values:
        changed = criteria.put(name, *kept)
        assert changed == Criteria.of(dict(changed.values))
        assert parse(changed.query()) == (changed, [])


@pytest.mark.parametrize(("name", "longest"), [("q", 100), ("region", 64)])
def test_what_is_too_long_to_be_a_value_is_told_and_not_cut(name: str, longest: int) -> None:
    criteria, ignored = parse(f"{name}={'a' * longest}")
    assert (criteria.one(name), ignored) == ("a" * longest, [])
    criteria, (told,) = parse(f"{name}={'a' * (longest + 1)}")
    assert (criteria.one(name), told.name, told.reason) == ("", name, "value")

"""NVIDIA_REQUIRE_*: read as libnvidia-container and the container toolkit read it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.cuda.known_images import require_strings
from gpucompare.cuda.requirement import (
    LONGEST,
    Dialect,
    Fault,
    Properties,
    RequirementError,
    is_check_disabled,
    met,
    parse,
    requirements_of,
)
from gpucompare.cuda.versions import Span, driver_span, numbers

DIALECTS: tuple[Dialect, ...] = ("legacy", "csv")


def host(driver: str = "", cuda: str = "", arch: str = "", brand: str | None = None) -> Properties:
    """Empty: not known. A driver's branch alone is any driver of it."""

    def exact(text: str) -> Span | None:
        version = numbers(text)
        return Span.exactly(version) if version else None

    return Properties(exact(cuda), driver_span(driver), exact(arch), brand)


H100_535 = host("535.104.05", "12.2", "9.0", "Unknown")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("cuda>=12.2", True),
        ("cuda>=12.2.0", True),
        ("cuda>=12.3", False),
        ("cuda>12.2", False),
        ("cuda<=12.2", True),
        ("cuda<12.2", False),
        ("cuda=12.2", True),
        ("cuda!=12.2", False),
        ("driver>535", True),
        ("driver>=535.104.05.1", False),
        ("driver<535.104.5.1", True),
        ("arch>=8.0,arch<10", True),
        ("brand=unknown", True),
        ("brand=tesla", False),
        ("brand!=tesla", True),
        ("BRAND=UNKNOWN", True),
        ("", True),
        ("   ", True),
        ("cuda>=12.8  driver>=535,", True),
        ("cuda>=12.8 brand=tesla,driver>=535,driver<536", False),
        ("cuda>=12.8 brand=unknown,driver>=535,driver<536", True),
    ],
)
def test_all_of_a_term_and_any_of_the_terms_must_hold(text: str, answer: bool) -> None:
    assert met(parse(text), H100_535) is answer


@pytest.mark.parametrize(
    ("text", "known", "answer"),
    [
        ("cuda>=12.8", host("570.1"), None),
        ("cuda>=12.8 driver>=535", host("570.1"), True),
        ("cuda>=12.8,driver<535", host("570.1"), False),
        ("brand=tesla,driver>=535", host("570.1"), None),
        ("brand=tesla brand!=tesla", host(), None),
        ("driver>=535,driver<536", host("535"), True),
        ("driver>=535.104", host("535"), None),
        ("driver<535", host("535"), False),
        ("driver=535.104.05", host("535"), None),
        ("driver!=470.1", host("535"), True),
        ("arch>=7.0", host("535"), None),
    ],
)
def test_a_fact_that_is_missing_leaves_the_answer_open(
    text: str, known: Properties, answer: bool | None
) -> None:
    assert met(parse(text), known) is answer


@pytest.mark.parametrize(
    "text",
    ["cuda", "cuda>=", ">=12.8", "cuda=>12.8", "cuda==12.8", "gpu>=1", "cuda>=new", "brand>tesla"],
)
def test_libnvidia_container_gives_up_on_what_it_cannot_read(text: str) -> None:
    with pytest.raises(RequirementError):
        met(parse(text), H100_535)


def test_a_fault_behind_a_clear_answer_goes_unseen() -> None:
    assert met(parse("cuda>=12.0 nonsense"), H100_535) is True
    assert met(parse("brand=tesla,nonsense cuda>=12.0"), H100_535) is True
    assert met(parse("cuda>=99,nonsense"), H100_535) is False
    with pytest.raises(RequirementError, match="invalid expression 'nonsense'"):
        met(parse("cuda>=99 nonsense"), H100_535)


def test_a_fault_that_may_go_unseen_leaves_the_answer_open() -> None:
    assert met(parse("cuda>=12.8,nonsense"), host("535.1")) is None
    assert met(parse("cuda>=12.8 nonsense"), host("535.1")) is None


def test_the_toolkit_knows_cuda_and_arch_only() -> None:
    assert met(parse("gpu>=1"), H100_535, "csv") is True
    assert met(parse("cuda>=12.8 driver>=535"), H100_535, "csv") is False
    assert met(parse("cuda>=12.8 brand=unknown"), H100_535, "csv") is False
    assert met(parse("cuda>=12.0,arch>=9.0"), H100_535, "csv") is True
    with pytest.raises(RequirementError, match="not a version: 'x'"):
        met(parse("cuda>=x"), H100_535, "csv")


def test_the_first_term_names_the_cuda_and_the_others_name_branches() -> None:
    whole = parse(require_strings()["12.4"].text)
    assert (whole.first_cuda, whole.names_branches) == ("12.4", True)
    assert (parse("cuda>=9.0").first_cuda, parse("cuda>=9.0").names_branches) == ("9.0", False)
    assert parse("driver>=450").first_cuda == ""
    assert parse("cuda>=new").first_cuda == ""


@pytest.mark.parametrize("driver", ["470.1", "525.60.13", "535.1"])
def test_images_of_12_4_let_geforce_in_on_older_branches(driver: str) -> None:
    text = require_strings()["12.4"].text
    assert met(parse(text), host(driver, "11.4", "8.9", "GeForce")) is True
    assert met(parse(text), host("530.1", "12.1", "8.9", "GeForce")) is False


@pytest.mark.parametrize("name", ["12.5", "12.6", "12.8", "12.9", "13.0", "13.1", "13.2", "13.3"])
def test_images_from_12_5_on_leave_geforce_out(name: str) -> None:
    requirement = parse(require_strings()[name].text)
    assert met(requirement, host("535.1", "12.2", "8.9", "GeForce")) is False
    assert met(requirement, host("535.1", "12.2", "9.0", "Unknown")) is True


def test_an_environment_demands_what_its_variables_say() -> None:
    environment = {
        "NVIDIA_REQUIRE_CUDA": "cuda>=12.8",
        "NVIDIA_REQUIRE_OWN": "arch>=8.0",
        "NVIDIA_REQUIRE_JETPACK": "csv-mounts=all",
        "NVIDIA_REQUIRE_JETPACK_HOST_MOUNTS": "base-only",
        "NVIDIA_REQUIRE_EMPTY": "",
        "CUDA_VERSION": "13.0.2",
    }
    assert requirements_of(environment) == ("cuda>=12.8", "arch>=8.0")


@pytest.mark.parametrize(
    ("environment", "texts"),
    [
        ({}, ()),
        ({"CUDA_VERSION": "12.8.1"}, ("cuda>=12.8",)),
        ({"CUDA_VERSION": "12.8.1", "NVIDIA_REQUIRE_CUDA": ""}, ("cuda>=12.8",)),
        ({"CUDA_VERSION": "12.8.0.038"}, ("cuda>=12.8",)),
        ({"CUDA_VERSION": "latest"}, ()),
    ],
)
def test_a_cuda_version_alone_demands_itself(
    environment: dict[str, str], texts: tuple[str, ...]
) -> None:
    assert requirements_of(environment) == texts


@pytest.mark.parametrize("yes", ["1", "t", "T", "TRUE", "true", "True"])
def test_the_check_is_off_for_what_go_takes_for_true(yes: str) -> None:
    assert is_check_disabled({"NVIDIA_DISABLE_REQUIRE": yes})


@pytest.mark.parametrize("no", ["yes", "on", "tRUE", "0", "", "false"])
def test_the_check_stays_on_for_everything_else(no: str) -> None:
    assert not is_check_disabled({"NVIDIA_DISABLE_REQUIRE": no})
    assert not is_check_disabled({"NVIDIA_DISABLE_REQUIRES": "true"})


pieces = st.sampled_from(
    [" ", ",", "cuda", "driver", "arch", "brand", "gpu", "=", "!=", "<", "<=", ">", ">=", "!",
     "12.8", "535.104.05", "0", "00.0", "9" * 40, "tesla", "Unknown", ".", "é", "\n", "\x00", "٣"]
)  # fmt: skip
shaped = st.lists(pieces, max_size=30).map("".join)
spans = st.none() | st.tuples(*[st.lists(st.integers(0, 999), max_size=3).map(tuple)] * 2).map(
    lambda ends: Span(min(ends), max(ends))
)
properties = st.builds(
    Properties, spans, spans, spans, st.none() | st.sampled_from(["Tesla", "GeForce", ""])
)


@given(st.text() | shaped, properties, st.sampled_from(DIALECTS))
def test_any_text_gets_an_answer_or_the_error_of_its_reader(
    text: str, known: Properties, dialect: Dialect
) -> None:
    try:
        answer = met(parse(text), known, dialect)
    except RequirementError:
        return
    assert answer in (True, False, None)


@given(shaped, properties, st.sampled_from(DIALECTS))
def test_what_is_not_known_never_contradicts_what_is(
    text: str, known: Properties, dialect: Dialect
) -> None:
    """Kleene: with a fact less the answer is the same or open."""
    blind = Properties(known.cuda, None, None, known.brand)
    try:
        told, open_ = met(parse(text), known, dialect), met(parse(text), blind, dialect)
    except RequirementError:
        return
    assert open_ in (told, None)


@given(shaped)
def test_every_expression_is_kept_be_it_readable_or_not(text: str) -> None:
    kept = [factor for term in parse(text).terms for factor in term]
    told = [
        factor.text
        if isinstance(factor, Fault)
        else f"{factor.name}{factor.operator}{factor.value}"
        for factor in kept
    ]
    split = [one for term in text.split(" ") for one in term.split(",") if one]
    assert [one.casefold() for one in told] == [one.casefold() for one in split]


@pytest.mark.parametrize(
    ("text", "faulty"),
    [
        ("cuda>=" + "9" * 100_000, True),
        ("brand=x," * 12_000, False),
        ("<" * 120_000, True),
        ("driver<0 " * 14_000, False),
    ],
    ids=["digits", "factors", "operators", "terms"],
)
def test_the_worst_texts_take_no_time(text: str, faulty: bool) -> None:
    began = time.thread_time()
    try:
        met(parse(text), host("1.0", brand="x"))
    except RequirementError:
        assert faulty
    else:
        assert not faulty
    assert time.thread_time() - began < 2


def test_what_no_environment_can_hold_is_refused() -> None:
    with pytest.raises(RequirementError, match=f"longer than {LONGEST} characters"):
        parse("x" * (LONGEST + 1))

"""How several providers say the same thing: providers.sources.reading."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from providers.sources.base import Answer, MalformedError, Page, StockLevel
from providers.sources.reading import (
    Amount,
    CamelAnswer,
    Whole,
    counted,
    figures,
    gigabytes,
    level,
    needed,
    sizes,
    whole,
    with_socket,
)


class Row(Answer):
    count: Whole = None
    price: Amount = None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("24", 24),
        ("141 GB", 141),
        ("80Gi", 80),
        ("10+", 10),
        ("1,024", 1024),
        (" 7", 7),
        (12, 12),
        (0, 0),
        (Decimal("3.0"), 3),
    ],
)
def test_a_number_is_read_from_the_beginning_of_a_text(text: object, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize("text", ["", None, "many", "GB 24", True, "-3", [], {}])
def test_what_does_not_begin_with_a_number_is_no_number(text: object) -> None:
    assert whole(text) is None


@given(st.integers(min_value=0, max_value=10**9), st.sampled_from(["", " GB", "+", "x", " free"]))
def test_a_number_is_read_with_or_without_commas_and_units(number: int, unit: str) -> None:
    assert whole(f"{number}{unit}") == whole(f"{number:,}{unit}") == number


def test_a_row_reads_loose_numbers_by_itself() -> None:
    assert Row.model_validate({"count": "8+"}).count == 8
    assert Row.model_validate({"count": ""}).count is None


@pytest.mark.parametrize("amount", [1, 0, "1.20", Decimal("0.1"), None, "free"])
def test_an_amount_is_kept_as_it_came(amount: object) -> None:
    assert Row.model_validate({"price": amount}).price == amount


@pytest.mark.parametrize("amount", [True, [], {}, [1]])
def test_what_cannot_be_an_amount_is_a_fault_of_the_row(amount: object) -> None:
    with pytest.raises(ValidationError, match="not an amount"):
        Row.model_validate({"price": amount})


@pytest.mark.parametrize("gb", [10, 16, 24, 48, 80, 96, 192, 288, 512, 2000])
def test_memory_means_the_same_in_decimal_and_in_binary_bytes(gb: int) -> None:
    assert gigabytes(gb * 2**30) == gigabytes(gb * 10**9) == gb


def test_figures_leave_out_what_is_not_known() -> None:
    assert figures(disk_gb=100, inet_mbps=None, disk_usd=Decimal("0.1")) == {
        "disk_gb": Decimal(100),
        "disk_usd": Decimal("0.1"),
    }


@pytest.mark.parametrize(
    ("word", "stock"),
    [
        ("High", StockLevel.AVAILABLE),
        ("MEDIUM", StockLevel.AVAILABLE),
        ("Available", StockLevel.AVAILABLE),
        ("low", StockLevel.SCARCE),
        ("None", StockLevel.NONE),
        ("Unavailable", StockLevel.NONE),
    ],
)
def test_words_for_stock_are_read_in_any_case(word: str, stock: StockLevel) -> None:
    assert level(word) is stock


@pytest.mark.parametrize("word", [None, "", "soon"])
def test_a_word_that_says_nothing_of_stock_leaves_it_unknown(word: str | None) -> None:
    assert level(word) is StockLevel.UNKNOWN


def test_a_missing_count_is_unknown_and_never_none_left() -> None:
    assert counted(None) is StockLevel.UNKNOWN
    assert counted(0) is StockLevel.NONE
    assert counted(1) is StockLevel.AVAILABLE


def test_sizes_stay_between_the_least_and_the_most() -> None:
    assert list(sizes(8)) == [1, 2, 4, 8]
    assert list(sizes(6, 2)) == [2, 4]
    assert list(sizes(0)) == []


@pytest.mark.parametrize(
    ("name", "socket", "vram", "spelled"),
    [
        ("h100", "SXM5", 80, "h100 SXM5"),
        ("h100", "PCIe", 80, "h100 PCIe"),
        ("rtx4090", "PCIe", 24, "rtx4090"),
        ("h100", None, 80, "h100"),
        ("a card of tomorrow", "SXM9", 500, "a card of tomorrow"),
    ],
)
def test_a_socket_is_added_where_it_tells_forms_of_a_card_apart(
    name: str, socket: str | None, vram: int, spelled: str
) -> None:
    assert with_socket(name, socket, vram, "akash") == spelled


def test_a_call_without_an_answer_is_named() -> None:
    pages = {"flavors": Page("flavors", b"[]")}
    assert needed(pages, "flavors") is pages["flavors"]
    with pytest.raises(MalformedError, match="stocks: no answer"):
        needed(pages, "stocks")


def test_camel_case_fields_are_named_in_faults_as_the_provider_spells_them() -> None:
    class Card(CamelAnswer):
        gpu_count: int

    assert Card.model_validate({"gpuCount": 2}).gpu_count == 2
    with pytest.raises(ValidationError, match="gpuCount"):
        Card.model_validate({"gpuCount": "two"})


def test_a_part_of_an_answer_is_found_by_its_names() -> None:
    page = Page("types", b'{"data": {"rows": [1]}}')
    assert page.at("data", "rows") == [1]
    for names in [("rows",), ("data", "lines"), ("data", "rows", "more")]:
        with pytest.raises(MalformedError, match=rf"types: no '{names[-1]}'"):
            page.at(*names)

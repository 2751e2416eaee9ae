"""What every source of this kind does with answers of another shape, and with odd prices."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from providers.sources.base import MalformedError, Page
from tests.recorded_http import body, page, read, source

CATALOG = Path(__file__).parents[1] / "fixtures" / "catalog"


@dataclass(frozen=True)
class Answer:
    """A source's needed answer: its sample, where its rows stand, which field is the price."""

    slug: str
    name: str
    rows: tuple[str, ...]
    price: tuple[str, ...]
    more: tuple[str, ...] = ()  # other answers that it is read with
    other_tier: str = ""  # whose price stands in another field

    def pages(self, content: Any) -> list[Page]:
        further = [page(body(self.slug, name), name) for name in self.more]
        return [page(content, self.name), *further]

    def __str__(self) -> str:
        return f"{self.slug}-{self.name}"


ANSWERS = [
    Answer("vast", "offers-1", ("offers",), ("dph_base",)),
    Answer("runpod", "gpus-secure", ("data", "gpuTypes"), ("securePrice",), other_tier="community"),
    Answer("runpod", "catalog-secure-1", ("gpus",), ("price", "secure"), other_tier="community"),
    Answer("lium", "nodes", ("nodes",), ("price_per_gpu_hour",)),
    Answer("akash", "gpu-prices", ("models",), ("price",)),
    Answer("cloudrift", "instance-types", ("data", "instance_types"), ("variants",)),
    Answer("lambda", "instance-types", ("data",), ("instance_type", "price_cents_per_hour")),
    Answer("digitalocean", "sizes-1", ("sizes",), ("price_hourly",)),
    Answer("shadeform", "types", ("instance_types",), ("hourly_price",)),
    Answer(
        "primeintellect", "gpus-1", ("items",), ("prices", "onDemand"), other_tier="community_cloud"
    ),
    Answer("hyperstack", "flavors", ("data",), (), ("pricebook",)),
    Answer("jarvislabs", "server-meta", ("server_meta",), ("price_per_hour",)),
]
PRICED = [a for a in ANSWERS if a.slug not in {"akash", "cloudrift", "hyperstack"}]

every_answer = pytest.mark.parametrize("answer", ANSWERS, ids=str)


def put(content: Any, path: tuple[str, ...], value: Any) -> Any:
    """`content` with `value` at `path`."""
    content = deepcopy(content)
    inner = content
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return content


def rows_of(answer: Answer) -> list[Any]:
    rows = body(answer.slug, answer.name)
    for name in answer.rows:
        rows = rows[name]
    return list(rows.values()) if isinstance(rows, dict) else rows


@every_answer
@pytest.mark.parametrize(
    "raw",
    [b"<!doctype html><title>Just a moment</title>", b'{"data": [{"id": 1', b"", b"\xff\xfe"],
    ids=["html", "half a json", "nothing", "no text"],
)
def test_what_is_not_json_is_malformed(answer: Answer, raw: bytes) -> None:
    pages = [Page(answer.name, raw), *answer.pages({})[1:]]
    with pytest.raises(MalformedError, match="not JSON"):
        read(source(answer.slug), pages)


@every_answer
@pytest.mark.parametrize("content", [[], {}, None, 7, "ok", {"error": "no"}])
def test_json_of_another_shape_is_malformed(answer: Answer, content: Any) -> None:
    with pytest.raises(MalformedError, match=answer.name):
        read(source(answer.slug), answer.pages(content))


@every_answer
@pytest.mark.parametrize("rows", [None, 3, "none", True])
def test_what_stands_in_place_of_the_list_is_named(answer: Answer, rows: Any) -> None:
    content = put(body(answer.slug, answer.name), answer.rows, rows)
    with pytest.raises(MalformedError, match=f"{type(rows).__name__} in place of a list"):
        read(source(answer.slug), answer.pages(content))


@every_answer
def test_an_empty_list_gives_nothing(answer: Answer) -> None:
    content = put(body(answer.slug, answer.name), answer.rows, [])
    assert read(source(answer.slug), answer.pages(content)) == ({}, [])


@every_answer
def test_a_row_of_another_shape_is_set_aside_and_the_rest_goes_in(answer: Answer) -> None:
    original = body(answer.slug, answer.name)
    good, bad = read(source(answer.slug), answer.pages(original))
    content = put(original, answer.rows, [*rows_of(answer), 7, {"id": None}])
    records, set_aside = read(source(answer.slug), answer.pages(content))
    assert records == good
    assert len(set_aside) == len(bad) + 2
    assert all(row.reason for row in set_aside)


@pytest.mark.parametrize("answer", PRICED, ids=str)
@pytest.mark.parametrize("amount", [0, 0.0, -1, None, "", "n/a", 1e12, float("nan")])
def test_an_absurd_amount_is_no_price_and_never_free(answer: Answer, amount: Any) -> None:
    rows = [put(row, answer.price, amount) for row in rows_of(answer) if _has(row, answer.price)]
    content = put(body(answer.slug, answer.name), answer.rows, rows)
    records, _bad = read(source(answer.slug), answer.pages(content))
    assert records
    assert {row.tier for row in records.values() if row.price} <= {answer.other_tier}


@pytest.mark.parametrize("answer", PRICED, ids=str)
@pytest.mark.parametrize("amount", [[1], {"value": 1}, True])
def test_what_cannot_be_an_amount_is_named_in_the_row(answer: Answer, amount: Any) -> None:
    rows = [put(row, answer.price, amount) for row in rows_of(answer) if _has(row, answer.price)]
    content = put(body(answer.slug, answer.name), answer.rows, rows)
    records, bad = read(source(answer.slug), answer.pages(content))
    assert records == {}
    assert all(answer.price[-1] in row.reason for row in bad)


@pytest.mark.parametrize("slug", sorted({answer.slug for answer in ANSWERS}))
def test_rows_belong_to_offerings_of_the_catalog(slug: str) -> None:
    for offering in source(slug).offerings:
        provider, _, name = offering.partition("/")
        entry = yaml.safe_load((CATALOG / f"{provider}.yaml").read_text())
        assert name in {known["slug"] for known in entry["offerings"]}


def _has(row: Any, path: tuple[str, ...]) -> bool:
    return len(path) == 1 or path[0] in row

"""The examples of docs/api.md are asked, and answer what the document says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from gpucompare.api import api
from tests import registry_images as images
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know
from tests.processes import ROOT

pytestmark = pytest.mark.django_db

TEXT = (ROOT / "docs" / "api.md").read_text()
_BLOCKS = re.compile(r"^```\n(GET|POST) (\S+)\n(.*?)```\n(?:```json\n(.*?)```)", re.M | re.S)


@dataclass(frozen=True)
class Example:
    method: str
    address: str
    body: str
    answer: Any


EXAMPLES = [
    Example(method, address, body, json.loads(answer))
    for method, address, body, answer in _BLOCKS.findall(TEXT)
]


@pytest.fixture(autouse=True)
def _world() -> None:
    know("acme/trainer:1", images.index(("linux/amd64", images.image())))
    gpu = make_gpu("h100-sxm", "h100", compute_capability="9.0")
    pods = make_offering(
        "pods", make_provider("runpod"), custom_image="any", gpu_passthrough="automatic"
    )
    make_claim(pods, "custom_image", "any")
    make_listing(
        pods,
        gpu,
        usd_per_hour=Decimal("2.5"),
        seen_at=timezone.now(),
        driver="570.124.06",
        source_url="https://api.example/prices",
    )


def differences(said: Any, found: Any, at: str = "") -> list[str]:
    """What an example says that is not so. It may leave things out, ends of lists too."""
    if isinstance(said, dict) and isinstance(found, dict):
        return [d for key in said for d in differences(said[key], found.get(key), f"{at}.{key}")]
    if isinstance(said, list) and isinstance(found, list) and said:
        pairs = [(one, found[n] if n < len(found) else None) for n, one in enumerate(said)]
        return [d for n, pair in enumerate(pairs) for d in differences(*pair, f"{at}[{n}]")]
    return [] if said == found else [f"{at}: {said!r} is {found!r}"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.address)
def test_an_example_answers_what_the_document_says(client: Client, example: Example) -> None:
    if example.method == "GET":
        response = client.get(example.address)
    else:
        response = client.post(example.address, example.body, content_type="application/json")
    assert response.status_code == example.answer.get("status", 200), response.content
    assert differences(example.answer, response.json()) == []


def test_an_example_that_is_wrong_would_be_seen() -> None:
    found = {"a": [{"b": 1, "c": 2}], "d": []}
    assert differences({"a": [{"b": 1}]}, found) == []
    wrongs: list[Any] = [
        {"a": [{"b": 2}]},
        {"a": [{"b": 1}, {"b": 1}]},
        {"x": 1},
        {"d": [1]},
        {"a": []},
    ]
    for wrong in wrongs:
        assert differences(wrong, found)


def test_no_example_is_skipped() -> None:
    assert len(EXAMPLES) == TEXT.count("```\nGET ") + TEXT.count("```\nPOST ") >= 9


def test_every_address_of_the_api_is_named() -> None:
    paths = api.get_openapi_schema(path_prefix="api/v1/")["paths"]
    missing = [path for path in paths if path.removeprefix("/api/v1") not in TEXT]
    assert missing == []

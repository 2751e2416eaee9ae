"""The OpenAPI document, and the page that shows it without any other host."""

from __future__ import annotations

import html
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest
from django.test import Client
from pydantic import BaseModel

from gpucompare.rest.problem import TITLES

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(client: Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_reference_of_the_document_leads_somewhere(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    references = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))
    assert "#/components/schemas/Problem" in references
    for reference in references:
        found = document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]


def test_every_operation_has_an_id_of_its_own_a_summary_and_its_errors(
    document: dict[str, Any],
) -> None:
    found = list(operations(document))
    ids = [operation["operationId"] for _, _, operation in found]
    assert len(ids) == len(set(ids)) > 0
    for path, _, operation in found:
        assert path.startswith("/api/v1/")
        assert operation["description"]
        assert {"422", "429", "500"} <= set(operation["responses"])
        assert ("404" in operation["responses"]) == ("{" in path)


def test_every_parameter_is_named_once_and_explained(document: dict[str, Any]) -> None:
    for _, _, operation in operations(document):
        names = [parameter["name"] for parameter in operation["parameters"]]
        assert len(names) == len(set(names))
        assert names.count("lang") == 1
        for parameter in operation["parameters"]:
            assert parameter["in"] == "path" or parameter["description"], parameter["name"]


def test_every_field_of_an_answer_has_a_type(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for field, shape in schema.get("properties", {}).items():
            assert shape.keys() & {"type", "$ref", "anyOf", "allOf", "enum", "const"}, (name, field)


def test_the_page_lists_every_operation_and_every_kind_of_error(
    client: Client, document: dict[str, Any]
) -> None:
    response = client.get("/api/v1/docs")
    text = response.content.decode()
    for path, method, operation in operations(document):
        assert f'id="{operation["operationId"]}"' in text
        assert f"{method.upper()} {path}" in text
    for kind in TITLES:
        assert f'<div id="{kind}">' in text


def test_the_page_explains_every_shape_that_it_links_to(
    client: Client, document: dict[str, Any]
) -> None:
    text = client.get("/api/v1/docs").content.decode()
    linked = set(re.findall(r'href="#shape-(\w+)"', text))
    assert linked >= {"OfferingPart", "CheckBody", "CheckAnswer", "ColdStart"}
    for name, shape in document["components"]["schemas"].items():
        assert f'id="shape-{name}"' in text
        for field in shape.get("properties", {}):
            assert f"<code>{field}</code>" in text
    assert linked <= set(document["components"]["schemas"])


def test_every_address_to_try_answers(client: Client) -> None:
    text = client.get("/api/v1/docs").content.decode()
    addresses = re.findall(r'<a href="(/api/v1/[^"#]+)">Try it', text)
    assert {"/api/v1/offerings", "/api/v1/status"} <= set(addresses)
    assert any(address.startswith("/api/v1/check?") for address in addresses)
    for address in addresses:
        assert client.get(html.unescape(address)).status_code == 200, address


def test_a_parameter_that_may_repeat_says_so(client: Client) -> None:
    text = client.get("/api/v1/docs").content.decode()
    gpu, sort = (text.index(f'<code class="ltr">{name}</code>') for name in ("gpu", "sort"))
    assert "may repeat" in text[gpu : text.index("</th>", gpu)]
    assert "may repeat" not in text[sort : text.index("</th>", sort)]


def test_the_page_needs_no_other_host_and_no_inline_script(client: Client) -> None:
    response = client.get("/api/v1/docs")
    text = response.content.decode()
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//(?!testserver/)", text) == []
    assert re.findall(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", text) == []
    assert "script-src 'self'" in response["Content-Security-Policy"]


def test_the_page_and_the_document_speak_the_asked_language(client: Client) -> None:
    assert '<html lang="ar" dir="rtl">' in client.get("/api/v1/docs?lang=ar").content.decode()
    assert client.get("/api/v1/openapi.json?lang=tr")["Content-Language"] == "tr"


def test_no_two_shapes_share_a_name() -> None:
    """The document holds one of each name, and would silently hold the wrong one."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(("providers.api", "checks.api", "gpucompare.rest"))
    ]
    shapes = {
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, BaseModel | Enum)
    }
    names = Counter(shape.__name__ for shape in shapes if shape.__module__ != "ninja.schema")
    assert [name for name, n in names.items() if n > 1] == []


def test_every_page_leads_to_it(client: Client) -> None:
    assert '<a href="/api/v1/docs">' in client.get("/status/").content.decode()

"""What tests of /api/v1/check share: a known image, ways to ask, and the faults of an answer."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests import registry_images as images
from tests.known_images import know

PATH = "/api/v1/check"
NAME = "acme/trainer:1"


def known(name: str = NAME) -> None:
    know(name, images.index(("linux/amd64", images.image())))


def ask(client: Client, status: int = 200, **parameters: Any) -> dict[str, Any]:
    response = client.get(PATH, parameters)
    assert response.status_code == status, response.content
    found: dict[str, Any] = response.json()
    return found


def post(client: Client, status: int = 200, **body: Any) -> dict[str, Any]:
    response = client.post(PATH, body, content_type="application/json")
    assert response.status_code == status, response.content
    found: dict[str, Any] = response.json()
    return found


def errors(found: dict[str, Any]) -> list[tuple[str, str]]:
    assert all(error["detail"] for error in found["errors"])
    return [(error["parameter"], error["reason"]) for error in found["errors"]]

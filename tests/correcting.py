"""What tests of corrections have in common: the form as a browser fills it in and sends it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from providers.corrections import stamp, store
from providers.models import Correction, Offering
from tests.factories import make_offering, make_provider
from tests.sharing import FROM_HERE

CELL = "acme/pods/docker_daemon"
FORM = f"/providers/{CELL}/correct/"
URLENCODED = "application/x-www-form-urlencoded"


def make_acme() -> Offering:
    provider = make_provider("acme", website="https://www.acme.example")
    return make_offering("pods", provider, docs="https://docs.acme.example/pods")


def a_while_ago(cell: str = CELL, ago: timedelta = timedelta(minutes=1)) -> str:
    """The stamp of a form that was opened then."""
    return stamp.stamped(cell, timezone.now() - ago)


def send(client: Client, path: str = FORM, **fields: Any) -> HttpResponse:
    """The form of a page, sent from it a minute after it was opened."""
    cell = path.split("providers/")[1].removesuffix("/correct/")
    defaults = {"value": "root", "stamp": a_while_ago(cell)}
    given: Any = client.post(path, _encoded(defaults | fields), URLENCODED, headers=FROM_HERE)
    response: HttpResponse = given
    return response


def _encoded(fields: dict[str, Any]) -> bytes:
    return urlencode(fields, doseq=True).encode()


def sent(client: Client, path: str = FORM, **fields: Any) -> str:
    """The address that tells what became of it."""
    response = send(client, path, **fields)
    assert response.status_code == 303, response.content.decode()
    return response.headers["Location"]


def make_correction(
    offering: Offering, dimension: str = "docker_daemon", **fields: Any
) -> Correction:
    defaults: dict[str, Any] = {
        "token": store.new_token(),
        "value": "root",
        "source": "https://docs.acme.example/pods/daemon",
        "made_at": timezone.now(),
    }
    return Correction.objects.create(offering=offering, dimension=dimension, **(defaults | fields))


def make_corrections(offering: Offering, count: int, begin: datetime) -> None:
    """So many that wait, one a minute since `begin`."""
    Correction.objects.bulk_create(
        Correction(
            token=store.new_token(),
            offering=offering,
            dimension="docker_daemon",
            value=f"answer {number}",
            made_at=begin + timedelta(minutes=number),
        )
        for number in range(count)
    )


def field(html: str, name: str) -> str:
    """The tag of that field."""
    (found,) = re.findall(rf'<(?:input|textarea)[^>]*name="{name}"[^>]*>', html)
    return str(found)


def checked(html: str) -> list[str]:
    return re.findall(r'name="value" value="([^"]*)" checked', html)

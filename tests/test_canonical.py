"""One page, one address: each says which, and says where the licence of its data stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template
from django.test import Client

from tests.comparing import BOTH, make_pods, make_vms
from tests.factories import make_gpu

pytestmark = pytest.mark.django_db
HOST = "http://testserver"


@pytest.fixture
def some() -> None:
    make_pods()
    make_vms()
    make_gpu("h100-sxm", "h100")


def canonical(client: Client, address: str) -> list[str]:
    page = client.get(address).content.decode()
    return re.findall(r'<link rel="canonical" href="([^"]*)">', page)


@pytest.mark.usefixtures("some")
@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("/", "/"),
        ("/?page=1&gpu=h100", "/?gpu=h100"),
        ("/providers/alpha/?per=instance", "/providers/alpha/"),
        ("/providers/alpha/pods/spot/", "/providers/alpha/pods/spot/"),
        ("/gpus/", "/gpus/"),
        ("/gpus/h100/", "/gpus/h100/"),
        ("/listings/?after=&sort=price", "/listings/?sort=price"),
        (f"{BOTH}&per=gpu", BOTH),
        ("/status/", "/status/"),
        ("/ar/gpus/", "/ar/gpus/"),
    ],
)
def test_each_page_names_its_one_address(client: Client, address: str, named: str) -> None:
    assert [link.replace("&amp;", "&") for link in canonical(client, address)] == [HOST + named]


def test_what_is_not_there_has_no_address(client: Client) -> None:
    assert canonical(client, "/nothing/here/") == []
    broken = get_template("500.html").render()
    assert "canonical" not in broken
    assert "CC BY 4.0" in broken


def test_the_licence_is_linked_from_every_page_and_is_the_file(client: Client) -> None:
    page = client.get("/status/").content.decode()
    assert re.search(r'<a href="/data-licence.md" rel="license">', page)
    response = client.get("/data-licence.md")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    text = (Path(settings.BASE_DIR) / "docs" / "data-licence.md").read_text(encoding="utf-8")
    assert response.content.decode() == text
    assert "https://creativecommons.org/licenses/by/4.0/" in text

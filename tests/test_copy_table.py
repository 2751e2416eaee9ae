"""The menu of downloads, and the button that puts the Markdown table on the clipboard."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from tests.comparing import BOTH, make_pods, make_vms
from tests.factories import make_gpu

pytestmark = pytest.mark.django_db
PATHS = [
    "/?docker_daemon=root",
    "/listings/?sort=price",
    "/gpus/",
    "/providers/alpha/",
    BOTH,
    "/check/?cuda=12.4",
]


@pytest.fixture(autouse=True)
def some() -> None:
    make_pods()
    make_vms()
    make_gpu("h100-sxm", "h100")


def menu(client: Client, address: str) -> str:
    page = client.get(address).content.decode()
    (found,) = re.findall(r"Export</summary>(.*?)</details>", page, re.DOTALL)
    return str(found)


@pytest.mark.parametrize("address", PATHS)
def test_the_button_copies_what_the_link_leads_to(client: Client, address: str) -> None:
    found = menu(client, address)
    (copied,) = re.findall(r'data-table="([^"]*)"', found)
    links = re.findall(r'<a href="([^"]*format=\w+)" rel="nofollow">', found)
    assert [link.rpartition("=")[2] for link in links] == ["csv", "json", "md"]
    assert copied == links[2]
    text = b"".join(client.get(unescape(copied))).decode()
    assert "| --- |" in text


@pytest.mark.parametrize("address", PATHS)
def test_without_script_the_button_is_away_and_the_link_is_there(
    client: Client, address: str
) -> None:
    (item,) = re.findall(r"<li([^>]*)><button", menu(client, address))
    assert item == ' class="needs-script"'


@pytest.mark.parametrize("address", PATHS)
def test_every_outcome_has_its_words(client: Client, address: str) -> None:
    (button,) = re.findall(r"<button[^>]*data-table[^>]*>", menu(client, address))
    for name in ("copied", "long", "failed"):
        assert re.search(rf'data-{name}="[^"]+"', button)


@pytest.mark.parametrize("address", PATHS)
def test_the_page_brings_the_file_along(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    assert page.count('<script src="/static/js/copy_table.js" defer></script>') == 1

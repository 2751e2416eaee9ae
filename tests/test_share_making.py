"""Making a share: from the button of a page, by nobody else, and not without end."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.core.cache import caches
from django.http import QueryDict
from django.test import Client

from gpucompare.clients import forget_turns
from providers.browse.world import World
from providers.models import Share
from providers.shares import kinds, of_pages
from providers.shares.content import Content
from providers.shares.wording import REFUSALS
from tests.comparing import BOTH, make_pods, make_vms
from tests.factories import make_offering
from tests.links import Links
from tests.sharing import FROM_HERE, make_share, opened

pytestmark = pytest.mark.django_db
FORM = {"kind": "browse", "address": "/"}


@pytest.fixture(autouse=True)
def _offerings() -> None:
    make_pods()
    make_vms()


def form_of(html: str) -> dict[str, str]:
    (form,) = re.findall(r'<form class="share".*?</form>', html, re.DOTALL)
    assert 'method="post" action="/s/"' in form
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))


@pytest.mark.parametrize(
    ("address", "kind"),
    [("/?docker_daemon=root", "browse"), (BOTH, "compare")],
)
def test_the_button_of_a_page_leads_to_what_it_shows(
    client: Client, address: str, kind: str
) -> None:
    form = form_of(client.get(address).content.decode().replace("&amp;", "&"))
    assert form == {"kind": kind, "address": address}
    page = opened(client, make_share(client, **form))
    assert page.live_url == address


def test_the_same_page_gives_the_same_link_whoever_asks(client: Client) -> None:
    first = make_share(client, "browse", "/?docker_daemon=root&custom_image=any")
    other = make_share(Client(), "browse", "https://x.example/?custom_image=any&docker_daemon=root")
    assert first == other
    assert make_share(client, "browse", "/?docker_daemon=root") != first
    assert Share.objects.count() == 2


def test_where_one_was_in_the_rows_is_no_part_of_a_share(client: Client) -> None:
    assert make_share(client, "browse", "/?page=2") == make_share(client, "browse", "/")


def test_a_script_gets_the_link_to_copy(client: Client) -> None:
    headers = {**FROM_HERE, "Accept": "application/json"}
    response = client.post("/s/", FORM, headers=headers)
    assert response.status_code == 201
    assert response.json()["url"].startswith("http://testserver/s/")
    assert not response.cookies


def test_the_link_keeps_the_language_it_was_made_in(client: Client) -> None:
    response = client.post("/ar/s/", FORM, headers=FROM_HERE)
    assert response.headers["Location"].startswith("/ar/s/")


# --- Refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "https://testserver"},
    ],
)
def test_only_a_page_of_this_site_may_ask(client: Client, headers: dict[str, str]) -> None:
    response = client.post("/s/", FORM, headers=headers)
    assert response.status_code == 403
    assert str(REFUSALS["origin"]) in response.content.decode()
    assert not Share.objects.exists()


def test_a_browser_without_fetch_metadata_may_ask_by_its_origin(client: Client) -> None:
    response = client.post("/s/", FORM, headers={"Origin": "http://testserver"})
    assert response.status_code == 303


@pytest.mark.parametrize(
    ("form", "status", "reason"),
    [
        ({"kind": "nothing", "address": "/"}, 422, "kind"),
        ({}, 422, "kind"),
        ({"kind": "compare", "address": "/compare/"}, 422, "nothing"),
        ({"kind": "compare", "address": "/compare/?o=no/where"}, 422, "nothing"),
        ({"kind": "browse", "address": "/?docker_daemon=rootless&unknown=hide"}, 422, "nothing"),
        ({"kind": "browse", "address": "/?q=" + "x" * 8_000}, 413, "large"),
    ],
)
def test_what_cannot_be_shared_says_why_and_what_to_do(
    client: Client, form: dict[str, str], status: int, reason: str
) -> None:
    page = client.post("/s/", form, headers=FROM_HERE)
    told = client.post("/s/", form, headers={**FROM_HERE, "Accept": "application/json"})
    assert page.status_code == told.status_code == status
    assert str(REFUSALS[reason]) in page.content.decode()
    assert told.json() == {"detail": str(REFUSALS[reason])}
    assert not Share.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "/?" + "&".join(f"a{n}=" for n in range(1_100)),
        "http://[broken/?gpu=h100",
        "/?gpu=%00%ff&docker_daemon=\ud83d",
    ],
)
def test_hostile_addresses_are_refused_or_understood_without_a_fault(
    client: Client, address: str
) -> None:
    form = {"kind": "browse", "address": address.encode("utf-8", "surrogatepass")}
    response = client.post("/s/", form, headers=FROM_HERE)
    assert response.status_code in (303, 400, 422)


def test_more_than_a_share_may_hold_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_pages, "MOST_ROWS", 1)
    response = client.post("/s/", FORM, headers=FROM_HERE)
    assert (response.status_code, Share.objects.count()) == (413, 0)


def test_no_room_for_new_shares_is_no_fault_of_the_page(client: Client, settings: Any) -> None:
    settings.SHARES_MB = 0
    response = client.post("/s/", FORM, headers=FROM_HERE)
    assert response.status_code == 503
    assert str(REFUSALS["full"]) in response.content.decode()


def test_one_client_may_not_share_without_end_and_another_may(
    client: Client, settings: Any
) -> None:
    settings.SHARE_RATE = "2/hour"
    forget_turns()
    for _time in range(2):
        make_share(client, "browse", "/")
    refused = client.post("/s/", FORM, headers=FROM_HERE)
    assert refused.status_code == 429
    assert 3_500 < int(refused.headers["Retry-After"]) <= 3_600
    other = client.post("/s/", FORM, headers=FROM_HERE, REMOTE_ADDR="192.0.2.7")
    assert other.status_code == 303
    forget_turns()


def test_a_share_is_made_by_post_alone(client: Client) -> None:
    assert client.get("/s/").status_code == 405


# --- Kinds --------------------------------------------------------------------------------


def _one_row(asked: QueryDict, world: World, moment: datetime) -> Content:
    found = of_pages.freeze_browse(QueryDict(), world, moment)
    beside = (("note", asked.get("note", "")),)
    return found.model_copy(update={"kind": "note", "rows": found.rows[:1], "beside": beside})


def _note_again(content: Content, now: kinds.Now) -> Content:
    return content.model_copy(update={"day": now.moment.date()})


NOTE = kinds.Kind(
    "note",
    _one_row,
    _note_again,
    lambda content, now: "/?" + content.beside[0][1],
    lambda content: f"A note: {content.beside[0][1]}",
    facts=lambda content: [("Note", content.beside[0][1])],
)


def test_another_kind_is_one_registration_and_nothing_else(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.CACHES = {"pictures": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    kinds.register(NOTE)
    path = make_share(client, "note", "/anywhere/?note=hello")
    page = opened(client, path)
    assert str(page.title).startswith("A note: hello · ")
    assert next((fact.label, fact.value) for fact in page.facts) == ("Note", "hello")
    assert (page.changes, page.live_url) == ((), "/?hello")
    assert opened(client, f"{path}?now=1").now
    assert client.get(f"{path}picture.png").status_code == 200
    assert caches["pictures"] is not None


def test_a_kind_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'browse' is registered already"):
        kinds.register(replace(NOTE, key="browse"))


def test_a_share_whose_kind_nobody_owns_any_more_is_not_found(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_share(client, "browse", "/")
    monkeypatch.setattr(kinds, "_kinds", {})
    assert client.get(path).status_code == 404
    assert client.get(f"{path}picture.png").status_code == 404


def test_no_page_with_a_button_sets_a_cookie(client: Client) -> None:
    make_offering("more")
    for address in ("/", BOTH, make_share(client, "browse", "/")):
        response = client.get(address)
        assert not response.cookies
        assert Links(response.content.decode()).found

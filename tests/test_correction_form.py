"""The form with which a reader says what is wrong: what it offers, takes and refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from gpucompare.clients import forget_turns
from providers.corrections import store
from providers.corrections.stamp import QUICKEST, VALID_FOR
from providers.corrections.typed import OTHER
from providers.corrections.wording import FAULTS, REFUSALS
from providers.dimensions import CLAIMED, DIMENSIONS
from providers.models import Correction, Offering
from tests.correcting import (
    FORM,
    URLENCODED,
    a_while_ago,
    checked,
    field,
    make_acme,
    make_correction,
    send,
    sent,
)
from tests.sharing import FROM_HERE

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def pods() -> Iterator[Offering]:
    forget_turns()
    yield make_acme()
    forget_turns()


def told(response: HttpResponse, reason: str) -> bool:
    return str(REFUSALS[reason]) in response.content.decode()


# --- The way there ------------------------------------------------------------------------


def test_every_cell_that_claims_answer_leads_to_the_form(client: Client) -> None:
    for dimension in CLAIMED:
        cell = f"/providers/acme/pods/{dimension.key}/"
        for headers in ({}, {"HX-Request": "true"}):
            page = client.get(cell, headers=headers).content.decode()
            assert f'<a href="{cell}correct/">' in page
        assert client.get(f"{cell}correct/").status_code == 200, dimension.key


def test_an_answer_without_claims_has_no_form(client: Client) -> None:
    (own,) = (key for key, dimension in DIMENSIONS.items() if dimension.on_offering)
    assert "correct/" not in client.get(f"/providers/acme/pods/{own}/").content.decode()
    assert client.get(f"/providers/acme/pods/{own}/correct/").status_code == 404


@pytest.mark.parametrize("cell", ["acme/pods/colour", "acme/none/ssh", "none/pods/ssh", "a/b/c%00"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_what_does_not_exist_cannot_be_corrected(client: Client, cell: str, method: str) -> None:
    assert getattr(client, method)(f"/providers/{cell}/correct/").status_code == 404


def test_a_closed_offering_can_be_corrected(client: Client, pods: Offering) -> None:
    pods.status = "closed"
    pods.save()
    sent(client)
    assert Correction.objects.get().offering == pods


def test_the_form_offers_the_answers_of_its_question_and_another(client: Client) -> None:
    html = client.get(FORM).content.decode()
    offered = re.findall(r'type="radio" name="value" value="([^"]*)"', html)
    assert offered == [*DIMENSIONS["docker_daemon"].allowed, OTHER]
    several = client.get("/providers/acme/pods/registry_auth/correct/").content.decode()
    assert several.count('type="checkbox"') == len(DIMENSIONS["registry_auth"].allowed) + 1
    free = client.get("/providers/acme/pods/driver/correct/").content.decode()
    assert 'type="radio"' not in free
    assert field(free, "value")


def test_an_address_can_fill_the_form_in(client: Client) -> None:
    html = client.get(f"{FORM}?value=rootless&source=docs.example/x").content.decode()
    assert checked(html) == ["rootless"]
    assert 'value="https://docs.example/x"' in field(html, "source")
    html = client.get(f"{FORM}?value=%3Cb%3Eblue").content.decode()
    assert checked(html) == [OTHER]
    assert 'value="&lt;b&gt;blue"' in field(html, "other")
    free = client.get("/providers/acme/pods/driver/correct/?value=535-595").content.decode()
    assert 'value="535-595"' in field(free, "value")


def test_the_form_sets_no_cookie_is_kept_nowhere_and_stays_out_of_search(client: Client) -> None:
    response = client.get(FORM)
    assert not response.cookies
    assert "no-store" in response.headers["Cache-Control"]
    assert '<meta name="robots" content="noindex">' in response.content.decode()


# --- Taken --------------------------------------------------------------------------------


def test_what_is_sent_is_kept_apart_and_nothing_else(client: Client, pods: Offering) -> None:
    response = send(client, value="none", source="https://a.example/b", note="Since May.\r\nTwice.")
    made = Correction.objects.get()
    assert (made.offering, made.dimension, made.value) == (pods, "docker_daemon", "none")
    assert (made.source, made.note) == ("https://a.example/b", "Since May.\nTwice.")
    assert (made.state, made.reply, made.claim, made.settled_by) == ("open", "", None, None)
    assert response.headers["Location"] == f"/corrections/{made.token}/"
    assert not response.cookies
    assert not pods.claims.exists()


@pytest.mark.parametrize(
    ("dimension", "fields", "value"),
    [
        ("docker_daemon", {"value": OTHER, "other": "root,  on some"}, "root, on some"),
        ("docker_daemon", {"value": "", "other": "blue"}, "blue"),
        ("docker_daemon", {"value": "blue"}, "blue"),
        ("registry_auth", {"value": ["docker_login", "cloud_role"]}, "docker_login, cloud_role"),
        ("registry_auth", {"value": ["cloud_role", OTHER], "other": "x"}, "cloud_role, x"),
        ("driver", {"value": "535-595"}, "535-595"),
        ("ssh", {"value": "no"}, "no"),
    ],
)
def test_an_answer_is_kept_as_a_curator_would_write_it(
    client: Client, dimension: str, fields: dict[str, Any], value: str
) -> None:
    sent(client, f"/providers/acme/pods/{dimension}/correct/", **fields)
    assert Correction.objects.get().value == value


def test_the_same_text_sent_twice_is_one_correction(client: Client) -> None:
    first = sent(client, note="a\r\nb")
    assert sent(client, note=" a\nb ") == first
    assert sent(client, note="c") != first
    assert sent(client, "/providers/acme/pods/ssh/correct/", value="no") != first
    assert Correction.objects.count() == 3


def test_the_same_text_is_new_once_the_first_is_settled_and_old(client: Client) -> None:
    first = sent(client)
    Correction.objects.update(state="declined")
    assert sent(client) == first
    Correction.objects.update(made_at=timezone.now() - store.KEPT_FOR)
    assert sent(client) != first


def test_the_link_keeps_the_language_of_the_form(client: Client) -> None:
    response = send(client, f"/ar{FORM}")
    assert response.headers["Location"].startswith("/ar/corrections/")


# --- Refused, and nothing lost --------------------------------------------------------------

TYPED = {"value": OTHER, "other": "my words", "source": "https://a.example/b", "note": "my note"}


def keeps_what_was_typed(response: HttpResponse) -> bool:
    html = response.content.decode()
    return (
        checked(html) == [OTHER]
        and 'value="my words"' in field(html, "other")
        and 'value="https://a.example/b"' in field(html, "source")
        and ">my note</textarea>" in html
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"website": "https://spam.example"}, "trap"),
        ({"stamp": ""}, "old"),
        ({"stamp": "acme/pods/docker_daemon 1764500000:forged"}, "old"),
        ({"stamp": lambda: a_while_ago("acme/pods/ssh")}, "old"),
        ({"stamp": lambda: a_while_ago(ago=VALID_FOR + timedelta(seconds=2))}, "old"),
        ({"stamp": lambda: a_while_ago(ago=QUICKEST / 3)}, "quick"),
        ({"stamp": lambda: a_while_ago(ago=-timedelta(hours=1))}, "quick"),
    ],
)
def test_what_a_program_would_send_is_asked_again_kindly(
    client: Client, changed: dict[str, Any], reason: str
) -> None:
    given = {name: value() if callable(value) else value for name, value in changed.items()}
    response = send(client, **(TYPED | given))
    assert response.status_code == 422
    assert told(response, reason)
    assert keeps_what_was_typed(response)
    assert "value" not in field(response.content.decode(), "website")
    assert not Correction.objects.exists()


def test_what_came_too_quickly_comes_in_time_with_the_same_form(client: Client) -> None:
    quick = a_while_ago(ago=timedelta(0))
    assert f'value="{quick}"' in send(client, stamp=quick).content.decode()
    expired = a_while_ago(ago=VALID_FOR * 2)
    assert f'value="{expired}"' not in send(client, stamp=expired).content.decode()


@pytest.mark.parametrize(
    ("changed", "where", "fault"),
    [
        ({"value": "", "other": ""}, "value", FAULTS["nothing"]),
        ({"value": OTHER, "other": " \u200b "}, "value", FAULTS["nothing"]),
        ({"value": "root", "other": "none"}, "value", FAULTS["both"]),
        ({"value": ["root", "none"], "other": ""}, "value", FAULTS["several"]),
        ({"other": "x" * 501}, "value", "At most 500 characters fit here; these are 501."),
        ({"source": "javascript://a.example/%0aalert(1)"}, "source", FAULTS["address"]),
        ({"source": "not an address"}, "source", FAULTS["address"]),
        ({"source": "https://me:secret@a.example/"}, "source", FAULTS["address"]),
        ({"source": "https://[broken/"}, "source", FAULTS["address"]),
        ({"source": "https://a.example/" + "x" * 483}, "source", "At most 500 characters"),
        ({"note": "x" * 1001}, "note", "At most 1,000 characters fit here; these are 1,001."),
        ({"note": "http://a www.b https://c"}, "note", FAULTS["links"]),
    ],
)
def test_a_fault_stands_beside_its_field(
    client: Client, changed: dict[str, Any], where: str, fault: str
) -> None:
    response = send(client, **(TYPED | changed))
    assert response.status_code == 422
    assert told(response, "faults")
    html = response.content.decode()
    (said,) = re.findall(rf'<p class="fault" id="{where}-fault">([^<]*)', html)
    assert said.startswith(str(fault).replace("'", "&#x27;"))
    assert html.count('class="fault"') == 1
    assert not Correction.objects.exists()


def test_a_thousand_characters_fit_however_many_bytes_they_take(client: Client) -> None:
    sent(client, note="😀" * 1000, value=OTHER, other="😀" * 499 + "a")
    assert len(Correction.objects.get().note) == 1000


def test_more_than_the_form_takes_is_not_read(client: Client) -> None:
    response = send(client, note="x" * 70_000)
    assert (response.status_code, told(response, "large")) == (413, True)


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data; boundary=x", "application/json", "", f"{URLENCODED}; charset=idna"],
)
def test_only_what_the_form_itself_sends_is_read(client: Client, kind: str) -> None:
    response = client.post(FORM, b"value=root", kind, headers=FROM_HERE)
    assert response.status_code == 415
    assert str(REFUSALS["kind"]) in response.content.decode()


@pytest.mark.parametrize(
    "headers",
    [{}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}],
)
def test_only_a_page_of_this_site_may_send(client: Client, headers: dict[str, str]) -> None:
    body = f"value=root&stamp={a_while_ago()}"
    response = client.post(FORM, body, URLENCODED, headers=headers)
    assert response.status_code == 403
    assert str(REFUSALS["origin"]) in response.content.decode()
    assert not Correction.objects.exists()


def test_one_client_may_not_send_without_end_and_loses_nothing(
    client: Client, settings: Any
) -> None:
    settings.CORRECTION_RATE = "2/hour"
    first = sent(client, note="1")
    sent(client, note="2")
    refused = send(client, **TYPED)
    assert (refused.status_code, told(refused, "often")) == (429, True)
    assert 3_500 < int(refused.headers["Retry-After"]) <= 3_600
    assert keeps_what_was_typed(refused)
    assert sent(client, note="1") == first  # sent again, it is no other
    assert send(client, note="").status_code == 429
    other = client.post(
        FORM,
        f"value=none&stamp={a_while_ago()}",
        URLENCODED,
        headers=FROM_HERE,
        REMOTE_ADDR="192.0.2.7",
    )
    assert other.status_code == 303


def test_faults_cost_no_turn(client: Client, settings: Any) -> None:
    settings.CORRECTION_RATE = "1/hour"
    for _time in range(3):
        assert send(client, source="nonsense here").status_code == 422
    sent(client)


def test_enough_of_one_answer_is_told_and_others_are_taken(client: Client, pods: Offering) -> None:
    for number in range(store.MOST_OF_A_CELL):
        make_correction(pods, note=str(number))
    refused = send(client, **TYPED)
    assert (refused.status_code, told(refused, "cell")) == (409, True)
    assert keeps_what_was_typed(refused)
    sent(client, "/providers/acme/pods/ssh/correct/", value="no")
    Correction.objects.filter(dimension="docker_daemon").update(state="declined")
    sent(client, **TYPED)


def test_when_as_many_wait_as_may_no_more_are_taken(client: Client, settings: Any) -> None:
    settings.CORRECTIONS_OPEN = 1
    sent(client)
    refused = send(client, **TYPED)
    assert (refused.status_code, told(refused, "full")) == (503, True)
    assert keeps_what_was_typed(refused)
    assert Correction.objects.count() == 1


def test_the_form_is_read_and_sent_and_nothing_else(client: Client) -> None:
    assert client.put(FORM).status_code == client.delete(FORM).status_code == 405

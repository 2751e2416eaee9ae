"""The page that tells a reader what became of a correction, and who may see it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from providers.catalog.store import dump
from providers.corrections.store import KEPT_FOR, TOKEN_LENGTH, forget_notes, new_token
from providers.models import Correction, Offering
from providers.resolve import resolve_offerings
from providers.shares.store import DIGITS
from providers.tasks import forget_notes as forget_notes_task
from tests.correcting import make_acme, make_correction, sent
from tests.factories import make_claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def pods() -> Offering:
    return make_acme()


def page_of(client: Client, correction: Correction) -> str:
    response = client.get(f"/corrections/{correction.token}/")
    assert response.status_code == 200
    return response.content.decode()


def test_one_that_waits_shows_what_was_sent_and_its_address(client: Client, pods: Offering) -> None:
    address = sent(client, value="none", note="First\nsecond <b>")
    html = client.get(address).content.decode()
    assert "Waiting for a curator" in html
    assert f">http://testserver{address}</a>" in html
    assert "<bdi>None</bdi>" in html  # the label of the answer
    assert "First\nsecond &lt;b&gt;" in html


def test_one_that_was_taken_over_shows_what_the_cell_says_now(
    client: Client, pods: Offering
) -> None:
    claim = make_claim(pods, "docker_daemon", "root")
    resolve_offerings([pods.pk])
    made = make_correction(pods, state="taken", settled_at=timezone.now(), claim=claim)
    html = page_of(client, made)
    assert "Taken over" in html
    assert 'href="/providers/acme/pods/docker_daemon/"><bdi>Root</bdi></a>' in html


def test_one_that_was_declined_shows_the_reply_as_text(client: Client, pods: Offering) -> None:
    made = make_correction(
        pods, state="declined", settled_at=timezone.now(), reply="<i>Elsewhere</i>"
    )
    html = page_of(client, made)
    assert "Not taken over" in html
    assert "&lt;i&gt;Elsewhere&lt;/i&gt;" in html


def test_what_a_stranger_typed_is_no_link(client: Client, pods: Offering) -> None:
    made = make_correction(
        pods, value="http://a.example", source="https://b.example/x", note="http://c.example"
    )
    assert "b.example/x</bdi>" in page_of(client, made)
    assert 'href="http' not in page_of(client, made).partition("<main")[2].replace(
        'href="http://testserver', ""
    )


def test_it_speaks_the_language_of_the_address(client: Client, pods: Offering) -> None:
    made = make_correction(pods)
    response = client.get(f"/tr/corrections/{made.token}/")
    assert '<html lang="tr"' in response.content.decode()


def test_it_stays_out_of_search_and_caches_and_sets_no_cookie(
    client: Client, pods: Offering
) -> None:
    response = client.get(f"/corrections/{make_correction(pods).token}/")
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert "no-store" in response.headers["Cache-Control"]
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert not response.cookies


def test_a_token_that_was_read_out_is_understood(client: Client, pods: Offering) -> None:
    token = make_correction(pods, token="0123456789abcdefghjkmnpq").token
    response = client.get(f"/corrections/{token.upper().replace('0', 'O').replace('1', 'I')}/")
    assert (response.status_code, response["Location"]) == (302, f"/corrections/{token}/")


@pytest.mark.parametrize("typed", ["0" * TOKEN_LENGTH, "x", "é" * 24, "0" * 2000, "a\x00b", "'--"])
def test_a_token_that_does_not_exist_is_not_found_and_nothing_more(
    client: Client, pods: Offering, typed: str
) -> None:
    make_correction(pods)
    for method in (client.get, client.head):
        assert method(f"/corrections/{typed}/").status_code == 404
    assert client.post(f"/corrections/{typed}/").status_code == 405


def test_tokens_are_long_and_never_alike() -> None:
    tokens = {new_token() for _time in range(500)}
    assert len(tokens) == 500
    assert {len(token) for token in tokens} == {TOKEN_LENGTH}
    assert set("".join(tokens)) == set(DIGITS)
    assert len(DIGITS) ** TOKEN_LENGTH >= 2**100


# --- Kept apart -----------------------------------------------------------------------------


def test_no_page_export_or_dump_shows_what_waits(
    client: Client, pods: Offering, tmp_path: Path
) -> None:
    secret = "zebra-crossing"
    make_correction(pods, value=secret, source=f"https://{secret}.example/", note=secret)
    cell = "/providers/acme/pods/docker_daemon/"
    for address in ("/", cell, "/providers/acme/", "/changes/", "/feed.atom", "/status/"):
        assert secret not in client.get(address).content.decode()
    for address in ("/?format=json", "/providers/acme/?format=csv", "/api/v1/claims"):
        response = client.get(address)
        text = b"".join(response) if response.streaming else response.content
        assert response.status_code == 200
        assert secret not in text.decode()
    assert secret not in json.dumps(client.get("/api/v1/openapi.json").json())
    dump(tmp_path)
    assert all(secret not in file.read_text() for file in tmp_path.iterdir())
    assert list(tmp_path.iterdir())


def test_a_correction_holds_nothing_about_who_sent_it() -> None:
    kept = {field.name for field in Correction._meta.get_fields()}
    said = {"value", "source", "note", "offering", "dimension"}
    assert kept == said | {
        *("id", "token", "made_at"),
        *("state", "settled_at", "settled_by", "reply", "claim"),
    }


# --- Notes are forgotten --------------------------------------------------------------------


@pytest.fixture
def notes(pods: Offering) -> tuple[Correction, Correction]:
    now = timezone.now()
    old = make_correction(pods, note="I am Bob", made_at=now - KEPT_FOR)
    young = make_correction(pods, note="I am Eve", made_at=now - KEPT_FOR + timedelta(minutes=5))
    return old, young


def left() -> list[str]:
    return list(Correction.objects.order_by("made_at").values_list("note", flat=True))


def test_a_note_is_emptied_after_thirty_days_and_nothing_else(
    notes: tuple[Correction, Correction],
) -> None:
    assert timedelta(days=30) == KEPT_FOR
    before = Correction.objects.filter(pk=notes[0].pk).values().get()
    assert forget_notes(timezone.now()) == 1
    assert left() == ["", "I am Eve"]
    assert Correction.objects.filter(pk=notes[0].pk).values().get() == before | {"note": ""}
    assert forget_notes(timezone.now()) == 0


@pytest.mark.usefixtures("notes")
def test_the_task_forgets(settings: Any) -> None:
    assert forget_notes_task() == 1
    assert left() == ["", "I am Eve"]


@pytest.mark.usefixtures("notes")
def test_the_command_forgets_and_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("forget_notes")
    call_command("forget_notes")
    assert capsys.readouterr().out == "1 note emptied.\n0 notes emptied.\n"
    assert left() == ["", "I am Eve"]

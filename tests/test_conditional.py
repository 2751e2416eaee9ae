"""What browsers and caches may keep of an answer, and when they have to ask again."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from gpucompare.caching import control, middleware, release
from gpucompare.caching.answers import Answers
from providers.browse import kept, query
from providers.freshness import FRESH_FOR
from providers.models import Offering, SourceState
from tests.factories import make_offering, make_provider
from tests.query_counts import queries_of

PAGES = ["/", "/listings/", "/providers/new-cloud/", "/status/", "/gpus/", "/changes/", "/ar/faq/"]
ANSWERS = [*PAGES, "/api/v1/offerings", "/check/?cuda=12.4"]
FRAGMENT = {"HX-Request": "true"}
NOON = datetime.fromisoformat("2026-11-30T12:00:30+00:00")
# Beside the statement that names what is seen.
NOT_MODIFIED_COSTS = 0
# BEGIN and COMMIT are told as well; the first goes along with that statement.
MADE_BEFORE_COSTS = 2

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(middleware, "answers", Answers())
    kept._found.clear()
    yield
    kept._found.clear()


@pytest.fixture(autouse=True)
def offering() -> Offering:
    return make_offering("pods", make_provider("new-cloud"))


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The last of these is now."""
    moments = [NOON]
    monkeypatch.setattr(timezone, "now", lambda: moments[-1])
    return moments


def etag(client: Client, address: str = "/", **headers: str) -> str:
    return str(client.get(address, headers=headers)["ETag"])


def varied(response: Any) -> set[str]:
    """What it depends on; whether it is packed depends on its length, too."""
    return set(response.get("Vary", "").split(", ")) - {"Accept-Encoding", ""}


def asked_again(client: Client, address: str, tag: str, **headers: str) -> Any:
    return client.get(address, headers={"If-None-Match": tag, **headers})


@pytest.mark.parametrize("address", ANSWERS)
def test_what_the_client_has_is_not_sent_again_and_not_made_again(
    client: Client, address: str
) -> None:
    first = client.get(address)
    again: list[Any] = []
    cost = queries_of(lambda: again.append(asked_again(client, address, first["ETag"])))
    assert (again[0].status_code, again[0].content) == (304, b"")
    assert cost == NOT_MODIFIED_COSTS
    assert (again[0]["ETag"], again[0]["Cache-Control"]) == (first["ETag"], control.ANYBODY)
    assert varied(again[0]) == varied(first)


def test_what_the_client_has_counts_for_its_address(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    tag = etag(client, "/ar/faq/")
    with caplog.at_level("INFO", "gpucompare.access"):
        caplog.clear()
        assert asked_again(client, "/ar/faq/", tag).status_code == 304
    assert [record.__dict__["route"] for record in caplog.records] == ["faq"]


@pytest.mark.parametrize("address", ANSWERS)
def test_it_may_be_kept_for_a_minute_and_shown_a_little_longer(
    client: Client, address: str
) -> None:
    said = client.get(address)["Cache-Control"]
    assert said == control.ANYBODY
    assert "public, max-age=60" in said
    assert "stale-while-revalidate=240, stale-if-error=3600" in said


def test_what_a_view_says_of_its_answer_stays_and_may_be_shown_longer() -> None:
    stale = "stale-while-revalidate=240, stale-if-error=3600"
    assert control.with_stale("max-age=9, public") == f"max-age=9, public, {stale}"
    for said in ("", "no-cache", "private, max-age=9", control.ANYBODY):
        assert control.with_stale(said) == said


def test_an_old_price_is_called_fresh_for_five_minutes_at_most_and_an_hour_when_all_is_away() -> (
    None
):
    assert control.MAX_AGE_S + control.STALE_S == 5 * 60
    assert timedelta(seconds=control.AWAY_S) <= FRESH_FOR / 2


def test_pages_vary_by_their_form_and_the_api_by_nothing(client: Client) -> None:
    page = {"HX-Request", "Accept", "Cookie"}
    assert varied(client.get("/")) == page
    part = {"HX-History-Restore-Request", "HX-Current-URL"}
    assert varied(client.get("/", headers=FRAGMENT)) == page | part
    assert varied(client.get("/api/v1/offerings")) == set()


def test_a_write_of_anybody_makes_another_answer(client: Client, offering: Offering) -> None:
    before = {address: etag(client, address) for address in ANSWERS}
    Offering.objects.filter(pk=offering.pk).update(status="closed")
    for address, tag in before.items():
        assert asked_again(client, address, tag).status_code == 200, address
        assert etag(client, address) != tag


def test_each_address_form_host_and_language_has_its_own(client: Client) -> None:
    tags = [
        etag(client),
        etag(client, "/?q=a"),
        etag(client, "/tr/"),
        etag(client, **FRAGMENT),
        etag(client, **FRAGMENT, **{"HX-Current-URL": "http://testserver/?q=b"}),
        etag(client, **FRAGMENT, **{"HX-History-Restore-Request": "true"}),
        etag(client, Host="localhost"),
        etag(client, Accept="text/html;q=0.9"),
    ]
    assert len(set(tags)) == len(tags)


def test_a_fragment_is_not_taken_for_the_page(client: Client) -> None:
    whole, part = client.get("/"), client.get("/", headers=FRAGMENT)
    assert b"<!doctype" in whole.content
    assert b"<!doctype" not in part.content
    assert asked_again(client, "/", whole["ETag"], **FRAGMENT).status_code == 200
    assert client.get("/").content == whole.content


def test_when_refreshes_stop_a_page_still_ages(client: Client, clock: list[datetime]) -> None:
    SourceState.objects.create(slug="vast", good_at=NOON + timedelta(seconds=50) - FRESH_FOR)
    tag = etag(client)
    clock.append(NOON + timedelta(seconds=89))
    assert asked_again(client, "/", tag).status_code == 304
    clock.append(NOON + timedelta(seconds=90))
    assert asked_again(client, "/", tag).status_code == 200


def test_after_five_minutes_it_is_made_anew_in_any_case(
    client: Client, clock: list[datetime]
) -> None:
    tag = etag(client)
    clock.append(NOON + timedelta(minutes=4, seconds=29))
    assert asked_again(client, "/", tag).status_code == 304
    clock.append(NOON + timedelta(minutes=4, seconds=30))
    assert asked_again(client, "/", tag).status_code == 200


def test_twenty_readers_of_one_page_have_it_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    start, browse = Barrier(20), query.browse

    def counted(*asked: Any) -> Any:
        made.append(asked)
        return browse(*asked)

    monkeypatch.setattr(query, "browse", counted)

    def read(_n: int) -> bytes:
        start.wait()
        try:
            return bytes(Client().get("/").content)
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        pages = set(pool.map(read, range(20)))
    assert (len(pages), len(made)) == (1, 1)


def test_what_was_made_is_made_no_second_time(client: Client) -> None:
    first = client.get("/")
    again: list[Any] = []
    assert queries_of(lambda: again.append(client.get("/"))) == MADE_BEFORE_COSTS
    assert again[0].content == first.content
    assert {**again[0].headers, "X-Request-ID": ""} == {**first.headers, "X-Request-ID": ""}


def test_the_embed_may_be_framed_also_when_it_is_kept(client: Client) -> None:
    for _time in range(2):
        response = client.get("/embed/compare/?o=new-cloud/pods")
        assert "X-Frame-Options" not in response
        assert "frame-ancestors *" in response["Content-Security-Policy"]


def test_the_embed_may_be_framed_also_when_the_reader_has_it(client: Client) -> None:
    address = "/embed/compare/?o=new-cloud/pods"
    again = asked_again(client, address, etag(client, address))
    assert again.status_code == 304
    assert "X-Frame-Options" not in again
    # A browser takes the headers of this answer for those that it kept.
    assert "frame-ancestors 'none'" not in again.get("Content-Security-Policy", "")


def test_a_curator_sees_what_was_just_written(admin_client: Client, client: Client) -> None:
    response, readers = admin_client.get("/"), client.get("/")
    assert response["Cache-Control"] == control.CURATOR
    assert readers["Cache-Control"] == control.ANYBODY
    assert response.content == readers.content
    assert not response.cookies
    # What the same browser kept as a reader is not what it gets now.
    assert "Cookie" in varied(readers)


@pytest.mark.parametrize("address", ["/check/?image=ubuntu", "/cold-start/?image=ubuntu"])
def test_what_is_read_elsewhere_is_asked_for_each_time(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.get("Cache-Control") in (None, control.ASKED_ANEW)
    assert middleware.answers._kept == {}


@pytest.mark.parametrize(
    "address", ["/admin/login/", "/healthz", "/nowhere/", "/?format=csv", "/s/none/"]
)
def test_what_is_no_page_for_everybody_is_not_kept(client: Client, address: str) -> None:
    response = client.get(address)
    assert "ETag" not in response
    assert middleware.answers._kept == {}


def test_a_head_has_the_headers_of_the_get(client: Client) -> None:
    head, got = client.head("/"), client.get("/")
    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == got["ETag"]


def test_a_packed_answer_is_known_again(client: Client) -> None:
    packed = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert (packed["Content-Encoding"], packed["ETag"][:2]) == ("gzip", "W/")
    assert asked_again(client, "/", packed["ETag"]).status_code == 304


def test_another_program_has_other_answers(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = etag(client)
    monkeypatch.setattr(middleware, "release", lambda: "another")
    assert asked_again(client, "/", tag).status_code == 200


def test_a_release_is_known_by_what_it_shows_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "templates" / "page.html"
    page.parent.mkdir()
    page.write_text("one")
    first = release.digest_of(tmp_path)
    (tmp_path / "templates" / "page.html~").write_text("left by an editor")
    assert release.digest_of(tmp_path) == first
    page.write_text("two")
    assert release.digest_of(tmp_path) != first
    assert len(release.release()) == 64


def test_while_the_program_is_being_changed_every_page_is_made(
    client: Client, settings: Any
) -> None:
    settings.DEBUG = True
    assert client.get("/")["Cache-Control"] == control.ASKED_ANEW
    assert middleware.answers._kept == {}

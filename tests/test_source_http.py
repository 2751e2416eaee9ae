"""The HTTP client against a real server that misbehaves in every way we could think of."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import ClassVar

import pytest
from limits.errors import StorageError
from limits.storage import MemoryStorage

from providers.sources.base import (
    Http,
    MalformedError,
    Page,
    RefusedError,
    Rows,
    Source,
    ThrottledError,
    UnreachableError,
)
from providers.sources.http import USER_AGENT, Bounds, HttpClient, Network, Pace
from tests import provider_server as play
from tests.provider_server import Answer, ProviderServer
from tests.source_client import FREELY, IMPATIENT, QUICK, client, get

SECRET = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with play.running() as running:
        yield running


# --- What is sent -------------------------------------------------------------------


def test_a_call_carries_its_parameters_headers_and_the_name_of_the_project(
    server: ProviderServer,
) -> None:
    server.always = play.body(b"[1]")
    http = client(server.url + "/v2/")
    assert http.get("/plans", params={"page": 2}, headers={"X-Key": SECRET}) == b"[1]"
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.params) == ("GET", "/v2/plans", {"page": "2"})
    assert (seen.headers["x-key"], seen.headers["user-agent"]) == (SECRET, USER_AGENT)
    assert seen.headers["host"] == server.url.removeprefix("http://")
    assert "gpucompare" in USER_AGENT


def test_a_post_sends_json(server: ProviderServer) -> None:
    server.always = play.body(b"{}")
    client(server.url).post("/graphql", json={"query": "{ gpuTypes }"})
    (seen,) = server.seen
    assert (seen.method, seen.body) == ("POST", b'{"query": "{ gpuTypes }"}')
    assert seen.headers["content-type"] == "application/json"


def test_a_post_is_tried_again_with_its_body(server: ProviderServer) -> None:
    server.then.append(play.status(502))
    server.always = play.body(b"{}")
    client(server.url).post("/graphql", json=[1])
    assert [seen.body for seen in server.seen] == [b"[1]", b"[1]"]


def test_another_host_of_the_source_is_a_folder_of_the_override(server: ProviderServer) -> None:
    server.always = play.body(b"{}")
    http = client(server.url + "/base", hosts=("ca.example.com",))
    http.get("/order", host="ca.example.com")
    assert server.seen[0].path == "/base/ca.example.com/order"


def test_a_host_that_is_not_the_sources_is_a_fault_of_its_code(server: ProviderServer) -> None:
    with pytest.raises(ValueError, match=r"evil\.example is none of the source's hosts"):
        client(server.url, hosts=("ca.example.com",)).get("/", host="evil.example")


def test_a_base_address_without_tls_needs_an_override() -> None:
    with pytest.raises(ValueError, match="over https"):
        HttpClient("http://api.example.com")


class Example(Source):
    slug: ClassVar[str] = "example"
    base_url: ClassVar[str] = "https://api.example.com"
    offerings: ClassVar[tuple[str, ...]] = ()

    def fetch(self, http: Http) -> Iterator[Page]:
        yield Page("plans", http.get("/plans"))

    def parse(self, pages: object) -> Rows:
        yield from ()


def test_the_environment_moves_one_source_to_another_address(server: ProviderServer) -> None:
    server.always = play.body(b"[]")
    environ = {"GPUCOMPARE_SOURCE_EXAMPLE_URL": server.url, "GPUCOMPARE_SOURCE_OTHER_URL": "x"}
    http = HttpClient.of(Example, environ, bounds=QUICK, network=FREELY)
    assert list(Example().fetch(http)) == [Page("plans", b"[]")]


# --- What is tried again ------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [play.status(500), play.status(503), play.throttled(), play.cut, play.silence],
    ids=["500", "503", "429", "cut", "silence"],
)
def test_a_passing_fault_is_tried_again(server: ProviderServer, fault: Answer) -> None:
    bounds = IMPATIENT if fault is play.silence else QUICK
    assert get(server, fault, play.body(b"good"), bounds=bounds) == b"good"
    assert len(server.seen) == 2


@pytest.mark.parametrize("code", [400, 401, 403, 404, 410, 451])
def test_other_answers_are_final(server: ProviderServer, code: int) -> None:
    with pytest.raises(RefusedError, match=f"/plans: {code} "):
        get(server, play.status(code))
    assert len(server.seen) == 1


def test_it_gives_up_after_the_last_try(server: ProviderServer) -> None:
    with pytest.raises(UnreachableError, match="500"):
        get(server, play.status(500))
    assert len(server.seen) == QUICK.tries


def test_it_gives_up_when_another_try_would_be_too_late(server: ProviderServer) -> None:
    began = time.monotonic()
    with pytest.raises(UnreachableError):
        get(server, play.status(500), bounds=Bounds(call_s=9, pause_s=30))
    assert len(server.seen) == 1
    assert time.monotonic() - began < 9


@pytest.mark.parametrize("form", [play.throttled("9"), play.throttled_until(9)])
def test_it_waits_as_long_as_it_is_asked_to_up_to_a_cap(
    server: ProviderServer, form: Answer
) -> None:
    began = time.monotonic()
    assert get(server, form, play.body(b"good")) == b"good"
    assert QUICK.retry_after_max_s <= time.monotonic() - began < 5


@pytest.mark.parametrize(
    "text", ["0", "-5", "soon", "", "9" * 400, "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 99 Foo"]
)
def test_a_retry_after_without_sense_does_no_harm(server: ProviderServer, text: str) -> None:
    assert get(server, play.throttled(text), play.body(b"good")) == b"good"


def test_a_throttled_call_says_how_long_to_wait(server: ProviderServer) -> None:
    with pytest.raises(ThrottledError) as caught:
        get(server, play.throttled("77"))
    assert caught.value.retry_after == 77


def test_pauses_grow_and_differ() -> None:
    http = client("http://127.0.0.1", Bounds(pause_s=1, pause_max_s=4))
    pauses = [http._pause(tried, None) for tried in (1, 2, 3, 4, 5)]
    for pause, longest in zip(pauses, (1, 2, 4, 4, 4), strict=True):
        assert longest / 2 <= pause <= longest
    assert len({http._pause(1, None) for _again in range(5)}) > 1


# --- What takes too long ------------------------------------------------------------


def test_nobody_there_is_unreachable() -> None:
    with pytest.raises(UnreachableError, match="ConnectionRefusedError"):
        client(play.nobody()).get("/plans")


@pytest.mark.parametrize("slow", [play.silence, play.drip, play.drip_of_headers])
def test_an_answer_that_never_ends_is_cut_at_the_deadline(
    server: ProviderServer, slow: Answer
) -> None:
    began = time.monotonic()
    with pytest.raises(UnreachableError, match="no full answer in time"):
        get(server, slow, bounds=Bounds(connect_s=1, read_s=5, call_s=0.5, pause_s=0.01))
    assert 0.4 < time.monotonic() - began < 4


def test_a_stream_is_cut_at_its_own_deadline(server: ProviderServer) -> None:
    server.always = play.drip
    began = time.monotonic()
    with pytest.raises(UnreachableError, match="in time"):
        list(client(server.url, Bounds(stream_s=0.5)).stream("/prices"))
    assert time.monotonic() - began < 4


# --- What is too much, or broken -----------------------------------------------------


@pytest.mark.parametrize("flood", [play.endless, play.gzip_bomb])
def test_a_body_beyond_the_cap_is_malformed_and_not_asked_for_again(
    server: ProviderServer, flood: Answer
) -> None:
    with pytest.raises(MalformedError, match="more than 1048576 bytes"):
        get(server, flood)
    assert len(server.seen) == 1


def test_a_body_of_just_the_cap_is_good(server: ProviderServer) -> None:
    assert len(get(server, play.body(b" " * QUICK.body_bytes))) == QUICK.body_bytes


def test_a_body_that_is_not_packed_as_it_says_is_malformed(server: ProviderServer) -> None:
    with pytest.raises(MalformedError, match="cannot be unpacked"):
        get(server, play.bad_gzip)


def test_a_body_cut_off_every_time_is_unreachable(server: ProviderServer) -> None:
    with pytest.raises(UnreachableError, match="IncompleteRead"):
        get(server, play.cut)


def test_a_stream_comes_in_pieces_and_within_its_own_cap(server: ProviderServer) -> None:
    data = bytes(range(256)) * 8192  # 2 MiB: more than a body may have, less than a stream
    server.always = play.body(data)
    pieces = list(client(server.url).stream("/prices"))
    assert b"".join(pieces) == data
    assert len(pieces) > 10
    server.always = play.endless
    with pytest.raises(MalformedError, match="more than 4194304 bytes"):
        for _piece in client(server.url).stream("/prices"):
            pass


def test_a_stream_begins_again_but_never_goes_on(server: ProviderServer) -> None:
    server.then.append(play.status(503))
    server.always = play.cut
    stream = client(server.url).stream("/prices")
    assert next(stream).startswith(b"[[[")
    with pytest.raises(UnreachableError):
        list(stream)
    assert len(server.seen) == 2


def test_a_reader_may_stop_in_the_middle_of_a_stream(server: ProviderServer) -> None:
    server.always = play.endless
    stream = client(server.url).stream("/prices")
    assert next(stream)
    stream.close()
    server.always = play.body(b"next")
    assert client(server.url).get("/plans") == b"next"


# --- The rate -------------------------------------------------------------------------


def test_calls_to_a_host_keep_to_its_rate(server: ProviderServer) -> None:
    server.always = play.body(b"[]")
    network = Network(pace=Pace("2/second"))
    began = time.monotonic()
    for _call in range(3):
        client(server.url, network=network).get("/plans")
    assert 0.8 < time.monotonic() - began < 5


def test_a_turn_that_comes_too_late_is_throttled(server: ProviderServer) -> None:
    server.always = play.body(b"[]")
    http = client(server.url, network=Network(pace=Pace("1/minute")))
    http.get("/plans")
    with pytest.raises(ThrottledError, match="our own rate"):
        http.get("/plans")
    assert len(server.seen) == 1


class BrokenStorage(MemoryStorage):
    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        raise StorageError(ConnectionError("the shared storage is away"))


def test_a_storage_that_is_away_stops_no_call(
    server: ProviderServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.always = play.body(b"[]")
    http = client(server.url, network=Network(pace=Pace("1/minute", BrokenStorage())))
    assert [http.get("/plans"), http.get("/plans")] == [b"[]", b"[]"]
    assert "is not kept" in caplog.text

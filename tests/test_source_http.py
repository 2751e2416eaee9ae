"""The HTTP client against a real server that misbehaves in every way we could think of."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
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
    SourceError,
    ThrottledError,
    UnreachableError,
)
from providers.sources.http import USER_AGENT, Bounds, HttpClient, Network, Pace
from providers.sources.wire import Address, Resolve, is_public
from tests import provider_server as play
from tests.provider_server import Answer, ProviderServer

CERTIFICATE = Path(__file__).parent / "tls" / "localhost.pem"
SECRET = "sk-very-secret"
QUICK = Bounds(
    connect_s=1,
    read_s=5,
    call_s=20,
    stream_s=20,
    body_bytes=2**20,
    stream_bytes=4 * 2**20,
    tries=3,
    pause_s=0.01,
    retry_after_max_s=0.2,
    redirects=3,
)
IMPATIENT = replace(QUICK, read_s=0.5, tries=2)
FREELY = Network(pace=Pace("1000/second"))


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with play.running() as running:
        yield running


def client(
    address: str, bounds: Bounds = QUICK, network: Network = FREELY, hosts: tuple[str, ...] = ()
) -> HttpClient:
    return HttpClient(
        "https://api.example.com", hosts, override=address, bounds=bounds, network=network
    )


def get(server: ProviderServer, *answers: Answer, bounds: Bounds = QUICK) -> bytes:
    """GET /plans, answered with `answers` in turn, the last of them again and again."""
    server.then.extend(answers[:-1])
    server.always = answers[-1]
    return client(server.url, bounds).get("/plans")


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


# --- Where it may lead ----------------------------------------------------------------


def test_a_redirect_within_the_host_is_followed(server: ProviderServer) -> None:
    assert get(server, play.redirect("/v3/plans?page=1"), play.body(b"good")) == b"good"
    assert [(seen.path, seen.params) for seen in server.seen] == [
        ("/plans", {}),
        ("/v3/plans", {"page": "1"}),
    ]


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/plans",
        "http://127.0.0.1:1/plans",
        "//localhost/plans",
        "http://user@127.0.0.1/plans",
        "file:///etc/passwd",
        "http://[",
        "http://127.0.0.1:99999/",
        "https://api.example.com/plans",
    ],
)
def test_a_redirect_elsewhere_is_refused(server: ProviderServer, target: str) -> None:
    with pytest.raises(RefusedError, match="a redirect to another host"):
        get(server, play.redirect(target))
    assert len(server.seen) == 1


def test_a_redirect_to_another_port_of_this_machine_is_refused(server: ProviderServer) -> None:
    with play.running() as other:
        with pytest.raises(RefusedError):
            get(server, play.redirect(f"{other.url}/plans"))
        assert other.seen == []


def test_a_circle_of_redirects_ends(server: ProviderServer) -> None:
    with pytest.raises(RefusedError, match="more than 3 redirects"):
        get(server, play.redirect("/plans"))
    assert len(server.seen) == QUICK.redirects + 1


def test_a_redirected_post_is_refused(server: ProviderServer) -> None:
    server.always = play.redirect("/v2/graphql", 307)
    with pytest.raises(RefusedError, match="a redirect of a POST"):
        client(server.url).post("/graphql", json={})


def test_without_an_override_this_machine_is_out_of_reach(server: ProviderServer) -> None:
    port = server.url.rpartition(":")[2]
    with pytest.raises(RefusedError, match=r"localhost is at .*, which is no public address"):
        HttpClient(f"https://localhost:{port}", network=FREELY).get("/plans")
    assert server.seen == []


def test_an_override_may_not_lead_into_the_private_network(server: ProviderServer) -> None:
    network = Network(pace=FREELY.pace, resolve=_answers(["10.0.0.7"]))
    with pytest.raises(RefusedError, match=r"10\.0\.0\.7"):
        client("http://inside.example", network=network).get("/plans")


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    network = Network(pace=FREELY.pace, resolve=_answers(["8.8.8.8", "192.168.1.1"]))
    with pytest.raises(RefusedError, match=r"192\.168\.1\.1"):
        HttpClient("https://api.example.com", network=network).get("/plans")


def test_the_connection_goes_to_the_address_that_was_checked(server: ProviderServer) -> None:
    """A name server that answers otherwise the second time is not asked a second time."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[Address]:
        asked.append(host)
        return [ipaddress.ip_address("127.0.0.1" if len(asked) == 1 else "10.0.0.7")]

    server.always = play.body(b"good")
    address = server.url.replace("127.0.0.1", "rebinding.example")
    http = client(address, network=Network(pace=FREELY.pace, resolve=resolve))
    assert http.get("/plans") == b"good"
    assert asked == ["rebinding.example"]
    assert server.seen[0].headers["host"].startswith("rebinding.example:")


def test_a_second_address_is_tried_when_the_first_is_dead(server: ProviderServer) -> None:
    server.always = play.body(b"good")
    network = Network(pace=FREELY.pace, resolve=_answers(["::1", "127.0.0.1"]))
    address = server.url.replace("127.0.0.1", "two.example")
    assert client(address, network=network).get("/plans") == b"good"


def test_a_name_without_an_address_is_unreachable() -> None:
    def resolve(host: str, port: int) -> Sequence[Address]:
        raise OSError("Name or service not known")

    with pytest.raises(UnreachableError):
        client("http://nowhere.example", network=Network(FREELY.pace, resolve)).get("/plans")


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("64:ff9b::808:808", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
    ],
)
def test_only_addresses_of_the_open_internet_are_public(text: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(text)) is public


# --- TLS ------------------------------------------------------------------------------


def test_a_provider_is_read_over_tls() -> None:
    with play.running(CERTIFICATE) as server:
        server.always = play.body(b"good")
        network = Network(pace=FREELY.pace, ca_file=str(CERTIFICATE))
        assert client(server.url, network=network).get("/plans") == b"good"


def test_a_certificate_that_nobody_vouches_for_is_not_taken() -> None:
    with play.running(CERTIFICATE) as server:
        with pytest.raises(UnreachableError, match="SSLCertVerificationError"):
            client(server.url).get("/plans", headers={"X-Key": SECRET})
        assert server.seen == []


def test_a_certificate_for_another_name_is_not_taken() -> None:
    with play.running(CERTIFICATE) as server:
        network = Network(
            pace=FREELY.pace, ca_file=str(CERTIFICATE), resolve=_answers(["127.0.0.1"])
        )
        address = server.url.replace("localhost", "other.example")
        with pytest.raises(UnreachableError, match="SSLCertVerificationError"):
            client(address, network=network).get("/plans")


def test_a_drip_over_tls_is_cut_as_well() -> None:
    with play.running(CERTIFICATE) as server:
        server.always = play.drip_of_headers
        network = Network(pace=FREELY.pace, ca_file=str(CERTIFICATE))
        began = time.monotonic()
        with pytest.raises(UnreachableError, match="in time"):
            client(server.url, Bounds(call_s=0.5), network).get("/plans")
        assert time.monotonic() - began < 4


# --- Secrets --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        play.status(401),
        play.status(500),
        play.throttled(),
        play.cut,
        play.bad_gzip,
        play.silence,
        play.redirect("https://evil.example/?key=" + SECRET),
    ],
)
def test_a_key_is_in_no_message_no_repr_and_no_log(
    server: ProviderServer, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    server.always = answer
    http = client(server.url, IMPATIENT)
    with caplog.at_level(logging.DEBUG), pytest.raises(SourceError) as caught:
        http.get("/plans", params={"key": SECRET}, headers={"Authorization": SECRET})
    assert SECRET not in f"{caught.getrepr(chain=True, showlocals=False)}{caplog.text}{http!r}"
    assert server.seen[0].params == {"key": SECRET}


def test_a_key_does_not_follow_a_redirect_to_another_host_of_the_source(
    server: ProviderServer,
) -> None:
    """Ports tell two hosts of this machine apart."""
    with play.running() as other:
        other.always = play.body(b"good")
        server.always = play.redirect(f"{other.url}/plans")
        http = client(server.url)
        http._own |= {("http", "127.0.0.1", int(other.url.rpartition(":")[2]))}
        assert http.get("/plans", headers={"X-Key": SECRET}) == b"good"
        assert "x-key" not in other.seen[0].headers


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


def _answers(addresses: list[str]) -> Resolve:
    found = [ipaddress.ip_address(address) for address in addresses]
    return lambda _host, _port: found

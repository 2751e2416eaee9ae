"""The HTTP client goes to its source's hosts alone, over TLS, and tells nobody its key."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gpucompare.outside.wire import Address, Resolve, is_public
from providers.sources.base import (
    RefusedError,
    SourceError,
    UnreachableError,
)
from providers.sources.http import Bounds, HttpClient, Network
from tests import provider_server as play
from tests.provider_server import Answer, ProviderServer
from tests.source_client import FREELY, IMPATIENT, QUICK, client, get

CERTIFICATE = Path(__file__).parent / "tls" / "localhost.pem"
SECRET = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with play.running() as running:
        yield running


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
        ("192.0.0.192", False),  # metadata of Oracle's machines
        ("168.63.129.16", False),  # the host under a machine of Azure
        ("::7f00:1", False),
        ("::ffff:0:7f00:1", False),
        ("64:ff9b:1::a00:1", False),
        ("fec0::1", False),
        ("3fff::1", False),
        ("5f00::1", False),
        ("4000::1", False),
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


def _answers(addresses: list[str]) -> Resolve:
    found = [ipaddress.ip_address(address) for address in addresses]
    return lambda _host, _port: found

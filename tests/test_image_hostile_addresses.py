"""Registries that lead inside: no private address is called, by whatever way."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import pytest

from checks.image.fetch import Bounds, Fetcher
from checks.image.reasons import Reason
from gpucompare.outside.fetch import Network
from gpucompare.outside.wire import Address
from tests import played_registry
from tests import provider_server as play
from tests import registry_images as images
from tests.hostile_registry import bounded
from tests.played_registry import NAME, PlayedRegistry, Reader, name, played, reader, trusting

registry = pytest.fixture(played)


def resolving(*addresses: str) -> Callable[[str, int], Sequence[Address]]:
    """A name server with these answers in turn, the last of them again and again."""
    left = [ipaddress.ip_address(address) for address in addresses]

    def resolve(_host: str, _port: int) -> Sequence[Address]:
        return [left.pop(0) if len(left) > 1 else left[0]]

    return resolve


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:{port}",
        "localhost:{port}",
        "[::1]:{port}",
        "169.254.169.254",
        "10.0.0.1:5000",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "017700000001:{port}",
        "[::ffff:7f00:1]:{port}",
        "[64:ff9b::7f00:1]",
    ],
)
def test_a_private_address_is_not_called(registry: PlayedRegistry, host: str) -> None:
    text = f"{host.format(port=registry.host.rpartition(':')[2])}/{NAME}"
    with bounded(5):
        assert Reader(Network()).reason(text) is Reason.ADDRESS_NOT_PUBLIC
    assert registry.asked() == []


def test_a_name_that_resolves_to_a_private_address_is_not_called(registry: PlayedRegistry) -> None:
    port = registry.host.rpartition(":")[2]
    network = Network(resolve=resolving("127.0.0.1"))
    assert Reader(network).reason(f"registry.example:{port}/x") is Reason.ADDRESS_NOT_PUBLIC
    assert registry.asked() == []


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("https://127.0.0.1:{port}/secret", Reason.ADDRESS_NOT_PUBLIC),
        ("https://169.254.169.254/latest/meta-data", Reason.ADDRESS_NOT_PUBLIC),
        ("https://2130706433:{port}/secret", Reason.ADDRESS_NOT_PUBLIC),
        ("https://[::1]:{port}/secret", Reason.ADDRESS_NOT_PUBLIC),
        ("http://169.254.169.254/latest/meta-data", Reason.NOT_HTTPS),
        ("http://example.com/", Reason.NOT_HTTPS),
        ("file:///etc/passwd", Reason.MALFORMED),
        ("gopher://127.0.0.1/", Reason.MALFORMED),
        ("https://user@127.0.0.1/", Reason.MALFORMED),
        ("https://127.0.0.1:99999/", Reason.MALFORMED),
        ("https://[/", Reason.MALFORMED),
        ("https://a..b.example/", Reason.UNREACHABLE),
        (f"https://{'a' * 70}.example/", Reason.UNREACHABLE),
    ],
)
@pytest.mark.parametrize("what", ["manifest", "configuration"])
def test_a_redirect_inside_is_refused(
    registry: PlayedRegistry, target: str, reason: Reason, what: str
) -> None:
    held = registry.hold(images.image())
    path = f"blobs/{held.blobs[0].digest}" if what == "configuration" else "manifests/latest"
    with play.running(played_registry.CERTIFICATE) as inside:
        registry.instead[path] = play.redirect(target.format(port=inside.url.rpartition(":")[2]))
        with bounded(5):
            assert reader(registry).reason(name(registry)) is reason
        assert inside.seen == []


def test_a_circle_of_redirects_ends(registry: PlayedRegistry) -> None:
    registry.instead["manifests/latest"] = play.redirect(f"/v2/{NAME}/manifests/latest")
    assert reader(registry).reason(name(registry)) is Reason.TOO_MANY_REDIRECTS
    assert len(registry.server.seen) == Bounds().redirects + 1


@pytest.mark.parametrize(
    ("realm", "reason"),
    [
        ("https://127.0.0.1:{port}/token", Reason.ADDRESS_NOT_PUBLIC),
        ("https://169.254.169.254/token", Reason.ADDRESS_NOT_PUBLIC),
        ("http://127.0.0.1:{port}/token", Reason.NOT_HTTPS),
        ("file:///etc/passwd", Reason.MALFORMED),
        ("/token", Reason.MALFORMED),
    ],
)
def test_a_realm_inside_is_refused(registry: PlayedRegistry, realm: str, reason: Reason) -> None:
    with play.running(played_registry.CERTIFICATE) as inside:
        address = realm.format(port=inside.url.rpartition(":")[2])
        challenge = {"WWW-Authenticate": f'Bearer realm="{address}",service="x"'}
        registry.instead["manifests/latest"] = play.status(401, challenge)
        assert reader(registry).reason(name(registry)) is reason
        assert inside.seen == []


def test_a_name_that_changes_between_two_calls_is_checked_again(
    registry: PlayedRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the client, the one public address leads to the registry of this machine."""
    registry.hold(images.image())
    dialled: list[str] = []
    connect = socket.create_connection

    def dial(address: tuple[str, int], *rest: Any) -> socket.socket:
        dialled.append(address[0])
        return connect(("127.0.0.1", address[1]), *rest)

    monkeypatch.setattr("gpucompare.outside.wire.socket.create_connection", dial)
    network = trusting(resolve=resolving("8.8.8.8", "127.0.0.1"))
    assert Reader(network).reason(name(registry)) is Reason.ADDRESS_NOT_PUBLIC
    assert dialled == ["8.8.8.8"]
    assert registry.asked() == ["HEAD manifests/latest"]


def test_the_connection_goes_to_the_address_that_was_checked(
    registry: PlayedRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the name server answers later, one call asks it once."""
    asked: list[str] = []

    def resolve(host: str, _port: int) -> Sequence[Address]:
        asked.append(host)
        return [ipaddress.ip_address("8.8.8.8")]

    def dial(address: tuple[str, int], *_rest: Any) -> socket.socket:
        raise ConnectionRefusedError(address[0])

    monkeypatch.setattr("gpucompare.outside.wire.socket.create_connection", dial)
    assert Reader(trusting(resolve=resolve)).reason(name(registry)) is Reason.UNREACHABLE
    assert asked == ["localhost"]


def test_a_name_server_that_never_answers_is_given_up() -> None:
    over = Event()

    def resolve(_host: str, _port: int) -> Sequence[Address]:
        over.wait(20)
        return []

    try:
        with bounded(3):
            quick = Reader(Network(resolve=resolve), Bounds(call_s=0.5))
            assert quick.reason("registry.example/x") is Reason.TIMEOUT
    finally:
        over.set()


def test_a_drip_instead_of_a_handshake_is_cut() -> None:
    """Each byte in time, of a greeting that would take a day."""
    over = Event()

    def drip(server: socket.socket) -> None:
        with server.accept()[0] as client, suppress(OSError):
            client.sendall(b"\x16\x03\x03\x40\x00")
            while not over.wait(0.2):
                client.sendall(b"\x02")

    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=drip, args=(server,), daemon=True).start()
        host = f"127.0.0.1:{server.getsockname()[1]}"
        with bounded(4):
            assert Fetcher(trusting(host)).scheme_of(host) == "http"
        over.set()

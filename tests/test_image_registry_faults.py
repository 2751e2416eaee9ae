"""What a registry does not give: each refusal has its reason, plain http is for allowed hosts."""

from __future__ import annotations

import socket
import time

import pytest

from checks.image.fetch import Fetcher
from checks.image.reasons import Reason, RegistryError
from gpucompare.outside.fetch import Network
from tests import played_registry
from tests import provider_server as play
from tests import registry_images as images
from tests.images import AMD
from tests.played_registry import NAME, PlayedRegistry, Reader, name, played, reader, trusting

registry = pytest.fixture(played)

# --- Plain http, for hosts that are allowed it ------------------------------------------


def test_an_allowed_registry_may_speak_plain_http() -> None:
    with played_registry.playing(certificate=None) as registry:
        registry.hold(images.image())
        assert Reader(trusting(registry.host)).read(name(registry)).platform == AMD


@pytest.mark.parametrize(
    ("named", "host", "port", "allows"),
    [
        ("Registry.LAN ", "registry.lan", 443, True),
        ("registry.lan:5000", "registry.lan", 443, False),
        ("registry.lan:5000", "registry.lan", 5000, True),
        ("registry.lan", "evil.registry.lan", 443, False),
        ("[::1]:5000", "::1", 5000, True),
        ("[::1]", "::1", 80, True),
    ],
)
def test_names_of_allowed_hosts_are_compared_as_hosts(
    named: str, host: str, port: int, allows: bool
) -> None:
    assert trusting(named).allows(host, port) is allows


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.1:{port}"])
def test_a_host_is_allowed_with_all_its_ports_or_with_one(allowed: str) -> None:
    with played_registry.playing(certificate=None) as registry:
        registry.hold(images.image())
        port = registry.host.partition(":")[2]
        network = trusting(allowed.format(port=port))
        assert Reader(network).read(name(registry)).platform == AMD
        assert Reader(trusting("127.0.0.1:1")).reason(name(registry)) is Reason.ADDRESS_NOT_PUBLIC


def test_a_plain_registry_that_waits_for_a_line_is_not_waited_for() -> None:
    """Instead of TLS's first bytes it wants a line of text, and does not find its end."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        fetcher, began = Fetcher(trusting(f"127.0.0.1:{port}")), time.monotonic()
        assert fetcher.scheme_of(f"127.0.0.1:{port}") == "http"
        assert time.monotonic() - began < 4


def test_a_registry_that_is_not_allowed_it_is_never_asked_in_plain_http(
    registry: PlayedRegistry,
) -> None:
    assert Fetcher(Network()).scheme_of(registry.host) == "https"
    assert Fetcher(trusting(registry.host)).scheme_of(registry.host) == "https"
    assert registry.asked() == []


def test_a_certificate_that_nobody_vouches_for_is_no_reason_for_plain_http(
    registry: PlayedRegistry,
) -> None:
    registry.hold(images.image())
    network = trusting(registry.host, ca_file="")
    assert Reader(network).reason(name(registry)) is Reason.BAD_TLS
    assert registry.asked() == []


# --- What it says when it does not ------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (401, b"", Reason.NOT_PUBLIC_OR_MISSING),
        (403, b'{"errors": [{"code": "DENIED"}]}', Reason.NOT_PUBLIC_OR_MISSING),
        (404, b'{"errors": [{"code": "NAME_UNKNOWN"}]}', Reason.NOT_PUBLIC_OR_MISSING),
        (404, b"<html>", Reason.NOT_PUBLIC_OR_MISSING),
        (404, b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}', Reason.NO_SUCH_TAG),
        (404, b'{"errors": [{"code": 7}, {}]}', Reason.NOT_PUBLIC_OR_MISSING),
        (400, b'{"errors": "none"}', Reason.REFUSED),
        (451, b"", Reason.REFUSED),
        (204, b"", Reason.MALFORMED),
        (500, b"", Reason.UNREACHABLE),
        (503, b"x" * 200_000, Reason.UNREACHABLE),
        (429, b"", Reason.THROTTLED),
        (400, b'{"errors": [{"code": "TOOMANYREQUESTS"}]}', Reason.THROTTLED),
    ],
)
def test_each_answer_without_success_has_its_reason(
    registry: PlayedRegistry, status: int, body: bytes, reason: Reason
) -> None:
    registry.instead["manifests/latest"] = lambda exchange: exchange.whole(status, body)
    assert reader(registry).reason(name(registry)) is reason


def test_a_registry_says_when_to_come_again(registry: PlayedRegistry) -> None:
    registry.instead["manifests/latest"] = play.throttled("77")
    with pytest.raises(RegistryError) as caught:
        reader(registry).read(name(registry))
    assert (caught.value.reason, caught.value.retry_after) == (Reason.THROTTLED, 77)
    assert registry.asked() == ["HEAD manifests/latest"]


@pytest.mark.parametrize(
    ("left", "reason"), [("0;w=21600", Reason.THROTTLED), ("1;w=21600", None), ("?", None)]
)
def test_the_last_pull_is_not_asked_for_in_vain(
    registry: PlayedRegistry, left: str, reason: Reason | None
) -> None:
    registry.hold(images.image())
    registry.headers["ratelimit-remaining"] = left
    if reason is None:
        assert reader(registry).read(name(registry)).platform == AMD
    else:
        assert reader(registry).reason(name(registry)) is reason
        assert registry.asked() == ["HEAD manifests/latest"]


def test_a_registry_that_is_away_is_unreachable() -> None:
    host = play.nobody().removeprefix("http://")
    assert Reader(trusting(host)).reason(f"{host}/{NAME}") is Reason.UNREACHABLE


def test_an_image_without_its_configuration_is_incomplete(registry: PlayedRegistry) -> None:
    held = registry.hold(images.image())
    del registry.blobs[held.blobs[0].digest]
    assert reader(registry).reason(name(registry)) is Reason.INCOMPLETE


def test_an_index_without_its_manifest_is_incomplete(registry: PlayedRegistry) -> None:
    inside = images.image()
    registry.hold(images.index(("linux/amd64", inside)))
    del registry.blobs[inside.top.digest]
    assert reader(registry).reason(name(registry)) is Reason.INCOMPLETE


@pytest.mark.parametrize(
    "old",
    [
        images.Blob(b'{"schemaVersion": 1, "fsLayers": []}', images.OLD),
        images.Blob(b'{"schemaVersion": 1, "fsLayers": []}', "application/json"),
    ],
)
def test_the_old_format_is_named(registry: PlayedRegistry, old: images.Blob) -> None:
    registry.hold(images.Image(old))
    assert reader(registry).reason(name(registry)) is Reason.OLD_FORMAT


@pytest.mark.parametrize(
    "platform", [("windows/amd64", images.image()), ("unknown/unknown", images.image())]
)
def test_an_index_without_linux_has_no_platform(
    registry: PlayedRegistry, platform: tuple[str, images.Image]
) -> None:
    registry.hold(images.index(platform))
    assert reader(registry).reason(name(registry)) is Reason.NO_PLATFORM


def test_an_attestation_itself_has_no_platform(registry: PlayedRegistry) -> None:
    beside, _entry = images.attestation(images.image())
    registry.hold(beside)
    assert reader(registry).reason(name(registry)) is Reason.NO_PLATFORM


def test_a_chart_is_no_image(registry: PlayedRegistry) -> None:
    chart = images.Blob(b"{}", "application/vnd.cncf.helm.config.v1+json")
    registry.hold(images.image(config=chart))
    assert reader(registry).reason(name(registry)) is Reason.NOT_AN_IMAGE

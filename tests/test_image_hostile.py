"""Registries that send harm: each is refused with its reason, in bounded time and memory."""

from __future__ import annotations

import time

import pytest

from checks.image.fetch import Bounds
from checks.image.reasons import Reason
from tests import provider_server as play
from tests import registry_images as images
from tests.hostile_registry import ANYWHERE, bounded, hostile
from tests.played_registry import PlayedRegistry, Reader, name, played, reader, trusting
from tests.provider_server import Answer, Exchange
from tests.registry_images import Blob

registry = pytest.fixture(played)


@pytest.mark.parametrize("where", ANYWHERE)
def test_an_endless_document_is_too_large(registry: PlayedRegistry, where: str) -> None:
    text = hostile(registry, where, play.endless)
    with bounded(10):
        assert reader(registry).reason(text) is Reason.TOO_LARGE


def test_a_document_that_promises_to_be_huge_is_not_begun(registry: PlayedRegistry) -> None:
    def huge(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Length": str(5 * 2**30)})
        exchange.over.wait(20)

    with bounded(3):
        assert reader(registry).reason(hostile(registry, "blobs", huge)) is Reason.TOO_LARGE


@pytest.mark.parametrize("answer", [play.drip, play.drip_of_headers, play.silence])
@pytest.mark.parametrize("where", ANYWHERE)
def test_a_drip_ends_with_the_time_for_a_document(
    registry: PlayedRegistry, where: str, answer: Answer
) -> None:
    text = hostile(registry, where, answer)
    slow = Reader(trusting(registry.host), Bounds(call_s=0.7))
    with bounded(4):
        assert slow.reason(text) is Reason.TIMEOUT


def test_all_documents_together_have_a_time_as_well(registry: PlayedRegistry) -> None:
    """Each answer is in time, and their sum is not."""

    def slowly(exchange: Exchange) -> None:
        time.sleep(0.3)
        registry.honest(exchange)

    inside = images.image()
    registry.hold(images.index(("linux/amd64", inside)))
    registry.server.always = slowly
    slow = Reader(trusting(registry.host), Bounds(call_s=5, read_s=1))
    with bounded(3):
        assert slow.reason(name(registry)) is Reason.TIMEOUT


def test_redirects_do_not_stretch_the_time_for_a_document(registry: PlayedRegistry) -> None:
    def slowly(exchange: Exchange) -> None:
        time.sleep(0.4)
        play.redirect(exchange.seen.path)(exchange)

    text = hostile(registry, "manifests/latest", slowly)
    slow = Reader(trusting(registry.host), Bounds(call_s=1))
    with bounded(3):
        assert slow.reason(text) is Reason.TIMEOUT


@pytest.mark.parametrize("answer", [play.gzip_bomb, play.bad_gzip])
@pytest.mark.parametrize("where", ANYWHERE)
def test_a_compressed_bomb_is_not_unpacked(
    registry: PlayedRegistry, where: str, answer: Answer
) -> None:
    text = hostile(registry, where, answer)
    with bounded(3, megabytes=8):
        assert reader(registry).reason(text) is Reason.MALFORMED


def test_an_index_of_a_hundred_thousand_entries_is_too_large(registry: PlayedRegistry) -> None:
    entry = images.image().top.pointer()
    registry.hold(images.Image(images.index_of([entry] * 100_000)))
    with bounded(5):
        assert reader(registry).reason(name(registry)) is Reason.TOO_LARGE


def test_a_million_entries_in_few_bytes_end_at_the_first(registry: PlayedRegistry) -> None:
    body = b'{"schemaVersion": 2, "manifests": [' + b"{}," * 1_300_000 + b"{}]}"
    registry.hold(images.Image(Blob(body, images.OCI_INDEX)))
    with bounded(5):
        assert reader(registry).reason(name(registry)) is Reason.MALFORMED


@pytest.mark.parametrize("count", [1000, 1001])
def test_an_index_has_at_most_a_thousand_entries(registry: PlayedRegistry, count: int) -> None:
    inside = images.image()
    entry = inside.top.pointer(platform={"os": "linux", "architecture": "amd64"})
    registry.hold(images.Image(images.index_of([entry] * count), images=(inside,)))
    with bounded(5):
        if count > 1000:
            assert reader(registry).reason(name(registry)) is Reason.TOO_LARGE
        else:
            assert reader(registry).read(name(registry)).digest == inside.top.digest


def test_an_index_that_refers_to_itself_ends(registry: PlayedRegistry) -> None:
    """It cannot hold its own digest; so it is sent for whatever digest it holds."""
    pretended = images.layer("an index to come")
    entry = pretended.pointer() | {"mediaType": images.OCI_INDEX}
    own = images.index_of([entry])
    registry.hold(images.Image(own))
    registry.blobs[pretended.digest] = own
    registry.instead[f"manifests/{pretended.digest}"] = play.body(
        own.body, {"Content-Type": images.OCI_INDEX, "Docker-Content-Digest": pretended.digest}
    )
    with bounded(5):
        assert reader(registry).reason(name(registry)) is Reason.DIGEST_MISMATCH
    assert len(registry.server.seen) == 3


def test_indexes_in_indexes_end(registry: PlayedRegistry) -> None:
    nested = images.index(("linux/amd64", images.image()))
    for _level in range(40):
        nested = images.Image(images.index_of([nested.top.pointer()]), images=(nested,))
    registry.hold(nested)
    with bounded(5):
        assert reader(registry).reason(name(registry)) is Reason.TOO_DEEP
    assert len(registry.server.seen) == 4

"""Nobody waits for a registry: what is known is told at once, and what is not is read aside."""

from __future__ import annotations

import time
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from checks.image import reading
from checks.image.reading import look, read_now
from checks.image.reasons import Reason, RegistryError
from checks.image.reference import parse
from checks.image.registry import Phase
from checks.models import ImageReading, RegistryDocument
from tests import provider_server as play
from tests import registry_images as images
from tests.played_registry import NAME, PlayedRegistry
from tests.provider_server import Exchange
from tests.reading_aside import age, looked, of, reading_registry, wait_for_the_pool

pytestmark = pytest.mark.django_db(transaction=True)
registry = pytest.fixture(reading_registry)

# --- Pending, then ready ----------------------------------------------------------------


def test_the_first_look_does_not_wait_and_a_later_one_has_the_record(
    registry: PlayedRegistry,
) -> None:
    go = Event()

    def slowly(exchange: Exchange) -> None:
        go.wait(10)
        registry.honest(exchange)

    held = registry.hold(images.index(("linux/amd64", images.image())))
    registry.instead["HEAD manifests/latest"] = slowly
    began = time.monotonic()
    first = look(of(registry))
    assert time.monotonic() - began < 1
    assert (first.state, first.phase, first.record) == ("pending", Phase.ASKING, None)
    go.set()
    last = looked(of(registry))
    assert (last.state, last.reason, last.phase) == ("ready", None, None)
    assert last.record
    assert last.record.index_digest == held.top.digest
    assert last.since == last.record.read_at
    assert timezone.now() - last.since < timedelta(seconds=20)


def test_a_look_tells_what_the_reading_is_at(registry: PlayedRegistry) -> None:
    held = registry.hold(images.image())
    go = Event()

    def slowly(exchange: Exchange) -> None:
        go.wait(10)
        registry.honest(exchange)

    registry.instead[f"blobs/{held.blobs[0].digest}"] = slowly
    look(of(registry))
    until = time.monotonic() + 10
    while look(of(registry)).phase is not Phase.CONFIG:
        assert time.monotonic() < until
        time.sleep(0.02)
    go.set()
    assert looked(of(registry)).state == "ready"


def test_a_known_image_is_told_without_the_registry(registry: PlayedRegistry) -> None:
    registry.hold(images.index(("linux/amd64", images.image())))
    read_now(of(registry))
    registry.server.seen.clear()
    with CaptureQueriesContext(connection) as queries:
        assert look(of(registry)).state == "ready"
    assert len(queries) == 4  # the reading, index, manifest, configuration
    assert registry.asked() == []


def test_a_command_waits_and_finds_what_pages_found(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    record = read_now(of(registry))
    assert look(of(registry)).record == record
    assert read_now(of(registry)) == record
    assert len(registry.asked()) == 3


# --- Old answers ------------------------------------------------------------------------


def test_a_tag_is_asked_for_again_after_a_quarter_of_an_hour(registry: PlayedRegistry) -> None:
    first = registry.hold(images.image("amd64"))
    read_now(of(registry))
    age(of(registry), minutes=14)
    assert look(of(registry)).state == "ready"
    moved = registry.hold(images.image("arm64"))
    age(of(registry), minutes=2)
    again = look(of(registry))
    assert again.state == "pending"
    assert again.record  # of the earlier reading, for a page to show meanwhile
    assert again.record.digest == first.top.digest
    last = looked(of(registry))
    assert last.record
    assert last.record.digest == moved.top.digest


def test_a_tag_that_did_not_move_is_good_again_without_a_pull(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    before = read_now(of(registry))
    age(of(registry), hours=1)
    registry.server.seen.clear()
    after = looked(of(registry))
    assert registry.asked() == ["HEAD manifests/latest"]
    assert after.record
    assert after.record.digest == before.digest
    assert after.record.read_at > before.read_at


def test_a_digest_is_never_asked_for_again(registry: PlayedRegistry) -> None:
    held = registry.hold(images.image())
    reference = parse(f"{registry.host}/{NAME}@{held.top.digest}")
    read_now(reference)
    age(reference, days=1000)
    assert look(reference).state == "ready"


def test_a_record_whose_documents_are_gone_is_read_anew(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    record = read_now(of(registry))
    RegistryDocument.objects.filter(digest=record.digest).delete()
    assert look(of(registry)).state == "pending"
    assert looked(of(registry)).record is not None


# --- Failures ---------------------------------------------------------------------------


def test_a_failure_is_told_and_not_tried_at_every_look(registry: PlayedRegistry) -> None:
    failed = looked(of(registry, "gone"))
    assert (failed.state, failed.reason) == ("failed", Reason.NO_SUCH_TAG)
    assert failed.retry_at
    assert timedelta(seconds=100) < failed.retry_at - timezone.now() <= timedelta(seconds=120)
    asked = len(registry.asked())
    assert look(of(registry, "gone")) == failed
    assert len(registry.asked()) == asked


def test_a_failure_is_tried_again_in_time_and_forgotten_by_success(
    registry: PlayedRegistry,
) -> None:
    looked(of(registry))
    registry.hold(images.image())
    age(of(registry), minutes=3)
    assert look(of(registry)).state == "pending"
    assert looked(of(registry)).state == "ready"
    row = ImageReading.objects.get()
    assert (row.reason, row.failed_at, row.lease_until) == ("", None, None)


def test_a_failure_keeps_what_was_known(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    record = read_now(of(registry))
    age(of(registry), hours=1)
    registry.instead["manifests/latest"] = play.status(503)
    failed = looked(of(registry))
    assert (failed.state, failed.reason) == ("failed", Reason.UNREACHABLE)
    assert failed.record
    assert failed.record.digest == record.digest
    assert timezone.now() - failed.record.read_at > timedelta(minutes=59)


def test_a_registry_that_asks_for_peace_is_left_alone_with_all_its_images(
    registry: PlayedRegistry,
) -> None:
    registry.server.always = play.throttled("1800")
    failed = looked(of(registry))
    assert failed.reason is Reason.THROTTLED
    registry.server.seen.clear()
    other = look(of(registry, "other"))
    assert (other.state, other.reason) == ("failed", Reason.THROTTLED)
    assert other.retry_at
    assert timedelta(minutes=29) < other.retry_at - timezone.now() <= timedelta(minutes=30)
    assert registry.asked() == []
    age(of(registry), minutes=31)
    registry.server.always = registry.answer
    registry.hold(images.image(), "other")
    assert looked(of(registry, "other")).state == "ready"


@pytest.mark.parametrize("answer", [play.status(503), play.throttled("1800")])
def test_a_failure_that_is_yet_to_come_holds_nobody_back(
    registry: PlayedRegistry, answer: play.Answer
) -> None:
    registry.server.always = answer
    assert looked(of(registry)).state == "failed"
    age(of(registry), hours=-25)
    registry.server.always = registry.answer
    registry.hold(images.image())
    assert looked(of(registry)).state == "ready"


def test_a_record_that_is_yet_to_come_is_read_anew(registry: PlayedRegistry) -> None:
    registry.hold(images.image("amd64"))
    read_now(of(registry))
    age(of(registry), hours=-25)
    moved = registry.hold(images.image("arm64"))
    last = looked(of(registry))
    assert last.record
    assert last.record.digest == moved.top.digest


def test_a_registry_cannot_ask_for_peace_for_ever(registry: PlayedRegistry) -> None:
    registry.server.always = play.throttled("99999999")
    failed = looked(of(registry))
    assert failed.retry_at
    assert failed.retry_at - timezone.now() <= timedelta(hours=1)


def test_a_command_hears_why_not(registry: PlayedRegistry) -> None:
    with pytest.raises(RegistryError) as caught:
        read_now(of(registry, "gone"))
    assert caught.value.reason is Reason.NO_SUCH_TAG
    with pytest.raises(RegistryError):  # and asks again when it is called again
        read_now(of(registry, "gone"))
    assert registry.asked().count("GET manifests/gone") == 2


def test_a_fault_of_ours_is_noted_and_told(
    registry: PlayedRegistry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_args: object) -> None:
        raise KeyError("a fault in our code")

    monkeypatch.setattr(reading, "record_of", broken)
    registry.hold(images.image())
    assert looked(of(registry)).reason is Reason.OUR_FAULT
    wait_for_the_pool()
    assert "a fault in our code" in caplog.text


def test_a_name_in_capitals_is_no_registry(registry: PlayedRegistry) -> None:
    told = look(parse("PyTorch/pytorch"))
    assert (told.state, told.reason) == ("failed", Reason.HOST_IS_A_WORD)
    assert not ImageReading.objects.exists()


def test_reading_can_be_turned_off(registry: PlayedRegistry, settings: Any) -> None:
    registry.hold(images.image())
    read_now(of(registry))
    settings.REGISTRY_READS = 0
    assert look(of(registry)).state == "ready"
    assert look(of(registry, "other")).reason is Reason.READING_IS_OFF
    with pytest.raises(RegistryError):
        read_now(of(registry, "other"))

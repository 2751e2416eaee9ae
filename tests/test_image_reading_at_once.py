"""Whoever asks for images at once: each is read once, and only so many are read at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection

from checks.image import reading
from checks.image.reading import look, read_now
from checks.image.reasons import Reason
from checks.image.reference import Reference
from checks.models import ImageReading
from tests import registry_images as images
from tests.played_registry import CERTIFICATE, PlayedRegistry
from tests.processes import ROOT
from tests.provider_server import Exchange
from tests.reading_aside import age, looked, of, reading_registry, wait_for_the_pool

pytestmark = pytest.mark.django_db(transaction=True)
registry = pytest.fixture(reading_registry)

CLIENT = "198.51.100.7"

# Reads an image as another process of the site would; says so just before.
_ANOTHER = """
import sys, django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[1]
from checks.image.reading import read_now
from checks.image.reference import parse
from django.utils import timezone
timezone.now(), connection.ensure_connection()
print("ready", flush=True)
sys.stdin.readline()
print(read_now(parse(sys.argv[2])).digest, flush=True)
"""

# --- One reading at a time --------------------------------------------------------------


def held_up(registry: PlayedRegistry) -> Event:
    """Hold an image whose registry answers only once the event is set."""
    registry.hold(images.image())
    go = Event()

    def slowly(exchange: Exchange) -> None:
        go.wait(15)
        registry.honest(exchange)

    registry.instead["HEAD manifests/latest"] = slowly
    return go


def test_threads_that_ask_at_once_read_once(registry: PlayedRegistry) -> None:
    go, gate = held_up(registry), threading.Barrier(8)

    def ask(_number: int) -> str:
        gate.wait()
        try:
            return look(of(registry)).state
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(ask, range(8)))
    assert set(states) == {"pending"}
    go.set()
    assert looked(of(registry)).state == "ready"
    assert registry.asked().count("HEAD manifests/latest") == 1


def another(reference: Reference, registry: PlayedRegistry) -> subprocess.Popen[str]:
    """Another process that is about to read the same image out of the same database."""
    process = subprocess.Popen(
        [sys.executable, "-c", _ANOTHER, str(connection.settings_dict["NAME"]), str(reference)],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "gpucompare.settings",
            "GPUCOMPARE_REGISTRY_ALLOW": registry.host,
            "GPUCOMPARE_REGISTRY_CA_FILE": str(CERTIFICATE),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def set_off(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()


def wait_until_it_asks(registry: PlayedRegistry) -> None:
    until = time.monotonic() + 20
    while not registry.asked():
        assert time.monotonic() < until, "nobody asked the registry"
        time.sleep(0.02)


def test_processes_that_ask_at_once_read_once(registry: PlayedRegistry) -> None:
    go = held_up(registry)
    processes = [another(of(registry), registry) for _ in range(2)]
    set_off(*processes)
    wait_until_it_asks(registry)
    assert look(of(registry)).state == "pending"
    time.sleep(0.3)
    go.set()
    told = {process.communicate(timeout=30)[0] for process in processes}
    assert told == {f"{registry.tags['latest']}\n"}
    assert registry.asked().count("HEAD manifests/latest") == 1


def test_a_reading_whose_process_was_killed_is_taken_over(registry: PlayedRegistry) -> None:
    go = held_up(registry)
    process = another(of(registry), registry)
    set_off(process)
    wait_until_it_asks(registry)
    process.kill()
    process.communicate()
    go.set()
    assert look(of(registry)).state == "pending"
    age(of(registry), seconds=34)
    assert look(of(registry)).state == "pending"
    assert len(registry.asked()) == 1  # until the lease is over, it is not known to be dead
    age(of(registry), seconds=2)
    assert looked(of(registry)).state == "ready"


def test_one_who_was_taken_for_dead_changes_nothing(registry: PlayedRegistry) -> None:
    """It comes back when another has read the image: what that one wrote stands."""
    go = held_up(registry)
    look(of(registry))
    wait_until_it_asks(registry)
    age(of(registry), seconds=36)
    del registry.instead["HEAD manifests/latest"]
    second = looked(of(registry))
    row = ImageReading.objects.get()
    go.set()
    wait_for_the_pool()
    assert ImageReading.objects.filter(turn=row.turn, read_at=second.since).exists()


# --- How much at a time -----------------------------------------------------------------


def test_a_full_pool_says_so_at_once(registry: PlayedRegistry, settings: Any) -> None:
    settings.REGISTRY_READS = 1
    go = held_up(registry)
    look(of(registry))
    began = time.monotonic()
    busy = look(of(registry, "other"))
    assert time.monotonic() - began < 1
    assert (busy.state, busy.reason) == ("failed", Reason.BUSY)
    assert look(of(registry)).state == "pending"
    go.set()
    assert looked(of(registry)).state == "ready"
    wait_for_the_pool()
    assert look(of(registry, "other")).state == "pending"  # it was not remembered as a failure


def test_a_failed_reading_leaves_the_pool(registry: PlayedRegistry, settings: Any) -> None:
    settings.REGISTRY_READS = 1
    for number in range(3):
        assert looked(of(registry, f"gone-{number}")).reason is Reason.NO_SUCH_TAG
        wait_for_the_pool()


def test_a_client_starts_so_many_readings_and_no_more(
    registry: PlayedRegistry, settings: Any
) -> None:
    settings.REGISTRY_RATE = "2/minute"
    registry.hold(images.image())
    read_now(of(registry))
    for number in range(2):
        assert look(of(registry, f"gone-{number}"), CLIENT).state == "pending"
    refused = look(of(registry, "gone-3"), CLIENT)
    assert (refused.state, refused.reason) == ("failed", Reason.TOO_MANY_READS)
    assert look(of(registry), CLIENT).state == "ready"  # what is known is free
    assert look(of(registry, "gone-3"), "198.51.100.8").state == "pending"


def test_a_system_without_threads_is_busy(
    registry: PlayedRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoThread:
        def __init__(self, **_options: object) -> None:
            raise RuntimeError("can't start new thread")

    registry.hold(images.image())
    with monkeypatch.context() as patched:
        patched.setattr(reading, "Thread", NoThread)
        assert look(of(registry)).reason is Reason.BUSY
    assert reading._pool.running == 0
    assert looked(of(registry)).state == "ready"

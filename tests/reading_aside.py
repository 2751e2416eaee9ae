"""What tests of reading images aside share: a registry of this machine, and time that passes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from checks.image import reading
from checks.image.reading import Reading, look
from checks.image.reference import Reference, parse
from checks.models import ImageReading, RegistryPause
from gpucompare.clients import forget_turns
from tests.played_registry import CERTIFICATE, NAME, PlayedRegistry, playing


def reading_registry(settings: Any) -> Iterator[PlayedRegistry]:
    """For a module's own fixture: a registry that the site may read, four images at a time."""
    with playing() as registry:
        settings.REGISTRY_READS = 4
        settings.REGISTRY_ALLOW = [registry.host]
        settings.REGISTRY_CA_FILE = str(CERTIFICATE)
        forget_turns()
        yield registry
        wait_for_the_pool()


def wait_for_the_pool() -> None:
    until = time.monotonic() + 20
    while reading._pool.running:
        assert time.monotonic() < until, "a reading does not end"
        time.sleep(0.01)


def of(registry: PlayedRegistry, tag: str = "latest") -> Reference:
    return parse(f"{registry.host}/{NAME}:{tag}")


def looked(reference: Reference) -> Reading:
    """What a page that asks again and again sees in the end."""
    until = time.monotonic() + 20
    while (seen := look(reference)).state == "pending":
        assert time.monotonic() < until, "it stays pending"
        time.sleep(0.02)
    return seen


def age(reference: Reference, **ago: int) -> None:
    """Make what is known of it as old as that, and what failed as well."""
    row, by = ImageReading.objects.get(pk=str(reference)), timedelta(**ago)
    for field in ("asked_at", "lease_until", "read_at", "failed_at", "retry_at"):
        if moment := getattr(row, field):
            setattr(row, field, moment - by)
    row.save()
    for pause in RegistryPause.objects.all():
        pause.until -= by
        pause.save()

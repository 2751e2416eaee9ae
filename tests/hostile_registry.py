"""What tests of registries that mean harm share: the harm, and the limits it meets."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

from tests import registry_images as images
from tests.played_registry import PlayedRegistry, name
from tests.provider_server import Answer

MEGABYTE = 2**20
ANYWHERE = ["manifests/latest", "blobs"]


@contextmanager
def bounded(seconds: float, megabytes: float = 24) -> Iterator[None]:
    """What is inside takes no more than that; the memory of the playing server counts as well."""
    tracemalloc.start()
    began = time.monotonic()
    try:
        yield
        assert time.monotonic() - began < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes * MEGABYTE
    finally:
        tracemalloc.stop()


def hostile(registry: PlayedRegistry, where: str, answer: Answer) -> str:
    """The name of an image whose manifest or configuration is answered so."""
    held = registry.hold(images.image())
    if where == "blobs":
        registry.instead[f"blobs/{held.blobs[0].digest}"] = answer
    else:
        registry.instead["manifests/latest"] = answer
        registry.instead[f"manifests/{held.top.digest}"] = answer
    return name(registry)

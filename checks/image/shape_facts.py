"""Facts of an image as what is pulled and started: platforms, size, user, what lies in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from checks.image.evidence import Evidence
from checks.image.fact import Fact, Key, Origin

_ROOT = frozenset({"root", "0"})
_LONGEST = 1000  # letters that anybody wants to read


def platforms(evidence: Evidence) -> Iterator[Fact]:
    offered = evidence.told.platforms
    for platform in offered:
        yield Fact(Key.PLATFORM, str(platform), Origin.INDEX)
    config = evidence.config
    if not offered and config.os and config.architecture:
        name = "/".join(filter(None, (config.os, config.architecture, config.variant)))
        yield Fact(Key.PLATFORM, name, Origin.CONFIG)


def size(evidence: Evidence) -> Iterator[Fact]:
    told = evidence.told
    layers = told.layers or ()
    count = len(layers) or told.layer_count
    if told.size is not None:
        yield Fact(Key.SIZE, told.size, Origin.LAYERS)
    if told.on_disk is not None:
        source = Origin.LAYERS if told.uncompressed is None else Origin.INSPECT
        yield Fact(Key.UNCOMPRESSED_SIZE, told.on_disk, source)
    if count:
        yield Fact(Key.LAYERS, count, Origin.LAYERS)
    if layers:
        yield Fact(Key.LARGEST_LAYER, max(layer.size for layer in layers), Origin.LAYERS)


def start(evidence: Evidence) -> Iterator[Fact]:
    """What the container starts, and as whom. An image that names no user starts as root."""
    config, told = evidence.config, evidence.told
    if config.user or (told.config is not None and told.whole and told.names_user):
        yield Fact(Key.USER, _shown(config.user or "root"), Origin.CONFIG)
    if config.entrypoint:
        yield Fact(Key.ENTRYPOINT, _line(config.entrypoint), Origin.CONFIG)
    if config.cmd:
        yield Fact(Key.CMD, _line(config.cmd), Origin.CONFIG)


def _line(words: tuple[str, ...]) -> str:
    """As one would type it; a lone word as it is."""
    return _shown(shlex.join(words) if len(words) > 1 else words[0])


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def is_root(user: str) -> bool:
    """Whether `user` of an image, with or without a group, is root."""
    return user.partition(":")[0].strip() in _ROOT | {""}


def contents(evidence: Evidence) -> Iterator[Fact]:
    """What should not lie in an image: parts of a driver, and models."""
    steps = [sized.step for sized in evidence.steps]
    for package in dict.fromkeys(name for step in steps for name in step.driver_packages):
        yield Fact(Key.DRIVER_PACKAGE, package, Origin.HISTORY)
    for how in dict.fromkeys(how for step in steps for how in step.weights):
        yield Fact(Key.WEIGHTS, how, Origin.HISTORY)
    large = [s for s in evidence.steps if s.step.copies and (s.size or 0) >= LARGE_COPY]
    if large and not any(step.weights for step in steps):
        yield Fact(Key.WEIGHTS, "large_copy", Origin.LAYERS)


# Bytes: source code and wheels that are copied stay far below; models do not.
LARGE_COPY = 2_000_000_000

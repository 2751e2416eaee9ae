"""The world as pages of an image see it: with verdicts to filter by, and one more order."""

from __future__ import annotations

from dataclasses import replace

from checks.start.beside import TOTAL
from gpucompare.cuda.answer import Standing
from providers.browse.kept import kept
from providers.browse.world import World


def read_world() -> World:
    """Four queries, unless nothing was written since."""
    return kept("world of images", lambda: with_verdicts(World.read()))


def with_verdicts(world: World) -> World:
    verdicts = tuple(standing.value for standing in Standing)
    return replace(world, vocabulary=replace(world.vocabulary, verdicts=verdicts, sorts=(TOTAL,)))

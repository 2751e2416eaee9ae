"""Everything that facts are drawn from, read once: environment, steps of the build, tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from checks.image.conventions import IMAGES_FILE, Promise, conventions
from checks.image.fact import Fact, Key, Origin
from checks.image.record import Config
from checks.image.reference import BadReferenceError, Reference, parse
from checks.image.steps import Step, StepReader
from checks.image.told import Told

TABLE = f"{Origin.TABLE}:{IMAGES_FILE.name}"


@dataclass(frozen=True)
class SizedStep:
    """A step and the bytes that its layer takes to pull; None where that is not known."""

    step: Step
    size: int | None


class Evidence:
    """What was told of one image, in the forms in which the readers of facts want it."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.config = told.config or Config()

    @cached_property
    def env(self) -> Mapping[str, str]:
        return self.config.environment

    @cached_property
    def reference(self) -> Reference | None:
        try:
            return parse(self.told.name)
        except BadReferenceError:
            return None

    @property
    def tag(self) -> str:
        return self.reference.tag if self.reference else ""

    @property
    def tag_source(self) -> str:
        """A tag of its own, or that of the image that a Dockerfile builds on."""
        return Origin.TAG if self.told.reference else Origin.FROM

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        if self.reference is None:
            return ()
        return conventions().promises(self.reference.name, self.reference.tag)

    @property
    def is_gate_read(self) -> bool:
        """Whether all that the image asks of a host was told: the base adds nothing unseen."""
        asks_nothing = any(fact.basis != "memory" for fact in self.promised(Key.REQUIRE, "gate"))
        return asks_nothing or (self.told.whole and self.told.config is not None)

    @cached_property
    def steps(self) -> tuple[SizedStep, ...]:
        """The steps of the build, the oldest first."""
        lines = self.config.history
        sizes = iter(self.told.layers or ())
        # One layer a step that makes one; if they do not pair up, no size is told.
        reader = StepReader()
        paired = sum(not line.empty_layer for line in lines) == len(self.told.layers or ())
        return tuple(
            SizedStep(
                reader.read(line.created_by, self.env),
                next(sizes).size if paired and not line.empty_layer else None,
            )
            for line in lines
        )

    def from_env(self, key: Key, *names: str, about: str = "") -> Iterator[Fact]:
        """A fact a variable that is set to something."""
        for name in names:
            if value := self.env.get(name, "").strip():
                yield Fact(key, value, f"{Origin.ENV}:{name}", about)

    def promised(self, key: Key, name: str, about: str = "") -> Iterator[Fact]:
        """What the tag says at the place `name`, and what the table says of all such images."""
        for promise in self.promises:
            row = promise.row
            if value := promise.in_tag.get(name):
                yield Fact(key, value, self.tag_source, about, row.basis)
            elif value := getattr(row, name, ""):
                yield Fact(key, value, TABLE, about, row.basis)

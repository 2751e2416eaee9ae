"""The shapes of a check. Keys do not change; texts are in the language of the request."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from checks.image.advice import AdviceKey
from checks.image.fact import Key
from checks.image.reasons import Reason
from checks.image.registry import Phase
from gpucompare.cuda.answer import Run, Share, Standing, Start
from providers.api.shapes import Match, Named, Price, Units


class Keyed(Schema):
    """A key, and what it says in words."""

    key: str
    text: str


class Condition(Keyed):
    """What the offering itself does to an image."""

    at_best: Standing = Field(description="The best that is left")
    dimension: str = Field(description="The dimension whose claims it rests on")
    claims: str = Field(description="Address of these claims, with source and day")


class StartAndRun(Schema):
    start: Start = Field(description="Whether the NVIDIA_REQUIRE gate lets the container start")
    run: Run = Field(description="Whether CUDA works once it has started")


class Verdict(Schema):
    """What is said of the image on a host, or on the hosts that one may get."""

    standing: Standing
    share: Share = Field(description="How many of the hosts that one may get run it")
    best: StartAndRun
    worst: StartAndRun
    reasons: list[Keyed]
    fixes: list[Keyed]
    missing: list[Keyed] = Field(description="The facts that would settle it")


class GpuStanding(Schema):
    """The GPUs of an offering of which the same is said."""

    gpu: str = Field(description="Slug of a model or family; empty where no table knows the name")
    name: str
    standing: Standing
    listings: int


class CheckedOffering(Verdict, Named):
    """An offering, by the best of its hosts."""

    match: Match = Field(description="Whether it matches the criteria or may match")
    unknown: list[str] = Field(description="The criteria that nobody can answer for it")
    conditions: list[Condition]
    listings: int = Field(description="Priced listings under the criteria")
    listings_alike: int = Field(description="Of these, how many stand as the offering does")
    gpus: list[GpuStanding]
    cheapest: Price | None = Field(description="The cheapest listing that stands so")


class Fact(Schema):
    """One fact, and where it was read."""

    key: Key
    about: str = Field(description="The framework or the variable; often empty")
    value: str | int
    text: str
    source: str = Field(description="Where it was read: env:CUDA_VERSION")
    basis: str = Field(description="documented, or less where a table says so")


class Advice(Schema):
    key: AdviceKey
    text: str


class ImageAnswer(Schema):
    """What was learnt of the image."""

    reference: str = Field(description="In full; empty for facts and pasted texts")
    pinned: str = Field(description="The digest that means this very image")
    base: str = Field(description="A Dockerfile's base, whose facts are not among these")
    read_at: datetime | None = Field(description="When the registry said so")
    facts: list[Fact]
    doubtful: list[Key] = Field(description="Keys of which facts disagree")
    advice: list[Advice]


class Reading(Schema):
    """Where the reading stands. Other than ready: the facts are those of an earlier reading."""

    state: Literal["ready", "pending", "failed"]
    since: datetime
    reason: Reason | None = None
    text: str = ""
    retry_at: datetime | None = None


class Count(Schema):
    offerings: int
    providers: int


class Counts(Schema):
    """Open offerings that match the criteria, by what is said of them."""

    runs: Count
    condition: Count
    unknown: Count
    fails: Count


class CheckAnswer(Schema):
    computed_at: datetime
    address: str = Field(description="The page that shows the same")
    criteria: str = Field(description="The criteria, as a query string in canonical form")
    units: Units
    image: ImageAnswer
    reading: Reading | None = Field(description="null for facts and pasted texts")
    host: Verdict | None = Field(description="The verdict on the host that was given")
    counts: Counts
    match: int
    may: int
    offerings: list[CheckedOffering] = Field(
        description="Best standing first; then the least to do, then the price"
    )


class PendingAnswer(Schema):
    """The registry is being read. Ask again at `location`."""

    state: Literal["pending"] = "pending"
    phase: Phase | None
    text: str
    since: datetime
    location: str

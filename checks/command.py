"""What `manage.py check_image` does: the API's answer, and how the command ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from django.utils import timezone
from pydantic import ValidationError

from checks import wording_image
from checks.api.answer import Answered, answer
from checks.api.check import judging_world
from checks.api.host import GivenHost, host_verdict
from checks.api.schemas import CheckAnswer
from checks.conditions import Asked
from checks.image.facts import facts_of
from checks.image.paste import LARGEST, PasteError, read_paste
from checks.image.reading import Reading, read_now
from checks.image.reasons import RegistryError
from checks.image.reference import BadReferenceError, parse
from checks.image.texts import FAULTS, REASONS
from checks.told_address import pairs_of
from checks.verdicts import check
from gpucompare.cuda.answer import Standing
from gpucompare.rest.problem import ProblemError
from gpucompare.snapshot import one_snapshot
from providers.browse.criteria import Criteria


class Outcome(IntEnum):
    """How the command ends."""

    RUNS = 0
    FAILS = 1
    UNREADABLE = 2
    UNKNOWN = 3


class Unreadable(Exception):  # noqa: N818 - an outcome, not a fault of the program
    """One line: what could not be read, and what to do."""


@dataclass(frozen=True)
class Asking:
    """What was asked on the command line."""

    reference: str
    offline: Path | None
    host: Mapping[str, str]


@dataclass(frozen=True)
class _Subject:
    asked: Asked
    pairs: tuple[tuple[str, str], ...]
    reading: Reading | None = None


def checked(asking: Asking) -> tuple[CheckAnswer, Outcome]:
    """Raises Unreadable."""
    host = _host(asking.host)
    subject = _pasted(asking.offline) if asking.offline else _read(asking.reference)
    with one_snapshot():
        answered = _answered(subject, host)
    return answered, _outcome(answered)


def _answered(subject: _Subject, host: GivenHost) -> CheckAnswer:
    world, now = judging_world(), timezone.now()
    try:
        verdict = host_verdict(subject.asked.facts.image, host, world, "--{}")
    except ProblemError as problem:
        (fault,) = problem.errors
        known = ", ".join(fault.allowed) or "none: run load_gpus"
        raise Unreadable(f"--gpu: no GPU is called {fault.value!r}; known: {known}") from None
    result = check(subject.asked, Criteria(beside=subject.pairs), world, now)
    found = Answered(subject.asked, result, subject.reading, verdict)
    return CheckAnswer.model_validate(answer(found, now))


def _outcome(found: CheckAnswer) -> Outcome:
    """A condition is something to do, not a reason why it cannot run."""
    standings = [found.host.standing] if found.host else [o.standing for o in found.offerings]
    if {Standing.RUNS, Standing.CONDITION} & set(standings):
        return Outcome.RUNS
    only_fails = standings and set(standings) == {Standing.FAILS}
    return Outcome.FAILS if only_fails else Outcome.UNKNOWN


def _host(told: Mapping[str, str]) -> GivenHost:
    try:
        return GivenHost(**told)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        example = {"driver": "550.54.15", "cuda": "12.4"}.get(str(name), "h100-sxm")
        raise Unreadable(f"--{name}: {told[str(name)]!r} is not such as {example}") from None


def _read(text: str) -> _Subject:
    if not text:
        raise Unreadable("name an image, such as pytorch/pytorch:latest, or a file by --offline")
    try:
        reference = parse(text)
    except BadReferenceError as fault:
        raise Unreadable(f"{text}: {FAULTS[fault.fault]}") from None
    try:
        record = read_now(reference)
    except RegistryError as fault:
        raise Unreadable(f"{reference.familiar}: {REASONS[fault.reason]}") from None
    asked = Asked(facts_of(record), reference.host, private=False)
    reading = Reading(reference, "ready", record.read_at, record)
    return _Subject(asked, (("image", reference.familiar),), reading)


def _pasted(path: Path) -> _Subject:
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1).decode("utf-8", "replace")
        facts = facts_of(read_paste(text))
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    except PasteError as fault:
        raise Unreadable(f"{path}: {wording_image.paste_text(fault)}") from None
    return _Subject(Asked(facts), pairs_of(facts))

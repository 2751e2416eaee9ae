"""Facts that a reader types in: `?cuda=12.8&framework=torch&release=2.8.0`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from checks.image import versions
from checks.image.fact import Fact, ImageFacts, Key, Origin
from checks.image.steps import FRAMEWORKS
from gpucompare.cuda.image import Build, Image

PARAMETERS = ("cuda", "framework", "release")

_ALIASES = {"pytorch": "torch", "tf": "tensorflow", "flash_attn": "flash-attn", "": ""}


class NoticeKey(StrEnum):
    CUDA_MALFORMED = "cuda_malformed"
    FRAMEWORK_UNKNOWN = "framework_unknown"
    RELEASE_MALFORMED = "release_malformed"
    RELEASE_WITHOUT_FRAMEWORK = "release_without_framework"


@dataclass(frozen=True)
class Notice:
    """A value that was not taken. The rest of the query holds."""

    key: NoticeKey
    value: str  # as it was typed, cut


@dataclass(frozen=True)
class ByHand:
    """What was typed in: facts where there are any, and a notice for each value not taken."""

    facts: ImageFacts | None
    notices: tuple[Notice, ...] = ()


def facts_by_hand(query: Mapping[str, str]) -> ByHand:
    """The facts of `query`; other parameters are left alone."""
    typed = {name: query.get(name, "").strip() for name in PARAMETERS}
    notices: list[Notice] = []

    def taken(name: str, value: str, key: NoticeKey) -> str:
        if typed[name] and not value:
            notices.append(Notice(key, typed[name][:40]))
        return value

    cuda = taken("cuda", _cuda(typed["cuda"]), NoticeKey.CUDA_MALFORMED)
    known = _framework(typed["framework"])
    framework = taken("framework", known, NoticeKey.FRAMEWORK_UNKNOWN)
    told = typed["release"].removeprefix("v")
    release = taken("release", versions.release(told), NoticeKey.RELEASE_MALFORMED)
    if release and not typed["framework"]:
        notices.append(Notice(NoticeKey.RELEASE_WITHOUT_FRAMEWORK, release))
    facts = tuple(_facts(cuda, framework, release))
    # A framework alone is no fact to show, but its own limits hold.
    found = _image_facts(facts, cuda, framework, release) if facts or framework else None
    return ByHand(found, tuple(notices))


def _cuda(text: str) -> str:
    """12.8, 12.8.1, cu128 or CUDA 12.8; a major alone says too little."""
    plain = text.lower().removeprefix("cuda").strip()
    return versions.cuda_version(plain) or versions.backend_cuda(plain)


def _framework(text: str) -> str:
    name = text.lower()
    name = _ALIASES.get(name, name)
    return name if name in FRAMEWORKS else ""


def _facts(cuda: str, framework: str, release: str) -> list[Fact]:
    facts = [Fact(Key.SOFTWARE, "cuda", Origin.HAND), Fact(Key.CUDA, cuda, Origin.HAND)]
    facts = facts if cuda else []
    if framework and release:
        facts.append(Fact(Key.FRAMEWORK, release, Origin.HAND, framework))
    if framework and cuda:
        facts.append(Fact(Key.FRAMEWORK_CUDA, versions.minor(cuda), Origin.HAND, framework))
    return facts


def _image_facts(facts: tuple[Fact, ...], cuda: str, framework: str, release: str) -> ImageFacts:
    builds = (Build(framework, release, versions.minor(cuda)),) if framework else ()
    return ImageFacts(Image(software="cuda" if cuda else "", cuda=cuda, builds=builds), facts)

"""What to do about an image before it is rented for: keys, each with the facts that are its reason.

Advice of the image itself and of the image at one offering stand apart: the latter takes the
offering's answers as a plain mapping of dimension to answer, where a missing one is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from checks.image.fact import Fact, ImageFacts, Key
from checks.image.reference import BadReferenceError, parse
from checks.image.shape_facts import is_root

# Bytes to pull. Layers are pulled beside each other but each is unpacked in one go, and one of
# them that is most of the image makes the whole start wait for it.
GIANT_LAYER = 4_000_000_000
_MOST_OF_IT = 0.5
_GB = 1_000_000_000


class AdviceKey(StrEnum):
    MOVING_TAG = "moving_tag"  # tag, pin
    DEVEL_BASE = "devel_base"
    DRIVER_PACKAGES = "driver_packages"  # packages
    WEIGHTS = "weights"  # how
    GIANT_LAYER = "giant_layer"  # size, share
    AMD64_ONLY = "amd64_only"
    ARM64_ONLY = "arm64_only"
    COMPAT_FORCED = "compat_forced"
    CUDA_DIFFERS = "cuda_differs"  # base, framework, built
    RUNS_AS_ROOT_THERE = "runs_as_root_there"  # user
    NOT_ROOT_THERE = "not_root_there"  # user
    ENTRYPOINT_REPLACED = "entrypoint_replaced"  # entrypoint
    TOO_LARGE = "too_large"  # size, limit
    MAYBE_TOO_LARGE = "maybe_too_large"  # size (unpacked), limit


@dataclass(frozen=True)
class Advice:
    """A key, and the facts that a text about it needs: sizes in bytes, names as they are."""

    key: AdviceKey
    about: Mapping[str, str | int] = field(default_factory=lambda: MappingProxyType({}))
    facts: tuple[Fact, ...] = ()  # where it comes from


def advice(facts: ImageFacts) -> tuple[Advice, ...]:
    """What holds for the image wherever it runs, the weightiest first."""
    return tuple(found for rule in _RULES for found in rule(facts))


def advice_at(facts: ImageFacts, answers: Mapping[str, Any]) -> tuple[Advice, ...]:
    """What holds for the image at an offering with these answers."""
    return tuple(found for rule in _RULES_AT for found in rule(facts, answers))


# --- Of the image ----------------------------------------------------------------------


def _driver_packages(facts: ImageFacts) -> Iterator[Advice]:
    found = _all(facts, Key.DRIVER_PACKAGE)
    if found:
        packages = ", ".join(str(fact.value) for fact in found)
        yield Advice(AdviceKey.DRIVER_PACKAGES, {"packages": packages}, found)


def _compat_forced(facts: ImageFacts) -> Iterator[Advice]:
    if facts.image.compat_forced:
        yield Advice(AdviceKey.COMPAT_FORCED, {}, facts.told(Key.COMPAT_FORCED))


def _platforms(facts: ImageFacts) -> Iterator[Advice]:
    found = _all(facts, Key.PLATFORM)
    if facts.image.platforms == {"amd64"}:
        yield Advice(AdviceKey.AMD64_ONLY, {}, found)
    if facts.image.platforms == {"arm64"}:
        yield Advice(AdviceKey.ARM64_ONLY, {}, found)


def _moving_tag(facts: ImageFacts) -> Iterator[Advice]:
    try:
        reference = parse(facts.reference)
    except BadReferenceError:
        return
    if reference.moves and facts.pinned:
        pin = f"{reference.familiar.removesuffix(':' + reference.tag)}@{facts.pinned}"
        yield Advice(AdviceKey.MOVING_TAG, {"tag": reference.tag, "pin": pin})


def _cuda_differs(facts: ImageFacts) -> Iterator[Advice]:
    """The toolkit below is of another major than the framework's: twice the size for nothing."""
    base = facts.first(Key.CUDA)
    for build in facts.image.builds:
        if base and build.cuda and _major(build.cuda) != _major(str(base.value)):
            about = {"base": base.value, "framework": build.name, "built": build.cuda}
            reasons = (base, *facts.told(Key.FRAMEWORK_CUDA, build.name))
            yield Advice(AdviceKey.CUDA_DIFFERS, about, reasons)


def _devel_base(facts: ImageFacts) -> Iterator[Advice]:
    base = facts.first(Key.BASE)
    if base and base.value == "devel":
        yield Advice(AdviceKey.DEVEL_BASE, {}, facts.told(Key.BASE))


def _weights(facts: ImageFacts) -> Iterator[Advice]:
    for fact in _all(facts, Key.WEIGHTS):
        yield Advice(AdviceKey.WEIGHTS, {"how": str(fact.value)}, (fact,))


def _giant_layer(facts: ImageFacts) -> Iterator[Advice]:
    largest, size = facts.first(Key.LARGEST_LAYER), facts.first(Key.SIZE)
    if not largest or not size:
        return
    share = int(largest.value) / max(int(size.value), 1)
    if int(largest.value) >= GIANT_LAYER and share >= _MOST_OF_IT:
        about = {"size": largest.value, "share": round(100 * min(share, 1))}
        yield Advice(AdviceKey.GIANT_LAYER, about, (largest, size))


_RULES: tuple[Callable[[ImageFacts], Iterator[Advice]], ...] = (
    _compat_forced,
    _driver_packages,
    _platforms,
    _moving_tag,
    _weights,
    _giant_layer,
    _cuda_differs,
    _devel_base,
)


# --- At an offering --------------------------------------------------------------------


def _user_at(facts: ImageFacts, answers: Mapping[str, Any]) -> Iterator[Advice]:
    user = facts.first(Key.USER)
    if user is None:
        return
    root = is_root(str(user.value))
    if answers.get("container_user") == "forced" and root:
        yield Advice(AdviceKey.NOT_ROOT_THERE, {"user": user.value}, (user,))
    if answers.get("container_user") == "root" and not root:
        yield Advice(AdviceKey.RUNS_AS_ROOT_THERE, {"user": user.value}, (user,))


def _entrypoint_at(facts: ImageFacts, answers: Mapping[str, Any]) -> Iterator[Advice]:
    """Where there is no daemon of one's own, SSH comes into the container in its place."""
    entrypoint = facts.first(Key.ENTRYPOINT)
    if entrypoint and answers.get("ssh") is True and answers.get("docker_daemon") == "none":
        about = {"entrypoint": entrypoint.value}
        yield Advice(AdviceKey.ENTRYPOINT_REPLACED, about, (entrypoint,))


def _size_at(facts: ImageFacts, answers: Mapping[str, Any]) -> Iterator[Advice]:
    """Limits seldom say whether they count packed or unpacked: only packed settles it."""
    limit = answers.get("max_image_gb")
    if limit is None:
        return
    bytes_ = int(Decimal(str(limit)) * _GB)
    packed, unpacked = facts.first(Key.SIZE), facts.first(Key.UNCOMPRESSED_SIZE)
    if packed and int(packed.value) > bytes_:
        yield Advice(AdviceKey.TOO_LARGE, {"size": packed.value, "limit": bytes_}, (packed,))
    elif unpacked and int(unpacked.value) > bytes_:
        about = {"size": unpacked.value, "limit": bytes_}
        yield Advice(AdviceKey.MAYBE_TOO_LARGE, about, (unpacked,))


_RULES_AT: tuple[Callable[[ImageFacts, Mapping[str, Any]], Iterator[Advice]], ...] = (
    _size_at,
    _user_at,
    _entrypoint_at,
)


def _all(facts: ImageFacts, key: Key) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts.facts if fact.key is key)


def _major(cuda: str) -> str:
    return cuda.partition(".")[0]

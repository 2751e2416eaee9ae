"""What an offering itself does to an image, whatever its hosts: keys, each with its standing.

A condition rests on one claim, named by its dimension: a page links to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from checks.image.advice import Advice, AdviceKey, advice_at
from checks.image.fact import ImageFacts
from gpucompare.cuda.answer import Standing
from providers.browse.judge import Truth, judge_answer
from providers.dimensions import DIMENSIONS
from providers.models import Offering


class Condition(StrEnum):
    # the image itself
    CURATED_ONLY = "curated_only"
    IMAGE_CONTRACT = "image_contract"
    OWN_REGISTRY = "own_registry"
    OWN_IMAGE_UNKNOWN = "own_image_unknown"
    # where it comes from
    REGISTRY_NOT_TAKEN = "registry_not_taken"
    NO_CREDENTIALS = "no_credentials"
    CREDENTIALS_UNKNOWN = "credentials_unknown"
    CREDENTIALS_NEEDED = "credentials_needed"
    TAKEN_IF_PRIVATE = "taken_if_private"
    REFUSED_IF_PRIVATE = "refused_if_private"
    # the GPU in the container
    NO_GPU = "no_gpu"
    GPU_BY_HAND = "gpu_by_hand"
    GPU_UNKNOWN = "gpu_unknown"
    # its size and its user
    TOO_LARGE = "too_large"
    MAYBE_TOO_LARGE = "maybe_too_large"
    NOT_ROOT = "not_root"
    AS_ROOT = "as_root"
    ENTRYPOINT_REPLACED = "entrypoint_replaced"


@dataclass(frozen=True)
class Found:
    """A condition of one offering: the best that it can still be, and the claim it rests on."""

    key: Condition
    at_best: Standing
    dimension: str


@dataclass(frozen=True)
class Asked:
    """What of an image an offering may care about."""

    facts: ImageFacts
    host: str = ""  # the registry that it comes from; empty when it was not named
    private: bool | None = None  # None: not known whether a pull needs credentials


def conditions(asked: Asked, offering: Offering) -> tuple[Found, ...]:
    return tuple(found for rule in _RULES for found in rule(asked, offering))


_OWN_IMAGE = {
    "curated_only": Found(Condition.CURATED_ONLY, Standing.FAILS, "custom_image"),
    "contract": Found(Condition.IMAGE_CONTRACT, Standing.CONDITION, "custom_image"),
    "own_registry": Found(Condition.OWN_REGISTRY, Standing.CONDITION, "custom_image"),
    None: Found(Condition.OWN_IMAGE_UNKNOWN, Standing.UNKNOWN, "custom_image"),
}
_GPU = {
    "none": Found(Condition.NO_GPU, Standing.FAILS, "gpu_passthrough"),
    "manual": Found(Condition.GPU_BY_HAND, Standing.CONDITION, "gpu_passthrough"),
    None: Found(Condition.GPU_UNKNOWN, Standing.UNKNOWN, "gpu_passthrough"),
}
_CREDENTIALS = {
    True: Found(Condition.CREDENTIALS_NEEDED, Standing.CONDITION, "registry_auth"),
    False: Found(Condition.NO_CREDENTIALS, Standing.FAILS, "registry_auth"),
    None: Found(Condition.CREDENTIALS_UNKNOWN, Standing.UNKNOWN, "registry_auth"),
}


def _own_image(asked: Asked, offering: Offering) -> Iterator[Found]:
    if found := _OWN_IMAGE.get(offering.answer("custom_image")):
        yield found


def _registry(asked: Asked, offering: Offering) -> Iterator[Found]:
    # Whoever takes images from its own registry only has said so already.
    if not asked.host or offering.answer("custom_image") in ("own_registry", "curated_only"):
        return
    taken = judge_answer(DIMENSIONS["registries"], offering.answer("registries"), (asked.host,))
    if taken is Truth.NO:
        yield Found(Condition.REGISTRY_NOT_TAKEN, Standing.CONDITION, "registries")


def _credentials(asked: Asked, offering: Offering) -> Iterator[Found]:
    if asked.private is False:
        return
    ways = offering.answer("registry_auth")
    answer = None if ways is None else ways != ["no"]
    if asked.private:
        yield _CREDENTIALS[answer]
    elif answer is not None:
        key = Condition.TAKEN_IF_PRIVATE if answer else Condition.REFUSED_IF_PRIVATE
        yield Found(key, Standing.RUNS, "registry_auth")


def _gpu(asked: Asked, offering: Offering) -> Iterator[Found]:
    found = _GPU.get(offering.answer("gpu_passthrough"))
    if found and asked.facts.image.software != "cpu":
        yield found


_ADVISED = {
    AdviceKey.TOO_LARGE: Found(Condition.TOO_LARGE, Standing.FAILS, "max_image_gb"),
    AdviceKey.MAYBE_TOO_LARGE: Found(Condition.MAYBE_TOO_LARGE, Standing.UNKNOWN, "max_image_gb"),
    AdviceKey.NOT_ROOT_THERE: Found(Condition.NOT_ROOT, Standing.CONDITION, "container_user"),
    # These two are for reading: they keep no container from starting.
    AdviceKey.RUNS_AS_ROOT_THERE: Found(Condition.AS_ROOT, Standing.RUNS, "container_user"),
    AdviceKey.ENTRYPOINT_REPLACED: Found(Condition.ENTRYPOINT_REPLACED, Standing.RUNS, "ssh"),
}
_ANSWERS = ("max_image_gb", "container_user", "ssh", "docker_daemon")


def _advised(asked: Asked, offering: Offering) -> Iterator[Found]:
    answers = {key: offering.answer(key) for key in _ANSWERS}
    yield from (_ADVISED[advice.key] for advice in _advice(asked, answers))


def _advice(asked: Asked, answers: dict[str, object]) -> Iterator[Advice]:
    return (one for one in advice_at(asked.facts, answers) if one.key in _ADVISED)


_RULES: tuple[Callable[[Asked, Offering], Iterator[Found]], ...] = (
    _own_image,
    _registry,
    _credentials,
    _gpu,
    _advised,
)

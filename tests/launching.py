"""Offerings as plain data, for tests of launching."""

from __future__ import annotations

import shlex
from typing import Any

from checks import launch
from checks.launch import Answer, Offering, Options, Recipe

IMAGE = "ghcr.io/me/train:1"
ELSEWHERE = "some/where"  # an offering that no row names

# What a virtual machine with Docker answers, and what a container cloud does.
MACHINE: dict[str, Any] = {
    "access_modes": ["docker_daemon"],
    "custom_image": "any",
    "docker_daemon": "root",
    "docker_preinstalled": "yes",
    "gpu_passthrough": "preinstalled",
    "multi_container": "compose",
    "registry_auth": ["docker_login"],
    "container_user": "any",
}
POD: dict[str, Any] = {
    "access_modes": ["bring_your_own_image"],
    "custom_image": "any",
    "docker_daemon": "none",
    "gpu_passthrough": "automatic",
    "multi_container": "single",
    "registry_auth": ["stored_credentials"],
    "container_user": "any",
}
CLUSTER = {**POD, "multi_container": "kubernetes"}
CONTRACT = {**POD, "custom_image": "contract"}


def offering(key: str, answers: dict[str, Any], **changed: Any) -> Offering:
    """`changed` answers replace those of `answers`; None takes one away."""
    provider, _slash, slug = key.partition("/")
    known = {name: value for name, value in {**answers, **changed}.items() if value is not None}
    return Offering(provider, slug, {name: Answer(value) for name, value in known.items()})


def by_key(
    key: str, answers: dict[str, Any], gpu: str = "h100-sxm", count: int = 1, **options: Any
) -> dict[str, Recipe]:
    """The recipes for an offering, by their keys."""
    found = launch.recipes(IMAGE, offering(key, answers), gpu, count, Options(**options))
    return {recipe.key: recipe for recipe in found}


def recipe(key: str, at: str, answers: dict[str, Any], **options: Any) -> Recipe:
    return by_key(at, answers, **options)[key]


def words_of(text: str) -> list[str]:
    """The words of a command, its continued lines joined; for texts without a line feed inside."""
    return shlex.split(text.replace("\\\n", " "))


# Every recipe there is, at an offering that gets it.
PLACES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (ELSEWHERE, MACHINE, {}),
    (ELSEWHERE, MACHINE, {"device": "cdi"}),
    (ELSEWHERE, MACHINE, {"device": "rocm"}),
    (ELSEWHERE, MACHINE, {"runtime": "podman"}),
    (ELSEWHERE, CLUSTER, {}),
    (ELSEWHERE, CLUSTER, {"device": "rocm"}),
    *((key, POD, {}) for key in (
        "runpod/pods", "vast-ai/docker-instances", "shadeform/instances", "cloudrift/containers",
        "koyeb/services", "huggingface/jobs", "nebius/serverless-ai", "lium/pods",
    )),
    *((key, CONTRACT, {}) for key in (
        "runpod/serverless", "huggingface/spaces-docker", "ovhcloud/ai-training",
    )),
    ("lambda/on-demand", MACHINE, {}),
    ("verda/instances", MACHINE, {}),
]  # fmt: skip


def every_recipe(**options: Any) -> list[Recipe]:
    found: dict[str, Recipe] = {}
    for key, answers, own in PLACES:
        found |= by_key(key, answers, **{**own, **options})
    return list(found.values())

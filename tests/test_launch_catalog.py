"""Every offering of the catalog: what it gets is honest about what its claims leave open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from checks import launch
from checks.launch import Answer, Caution, Kind, Offering, Options, Recipe
from providers.catalog.files import read_directory
from tests.launching import IMAGE

RICH = Options(command=("python", "a b.py"), private=True, spot=True, min_cuda="12.8", disk_gb=80)


def answer(claims: Any) -> Answer:
    """One claim or several; where they differ they stand for a contradiction, the hardest case."""
    every = claims if isinstance(claims, list) else [claims]
    first = every[0]
    if any(claim["value"] != first["value"] for claim in every):
        return Answer(None, contradicted=True)
    return Answer(first["value"], first["source"], first["basis"])


def offerings() -> list[Offering]:
    found = []
    for file in read_directory(Path(settings.CATALOG_DIR)):
        for each in file.data["offerings"]:
            answers = {key: answer(claims) for key, claims in each.get("claims", {}).items()}
            if modes := each.get("access_modes"):
                answers["access_modes"] = Answer(modes)
            found.append(Offering(file.data["slug"], each["slug"], answers))
    return found


OFFERINGS = {each.key: each for each in offerings()}
EVERY_OFFERING = pytest.mark.parametrize("offering", OFFERINGS.values(), ids=lambda each: each.key)


def kinds(found: tuple[Recipe, ...]) -> set[Kind]:
    return {recipe.kind for recipe in found}


@EVERY_OFFERING
def test_an_offering_gets_recipes_that_name_their_doubts(offering: Offering) -> None:
    for gpu in ("h100-sxm", "mi300x", "rtx-4090", ""):
        for chosen in (Options(), RICH):
            for recipe in launch.recipes(IMAGE, offering, gpu, 2, chosen):
                assert recipe.text.strip()
                open_ones = {key for key in recipe.unknown if key != "gpu"}
                assert all(offering.value(key) is None for key in open_ones)
                assert "<" not in recipe.text.replace(IMAGE, "")


@EVERY_OFFERING
def test_what_is_ruled_out_by_a_claim_is_not_offered(offering: Offering) -> None:
    found = kinds(launch.recipes(IMAGE, offering, "h100-sxm"))
    if offering.value("docker_daemon") == "none":
        assert not found & {Kind.DOCKER_RUN, Kind.COMPOSE}
    if offering.value("multi_container") not in (None, "compose"):
        assert Kind.COMPOSE not in found
    if offering.value("custom_image") == "curated_only":
        assert not found & {Kind.PROVIDER_CLI, Kind.SKYPILOT, Kind.DSTACK, Kind.DOCKERFILE}
    if offering.value("registry_auth") == ["no"]:
        assert launch.recipes(IMAGE, offering, "h100-sxm", 1, Options(private=True)) == ()


@EVERY_OFFERING
def test_the_seven_checks_split_into_known_and_open(offering: Offering) -> None:
    checks = launch.preflight(offering.answers)
    assert len(checks) == 7
    for check in checks:
        known = offering.value(check.dimension) is not None
        assert known == (check.state == "known")
        assert known == bool(check.source)
        assert not (known and check.settle)


def test_a_machine_with_root_and_a_gpu_always_gets_docker_run() -> None:
    for offering in OFFERINGS.values():
        root = offering.value("docker_daemon") == "root"
        if root and offering.value("gpu_passthrough") in ("preinstalled", "automatic", "manual"):
            assert Kind.DOCKER_RUN in kinds(launch.recipes(IMAGE, offering, "h100-sxm"))


def test_most_offerings_get_something() -> None:
    """Those that do not are pods and notebooks whose start nobody documents as a command."""
    without = {
        key for key, each in OFFERINGS.items() if not launch.recipes(IMAGE, each, "h100-sxm")
    }
    assert len(without) < len(OFFERINGS) / 2
    assert {"google-colab/hosted-runtime", "kaggle/notebooks"} <= without
    assert not {"runpod/pods", "vast-ai/docker-instances", "lambda/on-demand"} & without


@pytest.mark.parametrize(
    ("key", "first"),
    [
        ("runpod/pods", "runpod-pod"),
        ("vast-ai/docker-instances", "vast-instance"),
        ("shadeform/instances", "shadeform-instance"),
        ("lambda/on-demand", "lambda-machine"),
        ("verda/instances", "verda-machine"),
        ("cloudrift/containers", "cloudrift-container"),
        ("koyeb/services", "koyeb-service"),
        ("huggingface/jobs", "hf-job"),
        ("nebius/serverless-ai", "nebius-job"),
        ("ovhcloud/ai-training", "ovhai-job"),
        ("lium/pods", "lium-pod"),
        ("runpod/serverless", "runpod-serverless-dockerfile"),
        ("huggingface/spaces-docker", "hf-space-dockerfile"),
        ("ovhcloud/ai-deploy", "ovhai-dockerfile"),
        ("thunder-compute/instances", "docker-run-cdi"),
        ("digitalocean/gpu-droplets", "docker-run"),
        ("aws/eks", "kubernetes"),
    ],
)
def test_the_first_recipe_is_the_nearest_one(key: str, first: str) -> None:
    assert launch.recipes(IMAGE, OFFERINGS[key], "h100-sxm")[0].key == first


def test_thunder_s_docker_runs_inside_of_docker_and_says_so() -> None:
    (found,) = launch.recipes(IMAGE, OFFERINGS["thunder-compute/instances"], "h100-sxm")
    assert Caution.DAEMON_NESTED in found.warnings


def test_hot_aisle_s_cards_are_given_as_amd_wants_it() -> None:
    found = launch.recipes(IMAGE, OFFERINGS["hot-aisle/virtual-machines"], "mi300x", 8)
    keys = [recipe.key for recipe in found]
    assert keys == ["docker-run-rocm", "compose-rocm", "dstack"]

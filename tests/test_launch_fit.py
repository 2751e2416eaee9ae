"""Which recipes an offering gets, by its answers; what is not known is a doubt, never a no."""

from __future__ import annotations

from typing import Any

import pytest

from checks import launch
from checks.launch import Caution, Kind, Options
from tests.launching import CLUSTER, ELSEWHERE, IMAGE, MACHINE, POD, by_key, offering, recipe


def kinds(key: str, answers: dict[str, Any], **changed: Any) -> set[Kind]:
    found = launch.recipes(IMAGE, offering(key, answers, **changed), "h100-sxm")
    return {recipe.kind for recipe in found}


# --- Machines, pods and clusters -------------------------------------------------


def test_a_machine_with_a_daemon_gets_docker_and_compose() -> None:
    assert kinds(ELSEWHERE, MACHINE) == {Kind.DOCKER_RUN, Kind.COMPOSE}


def test_a_pod_that_nobody_documents_gets_nothing() -> None:
    assert kinds(ELSEWHERE, POD) == set()


def test_a_cluster_gets_a_manifest() -> None:
    assert kinds(ELSEWHERE, CLUSTER) == {Kind.KUBERNETES}


def test_a_provider_with_a_command_line_gets_it_first() -> None:
    found = launch.recipes(IMAGE, offering("runpod/pods", POD), "h100-sxm")
    assert [recipe.key for recipe in found] == ["runpod-pod", "skypilot", "dstack"]


def test_a_provider_s_own_command_is_for_that_offering_only() -> None:
    assert "runpod-pod" not in by_key("runpod/instant-clusters", POD)


def test_a_machine_is_started_first_and_the_container_then() -> None:
    found = by_key("lambda/on-demand", MACHINE)
    assert list(found)[:2] == ["lambda-machine", "docker-run"]
    assert Caution.STARTS_MACHINE in found["lambda-machine"].warnings
    assert "image" not in found["lambda-machine"].text


def test_an_engine_that_takes_no_image_runs_docker_on_its_machine() -> None:
    found = by_key("verda/instances", MACHINE)
    assert "skypilot" not in found
    assert "docker run" in found["skypilot-docker-run"].text
    assert "skypilot-docker-run" not in by_key("aws/ec2-dlami", MACHINE)


def test_an_engine_that_cannot_name_the_gpu_gets_no_file() -> None:
    """Any other file would start, and bill, another GPU."""
    assert {"skypilot", "dstack"} <= set(by_key("runpod/pods", POD))
    without = by_key("runpod/pods", POD, gpu="gaudi-2")
    assert set(without) == {"runpod-pod", "dstack"} - {"dstack"}
    assert {"skypilot", "dstack"} & set(by_key("runpod/pods", POD, gpu="")) == set()


# --- What an answer rules out ----------------------------------------------------


@pytest.mark.parametrize(
    ("dimension", "value", "gone"),
    [
        ("docker_daemon", "none", {Kind.DOCKER_RUN, Kind.COMPOSE}),
        ("gpu_passthrough", "none", {Kind.DOCKER_RUN, Kind.COMPOSE}),
        ("multi_container", "single", {Kind.COMPOSE}),
        ("multi_container", "sidecars", {Kind.COMPOSE}),
    ],
)
def test_an_answer_takes_what_cannot_work(dimension: str, value: str, gone: set[Kind]) -> None:
    assert kinds(ELSEWHERE, MACHINE) - kinds(ELSEWHERE, MACHINE, **{dimension: value}) == gone


@pytest.mark.parametrize(
    ("dimension", "value"),
    [
        ("custom_image", "curated_only"),
        ("gpu_passthrough", "none"),
        ("access_modes", ["base_image"]),
    ],
)
def test_a_pod_that_takes_no_image_of_yours_gets_no_command(dimension: str, value: object) -> None:
    assert kinds("runpod/pods", POD, **{dimension: value}) == set()


def test_a_private_image_cannot_start_where_no_login_is_possible() -> None:
    public_only = {**POD, "registry_auth": ["no"]}
    assert by_key("runpod/pods", public_only) != {}
    assert by_key("runpod/pods", public_only, private=True) == {}


def test_one_good_member_of_a_set_is_enough() -> None:
    ways = {**POD, "access_modes": ["base_image", "bring_your_own_image"]}
    assert "runpod-pod" in by_key("runpod/pods", ways)


# --- What is to know -------------------------------------------------------------


@pytest.mark.parametrize(
    ("dimension", "value", "caution"),
    [
        ("docker_daemon", "rootless", Caution.DAEMON_ROOTLESS),
        ("docker_daemon", "nested", Caution.DAEMON_NESTED),
        ("gpu_passthrough", "manual", Caution.INSTALL_TOOLKIT),
        ("docker_preinstalled", "no", Caution.INSTALL_DOCKER),
        ("docker_preinstalled", "some_images", Caution.DOCKER_ON_SOME_IMAGES),
    ],
)
def test_a_machine_that_is_not_ready_says_what_is_missing(
    dimension: str, value: str, caution: Caution
) -> None:
    ready = recipe("docker-run", ELSEWHERE, MACHINE)
    assert ready.warnings == ()
    assert recipe("docker-run", ELSEWHERE, {**MACHINE, dimension: value}).warnings == (caution,)


@pytest.mark.parametrize(
    ("dimension", "value", "caution"),
    [
        ("custom_image", "contract", Caution.IMAGE_CONTRACT),
        ("custom_image", "own_registry", Caution.OWN_REGISTRY_ONLY),
        ("container_user", "root", Caution.USER_ROOT),
        ("container_user", "forced", Caution.USER_FORCED),
    ],
)
def test_a_pod_with_rules_says_which(dimension: str, value: str, caution: Caution) -> None:
    assert caution in recipe("runpod-pod", "runpod/pods", {**POD, dimension: value}).warnings
    assert caution not in recipe("runpod-pod", "runpod/pods", POD).warnings


def test_a_contract_gets_a_dockerfile_and_any_image_does_not() -> None:
    contract = {**POD, "custom_image": "contract", "container_user": "forced"}
    found = by_key("ovhcloud/ai-training", contract)["ovhai-dockerfile"]
    assert found.kind is Kind.DOCKERFILE
    assert Caution.USER_FORCED in found.warnings
    assert "42420" in found.text
    assert "ovhai-dockerfile" not in by_key("ovhcloud/ai-training", POD)


# --- What is not known -----------------------------------------------------------


@pytest.mark.parametrize("open_one", ["docker_daemon", "gpu_passthrough"])
def test_an_open_answer_keeps_the_recipe_and_is_named(open_one: str) -> None:
    answers = {name: value for name, value in MACHINE.items() if name != open_one}
    found = recipe("docker-run", ELSEWHERE, answers)
    assert found.unknown == (open_one,)
    assert found.may_not_work


def test_what_is_all_known_has_no_doubt() -> None:
    found = recipe("docker-run", ELSEWHERE, MACHINE)
    assert not found.may_not_work
    assert found.unknown == ()


def test_an_offering_that_nobody_has_read_gets_all_that_it_may_take() -> None:
    found = launch.recipes(IMAGE, offering(ELSEWHERE, {}), "h100-sxm")
    assert {recipe.kind for recipe in found} == {Kind.DOCKER_RUN, Kind.COMPOSE, Kind.KUBERNETES}
    assert all(recipe.may_not_work for recipe in found)


def test_a_contradiction_is_not_known() -> None:
    contradicted = launch.Answer(None, contradicted=True)
    answers = {**offering(ELSEWHERE, MACHINE).answers, "docker_daemon": contradicted}
    found = launch.recipes(IMAGE, launch.Offering("some", "where", answers), "h100-sxm")
    assert found[0].unknown == ("docker_daemon",)


def test_ways_in_without_a_daemon_settle_an_open_question() -> None:
    """The three ways in are told as a whole: a daemon that is not among them is not there."""
    answers = {**POD, "docker_daemon": None, "multi_container": None}
    assert Kind.DOCKER_RUN not in kinds(ELSEWHERE, answers)
    both = {**answers, "access_modes": ["bring_your_own_image", "docker_daemon"]}
    assert Kind.DOCKER_RUN in kinds(ELSEWHERE, both)


def test_a_known_daemon_is_believed_whatever_the_ways_in_are() -> None:
    nested = {**POD, "docker_daemon": "nested"}
    assert Caution.DAEMON_NESTED in recipe("docker-run", ELSEWHERE, nested).warnings


def test_a_machine_of_which_compose_is_not_known_is_no_cluster() -> None:
    answers = {name: value for name, value in MACHINE.items() if name != "multi_container"}
    found = by_key(ELSEWHERE, answers)
    assert set(found) == {"docker-run", "compose"}
    assert found["compose"].unknown == ("multi_container",)


def test_a_doubt_about_the_login_is_there_for_a_private_image_only() -> None:
    answers = {name: value for name, value in MACHINE.items() if name != "registry_auth"}
    assert recipe("docker-run", ELSEWHERE, answers).unknown == ()
    assert recipe("docker-run", ELSEWHERE, answers, private=True).unknown == ("registry_auth",)


def test_the_user_of_a_daemon_of_yours_is_the_image_s_own() -> None:
    answers = {name: value for name, value in MACHINE.items() if name != "container_user"}
    assert recipe("docker-run", ELSEWHERE, answers).unknown == ()
    pod = {name: value for name, value in POD.items() if name != "container_user"}
    assert recipe("runpod-pod", "runpod/pods", pod).unknown == ("container_user",)


# --- Devices ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gpu", "options", "key"),
    [
        ("h100-sxm", {}, "docker-run"),
        ("rtx-4090", {"device": "cdi"}, "docker-run-cdi"),
        ("rtx-4090", {"runtime": "podman"}, "podman-run"),
        ("rtx-4090", {"runtime": "podman", "device": "cdi"}, "podman-run"),
        ("mi300x", {}, "docker-run-rocm"),
        ("mi300x", {"device": "gpus"}, "docker-run"),
    ],
)
def test_the_gpu_is_passed_as_its_host_wants_it(
    gpu: str, options: dict[str, Any], key: str
) -> None:
    found = launch.recipes(IMAGE, offering(ELSEWHERE, MACHINE), gpu, 1, Options(**options))
    assert [r.key for r in found if r.kind is Kind.DOCKER_RUN] == [key]


def test_a_host_that_knows_only_cdi_gets_it() -> None:
    found = by_key("thunder-compute/instances", {**MACHINE, "multi_container": "single"})
    assert "--device nvidia.com/gpu=all" in found["docker-run-cdi"].text
    assert "docker-run" not in found


def test_podman_says_what_it_needs() -> None:
    found = recipe("podman-run", ELSEWHERE, MACHINE, runtime="podman")
    assert Caution.NEEDS_CDI in found.warnings


def test_an_amd_cluster_asks_for_amd_gpus() -> None:
    found = by_key(ELSEWHERE, CLUSTER, gpu="mi300x")
    assert list(found) == ["kubernetes-amd"]
    assert "amd.com/gpu: 1" in found["kubernetes-amd"].text


def test_a_gpu_without_a_documented_syntax_gets_no_command() -> None:
    assert by_key(ELSEWHERE, MACHINE, gpu="gaudi-2") == {}


def test_a_gpu_that_is_not_chosen_is_taken_for_nvidia_s_and_named_as_a_doubt() -> None:
    found = by_key(ELSEWHERE, MACHINE, gpu="")["docker-run"]
    assert "--gpus all" in found.text
    assert found.unknown == ("gpu",)


def test_a_gpu_that_is_not_in_the_table_is_a_doubt_too() -> None:
    assert by_key(ELSEWHERE, MACHINE, gpu="gpu-of-tomorrow")["docker-run"].unknown == ("gpu",)


@pytest.mark.parametrize(("family", "key"), [("h100", "docker-run"), ("a100", "docker-run")])
def test_a_family_is_enough_to_know_the_syntax(family: str, key: str) -> None:
    assert by_key(ELSEWHERE, MACHINE, gpu=family)[key].unknown == ()

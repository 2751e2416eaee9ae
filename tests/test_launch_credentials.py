"""Recipes for a private image: where the credential goes, and that no value of it is written."""

from __future__ import annotations

import yaml

from checks import launch
from checks.launch import Caution, Credential, Options, Way
from tests.launching import (
    CLUSTER,
    ELSEWHERE,
    MACHINE,
    POD,
    by_key,
    every_recipe,
    offering,
    recipe,
    words_of,
)


def test_no_recipe_mentions_a_credential_that_nobody_asked_for() -> None:
    for found in every_recipe():
        assert found.credential is None, found.key
        assert found.first == ""
        assert "REGISTRY" not in found.text + found.then


def test_every_recipe_for_a_private_image_says_where_the_credential_goes() -> None:
    for found in every_recipe(private=True):
        machine_only = Caution.STARTS_MACHINE in found.warnings
        shown = found.credential is not None
        assert shown or machine_only or Caution.CREDENTIAL_NOT_SHOWN in found.warnings, found.key


def test_a_credential_is_a_variable_never_a_value() -> None:
    for found in every_recipe(private=True):
        for variable in found.credential.variables if found.credential else ():
            assert variable in found.first + found.text + found.then
            assert variable not in found.to_set


def test_docker_logs_in_first_and_the_token_is_in_no_list_of_processes() -> None:
    found = recipe("docker-run", ELSEWHERE, MACHINE, private=True)
    assert found.credential == Credential(Way.DOCKER_LOGIN, ("REGISTRY_TOKEN", "REGISTRY_USER"))
    assert "--password-stdin ghcr.io" in found.first
    assert "printf" in found.first


def test_a_cluster_gets_a_secret_that_its_pod_names() -> None:
    found = recipe("kubernetes", ELSEWHERE, CLUSTER, private=True)
    spec = yaml.safe_load(found.text)["spec"]
    (secret,) = spec["imagePullSecrets"]
    assert words_of(found.first)[4] == secret["name"]
    assert found.credential is not None
    assert found.credential.way is Way.PULL_SECRET


def test_docker_hub_has_a_name_of_its_own_in_a_cluster() -> None:
    found = launch.recipes("me/train", offering(ELSEWHERE, CLUSTER), "t4", 1, Options(private=True))
    assert "--docker-server=https://index.docker.io/v1/" in found[0].first


def test_an_engine_gets_the_credential_when_the_job_is_started() -> None:
    found = by_key("runpod/pods", POD, private=True)
    task = yaml.safe_load(found["skypilot"].text)
    # SkyPilot refuses them when they are split between envs and secrets.
    assert task["secrets"] == {
        "SKYPILOT_DOCKER_USERNAME": None,
        "SKYPILOT_DOCKER_PASSWORD": None,
        "SKYPILOT_DOCKER_SERVER": "ghcr.io",
    }
    assert "envs" not in task
    assert "--secret SKYPILOT_DOCKER_PASSWORD" in found["skypilot"].then
    job = yaml.safe_load(found["dstack"].text)
    assert job["env"] == ["REGISTRY_USER", "REGISTRY_TOKEN"]
    assert job["registry_auth"]["password"] == "${{ env.REGISTRY_TOKEN }}"


def test_an_engine_that_runs_docker_logs_in_on_the_machine() -> None:
    task = yaml.safe_load(
        by_key("verda/instances", MACHINE, private=True)["skypilot-docker-run"].text
    )
    assert "docker login" in task["setup"]
    assert task["secrets"] == {"REGISTRY_USER": None, "REGISTRY_TOKEN": None}


def test_runpod_stores_the_credential_before_and_gives_its_id() -> None:
    found = recipe("runpod-pod", "runpod/pods", POD, private=True)
    assert found.first.startswith("runpodctl registry create")
    assert '--registry-auth-id "$RUNPOD_REGISTRY_AUTH_ID"' in found.text
    assert found.to_set == ("RUNPOD_REGISTRY_AUTH_ID",)


def test_a_command_that_looks_like_a_variable_is_nothing_to_set() -> None:
    found = recipe("docker-run", ELSEWHERE, MACHINE, command=("$MINE", "$REGISTRY_TOKEN"))
    assert found.to_set == ()
    assert found.credential is None

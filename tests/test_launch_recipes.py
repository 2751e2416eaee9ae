"""What the recipes say: texts, job files, what is left to set and what a text leaves out."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from checks import launch
from checks.launch import Caution, Kind, Language, Options
from checks.launch.shelf import read_templates
from tests.launching import (
    CLUSTER,
    CONTRACT,
    ELSEWHERE,
    IMAGE,
    MACHINE,
    POD,
    by_key,
    every_recipe,
    offering,
    recipe,
    words_of,
)


def test_the_places_of_these_tests_get_every_template() -> None:
    assert {r.key for r in every_recipe()} == {row.key for row in read_templates()}


# --- Texts ------------------------------------------------------------------------


def test_docker_run_is_the_line_that_everyone_knows() -> None:
    assert words_of(recipe("docker-run", ELSEWHERE, MACHINE).text) == [
        "docker", "run", "--rm", "--gpus", "all", IMAGE,
    ]  # fmt: skip


def test_a_command_of_yours_stands_behind_the_image() -> None:
    found = recipe("docker-run", ELSEWHERE, MACHINE, command=("python", "-c", "print('a b')"))
    assert words_of(found.text)[-4:] == [IMAGE, "python", "-c", "print('a b')"]


def test_podman_gets_the_whole_name_because_it_guesses_no_registry() -> None:
    found = launch.recipes(
        "ubuntu", offering(ELSEWHERE, MACHINE), "t4", 1, Options(runtime="podman")
    )
    assert words_of(found[0].text)[-1] == "docker.io/library/ubuntu:latest"


def test_docker_gets_the_short_name_that_people_write() -> None:
    found = launch.recipes("docker.io/vllm/vllm-openai:v1", offering(ELSEWHERE, MACHINE), "t4")
    assert words_of(found[0].text)[-1] == "vllm/vllm-openai:v1"


def test_compose_reserves_the_gpus() -> None:
    found = by_key(ELSEWHERE, MACHINE, count=2, command=("serve", "--all"))["compose"]
    service = yaml.safe_load(found.text)["services"]["app"]
    assert service["image"] == IMAGE
    assert service["command"] == ["serve", "--all"]
    assert service["deploy"]["resources"]["reservations"]["devices"] == [
        {"driver": "nvidia", "count": 2, "capabilities": ["gpu"]}
    ]
    assert found.then == "docker compose --file compose.yaml up"


def test_compose_without_a_command_leaves_the_image_s_own() -> None:
    service = yaml.safe_load(recipe("compose", ELSEWHERE, MACHINE).text)["services"]["app"]
    assert "command" not in service


def test_a_dollar_of_a_command_is_no_variable_of_compose_or_kubernetes() -> None:
    command = ("sh", "-c", "echo $HOME ${A} $(b) $$")
    compose = yaml.safe_load(recipe("compose", ELSEWHERE, MACHINE, command=command).text)
    pod = yaml.safe_load(recipe("kubernetes", ELSEWHERE, CLUSTER, command=command).text)
    doubled = ["sh", "-c", "echo $$HOME $${A} $$(b) $$$$"]
    assert compose["services"]["app"]["command"] == doubled
    assert pod["spec"]["containers"][0]["args"] == doubled


def test_a_pod_asks_for_the_number_of_gpus_and_says_that_the_model_is_open() -> None:
    found = by_key(ELSEWHERE, CLUSTER, count=4)["kubernetes"]
    spec = yaml.safe_load(found.text)["spec"]
    assert spec["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": 4}}
    assert "imagePullSecrets" not in spec
    assert Caution.GPU_MODEL_OPEN in found.warnings


def test_runpod_gets_its_own_name_of_the_gpu() -> None:
    words = words_of(by_key("runpod/pods", POD, count=2, min_cuda="12.8")["runpod-pod"].text)
    assert words[:3] == ["runpodctl", "pod", "create"]
    for option, value in {
        "--image": IMAGE,
        "--gpu-id": "NVIDIA H100 80GB HBM3",
        "--gpu-count": "2",
        "--min-cuda-version": "12.8",
    }.items():
        assert words[words.index(option) + 1] == value


def test_a_gpu_without_a_name_there_is_left_to_the_reader() -> None:
    found = by_key("runpod/pods", POD, gpu="")["runpod-pod"]
    assert '--gpu-id "$RUNPOD_GPU_ID"' in found.text
    assert "RUNPOD_GPU_ID" in found.to_set


VAST = "vast-ai/docker-instances"


def test_vast_searches_an_offer_first_and_takes_the_one_that_is_chosen() -> None:
    found = recipe("vast-instance", VAST, POD)
    search, create = found.text.split("\nvastai create", 1)
    assert words_of(search) == ["vastai", "search", "offers", "gpu_name=H100_SXM num_gpus=1"]
    assert "$VAST_OFFER_ID" in create
    assert found.to_set == ("VAST_OFFER_ID",)


def test_an_offer_of_a_listing_needs_no_search() -> None:
    found = recipe("vast-instance", VAST, POD, offer="384826", min_cuda="12.8")
    assert words_of(found.text)[:4] == ["vastai", "create", "instance", "384826"]
    assert found.to_set == ()
    assert Caution.MIN_CUDA_NOT_PASSED in found.warnings


def test_a_search_asks_for_hosts_with_a_driver_that_is_new_enough() -> None:
    found = recipe("vast-instance", VAST, POD, min_cuda="12.8")
    assert "'gpu_name=H100_SXM num_gpus=1 cuda_vers>=12.8'" in found.text
    assert Caution.MIN_CUDA_NOT_PASSED not in found.warnings


def test_an_interruptible_instance_is_searched_and_bid_for() -> None:
    found = recipe("vast-instance", VAST, POD, spot=True)
    assert "--type=bid" in found.text
    assert '--bid_price "$VAST_BID_PRICE"' in found.text
    assert "VAST_BID_PRICE" in found.to_set
    assert Caution.SPOT_NOT_PASSED not in found.warnings


def test_vast_leaves_the_image_s_own_command_only_if_args_stand_last() -> None:
    """Without them its command line starts an SSH server in place of the image's entrypoint."""
    assert words_of(recipe("vast-instance", VAST, POD, private=True).text)[-1] == "--args"
    found = recipe("vast-instance", VAST, POD, command=("a", "-b", "c d"))
    assert words_of(found.text)[-4:] == ["--args", "a", "-b", "c d"]


def test_cloudrift_takes_every_word_by_itself_also_one_with_a_dash() -> None:
    found = recipe("cloudrift-container", "cloudrift/containers", POD, command=("sh", "-c", "a b"))
    words = words_of(found.text)
    assert words[-3:] == ["--docker-command=sh", "--docker-command=-c", "--docker-command=a b"]


def test_an_api_gets_json_with_what_the_listing_knows() -> None:
    found = recipe(
        "shadeform-instance",
        "shadeform/instances",
        MACHINE,
        cloud="massedcompute",
        region="us-central-2",
        instance_type="A6000",
    )
    body = json.loads(words_of(found.text)[-1])
    assert body["cloud"] == "massedcompute"
    assert body["region"] == "us-central-2"
    assert body["shade_instance_type"] == "A6000"
    assert body["launch_configuration"]["docker_configuration"] == {"image": IMAGE}
    assert found.to_set == ("SHADEFORM_API_KEY",)


def test_what_the_listing_does_not_know_is_a_word_in_capitals() -> None:
    found = recipe("lambda-machine", "lambda/on-demand", MACHINE)
    body = json.loads(words_of(found.text)[-1])
    assert body["region_name"] == "REGION"
    assert found.to_set == ("LAMBDA_API_KEY", "REGION", "INSTANCE_TYPE", "SSH_KEY_NAME")


def test_a_spot_machine_is_asked_for_where_the_api_can() -> None:
    body = json.loads(words_of(recipe("verda-machine", "verda/instances", MACHINE).text)[-1])
    assert "is_spot" not in body
    spot = recipe("verda-machine", "verda/instances", MACHINE, spot=True)
    assert json.loads(words_of(spot.text)[-1])["is_spot"] is True


def test_a_dockerfile_begins_with_the_image_and_ends_with_the_command() -> None:
    found = recipe(
        "ovhai-dockerfile", "ovhcloud/ai-training", CONTRACT, command=("python", "a b.py")
    )
    lines = found.text.splitlines()
    assert lines[0] == f"FROM {IMAGE}"
    assert lines[-1] == 'CMD ["python", "a b.py"]'
    assert words_of(found.then.splitlines()[-1]) == ["docker", "push", "$YOUR_IMAGE"]
    assert found.to_set == ("YOUR_IMAGE",)


def test_a_path_of_the_image_is_nothing_for_the_reader_to_set() -> None:
    found = recipe("hf-space-dockerfile", "huggingface/spaces-docker", CONTRACT)
    assert "$PATH" in found.text
    assert found.to_set == ()


# --- Job files of engines ---------------------------------------------------------


def test_skypilot_gets_the_name_that_the_cloud_has_there() -> None:
    found = by_key("runpod/pods", POD, count=2, spot=True)["skypilot"]
    resources = yaml.safe_load(found.text)["resources"]
    assert resources == {
        "infra": "runpod",
        "accelerators": {"H100-SXM": 2},
        "image_id": f"docker:{IMAGE}",
        "use_spot": True,
    }
    assert Caution.GPU_FORM_OPEN not in found.warnings


def test_a_name_that_leaves_the_form_open_is_said_to_do_so() -> None:
    found = by_key("lambda/on-demand", MACHINE)["skypilot"]
    assert yaml.safe_load(found.text)["resources"]["accelerators"] == {"H100": 1}
    assert Caution.GPU_FORM_OPEN in found.warnings


def test_skypilot_runs_docker_where_it_takes_no_image() -> None:
    found = by_key("verda/instances", MACHINE, command=("serve",))["skypilot-docker-run"]
    task = yaml.safe_load(found.text)
    assert words_of(task["run"])[-2:] == [IMAGE, "serve"]
    assert "image_id" not in task["resources"]


def test_dstack_gets_the_memory_where_a_name_has_two() -> None:
    found = by_key("runpod/pods", POD, gpu="a100-sxm-80gb", command=("echo", "a b"))["dstack"]
    task = yaml.safe_load(found.text)
    assert task["resources"]["gpu"] == {"name": "A100", "memory": "80GB", "count": 1}
    assert task["backends"] == ["runpod"]
    assert task["commands"] == ["echo 'a b'"]
    assert task["spot_policy"] == "on-demand"


# --- What a text leaves out -------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "at", "options", "caution"),
    [
        ("koyeb-service", "koyeb/services", {"command": ("a",)}, Caution.COMMAND_NOT_PASSED),
        ("lium-pod", "lium/pods", {"min_cuda": "12.8"}, Caution.MIN_CUDA_NOT_PASSED),
        ("lium-pod", "lium/pods", {"disk_gb": 100}, Caution.DISK_NOT_PASSED),
        ("runpod-pod", "runpod/pods", {"spot": True}, Caution.SPOT_NOT_PASSED),
        ("nebius-job", "nebius/serverless-ai", {"private": True}, Caution.CREDENTIAL_NOT_SHOWN),
    ],
)
def test_what_a_command_cannot_pass_on_is_said(
    key: str, at: str, options: dict[str, Any], caution: Caution
) -> None:
    assert caution not in recipe(key, at, POD).warnings
    assert caution in recipe(key, at, POD, **options).warnings


def test_what_a_command_passes_on_needs_no_warning() -> None:
    found = recipe(
        "runpod-pod", "runpod/pods", POD, command=("a",), min_cuda="12.8", disk_gb=80, private=True
    )
    assert found.warnings == ()
    assert "--container-disk-in-gb 80" in found.text


def test_a_machine_s_command_is_that_of_the_container_later() -> None:
    found = recipe("lambda-machine", "lambda/on-demand", MACHINE, command=("a",), spot=True)
    assert found.warnings == (Caution.STARTS_MACHINE, Caution.SPOT_NOT_PASSED)


# --- Sources and order ------------------------------------------------------------


def test_every_recipe_says_what_it_follows() -> None:
    for found in every_recipe():
        assert found.source.startswith("https://")
        assert found.basis in ("documented", "derived")


def test_recipes_come_in_the_order_of_their_kinds() -> None:
    order = list(Kind)
    found = launch.recipes(IMAGE, offering("verda/instances", MACHINE), "h100-sxm")
    places = [order.index(recipe.kind) for recipe in found]
    assert places == sorted(places)


def test_the_same_question_has_the_same_answer() -> None:
    assert every_recipe(private=True) == every_recipe(private=True)


def test_every_language_has_been_met() -> None:
    assert {found.language for found in every_recipe()} == set(Language)

"""No image and no command breaks out of a recipe."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from checks import launch
from checks.image.reference import BadReferenceError
from tests.launching import (
    CONTRACT,
    ELSEWHERE,
    IMAGE,
    MACHINE,
    POD,
    by_key,
    offering,
    recipe,
    words_of,
)

HOSTILE_IMAGES = [
    "$(id)/x",
    "x;id",
    "x`id`",
    "x' --privileged '",
    'x" --privileged "',
    "x\n- injected",
    "x\nRUN id",
    "--privileged",
    "-v/:/host",
    "x #",
    "x: y",
    "{x}",
    "<image>",
    "${{ env.TOKEN }}",
    "../../etc/passwd",
    "x\\",
    "x\u202ey",
    "x\x00",
]


@pytest.mark.parametrize("image", HOSTILE_IMAGES)
def test_a_hostile_image_is_refused_before_anything_is_written(image: str) -> None:
    with pytest.raises(BadReferenceError):
        launch.recipes(image, offering(ELSEWHERE, MACHINE), "h100-sxm")


PRINTABLE = st.text(
    st.characters(
        exclude_categories=["Cc", "Cs", "Zl", "Zp"],
        exclude_characters="\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    )
)
COMMANDS = st.lists(PRINTABLE, min_size=1, max_size=4).map(tuple)


@given(COMMANDS)
def test_a_hostile_command_stays_the_command_of_docker(command: tuple[str, ...]) -> None:
    found = recipe("docker-run", ELSEWHERE, MACHINE, command=command)
    head, _image, tail = found.text.partition(f"{IMAGE} \\\n")
    assert words_of(head) == ["docker", "run", "--rm", "--gpus", "all"]
    assert shlex.split(tail) == list(command)


@given(COMMANDS)
def test_a_hostile_command_stays_the_command_of_compose(command: tuple[str, ...]) -> None:
    plain = yaml.safe_load(recipe("compose", ELSEWHERE, MACHINE, command=("x",)).text)
    found = yaml.safe_load(recipe("compose", ELSEWHERE, MACHINE, command=command).text)
    words = found["services"]["app"].pop("command")
    assert [word.replace("$$", "$") for word in words] == list(command)
    plain["services"]["app"].pop("command")
    assert found == plain


@given(COMMANDS)
def test_a_hostile_command_stays_the_command_of_an_engine(command: tuple[str, ...]) -> None:
    found = by_key("runpod/pods", POD, command=command)
    assert shlex.split(yaml.safe_load(found["skypilot"].text)["run"]) == list(command)
    (line,) = yaml.safe_load(found["dstack"].text)["commands"]
    assert shlex.split(line) == list(command)


@given(COMMANDS)
def test_a_hostile_command_stays_the_command_of_a_dockerfile(command: tuple[str, ...]) -> None:
    found = recipe("ovhai-dockerfile", "ovhcloud/ai-training", CONTRACT, command=command)
    *above, last = found.text.rstrip("\n").split("\n")
    assert len(above) == 5
    assert json.loads(last.removeprefix("CMD ")) == list(command)


@given(COMMANDS)
def test_a_hostile_command_stays_a_value_of_an_api(command: tuple[str, ...]) -> None:
    found = recipe("shadeform-instance", "shadeform/instances", MACHINE, command=command)
    quoted = found.text.partition("--data ")[2]
    (body,) = shlex.split(quoted)
    docker = json.loads(body)["launch_configuration"]["docker_configuration"]
    assert docker["image"] == IMAGE
    assert shlex.split(docker["args"]) == list(command)

"""ShellCheck reads every shell line that a recipe hands out, and every command of a look."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from checks.launch import Kind, Language, Recipe
from providers.dimensions import DIMENSIONS
from tests.launching import every_recipe

SHELLCHECK = Path(sys.executable).with_name("shellcheck")
# An image and words that would show any missing quote.
HARD = ("sh", "-c", "echo \"$HOME\" 'a b' * | tee \\ `id`; # !", "", "*", "~", "--", "é")


def faults(script: str) -> str:
    """What ShellCheck says about a script for a POSIX shell; empty when it is content."""
    done = subprocess.run(
        [SHELLCHECK, "--shell=sh", "--severity=style", "--format=gcc", "-"],
        input=f"{script}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def shell_of(recipe: Recipe) -> list[str]:
    texts = [recipe.first, recipe.then]
    if recipe.language is Language.SHELL:
        texts.append(recipe.text)
    if recipe.kind is Kind.SKYPILOT:
        task = yaml.safe_load(recipe.text)
        texts += [task.get("setup", ""), task.get("run", "")]
    return [text for text in texts if text]


def content(script: str) -> bool:
    # SC2016 wonders at a dollar in single quotes: there it is a value, as it should be.
    return set(codes(script)) <= {"SC2016"}


def codes(script: str) -> list[str]:
    return [line.rpartition("[")[2].rstrip("]") for line in faults(script).splitlines()]


def test_it_sees_a_fault() -> None:
    assert codes("runpodctl --image $HOME") == ["SC2086"]
    assert codes("docker run 'a") != []


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
@pytest.mark.parametrize(
    "command", [(), ("python", "train.py"), HARD], ids=["own", "plain", "hard"]
)
def test_every_shell_line_is_sound(private: bool, command: tuple[str, ...]) -> None:
    found = every_recipe(private=private, command=command, min_cuda="12.8", disk_gb=80)
    scripts = {script for recipe in found for script in shell_of(recipe)}
    assert len(scripts) > 10
    for script in scripts:
        assert content(script), faults(script)


@pytest.mark.parametrize(
    "key", [key for key, dimension in DIMENSIONS.items() if dimension.settled_by.command]
)
def test_every_command_that_settles_a_question_is_sound(key: str) -> None:
    command = DIMENSIONS[key].settled_by.command
    assert content(command), faults(command)

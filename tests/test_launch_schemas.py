"""Job files against the published packages of SkyPilot and dstack, Compose against its schema.

They are installed into a virtual environment of their own, about half a gigabyte: SkyPilot wants
another click than Celery has.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from checks.launch import Kind, Recipe
from checks.launch.shelf import TABLES, CloudRow, GpuNameRow, rows_of
from tests.launching import MACHINE, POD, by_key, every_recipe
from tests.processes import ROOT

pytestmark = pytest.mark.soak

HARD = ("sh", "-c", "echo \"$HOME\" 'a b' ${A} $(id) # !", "", "yes", "0o17", "é")
# Reads a list of files as data, prints a list of faults, one a file; empty: it is valid.
CHECKERS = {
    Kind.SKYPILOT: """
import sky

def check(tree):
    # As `sky launch --secret NAME` does; it validates the schema, the cloud and the login.
    given = [(name, "x") for name, value in tree.get("secrets", {}).items() if value is None]
    sky.Task.from_yaml_config(tree, secrets_overrides=given)
""",
    Kind.DSTACK: """
from dstack._internal.core.models.configurations import parse_run_configuration

def check(tree):
    parse_run_configuration(tree)
""",
    Kind.COMPOSE: """
import pathlib
import jsonschema

(schema,) = pathlib.Path(sys.prefix, "compose").rglob("compose_spec.json")
SCHEMA = json.loads(schema.read_text())

def check(tree):
    jsonschema.validate(tree, SCHEMA)
""",
}
RUNNER = """
import json, sys
{checker}
def fault(tree):
    try:
        check(tree)
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"
    return ""

print("\\n" + json.dumps([fault(tree) for tree in json.load(sys.stdin)]))
"""


def group(name: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return list(project["dependency-groups"][name])


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a virtual environment that holds both engines and Compose's schema."""
    venv = tmp_path_factory.mktemp("launch") / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *group("launch")], check=True)
    target = ["--no-deps", "--target", str(venv / "compose")]
    subprocess.run([*pip, *target, *group("launch-compose")], check=True)
    return python


def faults(python: Path, kind: Kind, trees: list[Any], home: Path) -> list[str]:
    done = subprocess.run(
        [python, "-c", RUNNER.format(checker=CHECKERS[kind])],
        input=json.dumps(trees),
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout.splitlines()[-1]))


def recipes_of(kind: Kind) -> list[Recipe]:
    ways: list[dict[str, Any]] = [
        {},
        {"private": True, "spot": True, "command": HARD},
        {"command": ("python", "train.py")},
    ]
    found = [recipe for way in ways for recipe in every_recipe(**way) if recipe.kind is kind]
    if kind is Kind.COMPOSE:
        return found
    clouds = [line.row for line in rows_of(TABLES / "clouds.csv", CloudRow)]
    return found + [
        recipe
        for row in clouds
        if row.engine == kind.value
        for answers in (POD, MACHINE)
        for recipe in by_key(row.offering, answers).values()
        if recipe.kind is kind
    ]


@pytest.mark.parametrize("kind", CHECKERS)
def test_every_file_is_valid(python: Path, tmp_path: Path, kind: Kind) -> None:
    found = recipes_of(kind)
    assert len(found) >= 3
    told = faults(python, kind, [yaml.safe_load(recipe.text) for recipe in found], tmp_path)
    assert [(r.text, fault) for r, fault in zip(found, told, strict=True) if fault] == []


@pytest.mark.parametrize("kind", CHECKERS)
def test_a_file_that_is_wrong_is_told_so(python: Path, tmp_path: Path, kind: Kind) -> None:
    """Else the test above would be content with a checker that looks at nothing."""
    good = yaml.safe_load(recipes_of(kind)[0].text)
    bad = {**good, "no_such_key": 1}
    assert [bool(fault) for fault in faults(python, kind, [good, bad], tmp_path)] == [False, True]


def test_every_cloud_of_skypilot_is_one_that_it_knows(python: Path, tmp_path: Path) -> None:
    names = {r.name for r in clouds_of(Kind.SKYPILOT)}
    trees = [{"resources": {"cloud": name}} for name in sorted({*names, "no-such-cloud"})]
    told = faults(python, Kind.SKYPILOT, trees, tmp_path)
    refused = {tree["resources"]["cloud"] for tree, fault in zip(trees, told, strict=True) if fault}
    assert refused == {"no-such-cloud"}


def clouds_of(kind: Kind) -> list[CloudRow]:
    rows = [line.row for line in rows_of(TABLES / "clouds.csv", CloudRow)]
    return [row for row in rows if row.engine == kind.value]


def test_every_gpu_name_of_dstack_is_one_that_it_knows(python: Path) -> None:
    """gpuhunt is what dstack looks GPUs up in."""
    script = (
        "import json\n"
        "from gpuhunt._internal.constraints import KNOWN_ACCELERATORS as known\n"
        "print(json.dumps([[gpu.name, gpu.memory] for gpu in known]))"
    )
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
    known = {(name, memory) for name, memory in json.loads(done.stdout)}
    for line in rows_of(TABLES / "gpu_names.csv", GpuNameRow):
        row = line.row
        if row.engine == "dstack":
            assert row.name in {name for name, _memory in known}, line.at
            assert row.memory_gb is None or (row.name, row.memory_gb) in known, line.at

"""`deploy/init` makes secrets and settings once, and nobody else can read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.processes import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "deploy").mkdir()
    shutil.copy2(ROOT / "deploy" / "init", tmp_path / "deploy")
    return tmp_path


def init(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(checkout / "deploy" / "init"), *arguments],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def secrets(checkout: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (checkout / "deploy" / "secrets").iterdir()}


def test_it_makes_what_compose_asks_for(checkout: Path) -> None:
    done = init(checkout, "gpus.example")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Next: docker compose up --build --detach --wait\n")
    made = secrets(checkout)
    address = f"postgres://gpucompare:{made['db_password']}@db:5432/gpucompare"
    assert made["database_url"] == address
    assert len({made["secret_key"], made["db_password"]}) == 2
    assert all(re.fullmatch(r"[\w-]{64}", made[n]) for n in ("secret_key", "db_password"))
    assert (checkout / ".env").read_text().splitlines() == [
        "GPUCOMPARE_ALLOWED_HOSTS=gpus.example",
        "GPUCOMPARE_CSRF_TRUSTED_ORIGINS=https://gpus.example",
    ]


def test_containers_can_read_each_file_and_only_its_owner_the_folder(checkout: Path) -> None:
    init(checkout, "gpus.example")
    folder = checkout / "deploy" / "secrets"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}


@pytest.mark.parametrize("there", [".env", "deploy/secrets"])
def test_what_is_there_is_left_as_it_is(checkout: Path, there: str) -> None:
    init(checkout, "gpus.example")
    before = secrets(checkout)
    if there == "deploy/secrets":
        (checkout / ".env").unlink()
    done = init(checkout, "other.example")
    assert done.returncode == 1
    assert f"{there} is there already" in done.stderr
    assert secrets(checkout) == before


@pytest.mark.parametrize("host", ["", "https://gpus.example", "a b", "$(id)", "a,b"])
def test_a_host_that_is_none_is_refused_and_nothing_is_made(checkout: Path, host: str) -> None:
    done = init(checkout, host)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: sh deploy/init HOST")
    assert [path.name for path in checkout.iterdir()] == ["deploy"]

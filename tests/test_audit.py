"""Known vulnerabilities stop a change where an upgrade cures them, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from requirements.audit import judged, main
from tests.processes import ROOT

SOUND: dict[str, Any] = {"name": "django", "version": "5.2.9", "vulns": []}
SKIPPED: dict[str, Any] = {"name": "six", "skip_reason": "Dependency not found on PyPI"}


def faulty(*cures: str) -> dict[str, Any]:
    fault = {"id": "PYSEC-1", "fix_versions": list(cures), "aliases": [], "description": ""}
    return {"name": "urllib3", "version": "1.0", "vulns": [fault]}


def playing(folder: Path, said: str, status: int = 0) -> Path:
    """A program in the place of pip-audit that says that."""
    tool = folder / "bin" / "pip-audit"
    tool.parent.mkdir(parents=True)
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit {status}\n")
    tool.chmod(0o755)
    return folder


def test_what_an_upgrade_cures_stops_a_change() -> None:
    lines, status = judged([SOUND, faulty("1.1", "2.0"), SKIPPED])
    assert lines == [
        "urllib3 1.0: PYSEC-1, upgrade to 1.1, 2.0: make lock ARGS=--upgrade",
        "2 of 3 packages audited",
    ]
    assert status == 1


def test_what_nobody_has_mended_is_told_and_stops_nothing() -> None:
    assert judged([faulty()]) == (
        ["urllib3 1.0: PYSEC-1, nobody has mended it yet", "1 of 1 packages audited"],
        0,
    )


def test_what_could_not_be_asked_about_is_counted() -> None:
    assert judged([SKIPPED, SKIPPED]) == (["0 of 2 packages audited"], 0)


def test_what_the_tool_says_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = playing(tmp_path, json.dumps({"dependencies": [faulty("1.1")], "fixes": []}), 1)
    assert main(folder, ROOT / "requirements" / "run.lock") == 1
    assert "upgrade to 1.1" in capsys.readouterr().out


@pytest.mark.parametrize("said", ["", "ConnectionError: no route to host"])
def test_without_a_network_it_says_so_and_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    assert main(playing(tmp_path, said, 1), ROOT / "requirements" / "run.lock") == 0
    assert "Not audited" in capsys.readouterr().out

"""The parts of `make run` for containers: one readies the database, the others serve."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.processes import Site, local_folder

# Nothing answers there.
AWAY = "postgres://nobody@127.0.0.1:1/none"


def part(local: Path, *name: str, **extra: str) -> Site:
    return Site(local, [sys.executable, "-m", "gpucompare.serve", *name], **extra)


def test_web_serves_without_touching_the_database() -> None:
    with local_folder() as local:
        site = part(local, "web", DATABASE_URL=AWAY)
        site.wait_until_it_answers()
        assert site.get("/healthz") == (200, "ok\n")
        assert site.end(signal.SIGTERM) == 0
        assert "Traceback" not in site.said


@pytest.mark.parametrize(
    ("name", "extra", "told"),
    [
        ("prepare", {"DATABASE_URL": AWAY}, "gpucompare: the database does not answer: "),
        ("web", {"DATABASE_URL_FILE": "/nowhere"}, "gpucompare: DATABASE_URL_FILE=/nowhere cannot"),
        ("web", {"GPUCOMPARE_PRODUCTION": "1"}, "gpucompare: set GPUCOMPARE_SECRET_KEY"),
        ("all", {}, "gpucompare: 'all' is no part of the site: prepare, web, or nothing for all"),
    ],
)
def test_what_keeps_a_part_from_starting_is_one_line(
    tmp_path: Path, name: str, extra: dict[str, str], told: str
) -> None:
    site = part(tmp_path, name, **extra)
    assert site.wait() == 1
    assert site.said.startswith(told)
    assert len(site.said.splitlines()) == 1

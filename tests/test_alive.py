"""How a container tells that its process is well."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.test import Client
from pytest_django import Settings

from gpucompare.alive import LONGEST_SILENCE_S, fault_of, leave_mark, main
from tests.processes import ROOT, free_port


class Played(BaseHTTPRequestHandler):
    """A site that answers as its address says, and keeps the names it was asked by."""

    names: list[str] = []
    status = 200

    def do_GET(self) -> None:
        self.names.append(str(self.headers["Host"]))
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Tests read what they want to know."""


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Played, "names", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Played)
    Thread(target=server.serve_forever, daemon=True).start()
    yield str(server.server_port)
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("host", ["", "127.0.0.1", "0.0.0.0"])  # noqa: S104
def test_a_web_process_that_answers_is_well(port: str, host: str) -> None:
    assert fault_of("web", {"PORT": port, "HOST": host}) == ""


@pytest.mark.parametrize(
    ("hosts", "name"),
    [("gpus.example,other.example", "gpus.example"), (".gpus.example", "gpus.example")]
    + [(none, "localhost") for none in ("", "*", " ")],
)
def test_it_asks_by_a_name_that_the_site_answers_to(port: str, hosts: str, name: str) -> None:
    assert fault_of("web", {"PORT": port, "GPUCOMPARE_ALLOWED_HOSTS": hosts}) == ""
    assert Played.names == [name]


def test_a_web_process_that_answers_with_an_error_is_not(
    port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Played, "status", 503)
    assert fault_of("web", {"PORT": port}) == "/healthz answers 503"


def test_a_web_process_that_does_not_answer_is_named_with_its_port() -> None:
    told = fault_of("web", {"PORT": (port := str(free_port()))})
    assert told.startswith(f"127.0.0.1:{port} does not answer: ")


@pytest.mark.parametrize("process", ["worker", "beat"])
def test_a_fresh_mark_is_well_and_an_old_one_or_none_is_not(tmp_path: Path, process: str) -> None:
    here = {"GPUCOMPARE_LOCAL_DIR": str(tmp_path)}
    assert f"{process} left no mark: " in fault_of(process, here)
    leave_mark(tmp_path, process)
    assert fault_of(process, here) == ""
    (mark,) = tmp_path.iterdir()
    before = time.time() - LONGEST_SILENCE_S - 1
    os.utime(mark, (before, before))
    assert fault_of(process, here) == f"{process} is silent for {LONGEST_SILENCE_S + 1} seconds"


def test_a_mark_that_cannot_be_left_is_told_and_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_mark(tmp_path / "none", "beat")
    assert capsys.readouterr().err.startswith("beat cannot leave its mark: ")


def test_a_mark_that_cannot_be_left_ends_nothing_where_nobody_can_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = io.TextIOWrapper(io.FileIO("/dev/full", "w"), write_through=True)
    monkeypatch.setattr(sys, "stderr", full)
    leave_mark(tmp_path / "none", "beat")


@pytest.mark.parametrize("asked", [[], ["db"], ["web", "worker"]])
def test_it_says_what_may_be_asked(asked: list[str]) -> None:
    assert main(asked, {}) == "which one: web, worker or beat?"


def test_the_exit_status_is_what_a_health_check_reads(tmp_path: Path) -> None:
    def ask() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gpucompare.alive", "worker"],
            cwd=ROOT,
            env={"GPUCOMPARE_LOCAL_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    bad = ask()
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr.startswith("worker left no mark: ")
    leave_mark(tmp_path, "worker")
    good = ask()
    assert (good.returncode, good.stdout, good.stderr) == (0, "", "")


def test_https_is_asked_for_everywhere_but_where_processes_are_watched(
    client: Client, settings: Settings
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code != 301
    away = client.get("/healthz/x")
    assert (away.status_code, away["Location"]) == (301, "https://testserver/healthz/x")

"""Headers that keep a page to itself, on every kind of page, and no cookie on any public one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from gpucompare.headers import PERMISSIONS
from tests.pages import MISSING, PAGES
from tests.processes import ROOT, environment
from tests.whole_catalog import nobody_writes, whole_catalog

FIXED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS,
}
PRODUCTION = {
    "GPUCOMPARE_PRODUCTION": "1",
    "GPUCOMPARE_SECRET_KEY": "".join(map(chr, range(48, 123))),
    "GPUCOMPARE_ALLOWED_HOSTS": "gpus.example",
    "REDIS_URL": "redis://localhost:6379/0",
}


@pytest.fixture(scope="module")
def answers(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    with django_db_blocker.unblock(), whole_catalog(), nobody_writes(__name__):
        asked = {**PAGES, "missing": MISSING, "api": "/api/v1/status", "feed": "/feed.atom"}
        asked |= {"docs": "/api/v1/docs", "robots": "/robots.txt", "fault": "/?a=" + "b" * 20_000}
        yield {name: Client().get(address) for name, address in asked.items()}


def test_no_public_page_sets_a_cookie_or_looks_for_one(answers: dict[str, Any]) -> None:
    assert [name for name, response in answers.items() if response.cookies] == []
    # What is refused before anybody looks has no session.
    requests = {name: response.wsgi_request for name, response in answers.items()}
    looked = [n for n, r in requests.items() if hasattr(r, "session") and r.session.accessed]
    assert looked == []
    assert [name for name, r in requests.items() if not hasattr(r, "session")] == ["fault"]


def test_every_answer_has_the_headers_that_keep_it_to_itself(answers: dict[str, Any]) -> None:
    for name, response in answers.items():
        assert {header: response.get(header) for header in FIXED} == FIXED, name


def test_no_policy_lets_in_what_stands_in_the_page(answers: dict[str, Any]) -> None:
    for name, response in answers.items():
        policy = response["Content-Security-Policy"]
        assert "default-src 'none'" in policy, name
        assert "unsafe" not in policy, name
        assert "*" not in policy or name == "embed", name


def test_only_the_embed_may_be_framed(answers: dict[str, Any]) -> None:
    framed = {name for name, response in answers.items() if "X-Frame-Options" not in response}
    assert framed == {"embed"}


def test_an_answer_depends_on_no_language_but_that_of_its_address(answers: dict[str, Any]) -> None:
    languages = [n for n, r in answers.items() if "language" in r.get("Vary", "").lower()]
    assert languages == []


def test_the_clipboard_is_the_one_feature_that_the_site_uses() -> None:
    assert re.findall(r"(\S+)=\(self\)", PERMISSIONS) == ["clipboard-write"]
    assert "camera=()" in PERMISSIONS
    scripts = "".join(path.read_text() for path in (ROOT / "static" / "js").glob("*.js"))
    used = set(re.findall(r"navigator\.(\w+)", scripts))
    assert used == {"clipboard"}


def test_djangos_check_before_a_deployment_has_nothing_to_say(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-W", "error", "manage.py", "check", "--deploy", "--fail-level", "INFO"],
        cwd=ROOT,
        env=environment(tmp_path, **PRODUCTION),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == "System check identified no issues (0 silenced).\n"

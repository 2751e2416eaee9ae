"""A site for curators of its own, in which they may write, and the way in."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.prepared import prepared
from tests.processes import ROOT, Site, environment, local_folder

NAME, PASSWORD = "curator", "reads-every-source"
# Two sources as good as each other that disagree, whatever the catalog says by then.
CONTRADICTION = """
from datetime import date
from providers import claims
from providers.models import Claim, Offering
pods = Offering.objects.get(provider__slug="runpod", slug="pods")
claims.retire(list(pods.claims.filter(dimension="jupyter")), "Makes room.")
for value, name in ((True, "yes"), (False, "no")):
    claims.add(pods, "jupyter", value=value, basis="documented", source_kind="provider",
               source=f"https://docs.example/{name}", read_on=date(2026, 1, 2), note="")
print(pods.pk)
"""


def manage(local: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment(local, DJANGO_SUPERUSER_PASSWORD=PASSWORD),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shell(local: Path, code: str) -> str:
    """What a piece of Python prints that runs in the site's database."""
    return manage(local, "shell", "-v", "0", "-c", code)


@contextmanager
def desk_site() -> Iterator[tuple[str, Path]]:
    """The address of a site with a curator who may do all, and where its data is."""
    with local_folder() as local:
        prepared(local)
        # What is forbidden is a warning with a traceback; a fault of ours is an error.
        site = Site(local, GPUCOMPARE_LOG_LEVEL="ERROR")
        try:
            site.wait_until_it_answers()
            who = ("--username", NAME, "--email", "curator@desk.example")
            manage(local, "createsuperuser", "--noinput", *who)
            yield f"http://127.0.0.1:{site.port}", local
        finally:
            site.end(signal.SIGTERM)
        assert "Traceback" not in site.said, site.said


def log_in(page: Page, address: str, name: str = NAME, password: str = PASSWORD) -> None:
    """Ask for a page of the desk, and say who asks."""
    page.goto(address)
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()

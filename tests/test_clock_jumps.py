"""A time that jumps ahead by a day and is put back, and a clock that stood still for a day."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import requests
import yaml

from providers.refresh.enabled import enabled
from tests.fleet import REDIS, Fleet
from tests.processes import ROOT, environment, eventually
from tests.served import Web, filled, run, web

if REDIS is None:
    pytest.skip("redis-server is not installed", allow_module_level=True)
DAY_S = 25 * 3600
# The site, with a time that is ahead by the seconds in a file; its workers, which are forked, too.
JUMPING = """
import os, sys, time
from datetime import timedelta
from pathlib import Path
from django.utils import timezone
true_time, true_now, file = time.time, timezone.now, Path(os.environ["AHEAD"])
def ahead():
    return float(file.read_text() or 0)
time.time = lambda: true_time() + ahead()
timezone.now = lambda: true_now() + timedelta(seconds=ahead())
from gpucompare.serve import main
sys.exit(main("web"))
"""
# What tells how old something is, by page, part of the API and download.
SOME = ("/", "/listings/", "/status/", "/changes/", "/check/?cuda=12.8", "/listings/?format=csv")
# What is read first when the clock queues all that is due: it waits for no other.
FIRST = enabled({})[0]
PERSON = """
import django
django.setup()
from django.contrib.auth.models import User
User.objects.create_superuser("ada", password="correct horse battery")
"""


@pytest.fixture(scope="module")
def ours() -> Iterator[tuple[Fleet, Path]]:
    with filled() as found:
        run(PERSON, found[1], **found[0].told())
        yield found


@pytest.fixture
def fleet(ours: tuple[Fleet, Path]) -> Iterator[Fleet]:
    yield ours[0]
    ours[0].rest()


class Jumping:
    """A site whose time a file sets."""

    def __init__(self, site: Web, file: Path) -> None:
        self.site, self._file = site, file

    def jump(self, ahead_s: float) -> None:
        self._file.write_text(str(ahead_s))

    def band(self) -> str:
        """How old the prices of the first source are called."""
        found = self.site.get("/api/v1/status").json()["sources"]
        return next(str(one["band"]) for one in found if one["slug"] == FIRST)

    def faults(self) -> dict[str, int]:
        return {path: code for path in SOME if (code := self.site.get(path).status_code) != 200}


@pytest.fixture
def jumping(fleet: Fleet, ours: tuple[Fleet, Path]) -> Iterator[Jumping]:
    file = ours[1] / "ahead"
    file.write_text("0")
    script = f"exec {shlex.join((sys.executable, '-c', JUMPING))} 2>{ours[1] / 'jumping.log'}"
    rates = {"GPUCOMPARE_API_RATE": "9999/minute", "GPUCOMPARE_SHARE_RATE": "2/hour"}
    with web(fleet, ours[1], script, AHEAD=str(file), **rates) as site:
        site.log = ours[1] / "jumping.log"
        yield Jumping(site, file)


def refresh(fleet: Fleet, slug: str) -> None:
    fleet.workers(1)
    fleet.queue(slug)
    assert eventually(lambda: fleet.outcomes(slug) == ["merged"])


def test_pages_age_with_the_clock_and_grow_young_with_it_again(
    fleet: Fleet, jumping: Jumping
) -> None:
    refresh(fleet, FIRST)
    assert eventually(lambda: jumping.band() == "fresh")
    before = jumping.site.get("/listings/").headers["ETag"]
    assert jumping.faults() == {}
    jumping.jump(DAY_S)
    assert eventually(lambda: jumping.band() == "last_seen", 5)
    assert jumping.site.get("/listings/").headers["ETag"] != before
    assert jumping.faults() == {}
    jumping.jump(0)
    assert eventually(lambda: jumping.band() == "fresh", 5)
    assert jumping.faults() == {}
    assert jumping.site.tracebacks() == []


def test_what_was_counted_made_and_begun_ahead_of_time_binds_nobody_when_it_is_over(
    jumping: Jumping,
) -> None:
    site = jumping.site
    jumping.jump(DAY_S)
    made = [site.share(), site.share("/?ssh=yes")]
    with pytest.raises(AssertionError, match=r"later|often|min"):
        site.share("/?ssh=no")
    curator = logged_in(site)
    assert curator.get(site.url("/admin/"), timeout=30).status_code == 200
    jumping.jump(0)
    assert site.share("/?ssh=no") not in made
    assert [site.get(path).status_code for path in made] == [200, 200]
    assert curator.get(site.url("/admin/"), timeout=30).status_code == 200
    assert site.tracebacks() == []


def logged_in(site: Web) -> requests.Session:
    session = requests.Session()
    login = site.url("/admin/login/")
    form = session.get(login, timeout=30)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form.text)
    assert token
    told = {"username": "ada", "password": "correct horse battery", "next": "/admin/"}
    session.post(login, {**told, "csrfmiddlewaretoken": token[1]}, timeout=30)
    return session


# --- The clock process -----------------------------------------------------------------------


@contextmanager
def beat(fleet: Fleet, top: Path) -> Iterator[None]:
    """The clock process, once it has looked at its schedule."""
    mark, log = top / "beat-alive", (top / "beat.log").open("ab")
    mark.unlink(missing_ok=True)
    command = [sys.executable, "-m", "celery", "-q", "-A", "gpucompare", "beat"]
    environ = environment(top, **fleet.told())
    with log, subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log) as part:
        try:
            assert eventually(mark.exists)
            yield
            assert part.poll() is None
        finally:
            part.terminate()


def a_day_passes(fleet: Fleet, schedule: Path) -> None:
    """As it looks when the clock was not there for so long: all that it did is that much older."""
    kept = json.loads(schedule.read_text())
    assert kept
    for name, told in kept.items():
        kept[name] = str(datetime.fromisoformat(told) - timedelta(seconds=DAY_S))
    schedule.write_text(json.dumps(kept))
    with fleet.database.session() as session:
        by = [timedelta(seconds=DAY_S)]
        session.execute("UPDATE providers_sourcestate SET good_at = good_at - %s", by)
        times = "started_at = started_at - %(by)s, ended_at = ended_at - %(by)s"
        session.execute(f"UPDATE providers_refreshrun SET {times}".encode(), {"by": by[0]})  # noqa: S608


def is_loud(site: Web) -> bool:
    """Whether the alert that nothing is refreshed would sound, by its own threshold."""
    rules = yaml.safe_load((ROOT / "ops" / "alerts.yml").read_text())["groups"][0]["rules"]
    (rule,) = [one for one in rules if one["alert"] == "NothingRefreshed"]
    found = re.fullmatch(r"min\(gpucompare_refresh_age_seconds\) > (\d+)", rule["expr"])
    assert found
    ages = site.metrics()["gpucompare_refresh_age_seconds"]
    return min(ages.values()) > int(found[1])


def test_a_day_without_the_clock_is_seen_everywhere_and_its_first_run_mends_it(
    fleet: Fleet, ours: tuple[Fleet, Path]
) -> None:
    top = ours[1]
    refresh(fleet, FIRST)
    with beat(fleet, top):
        assert fleet.redis.unfinished() == 0
    a_day_passes(fleet, top / "beat-schedule")
    with web(fleet, top) as site:
        seen = Jumping(site, top / "nowhere")
        assert seen.band() == "last_seen"
        assert "Due now" in site.get("/status/").text
        assert is_loud(site)
        with beat(fleet, top):
            assert eventually(lambda: fleet.outcomes(FIRST)[1:] == ["merged"])
        assert eventually(lambda: seen.band() == "fresh")
        assert not is_loud(site)
        assert site.tracebacks() == []

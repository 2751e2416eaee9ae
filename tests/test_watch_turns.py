"""Rounds: which pages they look at, in what order, one round at a time; and the command."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings

from providers.models import (
    Look,
    SourcePage,
)
from providers.refresh.lock import held_alone, renew_connection
from providers.watch.round import _LOCK, AlreadyWatchingError, watch
from tests import provider_server as play
from tests.factories import make_offering, make_provider
from tests.watching import (
    FIRST_DAY,
    OTHER,
    SAYS,
    Site,
    days,
    html,
    near,
    once,
    played,
    waiting,
)

pytestmark = pytest.mark.django_db
site = pytest.fixture(played)
day = pytest.fixture(autouse=True)(days)


# --- Rounds -----------------------------------------------------------------------------


def three(site: Site) -> None:
    offering = make_offering("pods", make_provider("acme"))
    for path in ("/a", "/b", "/c"):
        site.pages[path] = html()
        site.claim(offering, path)


def test_a_round_that_is_killed_goes_on_where_it_was(site: Site) -> None:
    three(site)

    def stop(address: str, *_told: object) -> None:
        if address.endswith("/b"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(site.visitor(), tell=stop)
    assert (site.asked(), SourcePage.objects.count()) == (["/a", "/b"], 2)
    assert once(site, limit=1).left == 2
    once(site, limit=2)
    assert site.asked() == ["/a", "/b", "/c", "/a", "/b"]


def test_pages_are_chosen(site: Site) -> None:
    three(site)
    other = site.claim(make_offering("vms", make_provider("other")), "/d")
    once(site, provider="acme", limit=1)
    once(site, claims=(other.pk,))
    assert site.asked() == ["/a", "/d"]


def test_a_page_that_was_looked_at_since_is_left_out(site: Site) -> None:
    three(site)
    once(site, limit=2)
    once(site, before=FIRST_DAY)
    assert site.asked() == ["/a", "/b", "/c"]


def test_pages_that_failed_and_those_left_out_are_tried_between_rounds(
    site: Site, day: Callable[[int], None]
) -> None:
    three(site)
    site.pages["/b"] = play.status(404)
    once(site, limit=2)
    day(1)
    once(site, failing=True)
    assert site.asked() == ["/a", "/b", "/c", "/b"]
    day(9)
    once(site, failing=True)
    assert sorted(site.asked()[4:]) == ["/a", "/b", "/c"][: len(site.asked()) - 4]


def test_a_round_begins_no_page_after_its_time(site: Site) -> None:
    three(site)
    told = once(site, within_s=0)
    assert (told.looks.total(), told.left) == (0, 3)


def test_a_dry_run_writes_nothing(site: Site) -> None:
    claim = site.claim(make_offering())
    told = watch(site.visitor(), dry_run=True)
    assert (told.looks, SourcePage.objects.count()) == ({"gone": 1}, 0)
    site.pages["/pods"] = html()
    once(site)
    site.pages["/pods"] = html(OTHER)
    assert watch(site.visitor(), dry_run=True).reviews == {"changed": 1}
    assert (waiting(), claim.passage.text) == ([], near(SAYS))


def another_connection() -> psycopg.Connection[Any]:
    own = connection.get_connection_params()
    known = {key: own[key] for key in ("dbname", "user", "password", "host", "port") if key in own}
    return psycopg.connect(**known)


def test_two_rounds_do_not_run_at_once(site: Site) -> None:
    three(site)
    with another_connection() as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", _LOCK)
        with pytest.raises(AlreadyWatchingError):
            once(site)
        # The server notices a closed connection only some time later.
        other.execute("SELECT pg_advisory_unlock(%s, %s)", _LOCK)
    assert site.asked() == []
    assert once(site).looks == {"read": 3}


@pytest.mark.django_db(transaction=True)
def test_a_lock_outlives_the_age_at_which_connections_are_renewed() -> None:
    with held_alone(*_LOCK) as held:
        connection.close_at = 0
        renew_connection()
        with another_connection() as other:
            asked = other.execute("SELECT pg_try_advisory_lock(%s, %s)", _LOCK).fetchone()
    assert (held, asked) == (True, (False,))


# --- The command ------------------------------------------------------------------------


def command(site: Site, *arguments: str) -> list[str]:
    out = StringIO()
    with override_settings(WATCH_ALLOW=[site.host], WATCH_PAUSE_S=0):
        call_command("watch_sources", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_the_command_tells_of_each_page(site: Site) -> None:
    three(site)
    assert command(site, "--limit", "2") == [
        f"read         {site.url('/a')}",
        f"read         {site.url('/b')}",
        "2 pages: 2 read; reviews: none; 1 left",
    ]
    site.pages |= {"/a": html(OTHER), "/b": play.status(500)}
    told = command(site, "--provider", "acme")
    assert f"read         {site.url('/a')}  → 1 changed" in told
    assert f"unreachable  {site.url('/b')}  ({site.url('/b')}: 500)" in told
    assert told[-1] == "3 pages: 2 read, 1 unreachable; reviews: 1 changed"


def test_the_command_writes_nothing_when_it_is_dry(site: Site) -> None:
    three(site)
    command(site, "--dry-run")
    assert not SourcePage.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--limit", "0"], "--limit is a number of pages"),
        (["--provider", "nobody"], "no provider nobody"),
        (["--claim", "4711"], "no claim that stands: 4711"),
    ],
)
def test_the_command_refuses_what_cannot_be(site: Site, arguments: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        command(site, *arguments)


def test_loopback_is_called_by_name_only(site: Site) -> None:
    three(site)
    with override_settings(WATCH_ALLOW=[], WATCH_PAUSE_S=0):
        call_command("watch_sources", stdout=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    assert site.server.seen == []
    assert set(SourcePage.objects.values_list("look", flat=True)) == {Look.UNSAFE}

"""`manage.py refresh`: what it reads, what it says, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from providers.models import Listing, Origin, Outcome, RefreshRun, SourceState, UnknownGpuName
from providers.refresh.enabled import key_variable
from providers.refresh.run import _LOCKS, _lock_number
from providers.sources import SOURCES
from tests import provider_server as play
from tests.plays import KEY
from tests.provider_server import ProviderServer
from tests.rehearsing import all_played, catalog_with_rates
from tests.source_client import FREELY

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _catalog(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), catalog_with_rates():
        yield


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    """Plays every provider, at the address that the environment gives each; no key is set."""
    # At the rate that spares a provider, all of them on one host would take half a minute.
    monkeypatch.setattr("providers.sources.http._own_pace", lambda: FREELY.pace)
    with play.running() as running:
        running.always = all_played
        for slug in SOURCES:
            monkeypatch.setenv(f"GPUCOMPARE_SOURCE_{slug.upper()}_URL", running.base(slug))
            monkeypatch.delenv(key_variable(slug), raising=False)
        yield running


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def said(*arguments: str) -> list[str]:
    """The lines of a refresh that ends well."""
    out = StringIO()
    call_command("refresh", *arguments, stdout=out)
    return out.getvalue().splitlines()


def said_before_it_failed(*arguments: str) -> tuple[list[str], str]:
    """The lines of a refresh that ends badly, and its error."""
    out = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("refresh", *arguments, stdout=out)
    assert failed.value.returncode == 1
    return out.getvalue().splitlines(), str(failed.value)


def test_a_named_source_is_read_and_one_line_says_what_came_of_it() -> None:
    (line,) = said("ovhcloud")
    counts = "7 rows: 7 new, 0 changed, 0 unchanged, 0 withdrawn, 0 kept out"
    assert " ".join(line.split()) == f"ovhcloud merged {counts}"
    assert Listing.objects.filter(source="ovhcloud").count() == 7
    assert "0 new, 0 changed, 7 unchanged" in said("ovhcloud")[0]


def test_several_sources_have_a_line_each_in_the_order_given() -> None:
    lines = said("ovhcloud", "akash", "lium")
    assert [line.split()[:2] for line in lines] == [
        ["ovhcloud", "merged"],
        ["akash", "merged"],
        ["lium", "merged"],
    ]


def test_all_sources_fill_their_listings(monkeypatch: pytest.MonkeyPatch) -> None:
    for slug in SOURCES:
        monkeypatch.setenv(key_variable(slug), KEY)
    lines = said()
    assert [line.split()[:2] for line in lines] == [[slug, "merged"] for slug in SOURCES]
    live = Listing.objects.filter(origin=Origin.LIVE)
    assert set(live.values_list("source", flat=True)) == set(SOURCES)
    assert set(SourceState.objects.exclude(good_at=None).values_list("slug", flat=True)) == set(
        SOURCES
    )


def test_a_source_without_its_key_is_not_read_unless_it_is_named(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _lines, error = said_before_it_failed("akash", "lambda", "shadeform")
    assert error == (
        "set GPUCOMPARE_SOURCE_LAMBDA_KEY, GPUCOMPARE_SOURCE_SHADEFORM_KEY: "
        "lambda, shadeform answer only with a key"
    )
    assert not server.seen
    assert not RefreshRun.objects.exists()
    monkeypatch.setenv("GPUCOMPARE_SOURCE_LAMBDA_KEY", KEY)
    assert said("lambda")[0].split()[:2] == ["lambda", "merged"]
    assert KEY in server.seen[0].headers["authorization"]


def test_an_unknown_source_is_named_beside_those_that_there_are(server: ProviderServer) -> None:
    lines, error = said_before_it_failed("akash", "nobody")
    assert not lines
    assert error.startswith("no source nobody; there are akash, aws,")
    assert not server.seen


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    (line,) = said("akash", "--dry-run")
    assert line.split()[:4] == ["akash", "merged", "5", "rows:"]
    assert not Listing.objects.filter(origin=Origin.LIVE).exists()
    for model in (RefreshRun, SourceState, UnknownGpuName):
        assert not model._default_manager.exists()


def test_one_provider_that_fails_costs_the_others_nothing_and_the_exit_status_tells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GPUCOMPARE_SOURCE_LIUM_URL", play.nobody())
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    lines, error = said_before_it_failed("akash", "lium", "ovhcloud")
    assert [line.split()[:2] for line in lines] == [
        ["akash", "merged"],
        ["lium", "unreachable"],
        ["ovhcloud", "merged"],
    ]
    assert "ConnectionRefusedError" in lines[1]
    assert error == "1 of 3 did not go in: lium"


def test_a_batch_that_a_guard_kept_out_is_told_with_the_guard_and_its_figures(
    server: ProviderServer,
) -> None:
    said("lium")
    server.always = play.sample  # as it is, with more odd rows than life has
    (line,), error = said_before_it_failed("lium")
    assert line.split()[:3] == ["lium", "rejected", "filled"]
    assert "'least': 0.95" in line
    assert error == "1 of 1 did not go in: lium"


def test_a_key_is_in_no_line_and_in_no_row(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUCOMPARE_SOURCE_LAMBDA_KEY", KEY)
    server.always = play.status(401)
    lines, error = said_before_it_failed("lambda")
    run = RefreshRun.objects.get()
    assert run.outcome == Outcome.REFUSED
    assert KEY not in f"{lines} {error} {run.error} {run.figures}"


def test_a_source_that_another_process_reads_is_left_to_it(server: ProviderServer) -> None:
    parameters = connection.get_connection_params()
    wanted = {k: parameters[k] for k in ("host", "port", "user", "dbname") if k in parameters}
    with psycopg.connect(**wanted, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCKS, _lock_number("akash")])
        assert [line.split() for line in said("akash")] == [["akash", "already", "running"]]
    assert not server.seen


def test_a_terminal_sees_how_far_it_is_and_then_a_table() -> None:
    out = Terminal()
    call_command("refresh", "akash", "ovhcloud", stdout=out)
    bars, table = out.getvalue().rsplit("\r", 1)
    half = "#" * 12 + "." * 12
    assert bars.startswith(f"[{'.' * 24}] 0/2 akash")
    assert f"[{half}] 1/2 ovhcloud" in bars
    head, *lines = table.splitlines()
    assert head.split() == [
        "source",
        "outcome",
        "rows",
        "new",
        "changed",
        "unchanged",
        "withdrawn",
        "kept",
        "out",
    ]
    assert [line.split()[:2] for line in lines] == [["akash", "merged"], ["ovhcloud", "merged"]]
    assert len({line.index("merged") for line in lines}) == 1


def test_without_a_terminal_nothing_is_drawn() -> None:
    assert "\r" not in "".join(said("akash"))

"""Where each source stands, in every state it can be in, and how that ages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from providers.dimensions import MAIN
from providers.models import ExchangeRate, Origin, Outcome, RefreshRun, SourceState
from providers.refresh.enabled import key_variable
from providers.refresh.schedule import interval_variable
from providers.sources import SOURCES
from providers.sources.base import MalformedError
from providers.status import SourceView, Standing, StatusPage, status_page
from providers.status_facts import status_facts
from tests.factories import NOW, make_claim, make_listing, make_offering, make_provider
from tests.refreshing import records, run

pytestmark = pytest.mark.django_db

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
# Read once an hour without a key; a source with a key; and none at all.
VERDA, LAMBDA, GONE = "verda", "lambda", "bygone"


def page(environ: Mapping[str, str] | None = None, *, later: timedelta = 0 * HOUR) -> StatusPage:
    now = NOW + later
    return status_page(status_facts(now.date()), now, environ or {})


def source(slug: str = VERDA, **how: Any) -> SourceView:
    (found,) = [view for view in page(**how).sources if view.slug == slug]
    return found


def ran(outcome: str, ago: timedelta, slug: str = VERDA, **fields: Any) -> RefreshRun:
    """A run that began so long ago and, unless it goes on, took a minute."""
    started = NOW - ago
    ended = None if outcome == Outcome.RUNNING else started + MINUTE
    made = RefreshRun.objects.create(
        source=slug, started_at=started, ended_at=ended, outcome=outcome, **fields
    )
    changed: dict[str, Any] = {"current_run": made}
    if outcome == Outcome.MERGED:
        changed["good_at"] = started
    SourceState.objects.update_or_create(slug=slug, defaults=changed)
    return made


def merged(ago: timedelta, slug: str = VERDA) -> RefreshRun:
    rates = {"row": 0.996, "price": 0.98, "gpu_name": 1.0}
    counts = {"fetched": 250, "new": 1, "changed": 9, "unchanged": 239, "quarantined": 1}
    return ran(Outcome.MERGED, ago, slug, fill_rates=rates, **counts)


# --- States ----------------------------------------------------------------------------------


def test_every_source_is_shown_before_any_was_read() -> None:
    shown = page()
    assert {view.slug for view in shown.sources} == set(SOURCES)
    assert (shown.fresh, shown.read + shown.no_key) == (0, len(SOURCES))


def test_a_source_that_was_never_run_is_due_and_claims_nothing() -> None:
    view = source()
    assert (view.band, view.mark, view.band_text) == ("never", "unknown", "Never read")
    assert (view.good, view.rows, view.fill_rates) == (None, None, ())
    assert (view.outcome, view.failure, view.ended, view.running) == ("", "", None, None)
    assert view.next_run == "Due now"


def test_a_good_run_shows_its_rows_and_what_they_hold() -> None:
    merged(20 * MINUTE)
    view = source()
    assert view.good
    assert (view.band, view.mark, view.good.age) == ("fresh", "yes", "20\xa0minutes ago")
    assert view.rows == 249
    assert [(str(s.label), s.value) for s in view.fill_rates] == [
        ("readable", "99.6 %"),
        ("with a price", "98 %"),
        ("with a GPU", "100 %"),
    ]
    assert (view.outcome, view.failed, view.failure) == ("Merged", False, "")
    assert (view.next_run, view.every) == ("In 40\xa0minutes", "every hour")


def test_a_run_that_goes_on_leaves_the_last_one_in_sight() -> None:
    merged(60 * MINUTE)
    ran(Outcome.RUNNING, 2 * MINUTE)
    view = source()
    assert view.running
    assert view.running.age == "2\xa0minutes ago"
    assert view.outcome == "Merged"
    assert view.rows == 249
    assert view.next_run == "In 58\xa0minutes"


def test_the_very_first_run_shows_that_it_goes_on() -> None:
    ran(Outcome.RUNNING, MINUTE)
    view = source()
    assert view.running
    assert (view.band, view.ended) == ("never", None)


def test_a_rejected_batch_says_which_figures_were_not_believed_and_keeps_the_good_run() -> None:
    merged(3 * HOUR)
    figures = {"rows": 12, "usual": 249, "least": 149.4}
    ran(Outcome.REJECTED, 5 * MINUTE, guard="rows", figures=figures, fill_rates={"price": 0.1})
    view = source()
    assert view.failed
    assert view.outcome == "Rejected by a guard"
    assert str(view.failure).startswith("12 rows came where 249 are usual; fewer than 149")
    assert (view.band, view.rows, view.fill_rates[1].value) == ("ageing", 249, "98 %")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome.UNREACHABLE, "did not answer in time"),
        (Outcome.FAILED, "program failed"),
        (Outcome.INTERRUPTED, "stopped half way"),
    ],
)
def test_a_failed_run_says_why_in_words(outcome: Outcome, words: str) -> None:
    merged(2 * HOUR)
    ran(outcome, HOUR)
    view = source()
    assert view.failed
    assert words in str(view.failure)
    assert view.next_run == "Due now"


def test_a_source_without_its_key_is_off_and_comes_on_with_it() -> None:
    off = source(LAMBDA)
    assert (off.standing, off.next_run, off.every) == (Standing.NO_KEY, "Off: needs a key", "")
    on = source(LAMBDA, environ={key_variable(LAMBDA): "k"})
    assert (on.standing, on.next_run) == (Standing.READ, "Due now")


def test_a_source_whose_key_was_taken_away_still_shows_its_last_good_run() -> None:
    merged(30 * HOUR, LAMBDA)
    view = source(LAMBDA)
    assert (view.standing, view.band, view.rows) == (Standing.NO_KEY, "last_seen", 249)


def test_a_source_that_no_file_reads_any_more_is_said_to_have_left() -> None:
    merged(HOUR, GONE)
    view = source(GONE)
    assert (view.standing, view.next_run, view.providers) == (Standing.LEFT, "No longer read", ())
    assert page().sources[-1] == view


def test_sources_that_are_read_stand_first() -> None:
    merged(HOUR, GONE)
    order = [list(Standing).index(view.standing) for view in page().sources]
    assert order == sorted(order)
    assert len(set(order)) == len(Standing)


def test_a_source_leads_to_the_providers_that_it_is_about() -> None:
    (slug,) = {name.partition("/")[0] for name in SOURCES[VERDA].offerings}
    make_provider(slug, name="Verda Cloud")
    assert [(p.name, p.url) for p in source().providers] == [("Verda Cloud", f"/providers/{slug}/")]


def test_a_real_refresh_is_read_as_it_was_written() -> None:
    make_offering("pods", make_provider("acme"))
    run(*records(10))
    run(fault=MalformedError("told: 403 for https://told.example/?key=hidden"))
    facts = status_facts(date.today()).sources["told"]  # noqa: DTZ011 -- any day will do
    assert facts.good
    assert (facts.good.new, facts.good.fill_rates["price"]) == (10, 1.0)
    assert facts.ended == facts.latest
    assert facts.ended
    assert facts.ended.outcome == Outcome.MALFORMED


# --- Ages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("later", "band", "mark"),
    [
        (1 * HOUR, "fresh", "yes"),
        (2 * HOUR, "ageing", "partly"),
        (12 * HOUR, "stale", "clock"),
        (24 * HOUR, "last_seen", "no"),
    ],
)
def test_a_good_run_grows_old(later: timedelta, band: str, mark: str) -> None:
    merged(0 * HOUR)
    view = source(later=later)
    assert (view.band, view.mark) == (band, mark)


def test_a_source_that_is_read_less_often_ages_more_slowly() -> None:
    merged(0 * HOUR)
    environ = {interval_variable(VERDA): "360"}
    assert source(later=11 * HOUR, environ=environ).band == "fresh"
    assert source(later=13 * HOUR, environ=environ).band == "ageing"


def test_the_next_run_follows_the_interval_of_the_environment() -> None:
    merged(10 * MINUTE)
    view = source(environ={interval_variable(VERDA): "45"})
    assert (view.next_run, view.every) == ("In 35\xa0minutes", "every 45 minutes")
    assert source(environ={interval_variable(VERDA): "120"}).every == "every 2 hours"


def test_the_count_of_fresh_sources_is_of_those_that_are_read() -> None:
    merged(HOUR)
    merged(HOUR, GONE)
    merged(HOUR, LAMBDA)
    assert page().fresh == 1
    assert page(later=2 * HOUR).fresh == 0


# --- Beside the sources ------------------------------------------------------------------------


def test_the_snapshot_shows_its_latest_day() -> None:
    offering = make_offering()
    for days in (1, 5):
        make_listing(offering, origin=Origin.SNAPSHOT, seen_at=NOW - timedelta(days=days))
    make_listing(offering)
    make_listing(offering, origin=Origin.SNAPSHOT, withdrawn_at=NOW)
    assert (page().snapshot.day, page().snapshot.rows) == ("29 November 2026", 2)


@pytest.mark.parametrize(("days", "age"), [(0, "of today"), (1, "1 day old"), (4, "4 days old")])
def test_exchange_rates_show_the_age_of_the_latest_table(days: int, age: str) -> None:
    for code, ago in (("EUR", days), ("GBP", days), ("INR", days + 3)):
        day = NOW.date() - timedelta(days=ago)
        ExchangeRate.objects.create(currency=code, day=day, usd=Decimal("1.1"))
    assert (page().rates.age, page().rates.currencies) == (age, 2)


def test_nothing_loaded_is_said_as_nothing() -> None:
    shown = page()
    assert (shown.snapshot.day, shown.rates.day) == ("", "")
    assert (shown.coverage.cells, shown.coverage.share) == (0, "")


def test_coverage_counts_main_cells_of_offerings_that_can_be_rented() -> None:
    make_offering(contradicted=["docker_daemon", "ssh"])
    answered = make_offering(custom_image="any", ssh=True)
    make_offering(status="closed", contradicted=["docker_daemon"])
    gone = make_offering(provider=make_provider(status="closed"))
    today = NOW.date()
    make_claim(answered, "custom_image", "any", read_on=today - timedelta(days=180))
    make_claim(answered, "ssh", True, read_on=today - timedelta(days=181))
    make_claim(answered, "jupyter", True, read_on=None)
    make_claim(answered, "ssh", False, read_on=None, decides=False)
    make_claim(gone, "ssh", True, read_on=None)
    said = page().coverage
    assert (said.offerings, said.cells, said.known) == (2, 2 * len(MAIN), 1)
    assert (said.answers, said.due, said.contradicted) == (3, 2, 2)


# --- The page ----------------------------------------------------------------------------------


def test_the_page_shows_states_and_no_secret(client: Client) -> None:
    merged(26 * HOUR)
    secret = "Traceback: https://api.example/?key=s3cr3t"
    ran(Outcome.FAILED, HOUR, error=secret, error_class="KeyError")
    html = client.get("/status/").content.decode()
    assert "This program failed on the answer" in html
    assert "Off: needs a key" in html
    for hidden in ("Traceback", "s3cr3t", "KeyError", "GPUCOMPARE_SOURCE"):
        assert hidden not in html


def test_the_page_is_reached_from_every_page_and_says_that_it_is_the_current_one(
    client: Client,
) -> None:
    assert '<a href="/status/">' in client.get("/gpus/").content.decode()
    assert '<a href="/status/" aria-current="page">' in client.get("/status/").content.decode()


@pytest.mark.parametrize("language", ["ar", "ur", "tr", "bn"])
def test_the_page_opens_in_every_language(client: Client, language: str) -> None:
    merged(HOUR)
    assert client.get(f"/{language}/status/").status_code == 200


def test_the_page_asks_ten_times_at_most_whatever_the_data(client: Client) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/status/").status_code == 200
        return len(queries)

    few = asked()
    for number in range(5):
        for ago in range(5):
            merged(ago * HOUR, f"{GONE}{number}")
        make_listing(make_offering())
    assert asked() <= 10
    # Runs are fetched once there are any.
    assert asked() <= few + 1


def row(client: Client, slug: str = VERDA) -> str:
    """A source's row as the page shows it, in one line."""
    found = re.search(rf'<tr role="row" id="{slug}".*?</tr>', shown(client), flags=re.S)
    assert found
    return " ".join(found[0].split())


def shown(client: Client) -> str:
    return client.get("/status/").content.decode().replace("\xa0", " ")


def recently(outcome: str, **fields: Any) -> None:
    """A run of the time in which pages are asked for."""
    made = ran(outcome, 0 * HOUR, **fields)
    began = timezone.now() - 5 * MINUTE
    RefreshRun.objects.filter(pk=made.pk).update(started_at=began)
    SourceState.objects.exclude(good_at=None).update(good_at=began)


def test_a_row_tells_its_ages_to_machines_too(client: Client) -> None:
    recently(Outcome.MERGED, new=3)
    html = row(client)
    assert '<span class="mark yes">Fresh</span>' in html
    assert len(re.findall(r'<time datetime="20\d\d-\d\d-\d\dT[\d:]+\+00:00"', html)) == 2
    assert "5 minutes ago</time>" in html


def test_a_row_that_gave_nothing_shows_a_zero_and_one_never_read_a_dash(client: Client) -> None:
    recently(Outcome.MERGED)
    assert re.search(r'class="number"><i>Rows</i>0</td>', row(client))
    assert re.search(r'class="number none"><i>Rows</i>–</td>', row(client, "akash"))


def test_a_row_shows_a_failure_under_its_outcome(client: Client) -> None:
    recently(Outcome.REJECTED, guard="duplicates", figures={"duplicates": 9, "of": 10, "most": 0})
    html = row(client)
    assert '<span class="failed">Rejected by a guard</span>' in html
    assert "<p>9 of 10 rows came twice; more than 0 % is not believed.</p>" in html


def test_a_row_shows_that_a_run_goes_on(client: Client) -> None:
    recently(Outcome.RUNNING)
    assert "<p>Running, started 5 minutes ago</p>" in row(client)


def test_the_page_sums_up_its_sources(client: Client) -> None:
    recently(Outcome.MERGED)
    off = sum(kind.needs_key for kind in SOURCES.values())
    assert f"1 of {len(SOURCES) - off} sources that are read here are fresh." in shown(client)
    assert f"{off} more are off: they need a key." in shown(client)


def test_a_page_without_any_data_says_what_is_not_there(client: Client) -> None:
    html = shown(client)
    assert "None is loaded" in html
    assert "No catalog is loaded" in html
    assert "None yet: prices in other currencies are unknown" in html

"""Every source × every way in which its provider can fail, lie or change.

Whatever happens, the refresh ends with a word for it, and what was good is still on offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from providers.models import Listing, Outcome, RefreshRun, UnknownGpuName
from providers.refresh.guards import DEFAULT, OVERRIDES
from providers.sources import SOURCES
from providers.sources.http import Bounds
from tests import provider_server as play
from tests.endless_pages import PAGES, endless_pages
from tests.plays import PLAYS, Play
from tests.provider_server import Answer, ProviderServer
from tests.rehearsing import (
    IMPATIENT,
    PATIENT,
    catalog_with_rates,
    good_run_of,
    played,
    run_of,
    shelf,
    source_of,
)

pytestmark = pytest.mark.django_db

# Every way of paging (by id, link, cursor and number, or not at all) and of stating money (per GPU,
# per instance, by parts; dollars, cents, euros and their hundred-millionths); whole and streamed.
IN_SHORT = {"aws", "azure", "gcp", "lambda", "ovhcloud", "runpod_without_key", "scaleway", "vast"}


def plays(names: Iterable[str] = PLAYS) -> pytest.MarkDecorator:
    """One test a play; those that others stand for are left to `make soak`."""
    marks: dict[bool, list[pytest.MarkDecorator]] = {True: [], False: [pytest.mark.soak]}
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=marks[name in IN_SHORT]) for name in names]
    )


@pytest.fixture(scope="module", autouse=True)
def _catalog(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), catalog_with_rates():
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    with play.running() as running:
        yield running


@pytest.fixture(scope="module")
def bystander() -> Iterator[ProviderServer]:
    """Another host of this machine, which nobody has any business with."""
    with play.running() as running:
        yield running


@dataclass(frozen=True)
class Fault:
    """What the provider answers to every call, and how the run is to end."""

    answer: Callable[[Play], Answer]
    outcome: Outcome
    bounds: Bounds = PATIENT


def always(answer: Answer) -> Callable[[Play], Answer]:
    return lambda _play: answer


def with_rows(change: Callable[[Play, bytes], bytes]) -> Callable[[Play], Answer]:
    return lambda each: played(each, partial(change, each))


def cut_in_half(_play: Play, body: bytes) -> bytes:
    return body[: len(body) // 2]


FAULTS = {
    "silence": Fault(always(play.silence), Outcome.UNREACHABLE, IMPATIENT),
    "slow drip": Fault(always(play.drip), Outcome.UNREACHABLE, IMPATIENT),
    "401": Fault(always(play.status(401)), Outcome.REFUSED),
    "403": Fault(always(play.status(403)), Outcome.REFUSED),
    "404": Fault(always(play.status(404)), Outcome.REFUSED),
    "429": Fault(always(play.throttled()), Outcome.THROTTLED),
    "429 with Retry-After": Fault(always(play.throttled("30")), Outcome.THROTTLED),
    "500": Fault(always(play.status(500)), Outcome.UNREACHABLE),
    "HTML": Fault(always(play.html), Outcome.MALFORMED),
    "half a JSON": Fault(with_rows(cut_in_half), Outcome.MALFORMED),
    "empty list": Fault(with_rows(Play.emptied), Outcome.EMPTY),
    "null for list": Fault(with_rows(Play.nulled), Outcome.MALFORMED),
    "object of another shape": Fault(always(play.body(b'{"ok": true}')), Outcome.MALFORMED),
    "list of another shape": Fault(always(play.body(b'[["ok"]]')), Outcome.MALFORMED),
    "gzip bomb": Fault(always(play.gzip_bomb), Outcome.MALFORMED),
    "endless body": Fault(always(play.endless), Outcome.MALFORMED),
    "prices times 100": Fault(with_rows(lambda p, b: p.priced(100, b)), Outcome.REJECTED),
    "prices of 0": Fault(with_rows(lambda p, b: p.priced(0, b)), Outcome.REJECTED),
}

# The HTTP client that all sources share ends these before a source has read a word: one source that
# is read whole, one as a stream and one page by page stand for the others.
ALIKE = {"silence", "slow drip", "401", "403", "404", "429", "429 with Retry-After", "500"}
STANDING_FOR_ALL = {"aws", "lambda", "vast"}


def faults() -> pytest.MarkDecorator:
    """Every fault at every source; those that others stand for are left to `make soak`."""

    def is_short(name: str, fault: str) -> bool:
        return name in (STANDING_FOR_ALL if fault in ALIKE else IN_SHORT)

    return pytest.mark.parametrize(
        ("name", "fault"),
        [
            pytest.param(n, f, marks=[] if is_short(n, f) else [pytest.mark.soak])
            for n in PLAYS
            for f in FAULTS
        ],
    )


# Where a provider's own way of answering makes another outcome the right one.
OTHERWISE = {
    # Prices without the products that they are of are half a price list.
    ("empty list", "aws"): Outcome.MALFORMED,
    # Its answer is a bare list: whatever stands in one is a row, and here a bad one.
    ("list of another shape", "verda"): Outcome.REJECTED,
    # A price of 0 means that a card is not sold in that cloud, and such cards are left out.
    ("prices of 0", "runpod"): Outcome.EMPTY,
    ("prices of 0", "runpod_without_key"): Outcome.EMPTY,
}
# These read a list as it comes; the others take each item once, as paging needs it anyway.
KEEP_DUPLICATES = {
    "akash",
    "cloudrift",
    "hyperstack",
    "lium",
    "oracle",
    "runpod",
    "runpod_without_key",
    "shadeform",
}


def told(run: RefreshRun) -> str:
    """All that a run says of how it ended."""
    return f"{run.outcome}: {run.error_class} {run.error} {run.guard} {run.figures}"


# The sample is so small that one card is more than the guards let pass unseen.
NEW_CARD_REJECTED = {
    **dict.fromkeys(
        ("lium", "primeintellect", "runpod", "runpod_without_key", "shadeform", "vast", "vultr"),
        ("rejected", "unknown_names"),
    ),
    # Sizes, families and shapes come from tables: what is in none is a bad row.
    **dict.fromkeys(("aws", "azure", "oracle"), ("rejected", "filled")),
}


# --- A rehearsal --------------------------------------------------------------------


def test_every_source_is_on_stage() -> None:
    assert {source_of(name) for name in PLAYS} == set(SOURCES)
    assert set(PLAYS) >= IN_SHORT | set(PAGES) | KEEP_DUPLICATES | set(NEW_CARD_REJECTED)


@plays()
def test_a_source_fills_its_listings_and_a_second_look_changes_nothing(
    name: str, server: ProviderServer
) -> None:
    first = good_run_of(name, server)
    assert first.outcome == Outcome.MERGED, told(first)
    rows = Listing.objects.filter(source=source_of(name)).select_related("offering__provider")
    assert rows.count() == first.new == first.fetched - first.quarantined > 0
    assert {f"{row.offering.provider.slug}/{row.offering.slug}" for row in rows} <= set(
        SOURCES[source_of(name)].offerings
    )
    prices = [usd for both in shelf(source_of(name)).values() for usd in both if usd is not None]
    assert prices
    assert min(prices) > 0
    again = good_run_of(name, server)
    assert (again.new, again.changed, again.unchanged, again.withdrawn) == (0, 0, first.new, 0)


# --- What fails, and how it ends ----------------------------------------------------


@faults()
def test_a_fault_ends_in_its_word_and_leaves_what_was_good(
    name: str, fault: str, server: ProviderServer
) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    server.always = FAULTS[fault].answer(PLAYS[name])
    run = run_of(name, server.url, FAULTS[fault].bounds)
    assert run.outcome == OTHERWISE.get((fault, name), FAULTS[fault].outcome), told(run)
    assert shelf(source_of(name)) == before
    assert before


@plays()
def test_nobody_answering_leaves_what_was_good(name: str, server: ProviderServer) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    run = run_of(name, play.nobody())
    assert (run.outcome, run.error.endswith("ConnectionRefusedError")) == ("unreachable", True)
    assert shelf(source_of(name)) == before


@plays()
@pytest.mark.parametrize("target", ["https://elsewhere.example", "the bystander"])
def test_a_redirect_elsewhere_is_refused_and_not_followed(
    name: str, target: str, server: ProviderServer, bystander: ProviderServer
) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    to = bystander.url if target == "the bystander" else target
    server.always = play.redirect(f"{to}/prices")
    run = run_of(name, server.url)
    assert (run.outcome, "a redirect to another host" in run.error) == ("refused", True), told(run)
    assert not bystander.seen
    assert shelf(source_of(name)) == before


@plays()
@pytest.mark.parametrize("fault", ["500", "HTML", "half a JSON", "401", "429"])
def test_a_fault_after_the_first_answer_leaves_what_was_good(
    name: str, fault: str, server: ProviderServer
) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    server.then.append(played(PLAYS[name]))
    server.always = FAULTS[fault].answer(PLAYS[name])
    run = run_of(name, server.url)
    assert run.outcome not in (Outcome.FAILED, Outcome.RUNNING), told(run)
    assert shelf(source_of(name)) == before


@plays()
def test_many_rows_gone_at_once_are_no_withdrawal(name: str, server: ProviderServer) -> None:
    """Of each list a half, a third … until fewer listings are left than the guard lets pass."""
    good_run_of(name, server)
    before = shelf(source_of(name))
    least = OVERRIDES.get(source_of(name), DEFAULT).rows * len(before)
    for part in (2, 3, 4, 8, 99):
        server.always = with_rows(lambda each, body: each.thinned(part, body))(PLAYS[name])  # noqa: B023
        if run_of(name, server.url, dry_run=True).fetched < least:
            break
    run = run_of(name, server.url)
    assert (run.outcome, run.guard) == ("rejected", "rows"), told(run)
    assert run.figures["rows"] > 0
    assert shelf(source_of(name)) == before


@plays(PAGES)
def test_pages_without_end_are_no_answer(name: str, server: ProviderServer) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    server.always = endless_pages(name)
    run = run_of(name, server.url)
    assert (run.outcome, "more than" in run.error) == ("malformed", True), told(run)
    assert shelf(source_of(name)) == before


# --- What passes --------------------------------------------------------------------


@plays()
@pytest.mark.parametrize("fault", [play.status(500), play.throttled("1")], ids=["500", "429"])
def test_a_fault_that_passes_is_not_noticed(
    name: str, fault: Answer, server: ProviderServer
) -> None:
    first = good_run_of(name, server)
    server.then.append(fault)
    again = good_run_of(name, server)
    assert (again.outcome, again.unchanged) == (Outcome.MERGED, first.new)


@plays([name for name, each in PLAYS.items() if each.secondary])
@pytest.mark.parametrize("fault", ["500", "HTML", "401", "object of another shape"])
def test_prices_go_in_without_what_a_secondary_call_would_add(
    name: str, fault: str, server: ProviderServer
) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    well, badly = played(PLAYS[name]), FAULTS[fault].answer(PLAYS[name])
    server.always = lambda exchange: (badly if PLAYS[name].is_secondary(exchange.seen) else well)(
        exchange
    )
    run = run_of(name, server.url)
    assert run.outcome == Outcome.MERGED, told(run)
    assert shelf(source_of(name)) == before
    assert (run.new, run.withdrawn) == (0, 0)
    assert run.changed > 0


@plays()
def test_rows_that_come_twice_stand_once(name: str, server: ProviderServer) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    server.always = with_rows(Play.doubled)(PLAYS[name])
    run = run_of(name, server.url)
    expected = ("rejected", "duplicates") if name in KEEP_DUPLICATES else ("merged", "")
    assert (run.outcome, run.guard) == expected, told(run)
    assert shelf(source_of(name)) == before


@plays()
def test_a_new_gpu_is_queued_or_kept_out_and_costs_no_other_row(
    name: str, server: ProviderServer
) -> None:
    good_run_of(name, server)
    before = shelf(source_of(name))
    server.always = with_rows(Play.renamed)(PLAYS[name])
    run = run_of(name, server.url)
    lost = len(before.keys() - shelf(source_of(name)).keys())
    if run.outcome == Outcome.MERGED:
        assert UnknownGpuName.objects.exists() or run.quarantined, told(run)
        assert lost <= len(before) / 4
    else:
        # One card is more than the share that this source's guards allow: a curator decides.
        assert (run.outcome, run.guard) == NEW_CARD_REJECTED[name], told(run)
        assert lost == 0

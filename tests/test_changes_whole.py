"""Changes as a whole: any criteria get an answer, every word of a digest, writers in one order."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import feedparser
import pytest
from django.db import connection
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.browse.parameters import PARAMETERS, Vocabulary
from providers.changes.asked import concerns, feed_url
from providers.changes.catalog import told
from providers.changes.feed import Version
from providers.changes.keep import keep
from providers.changes.present import Presenter
from providers.dimensions import DIMENSIONS
from providers.models import Change, Gpu, Offering, Provider, What, Why
from tests.changing import make_answer, make_change, make_price, selection, shown
from tests.factories import make_gpu, make_listing, make_offering, make_provider

db = pytest.mark.django_db


@pytest.fixture
def world() -> None:
    """One of everything that criteria can be about."""
    provider = make_provider("acme", kind="marketplace")
    for slug, daemon in (("pods", "root"), ("vms", None)):
        offering = make_offering(slug, provider, docker_daemon=daemon)
        for gpu in (make_gpu(f"{slug}-sxm", slug), make_gpu(f"{slug}-pcie", slug)):
            make_listing(offering, gpu, usd_per_hour=2, region="eu", vram_gb=80)
            make_price(offering, gpu, 3, 1)
            make_price(offering, gpu, None, 1, What.LISTED)
            make_price(offering, gpu, 1, None, What.WITHDRAWN)
            make_price(offering, gpu, 1, 1, What.STOCK, before=False, after=True)
            make_price(offering, gpu, 3, "2.9", notable=False)
            make_price(offering, gpu, 3, 1, spot=True)
        make_answer(offering, None, daemon)
        make_change(What.STATUS, offering, before="active", after="closed")
    make_change(What.STATUS, None, provider=provider, before="active", after="acquired")
    make_change(What.DIGEST, None, why=Why.CATALOG, figures={"first": FIRST})


FIRST = {"answers": 2, "offerings": 2, "providers": 1}


# --- Any criteria ----------------------------------------------------------------------------

_VOCABULARY = Vocabulary({"acme"}, {"pods", "pods-sxm", "vms"})
# Values of the criteria that list none, as a reader might type them.
_TYPED = {
    "q": ["pods", "nothing"],
    "gpu_count": ["1", "8"],
    "min_vram": ["40", "900"],
    "region": ["eu", "mars"],
    "min_driver": ["570", "535.129.3"],
    "min_cuda": ["12.8"],
    "max_price": ["2", "0.5"],
}


def values_of(name: str) -> list[str]:
    return _TYPED.get(name) or list(PARAMETERS[name].allowed(_VOCABULARY)) or ["1"]


NAMES = [name for name in PARAMETERS if concerns(name) and name not in ("after", "per")]
_QUERIES = st.lists(st.sampled_from(NAMES), max_size=4, unique=True).flatmap(
    lambda names: st.tuples(
        *(st.tuples(st.just(name), st.sampled_from(values_of(name))) for name in names)
    )
)


@db
@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("most", [2, pytest.param(99, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_can_be_asked(client: Client, name: str, most: int) -> None:
    every = shown() + list(Change.objects.values_list("pk", flat=True))
    for value in values_of(name)[:most]:
        query = urlencode({name: value})
        assert client.get(f"/changes/?{query}").status_code == 200, query
        if name in DIMENSIONS and not DIMENSIONS[name].allowed:
            continue  # whether the feed takes a bare value depends on its spelling
        assert client.get(f"/feed.atom?{query}").status_code == 200, query
        assert set(shown(query)) <= set(every)


@db
@pytest.mark.usefixtures("world")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_QUERIES)
def test_any_criteria_have_a_feed_that_can_be_read(asked: tuple[tuple[str, str], ...]) -> None:
    response = Client().get(f"/feed.atom?{urlencode(asked)}")
    if response.status_code == 400:
        assert any(not PARAMETERS[name].allowed(_VOCABULARY) for name, _value in asked)
        return
    found = feedparser.parse(response.content)
    assert not found.bozo
    [own] = [link.href for link in found.feed.links if link.rel == "self"]
    again = Client().get(own.removeprefix("http://testserver"))
    assert feedparser.parse(again.content).feed.id == found.feed.id
    assert [e.id for e in feedparser.parse(again.content).entries] == [e.id for e in found.entries]


@db
@pytest.mark.usefixtures("world")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["root", "rootless", "nested", "none"]), st.sampled_from(["", "&gpu=pods"]))
def test_without_the_unknown_there_are_never_more(daemon: str, gpu: str) -> None:
    query = f"docker_daemon={daemon}{gpu}"
    digests = set(Change.objects.filter(what=What.DIGEST).values_list("pk", flat=True))
    assert set(shown(f"{query}&unknown=hide")) - digests <= set(shown(query))


@db
@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("query", ["", "?docker_daemon=root&sort=price", "?gpu=pods&max_price=2"])
def test_browse_changes_and_feed_hold_the_same_criteria(client: Client, query: str) -> None:
    page = client.get(f"/{query}").context["page"]
    chosen = selection(query.removeprefix("?"))
    assert page.feed_url == feed_url(chosen.criteria)
    assert client.get(page.feed_url).status_code == 200
    changes = client.get(page.feed_url.replace("/feed.atom", "/changes/")).context["page"]
    assert changes.feed_url == page.feed_url


# --- Digests in words --------------------------------------------------------------------------


def lines(**figures: Any) -> list[str]:
    why = figures.pop("why", Why.REFRESH)
    change = make_change(What.DIGEST, None, why=why, source="acme", figures=figures)
    return [str(line).replace("\u00a0", " ") for line in Presenter(selection()).entry(change).lines]


@db
@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ({"price": 1}, "1 price changed"),
        ({"price": 2, "stock": 1}, "2 prices changed, 1 stock changed"),
        ({"listed": 1, "withdrawn": 3}, "1 GPU newly listed, 3 GPUs no longer listed"),
        ({"claim": 1, "status": 2}, "1 answer changed, 2 statuses changed"),
    ],
)
def test_a_digest_counts_what_changed(counts: dict[str, int], line: str) -> None:
    assert lines(counts=counts, offerings=1) == [line]


@db
def test_a_digest_names_the_steepest_fall_and_rise() -> None:
    gpu: Gpu = make_gpu("h100-sxm", "h100", name="H100 SXM")
    offering = make_offering("pods", make_provider("acme"))
    step = {"offering": offering.pk, "family": gpu.family_id, "gpu": gpu.pk}
    fall = {**step, "before": "2", "after": "1", "percent": -50.0}
    rise = {**step, "before": "1", "after": "3", "percent": 200.0}
    assert lines(counts={"price": 2}, offerings=1, fall=fall, rise=rise)[1:] == [
        "steepest fall: Acme Pods, H100 SXM: $2.00 / GPU / hour → $1.00 / GPU / hour (−50 %)",
        "steepest rise: Acme Pods, H100 SXM: $1.00 / GPU / hour → $3.00 / GPU / hour (+200 %)",
    ]


@db
@pytest.mark.parametrize(
    ("why", "first", "line"),
    [
        (Why.CATALOG, FIRST, "2 answers, at 2 offerings"),
        (Why.REFRESH, {"prices": 1, "offerings": 1, "gpus": 1}, "1 price, at 1 offering"),
    ],
)
def test_a_first_time_says_how_much_there_is(why: Why, first: Any, line: str) -> None:
    assert lines(why=why, first=first) == [line]


@db
def test_nothing_to_tell_writes_nothing() -> None:
    keep([], Why.DESK)
    assert not Change.objects.exists()


# --- What a reader holds -------------------------------------------------------------------------


@given(st.integers(0, 10**12), st.lists(st.integers(1, 10**9), max_size=5), st.text(max_size=20))
def test_a_version_is_read_back_from_its_tag(last: int, ids: list[int], address: str) -> None:
    version = Version.of([Change(pk=pk) for pk in ids], last, address)
    for header in (version.etag, f"W/{version.etag}", f'"x", {version.etag}, "y"'):
        assert list(Version.held(header, address)) == [version]
    assert list(Version.held(version.etag, f"{address}?")) == []


@given(st.text(max_size=60))
def test_a_tag_of_somebody_else_is_none_of_ours(header: str) -> None:
    assert list(Version.held(header, "/feed.atom")) == []


# --- Writers at once ---------------------------------------------------------------------------


@pytest.fixture
def closing(transactional_db: None) -> Iterator[list[Offering]]:
    provider: Provider = make_provider("acme")
    yield [make_offering(f"o{n}", provider) for n in range(6)]
    Change.objects.all().delete()


def close(offering: Offering) -> None:
    try:
        with told(Why.DESK):
            Offering.objects.filter(pk=offering.pk).update(status="closed")
    finally:
        connection.close()


def test_curators_who_save_at_once_are_each_told_once_and_in_order(
    closing: list[Offering],
) -> None:
    threads = [Thread(target=close, args=[offering]) for offering in closing]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    found = list(Change.objects.order_by("pk"))
    assert sorted(c.offering_id or 0 for c in found) == sorted(o.pk for o in closing)
    assert [c.at for c in found] == sorted(c.at for c in found)
    assert {(c.before, c.after) for c in found} == {("active", "closed")}

"""The feed, as a reader of feeds reads it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import feedparser
import pytest
from django.test import Client

from providers.changes.feed import MAX_ENTRIES
from providers.models import Change, Gpu, GpuFamily, Offering, What, Why
from tests.changing import make_answer, make_change, make_price
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider
from tests.query_counts import queries_of
from tests.refreshing import record, run

pytestmark = pytest.mark.django_db

ALERT = "/feed.atom?docker_daemon=root&gpu=h100-sxm&max_price=2"
FIRST = {"answers": 5, "offerings": 2, "providers": 1}
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"), docker_daemon="root")


@pytest.fixture
def sxm() -> Gpu:
    return make_gpu("h100-sxm", "h100", name="H100 SXM")


def read(client: Client, address: str = "/feed.atom", **headers: str) -> Any:
    """The feed as feedparser reads it: well formed, or the test fails."""
    response = client.get(address, headers=headers)
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    found = feedparser.parse(response.content)
    assert not found.bozo, found.get("bozo_exception")
    assert found.version == "atom10"
    return found


def titles(client: Client, address: str = "/feed.atom") -> list[str]:
    return [entry.title for entry in read(client, address).entries]


def address_of(found: Any, rel: str) -> str:
    [link] = [link.href for link in found.feed.links if link.rel == rel]
    return str(link)


# --- What it holds -------------------------------------------------------------------------


def test_a_feed_without_a_change_is_a_feed(client: Client) -> None:
    found = read(client)
    assert found.entries == []
    assert found.feed.updated.startswith("1970-01-01")


def test_an_entry_says_who_what_before_after_when_and_why(client: Client, pods: Offering) -> None:
    change = make_answer(pods, None, "root", source_url="https://acme.example/docs?a=1&b=2")
    [entry] = read(client).entries
    assert entry.title == "Acme Pods: Docker daemon: Unknown → Root"
    assert entry.link == "http://testserver/providers/acme/pods/docker_daemon/"
    assert "Catalog load" in entry.summary
    assert 'href="https://acme.example/docs?a=1&amp;b=2"' in entry.summary
    assert entry.updated == entry.published == change.at.isoformat()
    assert entry.id == f"tag:testserver,{change.at:%Y-%m-%d}:change/{change.pk}"


def test_it_is_valid_atom_by_what_the_standard_demands(
    client: Client, pods: Offering, sxm: Gpu
) -> None:
    make_price(pods, sxm, 3, 2)
    make_change(What.DIGEST, None, why=Why.CATALOG, figures={"first": FIRST})
    root = ET.fromstring(client.get("/feed.atom").content)  # noqa: S314 -- our own
    for element in (root, *root.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1, name
    assert len(root.findall(f"{ATOM}author")) == 1
    ids = [element.text for element in root.iter(f"{ATOM}id")]
    assert len(ids) == len(set(ids)) == 3


@pytest.mark.parametrize(
    ("asked", "canonical"),
    [
        ("", ""),
        ("?gpu=h100-sxm&docker_daemon=root", "?docker_daemon=root&gpu=h100-sxm"),
        ("?sort=price&columns=spot&page=3&docker_daemon=root", "?docker_daemon=root"),
        ("?max_price=2.00&per=gpu", "?max_price=2"),
    ],
)
def test_its_own_address_is_the_canonical_one(
    client: Client, sxm: Gpu, asked: str, canonical: str
) -> None:
    found = read(client, f"/feed.atom{asked}")
    assert address_of(found, "self") == f"http://testserver/feed.atom{canonical}"
    assert address_of(found, "alternate") == f"http://testserver/changes/{canonical}"
    assert client.get(f"/changes/{canonical}").status_code == 200


def test_ids_are_the_same_in_every_feed_and_language(
    client: Client, pods: Offering, sxm: Gpu
) -> None:
    make_price(pods, sxm, 3, 1)
    feeds = [read(client, a) for a in ("/feed.atom", "/ar/feed.atom", ALERT)]
    assert len({feed.entries[0].id for feed in feeds}) == 1
    assert feeds[0].feed.id == feeds[1].feed.id != feeds[2].feed.id


def test_it_holds_the_newest_hundred(client: Client, pods: Offering) -> None:
    made = [make_answer(pods, None, "root") for _ in range(MAX_ENTRIES + 5)]
    entries = read(client).entries
    assert len(entries) == MAX_ENTRIES == 100
    assert entries[0].id.endswith(f"/{made[-1].pk}")
    assert entries[-1].id.endswith(f"/{made[5].pk}")


HOSTILE = "<script>alert(1)</script>&\"']]><!--\u202e\x07\ufffe"


def test_hostile_names_stay_text(client: Client, sxm: Gpu) -> None:
    offering = make_offering("o", make_provider("p", name=HOSTILE[:100]), name=HOSTILE[:100])
    make_price(offering, sxm, 3, 2, source=HOSTILE[:30])
    make_answer(offering, None, ["<img src=x>"], "registries")
    for entry in read(client).entries:
        assert "<script" not in entry.summary
        assert "<img" not in entry.summary
        assert "\x07" not in entry.title
    raw = client.get("/feed.atom").content.decode()
    assert "<script" not in raw
    assert "<img" not in raw


# --- A price alert -------------------------------------------------------------------------


def prepared() -> None:
    provider = make_provider("acme")
    make_offering("pods", provider, docker_daemon="root")
    make_offering("vms", provider, docker_daemon="none")


def both(usd: object) -> None:
    """One refresh: the same GPU at the same price, with a daemon and without."""
    run(*(record(o, usd, offering=f"acme/{o}", gpu_name="H100 SXM") for o in ("pods", "vms")))


def test_a_price_that_falls_below_the_limit_is_an_alert(client: Client) -> None:
    prepared()
    both(3)
    assert titles(client, ALERT) == []
    both("1.98")
    assert titles(client, ALERT) == [
        "Acme Pods: H100 SXM: $3.00 / GPU / hour → $1.98 / GPU / hour – starts to match"
    ]


def test_a_price_that_creeps_below_the_limit_is_an_alert_too(client: Client) -> None:
    prepared()
    for usd in ("2.05", "2.01", "1.99", "1.97"):
        both(usd)
    assert titles(client, ALERT) == [
        "Acme Pods: H100 SXM: $2.01 / GPU / hour → $1.99 / GPU / hour – starts to match"
    ]


def test_a_price_that_rises_above_the_limit_ends_it(client: Client) -> None:
    prepared()
    for usd in (3, "1.9", 3):
        both(usd)
    ends = [title.rpartition(" – ")[2] for title in titles(client, ALERT)]
    assert ends == ["no longer matches", "starts to match"]
    tags = [entry.tags[1].term for entry in read(client, ALERT).entries]
    assert tags == ["stops", "starts"]


def test_an_answer_that_becomes_known_is_an_alert(client: Client, pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm, usd_per_hour="1.5")
    make_answer(pods, "none", "root")
    assert titles(client, ALERT) == ["Acme Pods: Docker daemon: None → Root – starts to match"]


def test_a_digest_of_many_prices_is_one_entry(client: Client) -> None:
    prepared()
    run(record("first"))
    names = list(Gpu.objects.values_list("name", flat=True)[:30])
    for usd in (3, 2):
        run(*(record(name, usd, gpu_name=name) for name in names))
    newest = read(client).entries[0]
    assert newest.title.startswith("Prices and stock: 30 prices changed")
    assert "steepest fall: Acme Pods, " in newest.summary
    assert "−33 %" in newest.summary.replace("\u00a0", " ")


# --- What it refuses -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("gpuu=h100", "there is no such filter"),
        ("gpu=h100-smx", "gpu=h100-smx; allowed:"),
        ("docker_daemon=yes", "allowed: root"),
        ("freshness=fresh", "freshness=fresh; there is no such filter"),
        ("per=instance&max_price=20", "per=instance; allowed: gpu"),
        ("max_price=cheap", "max_price=cheap"),
    ],
)
def test_a_feed_of_something_else_is_never_given(client: Client, query: str, said: str) -> None:
    make_gpu("h100-sxm", "h100")
    response = client.get(f"/feed.atom?{query}")
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/plain")
    assert said in response.content.decode()


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/feed.atom").status_code == 405
    assert client.head("/feed.atom").status_code == 200


# --- Asking again ----------------------------------------------------------------------------


def test_what_a_reader_holds_is_not_sent_again(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "root")
    first = client.get("/feed.atom")
    again = client.get("/feed.atom", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    dated = client.get("/feed.atom", headers={"If-Modified-Since": first["Last-Modified"]})
    assert dated.status_code == 304


def test_a_weak_tag_as_compression_makes_it_is_known(client: Client, pods: Offering) -> None:
    for _ in range(30):
        make_answer(pods, None, "root")
    packed = client.get("/feed.atom", headers={"Accept-Encoding": "gzip"})
    assert packed["ETag"].startswith("W/")
    again = client.get("/feed.atom", headers={"If-None-Match": f'"other", {packed["ETag"]}'})
    assert again.status_code == 304


def test_a_change_is_sent_and_what_does_not_concern_a_feed_is_not(
    client: Client, pods: Offering
) -> None:
    other = make_offering("vms", make_provider("other"), docker_daemon="none")
    make_answer(pods, None, "root")
    held = {"If-None-Match": client.get("/feed.atom?docker_daemon=root")["ETag"]}
    make_answer(other, "nested", "none")
    assert client.get("/feed.atom?docker_daemon=root", headers=held).status_code == 304
    make_answer(pods, None, True, "spot")
    assert client.get("/feed.atom?docker_daemon=root", headers=held).status_code == 200


def test_a_tag_answers_for_its_own_feed_only(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "root")
    held = {"If-None-Match": client.get("/feed.atom")["ETag"]}
    assert client.get("/feed.atom?docker_daemon=root", headers=held).status_code == 200
    assert client.get("/tr/feed.atom", headers=held).status_code == 200


def test_while_nothing_is_written_a_reader_costs_one_query(client: Client, pods: Offering) -> None:
    make_answer(pods, None, "root")
    held = {"If-None-Match": client.get(ALERT.replace("gpu=h100-sxm&", ""))["ETag"]}
    address = ALERT.replace("gpu=h100-sxm&", "")
    assert queries_of(lambda: client.get(address, headers=held)) == 1


def test_more_offerings_cost_no_more_queries(client: Client, sxm: Gpu) -> None:
    def grow(count: int) -> None:
        provider = make_provider()
        for _ in range(count):
            offering = make_offering(provider=provider, docker_daemon="root")
            make_listing(offering, sxm, usd_per_hour=1)
            make_price(offering, sxm, 3, 1)

    grow(2)
    few = queries_of(lambda: client.get(ALERT))
    grow(30)
    assert queries_of(lambda: client.get(ALERT)) == few <= 13


def test_it_sets_no_cookie_and_may_be_cached(client: Client) -> None:
    response = client.get("/feed.atom")
    assert response.cookies == {}
    assert "public" in response["Cache-Control"]


def test_pages_say_where_their_feed_is(client: Client, sxm: Gpu) -> None:
    for page in ("/", "/changes/"):
        html = client.get(f"{page}?docker_daemon=root&gpu=h100-sxm").content.decode()
        wanted = 'type="application/atom+xml"'
        [line] = [line for line in html.splitlines() if "alternate" in line and wanted in line]
        assert 'href="/feed.atom?docker_daemon=root&amp;gpu=h100-sxm"' in line


def test_entries_lead_to_pages_that_are_there(client: Client, pods: Offering, sxm: Gpu) -> None:
    make_listing(pods, sxm)
    later = NOW + timedelta(hours=1)
    make_answer(pods, None, "root")
    make_price(pods, sxm, 3, 2)
    make_price(pods, GpuFamily.objects.get(), 3, 2)
    make_change(What.STATUS, None, provider=pods.provider, before="active", after="closed")
    make_change(What.STATUS, pods, before=None, after="active", at=later)
    make_change(What.DIGEST, None, why=Why.CATALOG, figures={"first": FIRST})
    entries = read(client).entries
    assert len(entries) == Change.objects.count() == 6
    for entry in entries:
        parts = urlsplit(entry.link)
        assert client.get(f"{parts.path}?{parts.query}").status_code == 200, entry.link

"""The page of a share: that day, what has changed since, and now; its link."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from providers.models import Claim, ExchangeRate, Offering, Share
from providers.resolve import resolve_offerings
from tests.factories import NOW, make_claim, make_offering
from tests.query_counts import queries_of
from tests.sharing import changed, lines, make_share, opened, rows, words
from tests.sharing_market import COMPARE, LATER, change_much, make_pods, make_vms, stopped_clock

pytestmark = pytest.mark.django_db
clock = pytest.fixture(autouse=True)(stopped_clock)
pods = pytest.fixture(make_pods)
vms = pytest.fixture(make_vms)

PAGES = {
    "browse": ("/?columns=docker_daemon&columns=ssh", "Cheapest price"),
    "compare": (COMPARE, "Cheapest on demand"),
}


@pytest.mark.parametrize("kind", PAGES)
def test_it_shows_that_day_and_exactly_what_has_changed_since(
    client: Client, pods: Offering, vms: Offering, clock: Any, kind: str
) -> None:
    address, price = PAGES[kind]
    path = make_share(client, kind, address)
    before = opened(client, path)
    assert (before.changes, before.count) == ((), 0)

    clock(LATER)
    change_much(pods, vms)
    after = opened(client, path)

    assert words(after) == words(before)
    assert sorted(lines(after)) == [
        (
            "alpha Pods".title(),
            price,
            "$2.49 8 × H100-SXM · $19.92 ÷ 8",
            "$2.99 8 × H100-SXM · $23.92 ÷ 8",
        ),
        ("Alpha Pods", "Docker daemon", "None", "Root"),
        ("Beta VMs", "SSH", "Unknown", "Yes"),
        ("Beta VMs", "Status", "Active", "Closed"),
    ]
    assert [str(line.how) for line in changed(after, "Alpha Pods").lines] == ["changed", "up 20 %"]
    assert (after.day, after.today) == ("30 November 2026", "9 January 2027")


def test_now_shows_today_instead_and_leads_back(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", COMPARE)
    change_much(pods, vms)
    now = opened(client, f"{path}?now=1")
    assert now.now
    daemon = next(row for row in rows(now) if row.head.text == "Docker daemon")
    assert [cell.said.text for cell in daemon.cells] == ["Root", "Root"]
    assert all(cell.now is None for row in rows(now) for cell in row.cells)
    html = client.get(f"{path}?now=1").content.decode()
    assert f'<a class="button" href="{path}">As of 30 November 2026</a>' in html
    assert f'href="{path}?now=1" aria-current="true">Now</a>' in html


def test_a_cell_says_value_basis_source_and_day_and_beside_it_what_it_says_now(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", COMPARE)
    change_much(pods, vms)
    daemon = next(row for row in rows(opened(client, path)) if row.head.text == "Docker daemon")
    first, second = daemon.cells
    assert (first.said.state, first.said.text) == ("no", "None")
    assert first.about == "Documented · 1 Nov 2026"
    assert first.source_url == "https://docs.alpha.example/daemon"
    assert first.now
    assert (first.now.state, first.now.text) == ("yes", "Root")
    assert second.about == "Documented · An integrator · day not recorded"
    assert second.now is None
    html = client.get(path).content.decode()
    assert '<a class="ltr" href="https://docs.alpha.example/daemon"' in html


def test_a_price_says_its_unit_its_divisor_and_its_day(client: Client, pods: Offering) -> None:
    page = opened(client, make_share(client, "browse", "/?columns=docker_daemon"))
    (row,) = rows(page)
    assert [str(head.text) for head in page.table.columns] == ["Docker daemon", "Cheapest price"]
    assert page.table.columns[-1].notes == ("$ / GPU / hour",)
    price = row.cells[-1]
    assert (price.said.text, price.about) == ("$2.49", "seen 30 November 2026")
    assert price.details == ("8 × H100-SXM · $19.92 ÷ 8",)


def test_prices_stay_in_the_currency_and_at_the_rate_of_that_day(
    client: Client, pods: Offering
) -> None:
    ExchangeRate.objects.create(currency="EUR", day=NOW.date(), usd=Decimal("1.25"))
    path = make_share(client, "browse", "/?columns=docker_daemon&currency=EUR&per=instance")
    ExchangeRate.objects.update(usd=Decimal("1.6"))
    page = opened(client, path)
    assert rows(page)[0].cells[-1].said.text == "€15.94"
    assert page.changes == ()
    assert rows(opened(client, f"{path}?now=1"))[0].cells[-1].said.text == "€12.45"


def test_chips_say_what_was_asked_and_the_page_itself_is_one_link_away(
    client: Client, pods: Offering
) -> None:
    page = opened(client, make_share(client, "browse", "/?docker_daemon=none&gpu=h100"))
    said = [(str(fact.label), str(fact.value)) for fact in page.facts]
    assert said == [
        ("Docker daemon", "None"),
        ("GPU", "H100"),
        ("Prices in", "$ / GPU / hour"),
    ]
    assert page.live_url == "/?docker_daemon=none&gpu=h100"
    assert str(page.description).startswith("Docker daemon: None. GPU: H100. 1 matching offering")


def test_details_under_an_answer_are_frozen_with_it(client: Client, pods: Offering) -> None:
    path = make_share(client, "browse", "/?columns=driver_kind")
    Claim.objects.filter(dimension="driver").update(value="600")
    resolve_offerings()
    page = opened(client, path)
    assert rows(page)[0].cells[0].details == ("550–580",)
    assert [what for _, what, *_ in lines(page)] == ["Driver version"]


def test_an_id_may_be_typed_as_it_is_heard(client: Client, pods: Offering) -> None:
    path = make_share(client, "browse", "/")
    pk = path.split("/")[-2]
    typed = f"/s/{pk[:6].upper()}-{pk[6:]}/"
    assert client.get(f"{typed}?now=1").headers["Location"] == f"{path}?now=1"
    assert client.get(typed).headers["Location"] == path


@pytest.mark.parametrize("typed", ["0" * 12, "x", "%00", "ü" * 40, "a" * 3_000])
def test_an_unknown_id_is_not_found_in_the_look_of_the_site(client: Client, typed: str) -> None:
    for path in (f"/s/{typed}/", f"/s/{typed}/picture.png"):
        response = client.get(path)
        assert response.status_code == 404
        assert "There is nothing at this address" in response.content.decode()


def test_it_is_told_to_chats_and_hidden_from_search_engines(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", COMPARE)
    response = client.get(path)
    html = response.content.decode()
    meta = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', html))
    assert meta["robots"] == "noindex"
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert meta["og:title"] == meta["twitter:title"] == "Alpha Pods, Beta VMs · 30 November 2026"
    assert meta["og:image"] == meta["twitter:image"] == f"http://testserver{path}picture.png"
    assert (meta["og:image:width"], meta["og:image:height"]) == ("1200", "630")
    assert meta["og:url"] == f"http://testserver{path}"
    assert meta["og:description"] == meta["description"]
    assert "2 offerings side by side, as they were on 30 November 2026" in meta["description"]
    assert "<title>Alpha Pods, Beta VMs · 30 November 2026 · gpucompare</title>" in html


def test_names_that_would_be_markup_stay_text(client: Client) -> None:
    evil = make_offering("evil", name='<script>alert("x")</script>')
    path = make_share(client, "browse", "/")
    Offering.objects.filter(pk=evil.pk).update(name='"><img src=x onerror=y>')
    html = client.get(path).content.decode()
    assert "<script>alert" not in html
    assert "<img" not in html


@pytest.mark.parametrize("language", ["ar", "ur", "tr", "bn"])
def test_a_share_speaks_the_language_of_whoever_reads_it(
    client: Client, pods: Offering, vms: Offering, language: str
) -> None:
    path = make_share(client, "compare", COMPARE)
    response = client.get(f"/{language}{path}")
    html = response.content.decode()
    assert response.status_code == 200
    assert f'<html lang="{language}"' in html
    assert f"http://testserver/{language}{path}picture.png" in html
    # The day of a share is not that of an English reader.
    assert response.context["page"].day != "30 November 2026"


def test_a_page_costs_the_same_with_more_offerings(client: Client, pods: Offering) -> None:
    def cost() -> int:
        path = make_share(client, "browse", "/")
        return queries_of(lambda: client.get(path))

    few = cost()
    for _one in range(20):
        make_claim(make_offering(docker_daemon="root"), "docker_daemon", "root")
    assert cost() == few <= 13


def test_curators_see_shares_and_change_none(client: Client, pods: Offering) -> None:
    make_share(client, "browse", "/")
    share = Share.objects.get()
    Offering.objects.update(slug="other")
    client.force_login(User.objects.create_superuser("curator", password="a long one"))
    listed = client.get("/admin/providers/share/")
    assert share.pk in listed.content.decode()
    form = client.get(f"/admin/providers/share/{share.pk}/change/").content.decode()
    assert f'href="/s/{share.pk}/"' in form
    assert 'name="kind"' not in form
    assert client.post(f"/admin/providers/share/{share.pk}/delete/").status_code == 403
    assert client.get("/admin/providers/share/add/").status_code == 403
    assert "alpha/pods" in client.get("/admin/providers/formerkey/").content.decode()


def test_nothing_about_the_visitor_is_kept(client: Client, pods: Offering) -> None:
    make_share(client, "browse", "/")
    fields = {field.name for field in Share._meta.get_fields()}
    assert fields == {"id", "kind", "day", "content", "size"}
    assert Share.objects.get().day == timezone.now().date()

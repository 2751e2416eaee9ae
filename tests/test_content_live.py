"""The numbers of texts are those of the browse page, and texts come out as safe HTML."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from checks.content.live import Live
from checks.content.placeholders import placeholder
from checks.content.render import page_address, render
from providers.browse.world import World
from providers.dimensions import DIMENSIONS
from providers.models import Status, Stock
from tests.factories import NOW, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def live() -> Live:
    """Two offerings with a daemon as root, one without, one unknown, one that is closed."""
    acme, beta = make_provider("acme"), make_provider("beta")
    make_offering("a", acme, docker_daemon="root", registry_auth=["docker_login", "cloud_role"])
    make_offering("b", acme, docker_daemon="root", registry_auth=["docker_login"])
    make_listing(make_offering("c", beta, docker_daemon="none"), stock=Stock.AVAILABLE)
    make_offering("d", beta)
    make_offering("e", make_provider("gone"), docker_daemon="root", status=Status.CLOSED)
    return Live(World.read(), NOW)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("total", "4"),
        ("providers", "2"),
        ("count:docker_daemon=root", "2"),
        ("may:docker_daemon=root", "1"),
        ("no:docker_daemon=root", "1"),
        ("count:docker_daemon=root&docker_daemon=none", "3"),
        ("count:registry_auth=cloud_role", "1"),
        ("count:in_stock=1", "1"),
        ("may:in_stock=1", "3"),
        ("label:docker_daemon", "Docker daemon"),
        ("label:docker_daemon=none", "None"),
    ],
)
def test_a_placeholder_shows_what_is_so_today(live: Live, text: str, shown: str) -> None:
    assert str(live.shown(placeholder(text))) == shown


def test_the_answers_of_a_dimension_and_what_is_unknown_are_counted(live: Live) -> None:
    daemon = DIMENSIONS["docker_daemon"]
    assert {value.key: count for value, count in live.answers(daemon)} == {
        "root": 2,
        "rootless": 0,
        "nested": 0,
        "none": 1,
    }
    assert live.unanswered(daemon) == 1


def test_only_counts_about_listings_ask_the_database_and_each_once(live: Live) -> None:
    with CaptureQueriesContext(connection) as seen:
        for text in ("total", "count:spot=yes", "may:docker_daemon=root&spot=yes"):
            live.shown(placeholder(text))
    assert len(seen) == 0
    with CaptureQueriesContext(connection) as seen:
        live.shown(placeholder("count:in_stock=1"))
    assert len(seen) > 0
    with CaptureQueriesContext(connection) as seen:
        for text in ("count:in_stock=1", "may:in_stock=1", "no:in_stock=1"):
            live.shown(placeholder(text))
    assert len(seen) == 0


# --- HTML --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One.\n\n- a\n- b", "<p>One.</p><ul><li>a</li><li>b</li></ul>"),
        ("<b>&", "<p>&lt;b&gt;&amp;</p>"),
        ("`<i>`", '<p><code class="ltr">&lt;i&gt;</code></p>'),
        ("**{total}**", "<p><strong>4</strong></p>"),
        ("[{total} there](/?spot=yes)", '<p><a href="/?spot=yes">4 there</a></p>'),
        (
            "[out](https://x.example/?a=1&b=2)",
            '<p><a href="https://x.example/?a=1&amp;b=2">out</a></p>',
        ),
        (
            '[q](https://x.example/"onclick=)',
            '<p><a href="https://x.example/&quot;onclick=">q</a></p>',
        ),
        ("", ""),
    ],
)
def test_a_text_becomes_html_with_nothing_of_its_own(live: Live, text: str, html: str) -> None:
    assert render(text, live, "en") == html


@pytest.mark.parametrize(
    ("address", "language", "found"),
    [
        ("/?spot=yes", "en", "/?spot=yes"),
        ("/?spot=yes", "ar", "/ar/?spot=yes"),
        ("/faq/#moved-tags", "bn", "/bn/faq/#moved-tags"),
        ("https://docs.example/", "ar", "https://docs.example/"),
    ],
)
@pytest.mark.parametrize("active", ["en", "ar"])
def test_links_stay_in_the_language_of_the_page(
    address: str, language: str, found: str, active: str
) -> None:
    with translation.override(active):
        assert page_address(address, language) == found

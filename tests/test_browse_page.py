"""The browse page as it is asked for: by people, caches, robots and attackers."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.desk import curator
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def make_offerings(count: int) -> None:
    """Offerings with claims, each with priced listings of its own GPU."""
    for _ in range(count):
        offering = make_offering(docker_daemon="root")
        gpu = make_gpu(f"gpu-{offering.slug}")
        make_claim(offering, "docker_daemon", "root")
        for region in ("eu", "us"):
            make_listing(offering, gpu, region=region, usd_per_hour=Decimal(2))


def raw(client: Client, query: str) -> HttpResponse:
    """The page for a query string as it stands, its bytes as a server hands them on."""
    return client.get("/", QUERY_STRING=query.encode().decode("latin-1"))  # type: ignore[return-value]


# --- Cost --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", ["", "docker_daemon=root&region=eu&max_price=3&sort=price", "format=csv"]
)
def test_more_offerings_take_no_more_queries(client: Client, query: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            b"".join(raw(client, query))
        return len(captured)

    make_offerings(2)
    few = queries()
    make_offerings(38)
    assert queries() == few <= 12


# --- Criteria ----------------------------------------------------------------------------


def test_what_is_not_understood_is_named_and_the_page_works(client: Client) -> None:
    make_offering("pods", make_provider("acme"), docker_daemon="root")
    page = unescape(
        raw(client, "docker_daemon=maybe&docker_daemon=root&colour=red").content.decode()
    )
    assert "ignored: docker_daemon=maybe; allowed: root, rootless, nested, none" in page
    assert "ignored: colour=red; there is no such filter" in page
    assert 'href="/providers/acme/pods/docker_daemon/"' in page


def test_the_canonical_address_is_told_to_robots(client: Client) -> None:
    page = raw(client, "sort=name&page=1&spot=no&docker_daemon=root&nonsense=1").content.decode()
    (address,) = re.findall(r'<link rel="canonical" href="([^"]*)"', page)
    assert unescape(address).removeprefix("http://testserver") == "/?docker_daemon=root&spot=no"


def test_what_is_searched_for_is_shown_as_text(client: Client) -> None:
    page = client.get("/", {"q": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page
    assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize("query", ["kind=serverless", "q=nothing+is+called+so"])
def test_an_empty_result_is_a_page_that_says_what_to_relax(client: Client, query: str) -> None:
    make_offering()
    page = raw(client, query).content.decode()
    assert "Nothing matches all of the filters" in page
    assert "Relax this one" in page


# --- htmx --------------------------------------------------------------------------------


def test_htmx_gets_the_part_and_the_canonical_address(client: Client) -> None:
    make_offering("pods", make_provider("acme"))
    url = "/?sort=name&docker_daemon=root"
    whole = client.get(url).content.decode()
    response = client.get(url, headers=HTMX)
    part = response.content.decode()
    assert "<html" in whole
    assert "<html" not in part
    assert part.lstrip().startswith('<div id="browse"')
    assert response["HX-Push-Url"] == "/?docker_daemon=root"
    assert "HX-Push-Url" not in client.get(url)


@pytest.mark.usefixtures("acme")
def test_the_same_address_again_is_no_second_step_in_the_history(client: Client) -> None:
    url = "/?docker_daemon=root"
    here = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{url}"}
    response = client.get(url, headers=here)
    assert response["HX-Replace-Url"] == url
    assert "HX-Push-Url" not in response


def test_a_cache_keeps_page_and_part_apart(client: Client) -> None:
    for headers in ({}, HTMX):
        assert "HX-Request" in client.get("/", headers=headers)["Vary"]


def test_going_back_in_history_gets_the_whole_page(client: Client) -> None:
    response = client.get("/", headers=HTMX | {"HX-History-Restore-Request": "true"})
    assert b"<html" in response.content


# --- Hostile -----------------------------------------------------------------------------

HOSTILE = [
    "%00",
    "q=%00",
    "q=a%00b&region=%00&gpu=%00&provider=%00",
    "%ff%fe=%ff%fe",
    "q=%ff%fe%fd",
    "q=%ed%a0%80",  # half of a surrogate pair
    "q=%F0%9F%92%A9&region=%E2%80%AE",
    "docker_daemon[]=root&docker_daemon[$ne]=root",
    "q=' OR 1=1 --&region=');DROP TABLE providers_listing;--",
    "region=%25s%25(gpus)s&q=%25(x)d",
    "q={{7*7}}{%25 debug %25}&colour={0.__class__}",
    "min_cuda=99999.99999.99999.99999&min_driver=00000.0",
    "min_driver=1.2.3.4.5&driver=9-1",
    "driver=-&cuda_max=.&registries=..",
    "max_price=1e9999&max_price=9E-9999&max_price=0x10&max_price=١٢",
    "gpu_count=٣&min_vram=²&page=१",
    "page=100000&after=zzz&after=%00",
    "billing_increment_s=999999999999999999999999&max_image_gb=-0",
    "columns=" + "&columns=".join(["spot"] * 300),
    "q=" + "a" * 100_000,
    "region=" + "r" * 5000 + "&q=" + "%F0%9F%92%A9" * 3000,
    "&".join(f"a{n}={n}" for n in range(999)),
    "&".join(f"region=r{n}" for n in range(999)),
    "&".join(f"a{n}={n}" for n in range(10_000)),
    "&" * 5000,
    "format=&format=csv&format=%00",
    "format=csv&q=%00",
    "format=json&region=%ff",
    "lang=%00&lang=../../etc/passwd",
    "=&==&=a",
]


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: query[:24])
def test_no_query_string_breaks_the_page(client: Client, query: str) -> None:
    client.raise_request_exception = False
    make_offerings(1)
    response = raw(client, query)
    assert response.status_code in (200, 400, 414)
    assert b"".join(response)


@pytest.mark.parametrize("here", ["http://[", "//[::1", "http://testserver:x/", "\xff"])
@pytest.mark.parametrize("path", ["/", "/compare/", "/check/", "/cold-start/"])
def test_wherever_htmx_says_that_it_stands_the_part_is_told_its_address(
    client: Client, path: str, here: str
) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": here}
    response = client.get(path, headers=headers)
    assert (response.status_code, response["HX-Push-Url"]) == (200, path)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["q", "region", "min_cuda", "max_price", "gpu", "driver", "sort"])
            | st.text(max_size=4),
            st.text(max_size=12) | st.sampled_from(["12.8", "580", "1e5", "h100"]),
        ),
        max_size=6,
    )
)
@example([("region", "\ud800")])
def test_no_parameters_break_the_page(client: Client, pairs: list[tuple[str, str]]) -> None:
    client.raise_request_exception = False
    encoded = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)
    assert raw(client, encoded).status_code == 200


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "surrogatepass"))


# --- HTTP --------------------------------------------------------------------------------

PAGES = ["/", "/?format=csv", "/providers/acme/", "/providers/acme/pods/spot/", "/healthz"]


@pytest.fixture
def acme() -> None:
    make_offering("pods", make_provider("acme"))


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("url", PAGES)
def test_pages_are_read_and_not_written_to(client: Client, url: str) -> None:
    head = client.head(url)
    assert (head.status_code, b"".join(head)) == (200, b"")
    for method in (client.post, client.put, client.delete, client.patch):
        assert method(url).status_code == 405


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("url", [*PAGES, "/nothing/", "/ar/"])
def test_public_pages_set_no_cookie_and_say_the_same_to_whoever_has_one(
    client: Client, url: str
) -> None:
    answers = [reader.get(url) for reader in (client, curator())]
    assert [dict(answer.cookies) for answer in answers] == [{}, {}]
    said = {b"".join(answer) for answer in answers}
    assert len(said) == 1


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("url", [*PAGES, "/nothing/", "/ar/", "/admin/login/"])
def test_the_policy_allows_nothing_unsafe(client: Client, url: str) -> None:
    policy = client.get(url)["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe-" not in policy


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    "url", ["/", "/providers/acme/", "/providers/acme/pods/spot/", "/nothing/"]
)
def test_no_page_holds_what_the_policy_refuses(client: Client, url: str) -> None:
    page = client.get(url).content.decode()
    # A block of data runs nothing, and the policy lets it through.
    script = r"<script(?![^>]*\ssrc=)(?! type=\"application/ld\+json\">)"
    assert not re.findall(rf"{script}|<style|\sstyle=|\son\w+=|javascript:", page)


# --- Languages ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "language", "direction"),
    [("/", "en", "ltr"), ("/ar/", "ar", "rtl"), ("/ur/", "ur", "rtl"), ("/tr/", "tr", "ltr")],
)
def test_the_address_decides_the_language_and_its_direction(
    client: Client, url: str, language: str, direction: str
) -> None:
    headers = {"Accept-Language": "bn", "Cookie": "django_language=tr"}
    page = client.get(url, headers=headers).content.decode()
    assert f'<html lang="{language}" dir="{direction}"' in page


def test_english_has_no_prefix(client: Client) -> None:
    assert client.get("/en/").status_code == 404


def test_links_stay_in_the_language(client: Client) -> None:
    make_offering("pods", make_provider("acme"))
    page = client.get("/ar/?docker_daemon=root").content.decode()
    assert 'href="/ar/providers/acme/pods/docker_daemon/"' in page
    # All but the links of the switcher, which name the language that they lead to.
    leaving = re.findall(r'(?:href|action)="/(?!ar/|static/|api/|data-licence)[^"]*"(.*)', page)
    assert leaving
    assert all("hreflang=" in rest for rest in leaving)

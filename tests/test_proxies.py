"""Who asks, and over what, is believed of the proxies that settings name and of nobody else."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.clients import client_of
from gpucompare.proxies import address_of, client_behind, is_proxy, proxy_networks
from tests.test_settings import refusal, settings

OURS = proxy_networks(["10.0.0.0/8", " 2001:db8:aa::/48 ", "192.0.2.7", ""])
READER, READER_6, NEAR, FAR = "198.51.100.7", "2001:db8::7", "10.0.0.1", "192.0.2.7"

strangers = st.ip_addresses().map(str).filter(lambda text: not is_proxy(text, OURS))
proxies = st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="2001:db8:aa::/48")
# What somebody may put before what the proxies append.
made_up = st.lists(st.text(max_size=20) | st.ip_addresses().map(str), max_size=4).map(",".join)


def spelled(address: str) -> st.SearchStrategy[str]:
    """An address as proxies write it."""
    bracketed = f"[{address}]" if ":" in address else address
    with_port = st.integers(1, 65535).map(lambda port: f"{bracketed}:{port}")
    return st.sampled_from([address, f" {address} ", bracketed]) | with_port


@pytest.mark.parametrize(
    ("peer", "told", "client"),
    [
        (READER, "", READER),
        (READER, "203.0.113.9", READER),  # a stranger says it
        (NEAR, "", NEAR),
        (NEAR, READER, READER),
        (NEAR, f"203.0.113.9, {READER}", READER),
        (NEAR, f"203.0.113.9,{READER},{FAR}", READER),  # two proxies, one behind the other
        (NEAR, f"{NEAR}, {FAR}", NEAR),  # all are ours: the first of them asks
        (NEAR, f"{READER}:51234", READER),
        (NEAR, f"[{READER_6}]:443", READER_6),
        (NEAR, READER_6, READER_6),
        (NEAR, "fe80::1%eth0", "fe80::1"),
        (f"::ffff:{NEAR}", f"::ffff:{READER}", READER),
        ("[2001:db8:aa::1]:80", READER, READER),
        (NEAR, "unknown", NEAR),
        (NEAR, f"{READER}, unknown", NEAR),
        (NEAR, f"{READER},", NEAR),
        (NEAR, "1.2.3.4.5", NEAR),
        (NEAR, "\0", NEAR),
        ("", READER, ""),
        ("a socket", READER, "a socket"),
    ],
)
def test_the_client_is_the_last_that_no_proxy_of_ours_is(peer: str, told: str, client: str) -> None:
    assert client_behind(peer, told, OURS) == client


@given(peer=strangers, told=made_up)
def test_a_stranger_is_who_it_is_whatever_it_says(peer: str, told: str) -> None:
    assert client_behind(peer, told, OURS) == peer


@given(st.data(), strangers, st.lists(proxies.map(str), max_size=3), proxies.map(str), made_up)
def test_what_is_made_up_in_front_changes_nothing(
    data: st.DataObject, client: str, between: list[str], peer: str, before: str
) -> None:
    truth = [data.draw(spelled(address)) for address in (client, *between)]
    told = ",".join([before, *truth])
    assert client_behind(peer, told, OURS) == str(address_of(client))


@given(proxies.map(str), st.text(max_size=200))
def test_whatever_is_said_the_client_is_an_address(peer: str, told: str) -> None:
    assert ipaddress.ip_address(client_behind(peer, told, OURS))


@given(st.text(max_size=60))
def test_without_proxies_nothing_is_believed(told: str) -> None:
    assert client_behind(NEAR, told, ()) == NEAR


def test_rates_and_logins_ask_in_one_place(settings: Any) -> None:
    settings.PROXIES = OURS
    ask = RequestFactory().get("/", REMOTE_ADDR=NEAR, headers={"X-Forwarded-For": READER})
    assert client_of(ask) == READER
    settings.PROXIES = ()
    assert client_of(ask) == NEAR


def test_nobody_else_reads_the_address_of_the_peer() -> None:
    top = Path(__file__).parent.parent
    files = (
        f for name in ("gpucompare", "providers", "checks") for f in (top / name).rglob("*.py")
    )
    reading = {f.name for f in files if "REMOTE_ADDR" in f.read_text()}
    assert reading == {"clients.py", "proxies.py"}


# --- Over what -------------------------------------------------------------------------------


@pytest.fixture
def behind_proxies(settings: Any) -> None:
    settings.PROXIES = OURS
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_SSL_REDIRECT = True


@pytest.mark.django_db
@pytest.mark.usefixtures("behind_proxies")
@pytest.mark.parametrize(
    ("peer", "said", "status"),
    [
        (NEAR, "https", 200),
        (NEAR, "HTTPS", 200),
        (NEAR, "http, https", 200),
        (NEAR, "https, http", 301),  # what stands in front may be made up
        (NEAR, "http", 301),
        (NEAR, "", 301),
        (READER, "https", 301),
        ("", "https", 301),
    ],
)
def test_https_is_believed_of_a_proxy_of_ours(
    client: Client, peer: str, said: str, status: int
) -> None:
    response = client.get("/data-licence.md", REMOTE_ADDR=peer, headers={"X-Forwarded-Proto": said})
    assert response.status_code == status


@pytest.mark.django_db
@pytest.mark.usefixtures("behind_proxies")
def test_the_host_is_the_one_that_is_asked_whatever_a_proxy_says(client: Client) -> None:
    told = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Port": "81"}
    moved = client.get("/data-licence.md", REMOTE_ADDR=NEAR, headers=told)
    assert moved["Location"] == "https://testserver/data-licence.md"


def test_proxies_are_named_by_their_networks(tmp_path: Path) -> None:
    names = ("PROXIES", "SECURE_PROXY_SSL_HEADER")
    assert settings(tmp_path, *names) == {"PROXIES": [], "SECURE_PROXY_SSL_HEADER": None}
    named = settings(tmp_path, *names, GPUCOMPARE_PROXIES="10.0.0.0/8,2001:db8::/32")
    assert named["PROXIES"] == ["10.0.0.0/8", "2001:db8::/32"]
    assert named["SECURE_PROXY_SSL_HEADER"] == ["HTTP_X_FORWARDED_PROTO", "https"]


@pytest.mark.parametrize("named", ["proxy.lan", "10.0.0.1/8", "*"])
def test_a_proxy_that_is_no_network_is_refused_in_one_line(tmp_path: Path, named: str) -> None:
    assert "GPUCOMPARE_PROXIES: " in (told := refusal(tmp_path, GPUCOMPARE_PROXIES=named))
    assert named in told

"""The way to a token is read from what a registry answers, whatever its form."""

from __future__ import annotations

import json
from contextlib import suppress
from time import thread_time
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.challenge import challenges, token_address, token_in
from checks.image.reasons import Reason, RegistryError

HUB = (
    'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",'
    'scope="repository:library/ubuntu:pull"'
)


def test_docker_hub_is_followed() -> None:
    address = urlsplit(token_address(HUB, "library/ubuntu"))
    assert (address.netloc, address.path) == ("auth.docker.io", "/token")
    assert parse_qs(address.query) == {
        "service": ["registry.docker.io"],
        "scope": ["repository:library/ubuntu:pull"],
    }


@pytest.mark.parametrize(
    "header",
    [
        'bearer Realm = "https://a.example/t" , Service=x',
        "Bearer realm=https://a.example/t,service=x",
        'Basic realm="a, Bearer b", Bearer realm="https://a.example/t",service="x"',
        'Negotiate abc==, Bearer service="x", realm="https://a.example/t"',
        r'Bearer realm="https://a.example\/t",service="\x"',
    ],
)
def test_all_ways_of_writing_it_are_read(header: str) -> None:
    address = token_address(header, "acme/x")
    assert address == "https://a.example/t?scope=repository%3Aacme%2Fx%3Apull&service=x"


def test_a_realm_with_a_query_keeps_it() -> None:
    address = token_address('Bearer realm="https://a.example/t?account=1"', "x")
    assert address == "https://a.example/t?account=1&scope=repository%3Ax%3Apull"


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ('Basic realm="Registry"', Reason.LOGIN_NEEDED),
        ('Bearer realm="", Basic realm="x"', Reason.LOGIN_NEEDED),
        ("Bearer", Reason.NOT_PUBLIC_OR_MISSING),
        ("", Reason.NOT_PUBLIC_OR_MISSING),
        ('Digest realm="x"', Reason.NOT_PUBLIC_OR_MISSING),
        ("realm=https://a.example/t", Reason.NOT_PUBLIC_OR_MISSING),
    ],
)
def test_without_a_way_to_a_token_there_is_a_reason(header: str, reason: Reason) -> None:
    with pytest.raises(RegistryError) as caught:
        token_address(header, "x")
    assert caught.value.reason is reason


@pytest.mark.parametrize("letters", ["1", "-", "a", "a ", "a=", 'a="', 'a="\\"', " "])
def test_a_header_as_long_as_headers_get_is_read_at_once(letters: str) -> None:
    header = (letters * 65_536)[:65_536]
    began = thread_time()
    with suppress(RegistryError):
        token_address(header, "x")
    assert thread_time() - began < 1


@given(st.text())
def test_any_header_is_read_or_refused(header: str) -> None:
    for challenge in challenges(header):
        assert challenge.scheme
    with suppress(RegistryError):
        assert "scope=" in token_address(header, "x")


@pytest.mark.parametrize(
    "body",
    [
        {"token": "abc"},
        {"access_token": "abc"},
        {"token": "", "access_token": "abc"},
        {"token": "abc", "access_token": 1, "expires_in": "soon"},
    ],
)
def test_a_token_goes_by_two_names(body: dict[str, object]) -> None:
    assert token_in(json.dumps(body).encode()) == "abc"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"token": 1}',
        b'{"token": "a\\r\\nHost: b"}',
        b'{"token": "a b"}',
        b'{"token": "' + b"a" * 20_000 + b'"}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_token_is_never_sent(body: bytes) -> None:
    with pytest.raises(RegistryError) as caught:
        token_in(body)
    assert caught.value.reason is Reason.MALFORMED

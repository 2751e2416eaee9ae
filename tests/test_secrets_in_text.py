"""What is a secret is not written down, whoever's it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucompare.secrets_in_text import HIDDEN, Redaction, secrets_of

ENVIRON = {
    "GPUCOMPARE_SECRET_KEY": "django-key-of-this-site",
    "GPUCOMPARE_METRICS_TOKEN": "token-for-metrics",
    "GPUCOMPARE_SOURCE_LAMBDA_KEY": "key-of-a-provider",
    "DATABASE_URL": "postgres://me:data%40base@db.example:5432/gpu",
    "REDIS_URL": "redis://:password-of-redis@redis.example:6379/0",
    "GPUCOMPARE_SOURCE_VAST_URL": "https://who:passed@vast.example/",
    "GPUCOMPARE_LOG_LEVEL": "WARNING",
    "HOME_KEY": "not-one-of-ours",
}


@pytest.mark.parametrize(
    "secret",
    [
        "django-key-of-this-site",
        "token-for-metrics",
        "key-of-a-provider",
        "data%40base",
        "data@base",
        "password-of-redis",
        "passed",
    ],
)
def test_what_this_site_was_given_is_taken_out_wherever_it_stands(secret: str) -> None:
    told = Redaction(secrets_of(ENVIRON))(f"it said <{secret}> and {secret}")
    assert told == f"it said <{HIDDEN}> and {HIDDEN}"


def test_what_a_file_holds_is_taken_out_too(tmp_path: Path) -> None:
    files = {"GPUCOMPARE_SOURCE_LAMBDA_KEY": "key-in-a-file", "REDIS_URL": "redis://:of-redis@r/0"}
    environ = {}
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n")
        environ[f"{name}_FILE"] = str(tmp_path / name)
    told = Redaction(secrets_of(environ))("key-in-a-file of-redis")
    assert told == f"{HIDDEN} {HIDDEN}"


def test_what_is_no_secret_of_ours_stays() -> None:
    text = "WARNING not-one-of-ours db.example gpu me"
    assert Redaction(secrets_of(ENVIRON))(text) == text


def test_an_empty_or_a_tiny_secret_takes_no_words_apart() -> None:
    environ = {"GPUCOMPARE_METRICS_TOKEN": "", "GPUCOMPARE_SOURCE_VAST_KEY": "the"}
    assert Redaction(secrets_of(environ))("the other") == "the other"


def test_of_two_secrets_the_longer_is_not_left_half() -> None:
    assert Redaction(["secret", "secret-and-more"])("secret-and-more") == HIDDEN


def test_an_address_that_is_none_is_no_reason_to_fail() -> None:
    assert list(secrets_of({"DATABASE_URL": "postgres://[::1"})) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("redis://:pw@host:6379/0", "redis://***@host:6379/0"),
        ("postgres://me:p@ss@db/gpu", "postgres://***@db/gpu"),
        ("postgresql+psycopg://me:x@db", "postgresql+psycopg://***@db"),
        ("GET https://x.example/?api_key=abc&page=2", "GET https://x.example/?api_key=***&page=2"),
        ("/v2?page=2&access_token=abc", "/v2?page=2&access_token=***"),
        ("/v2?X-Amz-Signature=abc", "/v2?X-Amz-Signature=***"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic ***"),
        ("{'x-api-key': 'abcdef123'}", "{'x-api-key': '***'}"),
        ("host=db user=me password=abc dbname=x", "host=db user=me password=*** dbname=x"),
        ("{'password': 'abc', 'user': 'me'}", "{'password': '***', 'user': 'me'}"),
    ],
)
def test_what_stands_where_secrets_stand_is_taken_out(text: str, told: str) -> None:
    assert Redaction()(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "https://gpus.example/?gpu=h100&sort=price",
        "mail ops@gpus.example",
        "https://gpus.example/@scope/name",
        "The rate of api is not kept",
        "runpod_refresh finished in 3.2 s",
    ],
)
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert Redaction()(text) == text

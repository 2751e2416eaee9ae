"""Secrets are taken out of texts that are kept, such as a log.

Two ways, because either alone leaks: the secrets that this site was given are taken out wherever
they stand, and what looks like one that somebody else was given is taken out by its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

from gpucompare.environment import secret

HIDDEN: Final = "***"
# A shorter one would take out pieces of words that are none.
_LEAST = 6

_NAMES_OF_SECRETS = re.compile(r"^GPUCOMPARE_\w*(?:KEY|TOKEN|PASSWORD|SECRET)$")
_ADDRESSES = re.compile(r"^(?:GPUCOMPARE_\w*|DATABASE|REDIS)_URL$")

# user:password@ in an address; the password alone is no use to anybody without its user.
_IN_ADDRESS = re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]*://)[^\s/'\"<>]*(?=@)", re.IGNORECASE)
_IN_QUERY = re.compile(
    r"(?P<keep>[?&][\w.-]*(?:key|token|secret|password|passwd|signature|sig|auth|credential)s?=)"
    r"[^&\s'\"<>]+",
    re.IGNORECASE,
)
_IN_HEADER = re.compile(
    r"(?P<keep>\b(?:bearer|basic)\s+|\b(?:x-)?api-?key['\"]?\s*[:=]\s*['\"]?)[\w.~+/=-]{6,}",
    re.IGNORECASE,
)
# As libpq and Python write them: password=…, 'password': '…'.
_NAMED = re.compile(
    r"(?P<keep>\b(?:password|passwd|secret|token)['\"]?\s*[:=]\s*['\"]?)[^\s'\",;&)}]+",
    re.IGNORECASE,
)
_SHAPES = (_IN_ADDRESS, _IN_QUERY, _IN_HEADER, _NAMED)


def secrets_of(environ: Mapping[str, str]) -> Iterator[str]:
    """The secrets that an environment gives to this site, itself or in the files it names.

    Raises SecretError for a file that cannot be read.
    """
    for name in {name.removesuffix("_FILE") for name in environ}:
        if _NAMES_OF_SECRETS.match(name):
            yield secret(name, environ)
        elif _ADDRESSES.match(name):
            yield from _password_of(secret(name, environ))


def _password_of(address: str) -> Iterator[str]:
    """As it stands in the address, and as it is meant."""
    try:
        password = urlsplit(address).password or ""
    except ValueError:
        return
    yield password
    yield unquote(password)


class Redaction:
    """Takes out the given secrets, and whatever stands where secrets stand."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({each for each in secrets if len(each) >= _LEAST}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, text: str) -> str:
        if self._known:
            text = self._known.sub(HIDDEN, text)
        for shape in _SHAPES:
            text = shape.sub(rf"\g<keep>{HIDDEN}", text)
        return text

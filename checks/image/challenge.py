"""What a registry answers to a call without a token: who gives one, and what to ask for.

Source: https://distribution.github.io/distribution/spec/auth/token/, RFC 9110 section 11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from checks.image.reasons import Reason, RegistryError

# No piece is looked at twice, however long it is: a header may have 64 KB.
_PIECE = re.compile(
    r'(?P<word>[\w-]++)(?:\s*+=\s*+(?P<value>"(?P<quoted>(?:[^"\\]|\\.)*+)"|[^\s",]++))?', re.ASCII
)
# One that fits into a header and cannot add another to it.
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")


@dataclass(frozen=True)
class Challenge:
    """One way of logging in; its scheme and the names of its parameters are in lower case."""

    scheme: str
    params: Mapping[str, str]


def challenges(header: str) -> Iterator[Challenge]:
    """Those of a WWW-Authenticate header."""
    scheme, params = "", dict[str, str]()
    for piece in _PIECE.finditer(header):
        word, value, quoted = piece["word"].lower(), piece["value"], piece["quoted"]
        if value:
            params[word] = value if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            continue
        if scheme:
            yield Challenge(scheme, params)
        scheme, params = word, {}
    if scheme:
        yield Challenge(scheme, params)


def token_address(header: str, path: str) -> str:
    """Where to get a token to pull from `path`. Raises RegistryError where there is none to get."""
    offered = list(challenges(header))
    for challenge in offered:
        if challenge.scheme == "bearer" and (realm := challenge.params.get("realm")):
            query = {"scope": challenge.params.get("scope") or f"repository:{path}:pull"}
            if service := challenge.params.get("service"):
                query["service"] = service
            return f"{realm}{'&' if '?' in realm else '?'}{urlencode(query)}"
    if any(challenge.scheme == "basic" for challenge in offered):
        raise RegistryError(Reason.LOGIN_NEEDED)
    raise RegistryError(Reason.NOT_PUBLIC_OR_MISSING, "no way to a token")


class _Given(BaseModel):
    token: Any = None
    access_token: Any = None


def token_in(body: bytes) -> str:
    """The token that an answer holds. Raises RegistryError if it holds none that can be used."""
    try:
        given = _Given.model_validate_json(body)
    except ValidationError:
        raise RegistryError(Reason.MALFORMED, "a token that is no JSON") from None
    token = given.token or given.access_token
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise RegistryError(Reason.MALFORMED, "an answer without a token")
    return token

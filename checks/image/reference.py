"""Image references, read as Docker reads them: the grammar of the distribution project.

Source: https://github.com/distribution/reference (reference.go, regexp.go, normalize.go). We are
stricter where a connection could not be made anyhow: a port above 65535, an impossible host name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from gpucompare.outside.hosts import HostFault, host_fault

DEFAULT_HOST = "docker.io"
_LEGACY_HOST = "index.docker.io"
_OFFICIAL = "library/"
_LONGEST_PATH = 255
# Longer than any reference that is valid: host, path, tag and digest at their longest.
_LONGEST = 253 + 6 + 1 + _LONGEST_PATH + 1 + 128 + 1 + 135

# Hexadecimal digits by algorithm; those that the OCI image specification registers, and sha384.
DIGEST_LENGTHS = {"sha256": 64, "sha384": 96, "sha512": 128}

_PATH_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_PATH = re.compile(rf"{_PATH_PART}(?:/{_PATH_PART})*")
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HEX_NAME = re.compile(r"[a-f0-9]{64}")


class Fault(StrEnum):
    """What is wrong with a reference; `checks.image.texts` says it in words."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    SPACE = "space"
    SCHEME = "scheme"
    IDENTIFIER = "identifier"
    NO_NAME = "no_name"
    UPPER_CASE = "upper_case"
    BAD_HOST = "bad_host"
    BAD_PORT = "bad_port"
    BAD_NAME = "bad_name"
    BAD_TAG = "bad_tag"
    BAD_DIGEST = "bad_digest"


class BadReferenceError(ValueError):
    """No reference of an image. `part` is the piece of it that is at fault."""

    def __init__(self, fault: Fault, part: str = "") -> None:
        super().__init__(f"{fault}: {part!r}")
        self.fault = fault
        self.part = part


@dataclass(frozen=True)
class Reference:
    """An image's name, complete: what was left out has Docker's defaults."""

    host: str  # with its port, if it has one: "docker.io", "localhost:5000"
    path: str  # "library/ubuntu"
    tag: str = ""
    digest: str = ""  # decides where there is a tag as well

    def __str__(self) -> str:
        """The canonical form; `parse` gives the same reference for it."""
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.name}{tag}{digest}"

    @property
    def name(self) -> str:
        return f"{self.host}/{self.path}"

    @property
    def familiar(self) -> str:
        """As short as people write it: ubuntu:24.04."""
        if self.host != DEFAULT_HOST:
            return str(self)
        short = str(self).removeprefix(f"{DEFAULT_HOST}/")
        if "/" not in self.path.removeprefix(_OFFICIAL):
            return short.removeprefix(_OFFICIAL)
        # docker.io/localhost/x would be an image of another registry without its first part.
        return short if _host_of(short)[0] == DEFAULT_HOST else str(self)

    @property
    def moves(self) -> bool:
        """Whether it may mean another image tomorrow."""
        return not self.digest

    @property
    def asks_a_word(self) -> bool:
        """Whether its host is one word: a name in capitals, which Docker takes for a registry."""
        return not re.search(r"[.:]", self.host) and self.host != "localhost"


class _Pieces(NamedTuple):
    host: str
    path: str
    tag: str | None
    digest: str | None


def parse(text: str) -> Reference:
    """The reference that `text` means, white space around it aside. Raises BadReferenceError."""
    text = text.strip()
    _check_whole(text)
    host, path, tag, digest = _split(text)
    _check_path(path)
    _check_host(host)
    if tag is not None and not _TAG.fullmatch(tag):
        raise BadReferenceError(Fault.BAD_TAG, tag)
    if digest is not None and not is_digest(digest):
        raise BadReferenceError(Fault.BAD_DIGEST, digest)
    return Reference(host, path, tag or ("" if digest else "latest"), digest or "")


def is_digest(text: str) -> bool:
    """Whether it is a digest that can be verified: "sha256:" and 64 hexadecimal digits …"""
    algorithm, _colon, digits = text.partition(":")
    length = DIGEST_LENGTHS.get(algorithm)
    return length is not None and re.fullmatch(rf"[a-f0-9]{{{length}}}", digits) is not None


def _check_whole(text: str) -> None:
    if not text:
        raise BadReferenceError(Fault.EMPTY)
    if len(text) > _LONGEST:
        raise BadReferenceError(Fault.TOO_LONG)
    if scheme := _SCHEME.match(text):
        raise BadReferenceError(Fault.SCHEME, scheme[0])
    if any(letter.isspace() for letter in text):
        raise BadReferenceError(Fault.SPACE)
    if _HEX_NAME.fullmatch(text) or is_digest(text):
        raise BadReferenceError(Fault.IDENTIFIER, text)


def _split(text: str) -> _Pieces:
    """The pieces of a reference, none of them checked; the host and `library/` filled in."""
    rest, at, digest = text.partition("@")
    host, path = _host_of(rest)
    path, colon, tag = path.partition(":")
    if host == DEFAULT_HOST and "/" not in path:
        path = _OFFICIAL + path
    return _Pieces(host, path, tag if colon else None, digest if at else None)


def _host_of(text: str) -> tuple[str, str]:
    """Host and remainder. A first part is a host if it could not be the name of a person."""
    first, slash, rest = text.partition("/")
    if not slash:
        return DEFAULT_HOST, text
    if first == _LEGACY_HOST:
        return DEFAULT_HOST, rest
    if first == "localhost" or re.search(r"[.:]", first) or first != first.lower():
        return first, rest
    return DEFAULT_HOST, text


def _check_path(path: str) -> None:
    if path in ("", _OFFICIAL):
        raise BadReferenceError(Fault.NO_NAME)
    if len(path) > _LONGEST_PATH:
        raise BadReferenceError(Fault.TOO_LONG, path)
    if _PATH.fullmatch(path):
        return
    if _PATH.fullmatch(path.lower()):
        raise BadReferenceError(Fault.UPPER_CASE, path.removeprefix(_OFFICIAL))
    raise BadReferenceError(Fault.BAD_NAME, path.removeprefix(_OFFICIAL))


def _check_host(host: str) -> None:
    if found := host_fault(host):
        fault, part = found
        raise BadReferenceError(Fault.BAD_HOST if fault is HostFault.NAME else Fault.BAD_PORT, part)

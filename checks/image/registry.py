"""A client of the OCI distribution API that reads one repository without logging in.

Source: https://github.com/opencontainers/distribution-spec (spec.md).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ValidationError

from checks.image.challenge import token_address, token_in
from checks.image.documents import (
    INDEXES,
    MANIFESTS,
    Document,
    digest_of,
    manifest_in,
    verified,
)
from checks.image.fetch import Call, Fetcher
from checks.image.reasons import Reason, RegistryError
from checks.image.reference import DEFAULT_HOST, Reference, is_digest
from gpucompare.outside.answers import retry_after
from gpucompare.outside.fetch import Answer

# Docker Hub goes by a name at which no registry answers.
_API_HOSTS = {DEFAULT_HOST: "registry-1.docker.io"}
_ACCEPTED = ", ".join(sorted(INDEXES | MANIFESTS))


class Phase(StrEnum):
    """What a reading is about; `checks.image.texts` says it in words."""

    ASKING = "asking"
    TOKEN = "token"  # noqa: S105 - the name of a step
    MANIFEST = "manifest"
    CONFIG = "config"


Tell = Callable[[Phase], None]


class Registry:
    """One repository at its registry; `tell` hears of every phase that begins."""

    def __init__(
        self, fetcher: Fetcher, reference: Reference, tell: Tell = lambda _phase: None
    ) -> None:
        self._fetcher = fetcher
        self._host = _API_HOSTS.get(reference.host, reference.host)
        self._path = reference.path
        self._tell = tell
        self._scheme = ""  # not yet known
        self._token = ""

    def digest_at(self, tag: str) -> str:
        """The digest that a tag, or a digest, has there; "" where the registry does not say.

        Docker Hub counts such a call as no pull. Raises RegistryError when asking on is no use.
        """
        self._tell(Phase.ASKING)
        answer = self._ask(f"manifests/{tag}", method="HEAD", accept=_ACCEPTED)
        if answer.status == 429:
            raise fault_of(answer)
        if not answer.is_good:
            return ""  # with a body the answer says more: the next call gets one
        if _pulls_left(answer) == 0:
            raise RegistryError(Reason.THROTTLED, f"{answer.shown}: no pulls left")
        digest = answer.headers.get("docker-content-digest", "")
        return digest if is_digest(digest) else ""

    def manifest(self, tag: str) -> Document:
        """The index or manifest that a tag or a digest names, verified and of a known shape."""
        self._tell(Phase.MANIFEST)
        answer = self._good(f"manifests/{tag}", _ACCEPTED)
        told = answer.headers.get("docker-content-digest", "")
        known = next(filter(is_digest, (tag, told)), "") or digest_of(answer.body)
        document = verified(known, answer.body)
        manifest_in(document, answer.headers.get("content-type", ""))
        return document

    def config(self, digest: str) -> Document:
        """A configuration, verified; its bytes often come from another host."""
        self._tell(Phase.CONFIG)
        return verified(digest, self._good(f"blobs/{digest}", "*/*").body)

    def _good(self, path: str, accept: str) -> Answer:
        answer = self._ask(path, accept=accept)
        if not answer.is_good:
            raise fault_of(answer)
        return answer

    def _ask(self, path: str, *, method: str = "GET", accept: str) -> Answer:
        """The answer to a call, with a token where one is asked for and given to anybody."""
        answer = self._call(path, method, accept)
        if answer.status == 401 and not self._token:
            self._token = self._new_token(answer)
            answer = self._call(path, method, accept)
        return answer

    def _call(self, path: str, method: str, accept: str) -> Answer:
        self._scheme = self._scheme or self._fetcher.scheme_of(self._host)
        url = f"{self._scheme}://{self._host}/v2/{self._path}/{path}"
        return self._fetcher.fetch(Call(url, method, accept, self._token))

    def _new_token(self, answer: Answer) -> str:
        url = token_address(answer.headers.get("www-authenticate", ""), self._path)
        self._tell(Phase.TOKEN)
        given = self._fetcher.fetch(Call(url))
        if not given.is_good:
            raise fault_of(given)
        return token_in(given.body)


class _Errors(BaseModel):
    errors: list[dict[str, Any]] = []


def fault_of(answer: Answer) -> RegistryError:
    """What an answer without success means."""
    codes = _codes(answer.body)
    told = f"{answer.shown}: {answer.status}"
    if answer.status == 429 or "TOOMANYREQUESTS" in codes:
        after = retry_after(answer.headers.get("retry-after"))
        return RegistryError(Reason.THROTTLED, told, after)
    if answer.status >= 500:
        return RegistryError(Reason.UNREACHABLE, told)
    if answer.status == 404 and "MANIFEST_UNKNOWN" in codes:
        return RegistryError(Reason.NO_SUCH_TAG, told)
    if answer.status in (401, 403, 404):
        return RegistryError(Reason.NOT_PUBLIC_OR_MISSING, told)
    return RegistryError(Reason.REFUSED, told)


def _codes(body: bytes) -> set[str]:
    """The codes of a registry's error answer; none in an answer of another shape."""
    try:
        errors = _Errors.model_validate_json(body).errors
    except ValidationError:
        return set()
    return {code for error in errors if isinstance(code := error.get("code"), str)}


def _pulls_left(answer: Answer) -> int | None:
    """Docker Hub's count of what this address may still pull: "ratelimit-remaining: 76;w=21600"."""
    left = answer.headers.get("ratelimit-remaining", "").partition(";")[0].strip()
    return int(left) if left.isdecimal() and len(left) < 10 else None

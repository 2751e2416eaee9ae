"""Debian's docker-registry as a process of its own, filled through its API."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from tests import provider_server as play
from tests.processes import free_port
from tests.provider_server import Exchange, ProviderServer
from tests.registry_images import Blob, Image

PROGRAMS = ("docker-registry", "openssl")
needs_registry = pytest.mark.skipif(
    not all(map(shutil.which, PROGRAMS)), reason=f"{' and '.join(PROGRAMS)} are needed"
)

SERVICE, ISSUER = "registry of the tests", "token server of the tests"
_CONFIG = """
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {folder}/data}}}}
http: {{addr: "127.0.0.1:{port}", secret: "of no use elsewhere"}}
"""
_AUTH = """
auth:
  token: {{realm: "{realm}", service: "{service}", issuer: "{issuer}", rootcertbundle: "{bundle}"}}
"""


class RealRegistry:
    """At `host`, over plain http. With a token server it asks everybody for a token."""

    def __init__(self, folder: Path, tokens: TokenServer | None = None) -> None:
        port = free_port()
        self.host = f"127.0.0.1:{port}"
        self._tokens = tokens
        config = _CONFIG.format(folder=folder, port=port)
        if tokens:
            config += _AUTH.format(
                realm=tokens.realm, service=SERVICE, issuer=ISSUER, bundle=tokens.certificate
            )
        (folder / "config.yml").write_text(config)
        self._process = subprocess.Popen(
            ["docker-registry", "serve", folder / "config.yml"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait(self) -> None:
        until = time.monotonic() + 20
        while not self._answers():
            assert self._process.poll() is None, "docker-registry ended"
            assert time.monotonic() < until, "docker-registry does not answer"
            time.sleep(0.05)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def push(self, name: str, image: Image, tag: str = "latest") -> None:
        for blob in image.all_blobs():
            self._push_blob(name, blob)
        for manifest in image.manifests():
            reference = tag if manifest is image.top else manifest.digest
            kind = {"Content-Type": manifest.media_type}
            self._send("PUT", f"{name}/manifests/{reference}", name, manifest.body, kind)

    def _push_blob(self, name: str, blob: Blob) -> None:
        begun = self._send("POST", f"{name}/blobs/uploads/", name)
        kind = {"Content-Type": "application/octet-stream"}
        where = begun.headers["Location"]
        self._send("PUT", f"{where}&digest={blob.digest}", name, blob.body, kind)

    def _send(
        self, method: str, path: str, name: str, body: bytes = b"", headers: Any = None
    ) -> requests.Response:
        url = path if path.startswith("http") else f"http://{self.host}/v2/{path}"
        sent = dict(headers or {})
        if self._tokens:
            sent["Authorization"] = f"Bearer {self._tokens.token(name, 'pull', 'push')}"
        answer = requests.request(method, url, data=body, headers=sent, timeout=10)
        assert answer.ok, f"{method} {url}: {answer.status_code} {answer.text}"
        return answer

    def _answers(self) -> bool:
        try:
            return requests.get(f"http://{self.host}/v2/", timeout=1).status_code in (200, 401)
        except requests.ConnectionError:
            return False


class TokenServer:
    """Gives anybody a token to pull what is in `public`, signed with a key of its own."""

    def __init__(self, folder: Path, server: ProviderServer) -> None:
        self.server = server
        self.host = server.url.removeprefix("http://")
        self.realm = f"{server.url}/token"
        self.field = "token"  # some call it access_token
        self.public: set[str] = set()
        self._key = folder / "key.pem"
        self.certificate = folder / "certificate.pem"
        request = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=tests",
        ]
        subprocess.run(
            [*request, "-keyout", self._key, "-out", self.certificate],
            check=True,
            capture_output=True,
        )
        server.always = self._answer

    def token(self, name: str, *actions: str) -> str:
        """A JSON web token, as https://distribution.github.io/distribution/spec/auth/jwt/ says."""
        now = int(time.time())
        header = {"typ": "JWT", "alg": "RS256", "x5c": [self._chain()]}
        claims = {
            "iss": ISSUER,
            "aud": SERVICE,
            "nbf": now - 10,
            "exp": now + 300,
            "access": [{"type": "repository", "name": name, "actions": actions}] if actions else [],
        }
        signed = ".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{_base64(self._signature(signed))}"

    def _answer(self, exchange: Exchange) -> None:
        kind, name, actions = exchange.seen.params["scope"].split(":")
        assert (kind, actions) == ("repository", "pull")
        token = self.token(name, *(["pull"] if name in self.public else []))
        play.body(json.dumps({self.field: token, "expires_in": 300}).encode())(exchange)

    def _chain(self) -> str:
        lines = self.certificate.read_text().splitlines()
        return "".join(line for line in lines if "-----" not in line)

    def _signature(self, signed: str) -> bytes:
        return subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self._key],
            input=signed.encode(),
            check=True,
            capture_output=True,
        ).stdout


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@contextmanager
def running(folder: Path, tokens: TokenServer | None = None) -> Iterator[RealRegistry]:
    registry = RealRegistry(folder, tokens)
    try:
        registry.wait()
        yield registry
    finally:
        registry.stop()


@contextmanager
def protected(folder: Path) -> Iterator[tuple[RealRegistry, TokenServer]]:
    """A registry that asks for tokens, and who gives them."""
    with play.running() as server:
        tokens = TokenServer(folder, server)
        with running(folder, tokens) as registry:
            yield registry, tokens

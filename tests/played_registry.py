"""A registry played by a real server of this machine: honest until told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from django.utils import timezone

from checks.image.documents import Document
from checks.image.fetch import Bounds, Fetcher
from checks.image.reasons import Reason, RegistryError
from checks.image.record import ImageRecord
from checks.image.reference import parse
from checks.image.registry import Phase, Registry
from checks.image.walk import Through, record_of
from gpucompare.outside.fetch import Network
from gpucompare.outside.hosts import allowed_hosts
from tests import provider_server as play
from tests.provider_server import Answer, Exchange, ProviderServer
from tests.registry_images import Blob, Image

CERTIFICATE = Path(__file__).parent / "tls" / "localhost.pem"
QUICK = Bounds(call_s=4, read_s=10)
NAME = "acme/trainer"


class MemoryDocuments:
    """A cache of documents without a database."""

    def __init__(self) -> None:
        self.kept: dict[str, Document] = {}

    def get(self, digest: str) -> Document | None:
        return self.kept.get(digest)

    def put(self, document: Document) -> None:
        self.kept[document.digest] = document


class PlayedRegistry:
    """Holds images; `instead` has other answers for paths such as manifests/latest.

    A key may begin with a method: "HEAD manifests/latest".
    """

    def __init__(self, server: ProviderServer) -> None:
        self.server = server
        self.host = urlsplit(server.url).netloc
        self.blobs: dict[str, Blob] = {}
        self.tags: dict[str, str] = {}
        self.instead: dict[str, Answer] = {}
        self.headers: dict[str, str] = {}
        server.always = self.answer

    def hold(self, image: Image, tag: str = "latest") -> Image:
        for blob in (*image.all_blobs(), *image.manifests()):
            self.blobs[blob.digest] = blob
        self.tags[tag] = image.top.digest
        return image

    def answer(self, exchange: Exchange) -> None:
        seen = exchange.seen
        path = seen.path.removeprefix(f"/v2/{NAME}/")
        special = self.instead.get(f"{seen.method} {path}") or self.instead.get(path)
        (special or self.honest)(exchange)

    def honest(self, exchange: Exchange) -> None:
        wanted = exchange.seen.path.rpartition("/")[2]
        blob = self.blobs.get(self.tags.get(wanted, wanted))
        if blob is None:
            exchange.whole(404, b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}')
            return
        is_blob = "/blobs/" in exchange.seen.path
        kind = "application/octet-stream" if is_blob else blob.media_type
        told = {"Content-Type": kind, "Docker-Content-Digest": blob.digest}
        exchange.whole(200, blob.body, told | self.headers)

    def asked(self) -> list[str]:
        """What was asked for, as "GET manifests/latest"."""
        return [
            f"{seen.method} {seen.path.removeprefix(f'/v2/{NAME}/')}" for seen in self.server.seen
        ]


@contextmanager
def playing(certificate: Path | None = CERTIFICATE) -> Iterator[PlayedRegistry]:
    with play.running(certificate) as server:
        yield PlayedRegistry(server)


def played() -> Iterator[PlayedRegistry]:
    """For a module's own fixture: `registry = pytest.fixture(played)`."""
    with playing() as registry:
        yield registry


def name(registry: PlayedRegistry, tag: str = "latest") -> str:
    return f"{registry.host}/{NAME}:{tag}"


def trusting(*hosts: str, **options: object) -> Network:
    """A network in which these hosts of this machine are allowed, and their certificate good."""
    network = Network(allowed=allowed_hosts(hosts), ca_file=str(CERTIFICATE))
    return replace(network, **options)  # type: ignore[arg-type]


class Reader:
    """Reads as a command would, without a database. Its cache outlives a reading."""

    def __init__(self, network: Network, bounds: Bounds = QUICK) -> None:
        self.network = network
        self.bounds = bounds
        self.documents = MemoryDocuments()
        self.phases: list[Phase] = []

    def read(self, text: str) -> ImageRecord:
        reference = parse(text)
        fetcher = Fetcher(self.network, self.bounds)
        through = Through(self.documents, Registry(fetcher, reference, self.phases.append))
        return record_of(reference, through.top(reference), through, timezone.now())

    def reason(self, text: str) -> Reason:
        """Why it cannot be read."""
        try:
            record = self.read(text)
        except RegistryError as fault:
            return fault.reason
        raise AssertionError(f"{text} was read: {record}")


def reader(registry: PlayedRegistry, *others: str) -> Reader:
    return Reader(trusting(registry.host, *others))

"""Images made by hand: documents as registries keep them, with layers that nobody unpacks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

OCI = "application/vnd.oci.image."
DOCKER = "application/vnd.docker."
OCI_INDEX, DOCKER_INDEX = OCI + "index.v1+json", DOCKER + "distribution.manifest.list.v2+json"
OCI_MANIFEST, DOCKER_MANIFEST = OCI + "manifest.v1+json", DOCKER + "distribution.manifest.v2+json"
OCI_CONFIG, DOCKER_CONFIG = OCI + "config.v1+json", DOCKER + "container.image.v1+json"
GZIP, ZSTD, PLAIN = (OCI + f"layer.v1.tar{pack}" for pack in ("+gzip", "+zstd", ""))
DOCKER_GZIP = DOCKER + "image.rootfs.diff.tar.gzip"
DOCKER_FOREIGN = DOCKER + "image.rootfs.foreign.diff.tar.gzip"
OLD = DOCKER + "distribution.manifest.v1+prettyjws"

ENV = ("PATH=/usr/local/bin:/usr/bin", "CUDA_VERSION=12.8.1", "NVIDIA_REQUIRE_CUDA=cuda>=12.8")


@dataclass(frozen=True)
class Blob:
    """Bytes with the name that a registry gives to their kind."""

    body: bytes
    media_type: str

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.body).hexdigest()}"

    def pointer(self, **extra: Any) -> dict[str, Any]:
        """The descriptor that points here."""
        return {
            "mediaType": self.media_type,
            "digest": self.digest,
            "size": len(self.body),
            **extra,
        }


def document(media_type: str, **fields: Any) -> Blob:
    return Blob(json.dumps(fields).encode(), media_type)


@dataclass(frozen=True)
class Image:
    """One manifest with what it points to; or an index with its images."""

    top: Blob
    blobs: tuple[Blob, ...] = ()
    images: tuple[Image, ...] = ()

    def manifests(self) -> list[Blob]:
        """What an index points to comes before it."""
        return [*(each for image in self.images for each in image.manifests()), self.top]

    def all_blobs(self) -> list[Blob]:
        return [*self.blobs, *(blob for image in self.images for blob in image.all_blobs())]


def config_fields(architecture: str = "amd64", **inner: Any) -> dict[str, Any]:
    return {
        "architecture": architecture,
        "os": "linux",
        "created": "2026-05-24T10:20:30.123456789Z",
        "config": {"Env": list(ENV), "WorkingDir": "/workspace", **inner},
        "history": [
            {"created_by": "ADD rootfs.tar.gz /", "created": "2026-05-01T00:00:00Z"},
            {"created_by": "ENV CUDA_VERSION=12.8.1", "empty_layer": True},
        ],
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + "0" * 64]},
    }


def layer(text: str = "a layer", media_type: str = GZIP) -> Blob:
    return Blob(text.encode(), media_type)


def image(
    architecture: str = "amd64",
    layers: Sequence[Blob] = (layer(),),
    *,
    docker: bool = False,
    config: Blob | None = None,
) -> Image:
    """A manifest in OCI's dress, or in Docker's."""
    kind = DOCKER_CONFIG if docker else OCI_CONFIG
    config = config or document(kind, **config_fields(architecture))
    media_type = DOCKER_MANIFEST if docker else OCI_MANIFEST
    top = document(
        media_type,
        schemaVersion=2,
        mediaType=media_type,
        config=config.pointer(),
        layers=[each.pointer() for each in layers],
    )
    return Image(top, (config, *layers))


def attestation(of: Image) -> tuple[Image, dict[str, Any]]:
    """What BuildKit puts beside an image, and the entry that points to it."""
    config = document(OCI_CONFIG, architecture="unknown", os="unknown", config={})
    statement = Blob(b"{}", "application/vnd.in-toto+json")
    beside = image(layers=(statement,), config=config)
    entry = beside.top.pointer(
        platform={"os": "unknown", "architecture": "unknown"},
        annotations={
            "vnd.docker.reference.type": "attestation-manifest",
            "vnd.docker.reference.digest": of.top.digest,
        },
    )
    return beside, entry


def index(*images: tuple[str, Image], docker: bool = False, attested: bool = False) -> Image:
    """An index of images by their platforms: "linux/amd64", "linux/arm64/v8"."""
    inside, entries = [each for _name, each in images], []
    if attested:
        beside, entry = attestation(inside[0])
        inside.append(beside)
        entries.append(entry)  # first, where a careless reader would take it
    for name, each in images:
        system, architecture, *variant = name.split("/")
        platform = {"os": system, "architecture": architecture}
        platform |= {"variant": variant[0]} if variant else {}
        entries.append(each.top.pointer(platform=platform))
    return Image(index_of(entries, docker=docker), images=tuple(inside))


def index_of(entries: Sequence[object], *, docker: bool = False) -> Blob:
    media_type = DOCKER_INDEX if docker else OCI_INDEX
    return document(media_type, schemaVersion=2, mediaType=media_type, manifests=entries)

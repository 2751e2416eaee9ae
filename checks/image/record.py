"""What a registry says of an image, as it was read. Facts are drawn from this; nothing is judged.

An empty text or tuple means that the image does not say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

Compression = Literal["gzip", "zstd", "none", "unknown"]

_NO_LABELS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, order=True)
class Platform:
    """What an image, or one entry of an index, is built for: linux, amd64, v2."""

    os: str
    architecture: str
    variant: str = ""

    def __str__(self) -> str:
        return "/".join(filter(None, (self.os, self.architecture, self.variant)))


@dataclass(frozen=True)
class Layer:
    """One layer. `size` is in bytes as the registry sends them: compressed, where it is."""

    digest: str
    size: int
    media_type: str

    @property
    def compression(self) -> Compression:
        if self.media_type.endswith(("+gzip", ".tar.gzip")):
            return "gzip"
        if self.media_type.endswith(("+zstd", ".tar.zstd")):
            return "zstd"
        return "none" if self.media_type.endswith(".tar") else "unknown"

    @property
    def is_foreign(self) -> bool:
        """Whether it comes from another place than the registry and counts for no pull from it."""
        return ".foreign." in self.media_type or ".nondistributable." in self.media_type


@dataclass(frozen=True)
class HistoryLine:
    """One step of the build. A step with `empty_layer` made no layer."""

    created_by: str = ""
    comment: str = ""
    empty_layer: bool = False
    created: datetime | None = None


@dataclass(frozen=True)
class Config:
    """The image's configuration: what its container starts with, and how it was built."""

    env: tuple[str, ...] = ()  # "NAME=value" in the image's order; the last duplicate wins
    labels: Mapping[str, str] = field(default_factory=lambda: _NO_LABELS)
    user: str = ""  # "" is root
    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    working_dir: str = ""
    exposed_ports: tuple[str, ...] = ()  # "22/tcp"
    architecture: str = ""
    os: str = ""
    variant: str = ""
    created: datetime | None = None
    history: tuple[HistoryLine, ...] = ()  # the oldest first
    diff_ids: tuple[str, ...] = ()  # digests of the uncompressed layers

    @property
    def environment(self) -> dict[str, str]:
        """`env` by name."""
        return {name: value for name, _equals, value in (line.partition("=") for line in self.env)}


@dataclass(frozen=True)
class ImageRecord:
    """One platform of an image, and what the same reference offers for others."""

    reference: str  # canonical: docker.io/library/ubuntu:24.04
    digest: str  # of the platform's manifest, "sha256:…"
    index_digest: str  # "" where the reference names one manifest and no index
    platform: Platform
    platforms: tuple[Platform, ...]  # all that are offered, attestations left out
    config: Config
    layers: tuple[Layer, ...]  # the base first
    read_at: datetime  # when the registry last said so; in UTC

    @property
    def pinned(self) -> str:
        """What a reference must hold to mean this very image on every platform."""
        return self.index_digest or self.digest

    @property
    def size(self) -> int:
        """Bytes to pull; layers from elsewhere are left out, a repeated one counts once."""
        own = {layer.digest: layer.size for layer in self.layers if not layer.is_foreign}
        return sum(own.values())

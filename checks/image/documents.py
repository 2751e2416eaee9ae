"""The documents of an image as registries keep them, read strictly where we rely on them.

Sources: https://github.com/opencontainers/image-spec (manifest.md, image-index.md, config.md) and
https://distribution.github.io/distribution/spec/manifest-v2-2/.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from checks.image.reasons import Reason, RegistryError
from checks.image.record import Config, HistoryLine, Layer, Platform
from checks.image.reference import is_digest

INDEXES = frozenset(
    {
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
    }
)
MANIFESTS = frozenset(
    {
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    }
)
_CONFIGS = frozenset(
    {
        "application/vnd.oci.image.config.v1+json",
        "application/vnd.docker.container.image.v1+json",
    }
)
_OLD = frozenset(
    {
        "application/vnd.docker.distribution.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v1+prettyjws",
    }
)
# Entries of an index or layers of a manifest; real ones have a few dozen.
_MOST = 1000
# Bytes of an image: a petabyte.
_LARGEST = 10**15
# Variables, labels, lines of history.
_MOST_LINES = 10_000


@dataclass(frozen=True)
class Document:
    """Bytes that were verified against their digest."""

    digest: str
    body: bytes


def digest_of(body: bytes, like: str = "sha256:") -> str:
    """The digest of `body`, by the algorithm of the digest `like`."""
    algorithm = like.partition(":")[0]
    return f"{algorithm}:{hashlib.new(algorithm, body).hexdigest()}"


def verified(digest: str, body: bytes) -> Document:
    """Raises RegistryError unless `body` is what the digest stands for."""
    if digest_of(body, digest) != digest:
        raise RegistryError(Reason.DIGEST_MISMATCH, digest)
    return Document(digest, body)


# --- Shapes -------------------------------------------------------------------------


def _checked_digest(text: str) -> str:
    if not is_digest(text):
        raise ValueError("no digest that can be verified")
    return text


# PostgreSQL and pages can do without the one letter that neither can hold.
_Text = Annotated[str, AfterValidator(lambda text: text.replace("\0", "\N{REPLACEMENT CHARACTER}"))]
_Word = Annotated[_Text, Field(max_length=100)]
_Digest = Annotated[str, AfterValidator(_checked_digest)]
_Item = TypeVar("_Item")
_Few = Annotated[list[_Item], Field(max_length=_MOST, fail_fast=True)]
_Lines = Annotated[list[_Item], Field(max_length=_MOST_LINES, fail_fast=True)]
_Names = Annotated[dict[_Text, _Item], Field(max_length=_MOST_LINES)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Platform(_Shape):
    os: _Word | None = None
    architecture: _Word | None = None
    variant: _Word | None = None

    def platform(self) -> Platform:
        return Platform(self.os or "", self.architecture or "", self.variant or "")


class Descriptor(_Shape):
    """What points to another document or to a layer. `size` is in bytes."""

    digest: _Digest
    size: Annotated[int, Field(ge=0, le=_LARGEST)]
    media_type: Annotated[_Text | None, Field(alias="mediaType")] = None


class Entry(Descriptor):
    """One line of an index."""

    given: Annotated[_Platform | None, Field(alias="platform")] = None
    annotations: _Names[Any] | None = None

    @property
    def platform(self) -> Platform:
        return self.given.platform() if self.given else Platform("", "")

    @property
    def is_index(self) -> bool:
        return self.media_type in INDEXES

    @property
    def is_attestation(self) -> bool:
        """What was found out about an image and stands beside it; nothing runs there."""
        notes = self.annotations or {}
        return "vnd.docker.reference.type" in notes or self.platform.os == "unknown"


class Manifest(_Shape):
    """An index or a manifest: which of them, the fields tell."""

    schema_version: Annotated[int | None, Field(alias="schemaVersion")] = None
    media_type: Annotated[str | None, Field(alias="mediaType")] = None
    manifests: _Few[Entry] | None = None
    config: Descriptor | None = None
    layers: _Few[Descriptor] | None = None

    @property
    def is_index(self) -> bool:
        return self.manifests is not None


class _Container(_Shape):
    env: Annotated[_Lines[_Text] | None, Field(alias="Env")] = None
    labels: Annotated[_Names[_Text | None] | None, Field(alias="Labels")] = None
    user: Annotated[_Text | None, Field(alias="User")] = None
    entrypoint: Annotated[_Lines[_Text] | None, Field(alias="Entrypoint")] = None
    cmd: Annotated[_Lines[_Text] | None, Field(alias="Cmd")] = None
    working_dir: Annotated[_Text | None, Field(alias="WorkingDir")] = None
    exposed_ports: Annotated[_Names[Any] | None, Field(alias="ExposedPorts")] = None


class _Step(_Shape):
    created_by: _Text | None = None
    comment: _Text | None = None
    empty_layer: bool | None = None
    created: str | None = None

    def line(self) -> HistoryLine:
        return HistoryLine(
            created_by=self.created_by or "",
            comment=self.comment or "",
            empty_layer=bool(self.empty_layer),
            created=moment(self.created),
        )


class _RootFs(_Shape):
    diff_ids: _Few[_Digest] | None = None


class _ConfigFile(_Platform):
    created: str | None = None
    config: _Container | None = None
    history: _Lines[_Step] | None = None
    rootfs: _RootFs | None = None


_Read = TypeVar("_Read", bound=_Shape)


def _read(shape: type[_Read], body: bytes) -> _Read:
    try:
        return shape.model_validate_json(body)
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    reason = Reason.TOO_LARGE if first["type"] == "too_long" else Reason.MALFORMED
    raise RegistryError(reason, f"{place}: {first['type']}")


def moment(text: str | None) -> datetime | None:
    """An RFC 3339 time, in UTC. None for none, and for the year 1 that Go writes for none."""
    try:
        found = datetime.fromisoformat(text) if text else None
        if found is None or found.year == 1:
            return None
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


# --- Reading ------------------------------------------------------------------------


def manifest_in(document: Document, told: str = "") -> Manifest:
    """The index or manifest, in Docker's or OCI's dress. `told` is what the registry called it.

    Raises RegistryError for anything else, also for what could be taken for either: see
    CVE-2021-41190.
    """
    kind = told.partition(";")[0].strip().lower()
    if kind in _OLD:
        raise RegistryError(Reason.OLD_FORMAT, kind)
    found = _read(Manifest, document.body)
    if found.schema_version == 1 or found.media_type in _OLD:
        raise RegistryError(Reason.OLD_FORMAT, "schema 1")
    named = kind if kind in INDEXES | MANIFESTS else found.media_type
    whole = found.config is not None and found.layers is not None
    if found.is_index == whole or named in (MANIFESTS if found.is_index else INDEXES):
        raise RegistryError(Reason.MALFORMED, "neither an index nor a manifest, or both")
    return found


def image_config(manifest: Manifest) -> Descriptor:
    """Where the configuration is. Raises RegistryError if this is something else than an image."""
    config = manifest.config
    if config is None or config.media_type not in _CONFIGS:
        kind = config.media_type if config else None
        raise RegistryError(Reason.NOT_AN_IMAGE, str(kind)[:100])
    return config


def layers_of(manifest: Manifest) -> tuple[Layer, ...]:
    """Raises RegistryError for more than any image has."""
    layers = manifest.layers or ()
    if sum(layer.size for layer in layers) > _LARGEST:
        raise RegistryError(Reason.MALFORMED, "layers: larger than any image")
    return tuple(Layer(layer.digest, layer.size, layer.media_type or "") for layer in layers)


def config_in(document: Document) -> Config:
    """Raises RegistryError for what is no image configuration."""
    file = _read(_ConfigFile, document.body)
    inner = file.config or _Container()
    return Config(
        env=tuple(inner.env or ()),
        labels={name: value or "" for name, value in (inner.labels or {}).items()},
        user=inner.user or "",
        entrypoint=tuple(inner.entrypoint or ()),
        cmd=tuple(inner.cmd or ()),
        working_dir=inner.working_dir or "",
        exposed_ports=tuple(inner.exposed_ports or ()),
        architecture=file.architecture or "",
        os=file.os or "",
        variant=file.variant or "",
        created=moment(file.created),
        history=tuple(step.line() for step in file.history or ()),
        diff_ids=tuple((file.rootfs and file.rootfs.diff_ids) or ()),
    )

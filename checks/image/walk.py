"""From a reference to the record of one platform: index, manifest, configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple, Protocol

from checks.image.documents import (
    Document,
    Entry,
    Manifest,
    config_in,
    image_config,
    layers_of,
    manifest_in,
)
from checks.image.reasons import Reason, RegistryError
from checks.image.record import Config, ImageRecord, Platform
from checks.image.reference import Reference
from checks.image.registry import Registry

# Where an image is built for several CPUs, the facts are of the first of these that it has.
PREFERRED = ("amd64", "arm64")
_RUNNABLE = ("linux", "")  # "": not said
# An index may name an index; nobody nests deeper.
_DEEPEST = 2


class Documents(Protocol):
    """Documents by digest. What is kept was verified, so it does not matter who sent it."""

    def manifest(self, digest: str) -> Document: ...

    def config(self, digest: str) -> Document: ...


class Kept(Protocol):
    """A cache of documents."""

    def get(self, digest: str) -> Document | None: ...

    def put(self, document: Document) -> None: ...


class Through:
    """Documents out of a cache, and those that it lacks from the registry."""

    def __init__(self, kept: Kept, registry: Registry) -> None:
        self._kept = kept
        self._registry = registry

    def manifest(self, digest: str) -> Document:
        return self._kept.get(digest) or self._part(digest, self._registry.manifest)

    def config(self, digest: str) -> Document:
        return self._kept.get(digest) or self._part(digest, self._registry.config)

    def top(self, reference: Reference) -> Document:
        """What the reference names today. Even for a digest the registry is asked if it has it."""
        named = reference.digest or reference.tag
        told = self._registry.digest_at(named)
        if told and (found := self._kept.get(reference.digest or told)):
            return found
        return self._keep(self._registry.manifest(reference.digest or told or named))

    def _part(self, digest: str, read: Callable[[str], Document]) -> Document:
        try:
            return self._keep(read(digest))
        except RegistryError as fault:
            if fault.reason not in (Reason.NO_SUCH_TAG, Reason.NOT_PUBLIC_OR_MISSING):
                raise
            raise RegistryError(Reason.INCOMPLETE, str(fault)) from None

    def _keep(self, document: Document) -> Document:
        self._kept.put(document)
        return document


class _Found(NamedTuple):
    document: Document
    manifest: Manifest
    platform: Platform | None  # as the index says
    offered: tuple[Platform, ...]


def record_of(
    reference: Reference, top: Document, documents: Documents, read_at: datetime
) -> ImageRecord:
    """The record of what `top` leads to. Raises RegistryError."""
    found = _find(top, documents)
    wanted = image_config(found.manifest)
    config = config_in(documents.config(wanted.digest))
    platform = found.platform or _platform_of(config)
    return ImageRecord(
        reference=str(reference),
        digest=found.document.digest,
        index_digest=top.digest if found.document is not top else "",
        platform=platform,
        platforms=found.offered or (platform,),
        config=config,
        layers=layers_of(found.manifest),
        read_at=read_at,
    )


def _find(top: Document, documents: Documents) -> _Found:
    document, manifest = top, manifest_in(top)
    platform: Platform | None = None
    offered: tuple[Platform, ...] = ()
    for _level in range(_DEEPEST):
        if not manifest.is_index:
            break
        entries = [entry for entry in manifest.manifests or () if not entry.is_attestation]
        offered = offered or _platforms(entries)
        chosen = _choose(entries)
        platform = chosen.platform if chosen.platform.architecture else platform
        document = documents.manifest(chosen.digest)
        manifest = manifest_in(document)
    if manifest.is_index:
        raise RegistryError(Reason.TOO_DEEP, document.digest)
    return _Found(document, manifest, platform, offered)


def _platforms(entries: Iterable[Entry]) -> tuple[Platform, ...]:
    """Each once, in the order of the index."""
    return tuple(dict.fromkeys(entry.platform for entry in entries if entry.platform.architecture))


def _choose(entries: list[Entry]) -> Entry:
    """The entry to read. One without a platform may be any; it is taken where none has a better."""
    runnable = [entry for entry in entries if entry.platform.os in _RUNNABLE]
    if not runnable:
        raise RegistryError(Reason.NO_PLATFORM)
    return min(runnable, key=lambda entry: _rank(entry.platform))


def _rank(platform: Platform) -> int:
    wanted = platform.architecture
    return PREFERRED.index(wanted) if wanted in PREFERRED else len(PREFERRED)


def _platform_of(config: Config) -> Platform:
    platform = Platform(config.os, config.architecture, config.variant)
    if platform.os not in _RUNNABLE:
        raise RegistryError(Reason.NO_PLATFORM, str(platform))
    return platform

"""The JSON documents that tools print of an image. Any field may be missing or of any type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from checks.image.kept import kept
from checks.image.paste_fault import PasteError, PasteFault
from checks.image.record import Config, HistoryLine, Layer, Platform
from checks.image.reference import BadReferenceError, is_digest, parse
from checks.image.told import Told

Json = Mapping[str, Any]

# With these, `Size` counts what lies unpacked on the disk; containerd's store has counted packed
# layers, and both together. https://github.com/moby/moby/issues/53398
_UNPACKED = frozenset({"overlay2", "overlay", "btrfs", "zfs", "vfs", "fuse-overlayfs", "aufs"})
_PREFERRED = ("linux/amd64", "linux/arm64")
_MOST_LAYERS = 1000


def read_json(document: Any) -> Told:
    """What the document tells. Raises PasteError where it is of no kind that we know."""
    if isinstance(document, list):
        document = _only(document)
    if isinstance(document, dict):
        for fits, reader in _KINDS:
            if fits(document) and (told := reader(document)) != Told():
                return told
    raise PasteError(PasteFault.UNKNOWN_JSON)


def _only(documents: list[Any]) -> Any:
    if not documents:
        raise PasteError(PasteFault.NO_IMAGE)
    if len(documents) > 1:
        raise PasteError(PasteFault.SEVERAL_IMAGES)
    return documents[0]


# --- The kinds -------------------------------------------------------------------------


def _inspected(doc: Json) -> Told:
    """docker image inspect, podman image inspect."""
    config = _config(_dict(doc, "Config"), doc)
    digests = _texts(doc, "RepoDigests")
    layers = _texts(_dict(doc, "RootFS"), "Layers")
    driver = _text(_dict(doc, "GraphDriver"), "Name")
    return Told(
        reference=_name(*_texts(doc, "RepoTags"), *digests),
        pinned=next((_digest(text.partition("@")[2]) for text in digests), ""),
        platforms=tuple(_platform(doc)),
        config=kept(config),
        layer_count=len(layers) or None,
        uncompressed=_number(doc, "Size") if driver in _UNPACKED else None,
    )


def _imagetools(doc: Json) -> Told:
    """docker buildx imagetools inspect --format '{{json .}}'"""
    manifest, images = _dict(doc, "manifest"), _dict(doc, "image")
    if "config" not in images and "rootfs" not in images:
        by_platform = {name: _dict(images, name) for name in images if "unknown" not in name}
        chosen = next((name for name in _PREFERRED if name in by_platform), None)
        image = by_platform.get(chosen or next(iter(by_platform), ""), {})
        offered = tuple(_named_platform(name) for name in by_platform)
    else:
        image, offered = images, ()
    told = _configuration(image)
    return replace(
        told,
        reference=_name(_text(doc, "name")),
        pinned=_digest(_text(manifest, "digest")),
        platforms=tuple(p for p in offered if p.architecture) or told.platforms,
        layers=_layers(manifest) or None,
    )


def _skopeo(doc: Json) -> Told:
    """skopeo inspect; it tells neither user nor history."""
    layers = _layers({"layers": doc.get("LayersData")}, size="Size", media_type="MIMEType")
    return Told(
        reference=_name(_text(doc, "Name")),
        pinned=_digest(_text(doc, "Digest")),
        platforms=tuple(_platform(doc)),
        config=kept(_config({"Env": doc.get("Env"), "Labels": doc.get("Labels")}, doc)),
        whole="Env" in doc,
        names_user=False,
        layers=layers or None,
        layer_count=len(_texts(doc, "Layers")) or None,
    )


def _configuration(doc: Json) -> Told:
    """A configuration: skopeo inspect --config, or a blob of the registry."""
    config = _config(_dict(doc, "config"), doc)
    return Told(platforms=tuple(_platform(doc)), config=kept(config))


def _index(doc: Json) -> Told:
    """An index: what is offered, nothing of what is in it."""
    entries = [entry for entry in _list(doc, "manifests") if isinstance(entry, dict)]
    platforms = [p for e in entries for p in _platform(_dict(e, "platform"))]
    return Told(platforms=tuple(dict.fromkeys(platforms)))


def _manifest(doc: Json) -> Told:
    """A manifest: the sizes of the layers."""
    return Told(layers=_layers(doc) or None)


def _schema_1(doc: Json) -> Told:
    raise PasteError(PasteFault.SCHEMA_1)


def _container(doc: Json) -> Told:
    raise PasteError(PasteFault.CONTAINER)


def _is_by_platform(doc: Json) -> bool:
    """{{json .Image}} of several platforms: linux/amd64 and so on are the names."""
    return bool(doc) and all("/" in name and isinstance(doc[name], dict) for name in doc)


def _has(*names: str) -> Callable[[Json], bool]:
    return lambda doc: all(name in doc for name in names)


_KINDS: tuple[tuple[Callable[[Json], bool], Callable[[Json], Told]], ...] = (
    (_has("State", "Config", "HostConfig"), _container),
    (_has("Config", "RootFS"), _inspected),
    (_has("Config", "Architecture"), _inspected),
    (_has("manifest", "image"), _imagetools),
    (_is_by_platform, lambda doc: _imagetools({"image": doc})),
    (_has("manifests"), _index),
    (lambda doc: doc.get("schemaVersion") == 1, _schema_1),
    (_has("fsLayers"), _schema_1),
    (_has("layers", "config"), _manifest),
    (_has("Layers", "Architecture"), _skopeo),
    (_has("config", "architecture"), _configuration),
    (_has("config", "rootfs"), _configuration),
)


# --- Their parts -----------------------------------------------------------------------


def _config(settings: Json, around: Json) -> Config:
    """A configuration; docker writes what stands around it with capitals, OCI without."""
    labels = _dict(settings, "Labels")
    return Config(
        env=_texts(settings, "Env"),
        labels={name: text for name, text in labels.items() if isinstance(text, str)},
        user=_text(settings, "User"),
        entrypoint=_texts(settings, "Entrypoint"),
        cmd=_texts(settings, "Cmd"),
        architecture=_text(around, "architecture") or _text(around, "Architecture"),
        os=_text(around, "os") or _text(around, "Os"),
        variant=_text(around, "variant") or _text(around, "Variant"),
        history=tuple(_history(around)),
    )


def _history(around: Json) -> Iterator[HistoryLine]:
    """OCI's history; podman's has capitals and the same names otherwise."""
    for line in _list(around, "history") or _list(around, "History"):
        if isinstance(line, dict):
            created_by = _text(line, "created_by") or _text(line, "CreatedBy")
            yield HistoryLine(created_by, empty_layer=line.get("empty_layer") is True)


def _platform(doc: Json) -> Iterator[Platform]:
    """The platform, with capitals or without; none for an attestation, which is of `unknown`."""
    names = ("os", "architecture", "variant")
    os, architecture, variant = (_text(doc, n) or _text(doc, n.capitalize()) for n in names)
    if os and architecture and "unknown" not in (os, architecture):
        yield _named_platform("/".join((os, architecture, variant)))


def _named_platform(name: str) -> Platform:
    """linux/arm64/v8; only short plain words are taken."""
    words = [word if word.isalnum() and len(word) < 20 else "" for word in name.split("/")]
    return Platform(*[*words, "", "", ""][:3])


def _layers(doc: Json, size: str = "size", media_type: str = "mediaType") -> tuple[Layer, ...]:
    """The layers that have a size; none of them if there is one without."""
    found = []
    for at, entry in enumerate(_list(doc, "layers")[:_MOST_LAYERS]):
        layer = entry if isinstance(entry, dict) else {}
        bytes_ = _number(layer, size)
        kind = _text(layer, media_type)
        if bytes_ is None or "in-toto" in kind:
            return ()
        found.append(Layer(_digest(_text(layer, "digest")) or str(at), bytes_, kind))
    return tuple(found)


def _name(*names: str) -> str:
    """The first that is a reference, in its canonical form; `<none>:<none>` is none."""
    for name in names:
        try:
            return str(parse(name))
        except BadReferenceError:
            continue
    return ""


def _digest(text: str) -> str:
    return text if is_digest(text) else ""


def _dict(doc: Json, name: str) -> Json:
    value = doc.get(name)
    return value if isinstance(value, dict) else {}


def _list(doc: Json, name: str) -> list[Any]:
    value = doc.get(name)
    return value if isinstance(value, list) else []


def _text(doc: Json, name: str) -> str:
    value = doc.get(name)
    return value if isinstance(value, str) else ""


def _texts(doc: Json, name: str) -> tuple[str, ...]:
    value = doc.get(name)
    if isinstance(value, str):
        return (value,)
    return tuple(text for text in _list(doc, name) if isinstance(text, str))


def _number(doc: Json, name: str) -> int | None:
    """A size in bytes; anything that is none, or larger than any disk, was not told."""
    value = doc.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15:
        return value
    return None

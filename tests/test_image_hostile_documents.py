"""Documents with wrong bytes or fields: malformed, too large or mended, and never believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checks.image.reasons import Reason
from tests import provider_server as play
from tests import registry_images as images
from tests.hostile_registry import ANYWHERE, bounded, hostile
from tests.played_registry import NAME, PlayedRegistry, name, played, reader
from tests.registry_images import Blob

registry = pytest.fixture(played)


@pytest.mark.parametrize("where", [*ANYWHERE, "by header"])
def test_other_bytes_than_the_digest_stands_for_are_refused(
    registry: PlayedRegistry, where: str
) -> None:
    held = registry.hold(images.image())
    other = images.image("arm64")
    if where == "blobs":
        text = hostile(registry, where, play.body(other.blobs[0].body))
    else:
        told = {"Content-Type": images.OCI_MANIFEST}
        if where == "by header":
            told["Docker-Content-Digest"] = held.top.digest
            registry.instead["HEAD manifests/latest"] = play.status(404)
            registry.instead["manifests/latest"] = play.body(other.top.body, told)
            text = name(registry)
        else:
            registry.instead[f"manifests/{held.top.digest}"] = play.body(other.top.body, told)
            text = f"{registry.host}/{NAME}@{held.top.digest}"
    reading = reader(registry)
    assert reading.reason(text) is Reason.DIGEST_MISMATCH
    assert other.top.digest not in reading.documents.kept


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html>",
        b'"text"',
        b"null",
        b"{}",
        b"[" * 1_000_000,
        b'{"schemaVersion": 2, "layers": ' + b"[" * 100_000,
        b'{"schemaVersion": 2, "config": {}, "layers": []}',
        b'{"schemaVersion": "2", "manifests": []}',
        b'{"schemaVersion": 2, "manifests": {}}',
        b'{"schemaVersion": ' + b"9" * 100_000 + b', "manifests": []}',
        b"\xff\xfe{}",
        b'{"schemaVersion": 2, "mediaType": "\\ud800", "manifests": []}',
    ],
)
def test_what_is_no_manifest_is_malformed(registry: PlayedRegistry, body: bytes) -> None:
    registry.hold(images.Image(Blob(body, images.OCI_MANIFEST)))
    with bounded(5):
        assert reader(registry).reason(name(registry)) is Reason.MALFORMED


@pytest.mark.parametrize(
    "change",
    [
        {"layers": [{"digest": "sha256:1", "size": 1}]},
        {"layers": [{"digest": "md5:" + "a" * 32, "size": 1}]},
        {"layers": [{"digest": "sha256:" + "a" * 64, "size": -1}]},
        {"layers": [{"digest": "sha256:" + "a" * 64, "size": 2**64}]},
        {"layers": [{"digest": "sha256:" + "a" * 64, "size": 10**15 + 1}]},
        {"layers": [{"digest": "sha256:" + letter * 64, "size": 10**15} for letter in "ab"]},
        {"layers": [{"digest": "sha256:" + "a" * 64, "size": "1"}]},
        {"layers": [{"digest": "sha256:" + "a" * 64}]},
        {"manifests": []},
        {"mediaType": images.OCI_INDEX},
    ],
)
def test_a_manifest_with_one_wrong_field_is_malformed(
    registry: PlayedRegistry, change: dict[str, Any]
) -> None:
    made = images.image()
    fields = json.loads(made.top.body) | change
    registry.hold(images.Image(images.document("application/json", **fields), made.blobs))
    assert reader(registry).reason(name(registry)) is Reason.MALFORMED


def test_a_manifest_that_is_called_an_index_is_neither(registry: PlayedRegistry) -> None:
    """And it is not kept, where it would stand for the same bytes of an honest registry."""
    made = registry.hold(images.image())
    registry.headers["Content-Type"] = images.OCI_INDEX
    reading = reader(registry)
    assert reading.reason(name(registry)) is Reason.MALFORMED
    assert made.top.digest not in reading.documents.kept


@pytest.mark.parametrize(
    "change",
    [
        {"config": {"Env": "A=1"}},
        {"config": {"Env": [1]}},
        {"config": {"Labels": ["a"]}},
        {"history": [{"created_by": 1}]},
        {"os": 7},
        {"rootfs": {"diff_ids": ["../etc"]}},
    ],
)
def test_a_configuration_with_one_wrong_field_is_malformed(
    registry: PlayedRegistry, change: dict[str, Any]
) -> None:
    config = images.document(images.OCI_CONFIG, **(images.config_fields() | change))
    registry.hold(images.image(config=config))
    assert reader(registry).reason(name(registry)) is Reason.MALFORMED


def test_an_architecture_is_a_word(registry: PlayedRegistry) -> None:
    registry.hold(images.image(config=images.document(images.OCI_CONFIG, architecture="a" * 101)))
    assert reader(registry).reason(name(registry)) is Reason.TOO_LARGE


@pytest.mark.parametrize("field", ["Env", "Cmd", "Entrypoint", "Labels"])
def test_a_configuration_of_endless_lines_is_too_large(
    registry: PlayedRegistry, field: str
) -> None:
    lines = [f"A{n}=1" for n in range(100_000)]
    inner: dict[str, Any] = {field: dict.fromkeys(lines, "") if field == "Labels" else lines}
    config = images.document(images.OCI_CONFIG, **images.config_fields(**inner))
    registry.hold(images.image(config=config))
    with bounded(5):
        assert reader(registry).reason(name(registry)) is Reason.TOO_LARGE


def test_letters_that_nothing_can_hold_are_replaced(registry: PlayedRegistry) -> None:
    inner: dict[str, Any] = {"Env": ["A=\0"], "Labels": {"l\0": "\0"}}
    config = images.document(images.OCI_CONFIG, **images.config_fields(**inner))
    registry.hold(images.image(config=config))
    record = reader(registry).read(name(registry))
    assert record.config.env == ("A=\N{REPLACEMENT CHARACTER}",)
    assert "\0" not in "".join((*record.config.labels, *record.config.labels.values()))


@pytest.mark.parametrize(
    "created", ["", "yesterday", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", None]
)
def test_a_time_that_is_none_is_not_known(registry: PlayedRegistry, created: str | None) -> None:
    fields = images.config_fields() | {"created": created}
    registry.hold(images.image(config=images.document(images.OCI_CONFIG, **fields)))
    assert reader(registry).read(name(registry)).config.created is None

"""An image is read at a registry that follows the specification, in every dress it may have."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from checks.image.reasons import Reason
from checks.image.record import Platform
from checks.image.registry import Phase
from tests import played_registry
from tests import provider_server as play
from tests import registry_images as images
from tests.images import AMD, ARM
from tests.played_registry import NAME, PlayedRegistry, name, played, reader

registry = pytest.fixture(played)

# --- What a record holds ----------------------------------------------------------------


def test_an_index_leads_to_the_manifest_for_amd64(registry: PlayedRegistry) -> None:
    amd, arm = images.image("amd64"), images.image("arm64")
    held = registry.hold(images.index(("linux/arm64/v8", arm), ("linux/amd64", amd)))
    record = reader(registry).read(name(registry))
    assert (record.index_digest, record.digest) == (held.top.digest, amd.top.digest)
    assert record.platform == AMD
    assert record.platforms == (ARM, AMD)
    assert record.pinned == held.top.digest
    assert record.reference == name(registry)


def test_an_attestation_is_no_platform(registry: PlayedRegistry) -> None:
    registry.hold(images.index(("linux/amd64", images.image()), attested=True))
    record = reader(registry).read(name(registry))
    assert record.platforms == (AMD,)
    assert record.config.environment["CUDA_VERSION"] == "12.8.1"


def test_an_image_for_arm_alone_is_read_as_that(registry: PlayedRegistry) -> None:
    windows = images.image("amd64")
    registry.hold(
        images.index(("windows/amd64", windows), ("linux/arm64/v8", images.image("arm64")))
    )
    record = reader(registry).read(name(registry))
    assert record.platform == ARM
    assert record.platforms == (Platform("windows", "amd64"), ARM)


def test_a_tag_may_name_a_manifest_without_an_index(registry: PlayedRegistry) -> None:
    held = registry.hold(images.image("arm64"))
    record = reader(registry).read(name(registry))
    assert (record.index_digest, record.digest) == ("", held.top.digest)
    assert record.platforms == (Platform("linux", "arm64"),)
    assert record.pinned == held.top.digest


def test_dockers_own_types_are_read_alike(registry: PlayedRegistry) -> None:
    layers = [images.layer("docker", images.DOCKER_GZIP), images.layer("w", images.DOCKER_FOREIGN)]
    inside = images.image(layers=layers, docker=True)
    registry.hold(images.index(("linux/amd64", inside), docker=True))
    record = reader(registry).read(name(registry))
    assert [(each.compression, each.is_foreign) for each in record.layers] == [
        ("gzip", False),
        ("gzip", True),
    ]
    assert record.size == len("docker")


def test_layers_keep_their_order_sizes_and_packing(registry: PlayedRegistry) -> None:
    kinds = (images.GZIP, images.ZSTD, images.PLAIN, "application/vnd.acme.weights")
    layers = [images.layer("x" * (n + 1), kind) for n, kind in enumerate(kinds)]
    registry.hold(images.image(layers=[*layers, layers[0]]))
    record = reader(registry).read(name(registry))
    assert [each.size for each in record.layers] == [1, 2, 3, 4, 1]
    assert [each.compression for each in record.layers] == [
        "gzip",
        "zstd",
        "none",
        "unknown",
        "gzip",
    ]
    assert record.size == 10  # a repeated layer is pulled once


def test_the_configuration_is_told_whole(registry: PlayedRegistry) -> None:
    inner: dict[str, Any] = {
        "Env": [*images.ENV, "CUDA_VERSION=13.0"],
        "Labels": {"maintainer": "acme", "empty": None},
        "User": "1000:1000",
        "Entrypoint": ["/opt/entry.sh"],
        "Cmd": ["python", "train.py"],
        "ExposedPorts": {"22/tcp": {}},
    }
    config = images.document(images.OCI_CONFIG, **images.config_fields(**inner))
    registry.hold(images.image(config=config))
    told = reader(registry).read(name(registry)).config
    assert told.env == (*images.ENV, "CUDA_VERSION=13.0")
    assert told.environment["CUDA_VERSION"] == "13.0"
    assert told.labels == {"maintainer": "acme", "empty": ""}
    assert (told.user, told.working_dir) == ("1000:1000", "/workspace")
    assert (told.entrypoint, told.cmd) == (("/opt/entry.sh",), ("python", "train.py"))
    assert told.exposed_ports == ("22/tcp",)
    assert told.created == datetime(2026, 5, 24, 10, 20, 30, 123456, UTC)
    assert [line.empty_layer for line in told.history] == [False, True]
    assert told.history[0].created == datetime(2026, 5, 1, tzinfo=UTC)
    assert told.diff_ids == ("sha256:" + "0" * 64,)


def test_an_index_may_name_an_index(registry: PlayedRegistry) -> None:
    inner = images.index(("linux/amd64", images.image()), ("linux/arm64/v8", images.image("arm64")))
    registry.hold(images.Image(images.index_of([inner.top.pointer()]), images=(inner,)))
    record = reader(registry).read(name(registry))
    assert record.platforms == (AMD, ARM)


def test_an_entry_without_a_platform_is_what_its_configuration_says(
    registry: PlayedRegistry,
) -> None:
    inside = images.image("arm64")
    registry.hold(images.Image(images.index_of([inside.top.pointer()]), images=(inside,)))
    record = reader(registry).read(name(registry))
    assert record.platform == Platform("linux", "arm64")
    assert record.platforms == (Platform("linux", "arm64"),)


@pytest.mark.parametrize("kind", ["", "text/plain; charset=utf-8", "application/json"])
def test_a_vague_content_type_leaves_the_word_to_the_document(
    registry: PlayedRegistry, kind: str
) -> None:
    registry.hold(images.index(("linux/amd64", images.image())))
    registry.headers["Content-Type"] = kind
    assert reader(registry).read(name(registry)).platform == AMD


def test_a_document_without_a_media_type_is_known_by_its_fields(registry: PlayedRegistry) -> None:
    inside = images.image()
    entries = [inside.top.pointer(platform={"os": "linux", "architecture": "amd64"})]
    bare = images.document(images.OCI_INDEX, schemaVersion=2, manifests=entries)
    registry.hold(images.Image(bare, images=(inside,)))
    assert reader(registry).read(name(registry)).digest == inside.top.digest


# --- Names, digests, the cache ----------------------------------------------------------


def test_a_digest_is_read_as_that_very_image(registry: PlayedRegistry) -> None:
    old = registry.hold(images.image("arm64"))
    registry.hold(images.image("amd64"))
    record = reader(registry).read(f"{registry.host}/{NAME}:latest@{old.top.digest}")
    assert record.digest == old.top.digest


def test_a_tag_that_did_not_move_costs_no_pull(registry: PlayedRegistry) -> None:
    registry.hold(images.index(("linux/amd64", images.image())))
    reading = reader(registry)
    first = reading.read(name(registry))
    registry.server.seen.clear()
    assert reading.read(name(registry)).digest == first.digest
    assert registry.asked() == ["HEAD manifests/latest"]


def test_a_tag_that_moved_is_read_anew_but_for_what_stayed(registry: PlayedRegistry) -> None:
    amd = images.image("amd64")
    registry.hold(images.index(("linux/amd64", amd)))
    reading = reader(registry)
    reading.read(name(registry))
    moved = registry.hold(
        images.index(("linux/amd64", amd), ("linux/arm64/v8", images.image("arm64")))
    )
    registry.server.seen.clear()
    assert reading.read(name(registry)).platforms == (AMD, ARM)
    assert registry.asked() == ["HEAD manifests/latest", f"GET manifests/{moved.top.digest}"]


def test_a_known_digest_is_no_proof_that_this_registry_has_it(registry: PlayedRegistry) -> None:
    held = registry.hold(images.image())
    reading = reader(registry)
    reading.read(name(registry))
    registry.blobs.clear()
    assert reading.reason(f"{registry.host}/{NAME}@{held.top.digest}") is Reason.NO_SUCH_TAG


@pytest.mark.parametrize(
    "told", [play.status(405), play.body(b""), play.body(b"", {"Docker-Content-Digest": "md5:1"})]
)
def test_a_registry_that_tells_no_digest_is_read_by_the_tag(
    registry: PlayedRegistry, told: play.Answer
) -> None:
    held = registry.hold(images.image())
    registry.instead["HEAD manifests/latest"] = told
    assert reader(registry).read(name(registry)).digest == held.top.digest
    assert registry.asked()[:2] == ["HEAD manifests/latest", "GET manifests/latest"]


def test_phases_are_told_as_they_begin(registry: PlayedRegistry) -> None:
    registry.hold(images.index(("linux/amd64", images.image())))
    reading = reader(registry)
    reading.read(name(registry))
    assert reading.phases == [Phase.ASKING, Phase.MANIFEST, Phase.MANIFEST, Phase.CONFIG]


def test_nothing_packed_is_asked_for_and_nobody_is_named(registry: PlayedRegistry) -> None:
    registry.hold(images.image())
    reader(registry).read(name(registry))
    for seen in registry.server.seen:
        assert seen.headers["accept-encoding"] == "identity"
        assert "gpucompare" in seen.headers["user-agent"]
        assert not {"authorization", "cookie"} & seen.headers.keys()


# --- Blobs from elsewhere ---------------------------------------------------------------


def test_a_configuration_may_come_from_another_host_which_gets_no_token(
    registry: PlayedRegistry,
) -> None:
    held = registry.hold(images.image())
    config = held.blobs[0]
    token = play.body(b'{"token": "abc"}')
    with play.running(played_registry.CERTIFICATE) as cdn:
        cdn.always = play.body(config.body)
        path = f"blobs/{config.digest}"
        registry.instead[path] = play.redirect(f"{cdn.url}/bucket?signature=1", 307)
        registry.instead["/token"] = token
        registry.instead["HEAD manifests/latest"] = play.status(
            401, {"WWW-Authenticate": f'Bearer realm="{registry.server.url}/token"'}
        )
        reading = reader(registry, cdn.url.removeprefix("https://"))
        reading.read(name(registry))
        (fetched,) = cdn.seen
    sent = [seen.headers.get("authorization") for seen in registry.server.seen]
    assert sent[-1] == "Bearer abc"
    assert "authorization" not in fetched.headers
    assert fetched.params == {"signature": "1"}

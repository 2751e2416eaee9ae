"""Images are read at a real registry: Debian's docker-registry, filled with hand-made ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from checks.image.reasons import Reason
from checks.image.record import Platform
from checks.image.registry import Phase
from tests import real_registry
from tests import registry_images as images
from tests.images import AMD, ARM
from tests.played_registry import Reader, trusting
from tests.real_registry import RealRegistry, TokenServer

pytestmark = real_registry.needs_registry

NAME = "acme/trainer"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRegistry]:
    with real_registry.running(tmp_path_factory.mktemp("registry")) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[RealRegistry, TokenServer]]:
    with real_registry.protected(tmp_path_factory.mktemp("guarded")) as running:
        yield running


def reader(registry: RealRegistry, *others: str) -> Reader:
    return Reader(trusting(registry.host, *others))


@pytest.mark.parametrize("docker", [False, True], ids=["oci", "docker"])
def test_an_index_with_an_attestation_is_read_for_both_cpus(
    registry: RealRegistry, docker: bool
) -> None:
    amd, arm = images.image("amd64", docker=docker), images.image("arm64", docker=docker)
    pushed = images.index(
        ("linux/arm64/v8", arm), ("linux/amd64", amd), docker=docker, attested=not docker
    )
    registry.push(NAME, pushed, "both")
    record = reader(registry).read(f"{registry.host}/{NAME}:both")
    assert (record.index_digest, record.digest) == (pushed.top.digest, amd.top.digest)
    assert record.platforms == (ARM, AMD)
    assert record.config.architecture == "amd64"
    assert record.config.env == images.ENV


def test_zstd_layers_are_told_from_others(registry: RealRegistry) -> None:
    layers = [images.layer("first", images.GZIP), images.layer("second", images.ZSTD)]
    registry.push(NAME, images.image(layers=layers), "zstd")
    record = reader(registry).read(f"{registry.host}/{NAME}:zstd")
    assert [(each.compression, each.size) for each in record.layers] == [("gzip", 5), ("zstd", 6)]
    assert record.size == 11


def test_one_cpu_without_an_index_is_read(registry: RealRegistry) -> None:
    pushed = images.image("arm64")
    registry.push(NAME, pushed, "arm")
    record = reader(registry).read(f"{registry.host}/{NAME}@{pushed.top.digest}")
    assert (record.digest, record.platform) == (pushed.top.digest, Platform("linux", "arm64"))


def test_a_tag_that_moves_is_noticed(registry: RealRegistry) -> None:
    reading, text = reader(registry), f"{registry.host}/{NAME}:moving"
    for architecture in ("amd64", "arm64", "amd64"):
        registry.push(NAME, images.image(architecture), "moving")
        assert reading.read(text).platform.architecture == architecture


def test_a_tag_that_is_not_there_is_told_from_a_name_that_is_not(registry: RealRegistry) -> None:
    registry.push(NAME, images.image(), "there")
    assert reader(registry).reason(f"{registry.host}/{NAME}:gone") is Reason.NO_SUCH_TAG
    lost = f"sha256:{'0' * 64}"
    assert reader(registry).reason(f"{registry.host}/{NAME}@{lost}") is Reason.NO_SUCH_TAG


def test_something_else_than_an_image_is_named(registry: RealRegistry) -> None:
    chart = images.Blob(b"{}", "application/vnd.cncf.helm.config.v1+json")
    registry.push(NAME, images.image(config=chart), "chart")
    assert reader(registry).reason(f"{registry.host}/{NAME}:chart") is Reason.NOT_AN_IMAGE


def test_a_private_network_is_closed_unless_it_is_allowed(registry: RealRegistry) -> None:
    closed = Reader(trusting())
    assert closed.reason(f"{registry.host}/{NAME}:both") is Reason.ADDRESS_NOT_PUBLIC


# --- Tokens ---------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["token", "access_token"])
def test_a_token_that_anybody_is_given_opens_a_public_image(
    guarded: tuple[RealRegistry, TokenServer], field: str
) -> None:
    registry, tokens = guarded
    registry.push("acme/public", images.index(("linux/amd64", images.image())))
    tokens.public.add("acme/public")
    tokens.field = field
    tokens.server.seen.clear()
    reading = reader(registry, tokens.host)
    assert reading.read(f"{registry.host}/acme/public").platform == AMD
    assert Phase.TOKEN in reading.phases
    (asked,) = tokens.server.seen  # one token serves all calls
    assert asked.params["service"] == real_registry.SERVICE
    assert "authorization" not in asked.headers


def test_a_private_image_is_told_as_not_public_or_missing(
    guarded: tuple[RealRegistry, TokenServer],
) -> None:
    registry, tokens = guarded
    registry.push("acme/private", images.image())
    reading = reader(registry, tokens.host)
    for text in (f"{registry.host}/acme/private", f"{registry.host}/acme/nowhere"):
        assert reading.reason(text) is Reason.NOT_PUBLIC_OR_MISSING


def test_the_token_server_has_to_be_allowed_as_well(
    guarded: tuple[RealRegistry, TokenServer],
) -> None:
    registry, _tokens = guarded
    assert reader(registry).reason(f"{registry.host}/acme/public") is Reason.NOT_HTTPS

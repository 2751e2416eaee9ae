"""One image started in several ways, and what its layers show of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from checks import coldstart
from checks.coldstart import Image, Layer, Place, Scenario, Weights
from checks.coldstart.marks import role_of
from checks.image.record import Config, HistoryLine, ImageRecord, Platform
from checks.image.record import Layer as Recorded
from tests.coldstarting import BY_SECOND, GB, PLAIN, exactly, images, places

GZIP = "application/vnd.oci.image.layer.v1.tar+gzip"
AMD64 = Platform("linux", "amd64")
# As NVIDIA's devel images and images built on them write their history.
DEVEL = (
    "RUN |1 TARGETARCH=amd64 /bin/sh -c apt-get update && apt-get install -y "
    "--no-install-recommends     cuda-cudart-dev-12-8=${NV_CUDA_CUDART_DEV_VERSION}     "
    "cuda-command-line-tools-12-8=${NV_CUDA_LIB_VERSION}     "
    "cuda-minimal-build-12-8=${NV_CUDA_LIB_VERSION} # buildkit"
)
RUNTIME = (
    "RUN |1 TARGETARCH=amd64 /bin/sh -c apt-get update && apt-get install -y "
    "--no-install-recommends     cuda-libraries-12-8=${NV_CUDA_LIB_VERSION} # buildkit"
)


def ways(image: Image, place: Place | None = None, **given: Any) -> dict[str, Scenario]:
    found = coldstart.side_by_side(image, place, BY_SECOND, PLAIN | given)
    return {scenario.key: scenario for scenario in found}


def total(scenario: Scenario) -> Decimal:
    assert scenario.estimate
    return scenario.estimate.total_s.likely


def record(*steps: tuple[str, int], empty: int = 0, **more: Any) -> ImageRecord:
    """An image of layers with these build steps and sizes in GB, and steps that made no layer."""
    lines = [HistoryLine(text) for text, _size in steps]
    lines += [HistoryLine("ENV A=b", empty_layer=True)] * empty
    layers = tuple(Recorded(f"sha256:{at}", gb * GB, GZIP) for at, (_t, gb) in enumerate(steps))
    fields: dict[str, Any] = {
        "reference": "docker.io/a/b:c",
        "digest": "sha256:d",
        "index_digest": "",
        "platform": AMD64,
        "platforms": (AMD64,),
        "config": Config(history=tuple(lines)),
        "layers": layers,
        "read_at": datetime(2026, 11, 30, tzinfo=UTC),
    }
    return ImageRecord(**fields | more)


# --- The ways ---------------------------------------------------------------


def test_there_are_always_the_same_four_ways_in_order() -> None:
    for image in (Image(compressed_gb=5), coldstart.image_of(record((RUNTIME, 1), (DEVEL, 3)))):
        keys = [scenario.key for scenario in coldstart.side_by_side(image)]
        assert keys == ["cold", "cached", "runtime_base", "weights_on_volume"]


def test_cold_and_cached_stand_side_by_side_wherever_one_comes_from() -> None:
    for cached in (True, False):
        found = ways(Image(compressed_gb=12), Place(cached=cached))
        assert total(found["cold"]) == 180
        assert total(found["cached"]) == 20


def test_a_runtime_base_leaves_out_the_layers_that_devel_adds() -> None:
    image = coldstart.image_of(record((RUNTIME, 3), (DEVEL, 6), ("RUN pip install torch", 3)))
    found = ways(image, largest_layer_share="0.25")
    assert total(found["cold"]) == 20 + 60 + 120  # the largest layer bounds the pull
    assert total(found["runtime_base"]) == 20 + 30 + 60


def test_an_image_of_devel_layers_alone_is_nothing_without_them() -> None:
    image = coldstart.image_of(record((DEVEL, 6)))
    assert total(ways(image)["runtime_base"]) == 20


def test_nothing_is_said_of_a_base_that_is_no_devel_base() -> None:
    found = ways(coldstart.image_of(record((RUNTIME, 3), ("COPY . /app", 1))))
    assert found["runtime_base"] == Scenario("runtime_base", None, "no_devel_layers")


def test_nothing_is_said_of_layers_that_nobody_read() -> None:
    for image in (Image(compressed_gb=12), Image((Layer(GB, role="devel"), Layer(GB)))):
        scenario = ways(image)["runtime_base"]
        assert (scenario.estimate, scenario.reason) == (None, "layers_not_known")


def test_layers_that_show_weights_move_to_a_volume() -> None:
    image = coldstart.image_of(record((RUNTIME, 2), ("COPY model.safetensors /m", 10)))
    assert (image.weights, image.weights_gb) == (Weights.IMAGE, 10)
    found = ways(image)
    assert total(found["cold"]) == 20 + 100 + 120 + 10  # read from the disk
    assert total(found["weights_on_volume"]) == 20 + 20 + 20 + 40  # read from the volume
    assert found["weights_on_volume"].reason == ""


def test_the_readers_size_of_the_weights_goes_before_that_of_the_layers() -> None:
    image = coldstart.image_of(record((RUNTIME, 2), ("COPY model.safetensors /m", 10)))
    found = ways(replace(image, weights_gb=20))
    assert total(found["weights_on_volume"]) == 20 + 20 + 20 + 80


def test_weights_that_no_layer_shows_leave_by_their_size() -> None:
    image = Image(compressed_gb=12, weights_gb=10, weights=Weights.IMAGE)
    scenario = ways(image, weights_packed_share=1)["weights_on_volume"]
    assert total(scenario) == 20 + Decimal("6.667") + 20 + 40
    assert scenario.reason == "weights_by_size"


def test_weights_larger_than_the_image_leave_nothing_behind() -> None:
    image = Image(compressed_gb=5, weights_gb=100, weights=Weights.IMAGE)
    scenario = ways(image, weights_packed_share=1)["weights_on_volume"]
    assert total(scenario) == 20 + 400


@pytest.mark.parametrize("where", [Weights.VOLUME, Weights.HUB])
def test_weights_that_are_not_in_the_image_cannot_leave_it(where: Weights) -> None:
    image = Image(compressed_gb=5, weights_gb=100, weights=where)
    scenario = ways(image)["weights_on_volume"]
    assert (scenario.estimate, scenario.reason) == (None, "weights_not_in_image")


def test_without_a_word_on_weights_nothing_is_said() -> None:
    scenario = ways(Image(compressed_gb=5))["weights_on_volume"]
    assert (scenario.estimate, scenario.reason) == (None, "weights_not_known")


@given(images, places)
def test_a_smaller_base_never_starts_later(image: Image, place: Place) -> None:
    layers = tuple(
        replace(layer, role="devel" if at % 2 else "") for at, layer in enumerate(image.layers)
    )
    if len(layers) < 2:
        layers = (Layer(3 * GB, role=""), Layer(2 * GB, role="devel"))
    cold, _cached, runtime, _volume = coldstart.side_by_side(Image(layers), place)
    if runtime.estimate is None:
        assert runtime.reason == "no_devel_layers"  # all of them are empty
        return
    assert cold.estimate
    for case in ("low", "likely", "high"):
        assert runtime.estimate.total_s[case] <= cold.estimate.total_s[case]


# --- What build steps show ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "role"),
    [
        (DEVEL, "devel"),
        ("RUN apt-get install cuda-libraries-dev-11-8=11.8.0-1", "devel"),
        (RUNTIME, ""),
        ("RUN apt-get install -y libcudnn9-dev-cuda-12", ""),
        ("COPY unet.gguf /models/ # buildkit", "weights"),
        ("RUN /bin/sh -c huggingface-cli download org/model", "weights"),
        ("RUN hf download org/model --local-dir /m", "weights"),
        ("RUN python -c 'snapshot_download(\"org/model\")'", "weights"),
        ("RUN pip install safetensors", ""),
        ("COPY models /models", ""),
        ("", None),
    ],
)
def test_a_build_step_shows_what_its_layer_is(step: str, role: str | None) -> None:
    assert role_of(HistoryLine(step)) == role


def test_steps_without_a_layer_are_passed_over() -> None:
    image = coldstart.image_of(record((RUNTIME, 2), (DEVEL, 3), empty=4))
    assert [layer.role for layer in image.layers] == ["", "devel"]


def test_a_history_that_does_not_fit_the_layers_shows_nothing() -> None:
    whole = record((RUNTIME, 2), (DEVEL, 3))
    squashed = replace(whole, layers=whole.layers[:1])
    assert [layer.role for layer in coldstart.image_of(squashed).layers] == [None]


def test_layers_from_elsewhere_and_repeated_ones_are_not_pulled_again() -> None:
    foreign = Recorded("sha256:f", GB, "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")
    own = Recorded("sha256:o", 2 * GB, GZIP)
    image = coldstart.image_of(record(layers=(foreign, own, own)))
    assert image.megabytes == 2000
    assert coldstart.image_of(record(layers=(foreign,))).megabytes == 0


def test_an_image_of_a_registry_starts_like_one_of_its_size() -> None:
    image = coldstart.image_of(record(("RUN a", 3), ("RUN b", 3), ("RUN c", 3), ("RUN d", 3)))
    assert coldstart.estimate(image, given=PLAIN).total_s == exactly(180)

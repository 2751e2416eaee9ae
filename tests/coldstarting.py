"""Images, places and terms for tests of the cold start, by hand and by hypothesis."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from checks.coldstart import Bounds, Image, Layer, Place, Range, Terms, Weights

# Where the public measurements were taken.
POD = Place(kind="container_cloud", isolation="container", image_cache=True)
BY_SECOND = Terms(usd_per_hour=2, billed_during_pull=True, increment_s=1, minimum_s=0)
GB = 10**9
# One figure where the table has a range: what is left to see is the formula.
PLAIN: dict[str, Any] = {
    "provision_s": 10,
    "link_mbps": 8000,
    "registry_mb_s": 100,
    "parallel_layers": 3,
    "largest_layer_share": "0.25",
    "shared_share": 0,
    "inflate_mb_s": 100,
    "unpacked_ratio": 2,
    "disk_write_mb_s": 1000,
    "hidden_unpack_share": 0,
    "container_start_s": 3,
    "ready_s": 7,
    "hub_mb_s": 500,
    "volume_read_mb_s": 250,
    "local_read_mb_s": 1000,
    "provision_billed_share": 0,
    "lost_work_s": 300,
}


def exactly(seconds: int | str) -> Range:
    return Range.exactly(Decimal(seconds))


def spanning(low: int, likely: int, high: int) -> Range:
    return Range(Decimal(low), Decimal(likely), Decimal(high))


sizes = st.decimals(min_value=0, max_value=2000, places=3)
prices = st.decimals(min_value=0, max_value=400, places=4)
seconds = st.decimals(min_value=0, max_value=10**6, places=3)
maybe = st.sampled_from((None, True, False))
layers = st.builds(
    Layer,
    st.integers(min_value=0, max_value=500 * GB),
    st.sampled_from(("gzip", "zstd", "none", "unknown")),
)
images = st.one_of(
    st.builds(
        Image,
        compressed_gb=sizes,
        weights_gb=sizes,
        weights=st.sampled_from(tuple(Weights)),
    ),
    st.builds(Image, layers=st.lists(layers, min_size=1, max_size=12).map(tuple)),
)
places = st.builds(
    Place,
    kind=st.sampled_from(("", "container_cloud", "marketplace", "vm_cloud", "bare_metal", "new")),
    isolation=st.sampled_from(("", "vm", "container", "gvisor", "microvm", "bare_metal")),
    image_cache=maybe,
    cached=st.booleans(),
    down_mbps=st.none() | st.decimals(min_value=1, max_value=100_000, places=1),
    provision=st.none()
    | st.builds(Bounds, low=st.none() | st.just(Decimal(5)), high=st.none() | st.just(Decimal(50))),
)
terms = st.builds(
    Terms,
    usd_per_hour=prices,
    billed_during_pull=maybe,
    increment_s=st.none() | st.sampled_from((0, 1, 60, 600, 3600)),
    minimum_s=st.none() | st.sampled_from((0, 60, 3600)),
)

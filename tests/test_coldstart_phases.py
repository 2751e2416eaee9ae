"""How long each phase takes, what decides it, and on what footing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Basis, Bounds, Image, Layer, Phase, Place, Range, Weights
from tests.coldstarting import GB, PLAIN, POD, exactly, images, layers, places, sizes, spanning

KEYS = ["provision", "pull", "unpack", "start", "weights", "ready"]


def phases(image: Image, place: Place | None = None, **given: Any) -> dict[str, Phase]:
    found = coldstart.estimate(image, place, given=PLAIN | given).phases
    return {phase.key: phase for phase in found}


def of(gigabytes: float, **more: Any) -> Image:
    return Image(compressed_gb=gigabytes, **more)


def test_there_are_always_the_same_six_phases_in_order() -> None:
    assert list(phases(of(12))) == KEYS
    assert list(phases(of(0), Place(cached=True))) == KEYS


# --- The pull ---------------------------------------------------------------


def test_the_pull_takes_as_long_as_its_slowest_limit() -> None:
    # 12 GB at 1000 MB/s, at 3 × 100 MB/s, and a quarter of it at 100 MB/s.
    assert phases(of(12))["pull"] == Phase("pull", exactly(40), Basis.GIVEN, "registry")
    assert phases(of(12), link_mbps=800)["pull"].seconds == exactly(120)
    assert phases(of(12), link_mbps=800)["pull"].limit == "link"
    assert phases(of(12), largest_layer_share=1)["pull"].seconds == exactly(120)
    assert phases(of(12), largest_layer_share=1)["pull"].limit == "largest_layer"


def test_one_large_layer_bounds_the_pull_however_many_connections_there_are() -> None:
    lopsided = Image((Layer(9 * GB), Layer(1 * GB), Layer(1 * GB), Layer(1 * GB)))
    even = Image((Layer(3 * GB),) * 4)
    assert phases(lopsided)["pull"].seconds == exactly(90)
    assert phases(lopsided)["pull"].limit == "largest_layer"
    assert phases(even)["pull"].seconds == exactly(40)
    assert phases(lopsided, parallel_layers=100)["pull"].seconds == exactly(90)


def test_more_connections_shorten_the_pull_of_even_layers() -> None:
    even = Image((Layer(1 * GB),) * 12)
    assert phases(even, parallel_layers=6)["pull"].seconds == exactly(20)


def test_a_cached_image_is_neither_pulled_nor_unpacked() -> None:
    cached = phases(of(12), Place(cached=True))
    assert cached["pull"].seconds == cached["unpack"].seconds == exactly(0)
    assert cached["start"].seconds == exactly(3)


def test_a_host_that_keeps_no_layers_shares_none() -> None:
    def pull(cache: bool | None) -> Range:
        place = Place(image_cache=cache)
        return coldstart.estimate(of(12), place).phases[1].seconds

    assert pull(None) == pull(True)  # not known whether it keeps any: the low end stays open
    assert pull(False).low > pull(True).low
    assert pull(False).high == pull(True).high


# --- Whose figure it is ---------------------------------------------------------------


def test_a_bandwidth_of_the_listing_makes_the_pull_measured_where_it_decides() -> None:
    slow = coldstart.estimate(of(12), Place(down_mbps=100)).phases[1]
    assert (slow.basis, slow.limit) == (Basis.MEASURED, "link")
    assert slow.seconds.likely == Decimal("1371.429")  # 12000 MB × 8 / (100 × 0.7)
    fast = coldstart.estimate(of(12), Place(down_mbps=100_000)).phases[1]
    assert (fast.basis, fast.limit) == (Basis.ASSUMED, "largest_layer")


def test_a_port_that_the_provider_sells_is_documented() -> None:
    place = Place(down_mbps=100, down_basis=Basis.DOCUMENTED)
    assert coldstart.estimate(of(12), place).phases[1].basis is Basis.DOCUMENTED


def test_the_readers_bandwidth_goes_before_that_of_the_listing() -> None:
    pull = phases(of(12), Place(down_mbps=100), link_mbps=80)["pull"]
    assert pull.seconds == exactly(1200)
    assert pull.basis is Basis.GIVEN


def test_a_marketplace_may_have_slow_lines() -> None:
    def high(kind: str) -> Decimal:
        return coldstart.estimate(of(12), Place(kind=kind)).phases[1].seconds.high

    assert high("marketplace") == 1600  # 12000 MB × 8 / 60
    assert high("marketplace") > high("vm_cloud")


@pytest.mark.parametrize(
    ("place", "likely"),
    [
        (Place(isolation="vm"), 100),
        (Place(kind="vm_cloud"), 100),
        (Place(kind="hyperscaler"), 100),
        (Place(isolation="bare_metal"), 900),
        (Place(kind="container_cloud"), 20),
        (Place(kind="marketplace"), 20),
        (Place(kind="marketplace", isolation="vm"), 100),
        (Place(kind="hyperscaler", isolation="container"), 20),
        (Place(isolation="gvisor", kind="serverless"), 10),
        (Place(), 60),
        (Place(kind="aggregator"), 60),
    ],
)
def test_isolation_decides_the_provisioning_and_kind_where_it_is_not_known(
    place: Place, likely: int
) -> None:
    phase = coldstart.estimate(of(1), place).phases[0]
    assert phase.seconds.likely == likely
    assert phase.basis is Basis.ASSUMED


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (Bounds(None, Decimal(5)), (2, 5, 5)),
        (Bounds(Decimal(1), Decimal(3)), (1, 3, 3)),
        (Bounds(Decimal(5), Decimal(5)), (5, 5, 5)),
        (Bounds(None, Decimal(600)), (2, 20, 600)),
        (Bounds(Decimal(30), None), (30, 30, 90)),
        (Bounds(Decimal(200), None), (200, 200, 200)),
        (Bounds(None, Decimal(1)), (1, 1, 1)),
        (Bounds(), (2, 20, 90)),
    ],
)
def test_what_a_provider_documents_narrows_the_provisioning(
    told: Bounds, expected: tuple[int, int, int]
) -> None:
    place = Place(isolation="container", provision=told)
    phase = coldstart.estimate(of(1), place).phases[0]
    assert phase.seconds == spanning(*expected)
    assert phase.basis is Basis.DOCUMENTED


def test_the_readers_provisioning_goes_before_the_documented_one() -> None:
    place = Place(provision=Bounds(Decimal(1), Decimal(3)))
    phase = phases(of(1), place, provision_s=77)["provision"]
    assert (phase.seconds, phase.basis) == (exactly(77), Basis.GIVEN)


# --- Unpacking and weights ---------------------------------------------------------------


def test_unpacking_is_as_fast_as_the_slower_of_decompressing_and_writing() -> None:
    assert phases(of(12))["unpack"] == Phase("unpack", exactly(120), Basis.GIVEN, "inflate")
    slow_disk = phases(of(12), disk_write_mb_s=100)["unpack"]
    assert slow_disk == Phase("unpack", exactly(240), Basis.GIVEN, "disk")


def test_what_is_unpacked_during_the_download_is_not_counted_again() -> None:
    assert phases(of(12), hidden_unpack_share="0.25")["unpack"].seconds == exactly(90)
    assert phases(of(12), hidden_unpack_share=1)["unpack"].seconds == exactly(0)


def test_layers_unpack_by_their_own_compression() -> None:
    def unpack(*how: str) -> Decimal:
        image = Image(tuple(Layer(GB, each) for each in how))
        return coldstart.estimate(image).phases[2].seconds.likely

    assert unpack("zstd") < unpack("gzip") == unpack("unknown")
    assert unpack("none") < unpack("zstd")
    assert unpack("gzip") < unpack("gzip", "none") < unpack("gzip", "gzip")


def test_a_rate_that_the_reader_gave_for_one_compression_is_the_readers() -> None:
    def basis(how: str) -> Basis:
        given = {"inflate_mb_s.zstd": 100}
        return coldstart.estimate(Image((Layer(GB, how),)), given=given).phases[2].basis

    assert basis("zstd") is Basis.GIVEN
    assert basis("gzip") is Basis.ASSUMED


@pytest.mark.parametrize(
    ("where", "limit", "seconds"),
    [(Weights.IMAGE, "disk", 10), (Weights.VOLUME, "volume", 40), (Weights.HUB, "hub", 20)],
)
def test_weights_come_at_the_speed_of_where_they_are(
    where: Weights, limit: str, seconds: int
) -> None:
    phase = phases(of(12, weights_gb=10, weights=where))["weights"]
    assert phase == Phase("weights", exactly(seconds), Basis.GIVEN, limit)


def test_weights_from_a_hub_are_held_up_by_the_hosts_own_line() -> None:
    image = of(1, weights_gb=10, weights=Weights.HUB)
    phase = coldstart.estimate(image, Place(down_mbps=100)).phases[4]
    assert (phase.limit, phase.basis) == ("link", Basis.MEASURED)


def test_a_cached_image_downloads_weights_from_a_hub_again() -> None:
    image = of(1, weights_gb=10, weights=Weights.HUB)
    assert phases(image, Place(cached=True))["weights"].seconds == exactly(20)


# --- Always ---------------------------------------------------------------


@given(images, places)
def test_every_phase_is_in_order_and_the_total_is_their_sum(image: Image, place: Place) -> None:
    found = coldstart.estimate(image, place)
    for case in ("low", "likely", "high"):
        assert found.total_s[case] == sum(phase.seconds[case] for phase in found.phases)
    assert all(0 <= p.seconds.low <= p.seconds.likely <= p.seconds.high for p in found.phases)


@given(sizes, sizes, places)
def test_more_bytes_never_start_sooner(some: Decimal, more: Decimal, place: Place) -> None:
    small = coldstart.estimate(Image(compressed_gb=some), place).total_s
    large = coldstart.estimate(Image(compressed_gb=some + more), place).total_s
    assert small.low <= large.low
    assert small.likely <= large.likely
    assert small.high <= large.high


@given(st.lists(layers, min_size=1, max_size=8), layers, st.integers(0, 8), places)
def test_one_more_layer_never_starts_sooner(
    own: list[Layer], another: Layer, at: int, place: Place
) -> None:
    small = coldstart.estimate(Image(tuple(own)), place).total_s
    large = coldstart.estimate(Image((*own[:at], another, *own[at:])), place).total_s
    assert small.low <= large.low
    assert small.likely <= large.likely
    assert small.high <= large.high


@given(st.lists(layers, min_size=1, max_size=8), st.integers(0, 7), st.integers(0, 10**12), places)
def test_a_larger_layer_never_starts_sooner(
    own: list[Layer], at: int, more: int, place: Place
) -> None:
    grown = [*own]
    which = at % len(own)
    grown[which] = Layer(own[which].bytes + more, own[which].compression)
    small = coldstart.estimate(Image(tuple(own)), place).total_s
    large = coldstart.estimate(Image(tuple(grown)), place).total_s
    assert small.low <= large.low
    assert small.likely <= large.likely
    assert small.high <= large.high


@given(sizes, sizes, st.sampled_from(tuple(Weights)), places)
def test_more_weights_never_start_sooner(
    some: Decimal, more: Decimal, where: Weights, place: Place
) -> None:
    small = coldstart.estimate(of(1, weights_gb=some, weights=where), place).total_s
    large = coldstart.estimate(of(1, weights_gb=some + more, weights=where), place).total_s
    assert small.low <= large.low
    assert small.likely <= large.likely
    assert small.high <= large.high


@given(images, st.decimals(1, 10**5, places=1), st.decimals(1, 10**5, places=1))
def test_a_wider_line_never_starts_later(image: Image, one: Decimal, other: Decimal) -> None:
    slow, fast = sorted((one, other))
    later = coldstart.estimate(image, Place(down_mbps=slow)).total_s
    sooner = coldstart.estimate(image, Place(down_mbps=fast)).total_s
    assert sooner.low <= later.low
    assert sooner.likely <= later.likely
    assert sooner.high <= later.high


def test_nothing_to_pull_takes_no_time() -> None:
    empty = phases(of(0))
    assert empty["pull"].seconds == empty["unpack"].seconds == exactly(0)
    assert phases(Image((Layer(0), Layer(0))))["unpack"].seconds == exactly(0)


def test_the_largest_inputs_of_all_still_have_an_answer() -> None:
    given = {"registry_mb_s": "0.001", "inflate_mb_s": "0.001", "link_mbps": "0.001"}
    found = coldstart.estimate(of(10**6, weights_gb=10**6, weights=Weights.HUB), POD, given=given)
    assert found.total_s.high > 10**12
    assert found.total_s.low <= found.total_s.likely <= found.total_s.high


@pytest.mark.parametrize("wrong", [-1, "-0.1", "NaN", "Infinity", "1e30", "much", "", True])
@pytest.mark.parametrize("field", ["compressed_gb", "weights_gb", "without_gb"])
def test_an_image_of_an_impossible_size_is_refused_by_name(field: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=field):
        replace(Image(compressed_gb=1, weights=Weights.HUB), **{field: wrong})


def test_a_size_that_is_not_known_is_not_zero() -> None:
    with pytest.raises(ValueError, match="either the layers or their total"):
        Image()
    with pytest.raises(ValueError, match="either the layers or their total"):
        Image((Layer(1),), compressed_gb=1)
    with pytest.raises(ValueError, match="layer bytes"):
        Layer(-1)


def test_weights_need_a_place() -> None:
    with pytest.raises(ValueError, match="image, volume or hub"):
        of(1, weights_gb=5)


@pytest.mark.parametrize("wrong", [0, -5, "fast", "NaN", 10**7])
def test_an_impossible_bandwidth_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="down_mbps"):
        Place(down_mbps=wrong)


# --- What listings tell ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("extras", "link"),
    [
        ({"inet_down_mbps": "842.6"}, (Decimal("842.6"), Basis.MEASURED)),
        ({"inet_mbps": 10_000}, (Decimal(10_000), Basis.DOCUMENTED)),
        ({"inet_mbps": 10_000, "inet_down_mbps": "38.0"}, (Decimal("38.0"), Basis.MEASURED)),
        ({"inet_up_mbps": 500, "disk_gb": 30}, None),
        ({"inet_down_mbps": None}, None),
        ({"inet_down_mbps": 0}, None),
        ({}, None),
    ],
)
def test_a_listings_bandwidth_is_found_with_whose_word_it_is(
    extras: dict[str, Any], link: tuple[Decimal, Basis] | None
) -> None:
    assert coldstart.link_of(extras) == link

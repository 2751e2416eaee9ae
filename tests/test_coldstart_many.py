"""One image at many places: what is kept between them changes no figure."""

from __future__ import annotations

from decimal import Decimal
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Image, Layer, Place, Starts, Terms, Work
from checks.coldstart.phases import phases
from tests.coldstarting import GB, POD, images, places, terms

works = st.builds(
    Work,
    hours=st.decimals(min_value=0, max_value=1000, places=1),
    on_spot=st.just(True),
    interruptions_a_day=st.decimals(min_value=0, max_value=20, places=1),
    disk_gb=st.sampled_from((0, 50)),
)


@settings(max_examples=60)
@given(images, st.lists(st.tuples(works, places, terms), min_size=1, max_size=3))
def test_it_says_what_is_said_of_each_place_alone(
    image: Image, asked: list[tuple[Work, Place, Terms]]
) -> None:
    own = {"registry_mb_s": 80}
    here = Starts(image, own)
    for work, place, on in [*asked, *asked]:
        assert here.job(work, place, on) == coldstart.job(work, image, place, on, own)
        assert here.estimate(place, on) == coldstart.estimate(image, place, on, own)


def test_places_that_are_alike_are_computed_once() -> None:
    here = Starts(Image(compressed_gb=5))
    with patch("checks.coldstart.many.phases", wraps=phases) as computed:
        for price in range(1, 6):
            here.estimate(POD, Terms(usd_per_hour=price))
            here.job(Work(8), POD, Terms(usd_per_hour=price))
        here.estimate(Place(kind="vm_cloud"))
    assert computed.call_count == 2


def test_the_next_page_about_an_image_asks_the_same_one() -> None:
    first = coldstart.starts(Image((Layer(GB),)), {"ready_s": "30", "hub_mb_s": "10"})
    again = coldstart.starts(Image((Layer(GB),)), {"hub_mb_s": "10", "ready_s": "30"})
    assert again is first
    assert coldstart.starts(Image((Layer(GB),)), {"ready_s": "31"}) is not first


def test_a_figure_that_cannot_be_is_refused_as_ever() -> None:
    with pytest.raises(ValueError, match="hub_mb_s"):
        coldstart.starts(Image(compressed_gb=1), {"hub_mb_s": "0"})


# --- Which row of the table stands behind a figure -------------------------------------------


@pytest.mark.parametrize(
    ("place", "key", "row"),
    [
        (Place(), "provision_s", "provision_s"),
        (Place(kind="vm_cloud"), "provision_s", "provision_s.vm"),
        (Place(kind="vm_cloud", isolation="container"), "provision_s", "provision_s.container"),
        (Place(kind="marketplace"), "link_mbps", "link_mbps.marketplace"),
        (Place(kind="vm_cloud"), "link_mbps", "link_mbps"),
        (Place(image_cache=False), "shared_share", "shared_share.no_cache"),
        (Place(image_cache=True), "shared_share", "shared_share"),
    ],
)
def test_the_row_in_use_is_that_of_the_place(place: Place, key: str, row: str) -> None:
    image = Image(compressed_gb=1)
    assert coldstart.rows_in_use(image, place, coldstart.assume())[key].key == row


def test_the_row_of_unpacking_is_that_of_the_compression() -> None:
    def row(*compressions: str) -> str:
        image = Image(tuple(Layer(GB, how) for how in compressions))
        return coldstart.rows_in_use(image, Place(), coldstart.assume())["inflate_mb_s"].key

    assert row("zstd") == "inflate_mb_s.zstd"
    assert row("gzip") == "inflate_mb_s"
    # Several ways of compressing: none of the rows holds for all of it.
    assert row("zstd", "none") == "inflate_mb_s"


def test_the_row_in_use_is_what_the_phase_was_computed_with() -> None:
    image, place = Image(compressed_gb=1), Place(kind="bare_metal")
    provision = coldstart.estimate(image, place).phases[0]
    row = coldstart.rows_in_use(image, place, coldstart.assume())["provision_s"]
    assert provision.seconds.likely == row.likely > Decimal(100)

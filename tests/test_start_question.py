"""The question of a first start: it and its address are the same thing, whatever is typed."""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import urlencode, urlsplit

import pytest
from django.http import QueryDict
from hypothesis import example, given
from hypothesis import strategies as st

from checks import coldstart
from checks.coldstart import Basis, Weights
from checks.start.asked import ASSUMED, OWN, StartAsked, read_start
from checks.start.found import image_of, work_of
from checks.start.launch_asked import read_launch
from checks.start.places import place_of, terms_of
from providers.browse.parameters import PARAMETERS, Vocabulary
from providers.models import Offering, Provider

KEYS = ("acme/pods", "acme/vms")
WORLD = Vocabulary(providers={"acme"}, gpus={"h100", "t4"})


def read(query: str) -> StartAsked:
    return read_start(QueryDict(query), KEYS, WORLD)[0]


values = st.one_of(
    st.text(max_size=12),
    st.decimals(allow_nan=True, allow_infinity=True).map(str),
    st.integers(-5, 10**6).map(str),
    st.sampled_from([*KEYS, "image", "hub", "1", "h100", "ubuntu:24.04", "12.4"]),
)
names = st.sampled_from([*OWN, "image", "cuda", "software", "size", "gpu", "q", "count", "command"])
queries = st.lists(st.tuples(names, values), max_size=8).map(urlencode)


@given(queries)
def test_an_address_read_again_is_the_same_address(query: str) -> None:
    once = read(query)
    again = read(urlsplit(once.url("/cold-start/")).query)
    assert again.url("/cold-start/") == once.url("/cold-start/")
    assert (again.pairs(), again.criteria.values) == (once.pairs(), once.criteria.values)


@given(queries)
@example("provision_s=9.9999776301E-10")
@example("interruptions=9.9999776301E-10")
def test_the_canonical_address_asks_the_same_job(query: str) -> None:
    asked = read(query)
    short = read(urlsplit(asked.canonical("/cold-start/")).query)
    for on_spot in (True, False):
        assert work_of(short, on_spot=on_spot) == work_of(asked, on_spot=on_spot)
    assert short.figures == asked.figures


@given(queries)
def test_whatever_is_read_the_model_takes(query: str) -> None:
    asked = read(query)
    image = image_of(asked, asked.question.facts, None)
    if image is not None:
        starts = coldstart.starts(image, asked.figures)
        assert starts.job(work_of(asked, on_spot=False)).wall_s.low > 0


@given(queries)
def test_a_launch_read_again_is_the_same_launch(query: str) -> None:
    once, _ignored = read_launch(QueryDict(query), KEYS, WORLD)
    again, _ignored = read_launch(QueryDict(urlsplit(once.url("/")).query), KEYS, WORLD)
    assert again.url("/") == once.url("/")
    assert (again.image, again.options()) == (once.image, once.options())


def test_no_name_means_two_things() -> None:
    assert not set(OWN) & set(PARAMETERS)
    assert set(ASSUMED.values()) == set(coldstart.assumption_rows())
    assert [name for name, key in ASSUMED.items() if name != key] == ["own_billing_increment_s"]


def test_a_page_about_all_offerings_takes_none() -> None:
    _asked, ignored = read_start(QueryDict("o=acme/pods"), None, WORLD)
    assert [(one.name, one.reason) for one in ignored] == [("o", "parameter")]


def test_only_what_is_interruptible_is_interrupted() -> None:
    asked = read("interruptions=3&hours=48")
    assert work_of(asked, on_spot=True).restarts == 6
    assert work_of(asked, on_spot=False).restarts == 0


def test_the_reader_s_word_on_weights_goes_before_the_layers() -> None:
    image = image_of(read("compressed_gb=9&weights_gb=4&weights=hub"), None, None)
    assert image is not None
    assert (image.weights, image.weights_gb) == (Weights.HUB, Decimal(4))


# --- From an offering to the model ------------------------------------------------------------


def offering(**answers: object) -> Offering:
    provider = Provider(slug="digitalocean", name="DigitalOcean", kind="vm_cloud")
    return Offering(provider=provider, slug="gpu-droplets", **answers)


def test_claims_become_place_and_terms() -> None:
    told = offering(
        isolation="vm", image_cache=False, billed_during_pull=True, billing_increment_s=Decimal(60)
    )
    place, terms = place_of(told, {"inet_mbps": "10000"}), terms_of(told, None)
    assert (place.kind, place.isolation, place.image_cache) == ("vm_cloud", "vm", False)
    assert (place.down_mbps, place.down_basis) == (Decimal(10000), Basis.DOCUMENTED)
    assert (terms.billed_during_pull, terms.increment_s) == (True, Decimal(60))
    # What the provider documents of its shortest time.
    assert terms.minimum_s == Decimal(60)


def test_what_is_not_known_stays_so() -> None:
    place, terms = place_of(offering(), {}), terms_of(offering(), None)
    assert (place.isolation, place.image_cache, place.down_mbps) == ("", None, None)
    assert (terms.billed_during_pull, terms.increment_s, terms.price) == (None, None, None)


@pytest.mark.parametrize("speed", ["0", "-3", "NaN", "fast", "1e30"])
def test_a_speed_that_cannot_be_is_not_known(speed: str) -> None:
    assert place_of(offering(), {"inet_down_mbps": speed}).down_mbps is None

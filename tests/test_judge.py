"""An offering's answer under a criterion is yes, no or maybe; unknown is never no."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.answers import Kind, version_key
from providers.browse.judge import Truth, answer_values, hosts_have, judge_answer, truth
from providers.dimensions import DIMENSIONS

YES, MAYBE, NO = Truth.YES, Truth.MAYBE, Truth.NO
FILTERABLE = [d for d in DIMENSIONS.values() if d.filterable]


def test_and_is_the_least_and_or_the_greatest() -> None:
    assert NO < MAYBE < YES
    assert (min(YES, MAYBE), max(MAYBE, NO)) == (MAYBE, MAYBE)
    assert (truth(True), truth(False)) == (YES, NO)


@pytest.mark.parametrize("dimension", FILTERABLE, ids=lambda d: d.key)
def test_an_unknown_answer_may_match_anything(dimension: Any) -> None:
    asked = dimension.allowed or {Kind.HOSTS: ("ghcr.io",)}.get(dimension.kind, ("1",))
    assert judge_answer(dimension, None, asked) is MAYBE
    assert judge_answer(dimension, None, asked[:1]) is MAYBE


@pytest.mark.parametrize(
    ("key", "answer", "asked", "verdict"),
    [
        # choice: one of the asked
        ("docker_daemon", "root", ["root"], YES),
        ("docker_daemon", "root", ["rootless", "root"], YES),
        ("docker_daemon", "none", ["rootless", "root"], NO),
        # set: any member is asked for
        ("registry_auth", ["docker_login", "cloud_role"], ["cloud_role"], YES),
        ("registry_auth", ["docker_login"], ["cloud_role", "stored_credentials"], NO),
        ("registry_auth", ["no"], ["no"], YES),
        # hosts: the host itself, a suffix of it on a label, or any
        ("registries", ["ghcr.io"], ["ghcr.io"], YES),
        ("registries", ["any"], ["ghcr.io"], YES),
        ("registries", ["amazonaws.com"], ["1.dkr.ecr.amazonaws.com"], YES),
        ("registries", ["amazonaws.com"], ["notamazonaws.com"], NO),
        ("registries", ["1.dkr.ecr.amazonaws.com"], ["amazonaws.com"], NO),
        ("registries", ["docker.io", "nvcr.io"], ["ghcr.io", "nvcr.io"], YES),
        ("registries", ["docker.io"], ["any"], NO),
        # yes or no
        ("spot", True, ["yes"], YES),
        ("spot", False, ["yes"], NO),
        ("spot", False, ["no", "yes"], YES),
        # numbers, however they are kept
        ("billing_increment_s", Decimal("1.000"), ["1"], YES),
        ("billing_increment_s", Decimal("60.000"), ["1", "60"], YES),
        ("max_image_gb", Decimal("9.500"), ["9.5"], YES),
        ("max_image_gb", Decimal("9.500"), ["9"], NO),
        # a version, as numbers
        ("cuda_max", "12.8", ["12.8"], YES),
        ("cuda_max", "12.08", ["12.8"], YES),
        ("cuda_max", "12.8", ["12"], NO),
        # versions: a range holds what lies in it, to the exactness that was asked
        ("driver", "535-595", ["550"], YES),
        ("driver", "535-595", ["535.129.3"], YES),
        ("driver", "535-595", ["595"], YES),
        ("driver", "535-595", ["600"], NO),
        ("driver", "535-595", ["470", "580.126"], YES),
        ("driver", "580.126.20", ["580"], YES),
        ("driver", "580.126.20", ["580.126"], YES),
        ("driver", "580.126.20", ["580.126.20"], YES),
        ("driver", "580.126.20", ["580.126.9"], NO),
        ("driver", "580.126.20", ["58"], NO),
    ],
)
def test_a_known_answer_is_yes_or_no(
    key: str, answer: Any, asked: list[str], verdict: Truth
) -> None:
    assert judge_answer(DIMENSIONS[key], answer, asked) is verdict


@pytest.mark.parametrize(
    ("answer", "asked", "verdict"),
    [
        ("580", ["580.126"], MAYBE),
        ("580.126", ["580.126.20"], MAYBE),
        ("535-595", ["595.50"], MAYBE),
        ("580", ["570.86"], NO),
        ("580", ["570.86", "580.126"], MAYBE),
        ("580", ["580.126", "580"], YES),
    ],
)
def test_a_branch_may_be_any_version_of_it(answer: str, asked: list[str], verdict: Truth) -> None:
    assert judge_answer(DIMENSIONS["driver"], answer, asked) is verdict


@given(st.sampled_from([d for d in FILTERABLE if d.kind is Kind.CHOICE]), st.data())
def test_more_values_asked_for_never_match_less(dimension: Any, data: Any) -> None:
    values = st.sampled_from(dimension.allowed)
    answer, asked, more = (data.draw(values) for _ in range(3))
    one = judge_answer(dimension, answer, [asked])
    assert judge_answer(dimension, answer, [asked, more]) >= one


# --- Values of a facet ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "answers", "values"),
    [
        ("multi_container", [], ["compose", "kubernetes", "sidecars", "single"]),
        ("spot", [None, True], ["yes", "no"]),
        ("billed_during_pull", [], ["no", "yes"]),
        ("registries", [["nvcr.io", "any"], None, ["docker.io", "any"]], None),
        ("billing_increment_s", [Decimal("60.000"), Decimal("1.000"), None, Decimal(600)], None),
        ("driver", ["580.126.20", "535-595", None, "580"], ["535", "580"]),
        ("cuda_max", ["12.10", "12.9", None, "12.9"], ["12.9", "12.10"]),
        ("cuda_max", [None], []),
    ],
)
def test_a_facet_offers_the_declared_values_or_those_in_the_data(
    key: str, answers: list[Any], values: list[str] | None
) -> None:
    expected = {
        "registries": ["any", "docker.io", "nvcr.io"],
        "billing_increment_s": ["1", "60", "600"],
    }
    assert answer_values(DIMENSIONS[key], answers) == (
        values if values is not None else expected[key]
    )


@given(st.lists(st.sampled_from([None, "535", "550-580", "580.126.20", "470.82"]), min_size=1))
def test_every_known_driver_is_found_under_a_value_of_its_facet(answers: list[str | None]) -> None:
    driver = DIMENSIONS["driver"]
    values = answer_values(driver, answers)
    for answer in filter(None, answers):
        assert judge_answer(driver, answer, values) is YES


# --- Hosts -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lowest", "highest", "replaceable", "verdict"),
    [
        (None, None, False, MAYBE),
        ("570", None, False, YES),
        ("570.10", "595", False, YES),
        ("535", "595", False, MAYBE),  # some hosts may, none is sure to
        ("535", "550", False, NO),
        (None, "550", False, NO),
        (None, "570", False, MAYBE),
        ("535", "550", True, MAYBE),  # the renter installs a newer one
        ("570", "550", True, YES),
        ("535", None, False, MAYBE),
    ],
)
def test_hosts_have_a_version_surely_perhaps_or_never(
    lowest: str | None, highest: str | None, replaceable: bool, verdict: Truth
) -> None:
    assert hosts_have([570], lowest, highest, replaceable) is verdict


@pytest.mark.parametrize(
    ("lowest", "highest", "verdict"),
    [
        ("580", "580", MAYBE),
        (None, "580.65", MAYBE),
        (None, "580.65.5", NO),
        (None, "575", NO),
        ("580.65.6", "580", YES),
        ("590", None, YES),
    ],
)
def test_hosts_known_by_their_branch_may_have_a_version_of_it(
    lowest: str | None, highest: str | None, verdict: Truth
) -> None:
    assert hosts_have([580, 65, 6], lowest, highest, False) is verdict


_VERSIONS = st.none() | st.sampled_from(["470", "535.129.3", "550", "580.126.20", "595"])


@given(st.sampled_from([[470], [535, 200], [580], [600]]), _VERSIONS, _VERSIONS, st.booleans())
def test_a_newer_version_is_never_surer_than_an_older_one(
    version: list[int], lowest: str | None, highest: str | None, replaceable: bool
) -> None:
    older = hosts_have(version, lowest, highest, replaceable)
    newer = hosts_have([version[0] + 1], lowest, highest, replaceable)
    assert newer <= older
    assert version_key("535.129.3") < version_key("535.200")

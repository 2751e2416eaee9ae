"""The seven checks before money is spent: known with its claim, or open with what settles it."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from checks import launch
from checks.launch import Answer, Check
from providers.dimensions import DIMENSIONS, MAIN

DAY = date(2026, 8, 20)
DOCS = "https://docs.example/pods"


def known(value: Any) -> Answer:
    return Answer(value, DOCS, "documented", DAY)


def by_dimension(answers: dict[str, Answer]) -> dict[str, Check]:
    return {check.dimension: check for check in launch.preflight(answers)}


ALL = {
    "custom_image": known("any"),
    "docker_daemon": known("root"),
    "registry_auth": known(["docker_login"]),
    "gpu_passthrough": known("preinstalled"),
    "driver_kind": known("minimum"),
    "persistent_volume": known("network"),
    "multi_container": known("compose"),
}


def test_there_are_seven_in_the_order_of_the_dimensions() -> None:
    found = [check.dimension for check in launch.preflight({})]
    assert found == [dimension.key for dimension in MAIN]
    assert len(found) == 7


def test_what_is_known_comes_with_its_claim_and_nothing_to_settle() -> None:
    check = by_dimension(ALL)["docker_daemon"]
    assert (check.state, check.value) == ("known", "root")
    assert (check.source, check.basis, check.read_on) == (DOCS, "documented", DAY)
    assert check.settle == ""


@pytest.mark.parametrize("dimension", [dimension.key for dimension in MAIN])
def test_what_is_open_comes_with_the_command_that_settles_it(dimension: str) -> None:
    rest = {key: answer for key, answer in ALL.items() if key != dimension}
    found = by_dimension(rest)
    assert found[dimension].state == "unknown"
    assert found[dimension].value is None
    assert found[dimension].settle == DIMENSIONS[dimension].settled_by.command
    assert [key for key, check in found.items() if check.state != "known"] == [dimension]


def test_the_commands_are_those_of_the_machine() -> None:
    found = by_dimension({})
    assert found["docker_daemon"].settle == "docker info"
    assert found["driver_kind"].settle.startswith("nvidia-smi")
    assert found["custom_image"].settle == ""  # the order form shows it, no command does


def test_a_contradiction_is_open_and_shows_no_value() -> None:
    disputed = Answer("root", DOCS, "documented", DAY, contradicted=True)
    check = by_dimension({**ALL, "docker_daemon": disputed})["docker_daemon"]
    assert check.state == "contradicted"
    assert (check.value, check.source, check.read_on) == (None, "", None)
    assert check.settle == "docker info"


def test_a_no_is_an_answer_and_not_open() -> None:
    check = by_dimension({**ALL, "registry_auth": known(["no"])})["registry_auth"]
    assert (check.state, check.value, check.settle) == ("known", ["no"], "")


def test_a_claim_without_a_day_is_known_all_the_same() -> None:
    answer = Answer("none", DOCS, "reported", None)
    check = by_dimension({**ALL, "docker_daemon": answer})["docker_daemon"]
    assert (check.state, check.read_on) == ("known", None)


def test_the_driver_stands_beside_the_answer_about_it() -> None:
    more = {"driver": known("580.126.20"), "cuda_max": Answer(None)}
    (detail,) = by_dimension({**ALL, **more})["driver_kind"].details
    assert (detail.dimension, detail.value, detail.source) == ("driver", "580.126.20", DOCS)


def test_the_driver_may_be_known_where_the_kind_is_open() -> None:
    check = by_dimension({"driver": known("580.126.20")})["driver_kind"]
    assert check.state == "unknown"
    assert [detail.value for detail in check.details] == ["580.126.20"]


def test_a_contradicted_detail_is_left_out() -> None:
    disputed = Answer("535", DOCS, "reported", DAY, contradicted=True)
    assert by_dimension({**ALL, "driver": disputed})["driver_kind"].details == ()


def test_answers_to_other_questions_are_no_check() -> None:
    assert launch.preflight({**ALL, "spot": known(True)}) == launch.preflight(ALL)

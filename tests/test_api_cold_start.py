"""GET /api/v1/cold-start: figures that anyone can add up, and errors that name the input."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from checks import coldstart

PATH = "/api/v1/cold-start"
ISSUE = {"compressed_gb": "16.3", "down_mbps": "1000", "usd_per_hour": "2.19", "cached": "0"}
CASES = ("low", "likely", "high")

# Every answer is of one moment of the database, whether or not it reads there.
pytestmark = pytest.mark.django_db


def ask(client: Client, **parameters: Any) -> dict[str, Any]:
    response = client.get(PATH, parameters)
    assert response.status_code == 200, response.content
    found: dict[str, Any] = response.json()
    return found


def errors(client: Client, **parameters: Any) -> list[tuple[str, str]]:
    response = client.get(PATH, parameters)
    assert response.status_code == 422
    return [(e["parameter"], e["detail"]) for e in response.json()["errors"]]


def test_the_total_is_the_sum_of_six_phases_in_each_case(client: Client) -> None:
    found = ask(client, **ISSUE)
    assert [p["phase"] for p in found["phases"]] == [
        *("provision", "pull", "unpack", "start", "weights", "ready")
    ]
    for case in CASES:
        parts = sum(Decimal(str(p[case])) for p in found["phases"])
        assert parts == Decimal(str(found["total_s"][case]))


def test_it_is_the_model_s_own_estimate(client: Client) -> None:
    model = coldstart.estimate(
        coldstart.Image(compressed_gb="16.3"),
        coldstart.Place(down_mbps=1000),
        coldstart.Terms(usd_per_hour="2.19"),
    )
    found = ask(client, **ISSUE)
    assert model.usd
    for case in CASES:
        assert found["total_s"][case] == float(getattr(model.total_s, case))
        assert found["billed_s"][case] == float(getattr(model.billed_s, case))
        assert found["usd"][case] == float(getattr(model.usd, case))


def test_the_bill_follows_from_seconds_and_price(client: Client) -> None:
    found = ask(client, **ISSUE, billed_during_pull="1", increment_s="1", minimum_s="0")
    for case in CASES:
        seconds, usd = Decimal(str(found["billed_s"][case])), Decimal(str(found["usd"][case]))
        assert seconds == seconds.to_integral_value()
        assert abs(seconds * Decimal("2.19") / 3600 - usd) < Decimal("0.000001")


def test_a_bandwidth_that_is_given_is_the_basis_of_the_pull(client: Client) -> None:
    pull = ask(client, **ISSUE | {"down_mbps": "100"})["phases"][1]
    assert (pull["phase"], pull["limit"], pull["basis"]) == ("pull", "link", "given")


def test_a_cached_image_is_neither_pulled_nor_unpacked(client: Client) -> None:
    phases = {p["phase"]: p for p in ask(client, **ISSUE | {"cached": "1"})["phases"]}
    assert [phases[name][case] for name in ("pull", "unpack") for case in CASES] == [0] * 6


def test_without_a_price_there_is_no_money(client: Client) -> None:
    assert ask(client, compressed_gb="1")["usd"] is None


def test_what_nobody_said_about_billing_spans_both(client: Client) -> None:
    unknown = ask(client, **ISSUE)
    free, paid = (ask(client, **ISSUE, billed_during_pull=flag) for flag in "01")
    assert unknown["pull_billing_unknown"] is True
    assert free["pull_billing_unknown"] is False
    assert unknown["billed_s"]["low"] == free["billed_s"]["low"]
    assert unknown["billed_s"]["high"] == paid["billed_s"]["high"]


def test_assumptions_are_told_with_their_source_and_can_be_replaced(client: Client) -> None:
    assumed = {a["key"]: a for a in ask(client, compressed_gb="1")["assumptions"]}
    assert assumed["registry_mb_s"]["source"].startswith("https://")
    assert assumed["registry_mb_s"]["read_on"]
    own = ask(client, compressed_gb="1", given=["ready_s:7", "container_start_s:3"])
    assert [own["phases"][at]["likely"] for at in (3, 5)] == [3, 7]
    ready = next(a for a in own["assumptions"] if a["key"] == "ready_s")
    assert (ready["given"], ready["basis"], ready["source"], ready["likely"]) == (
        *(True, "given"),
        *("", 7),
    )


def test_weights_add_to_the_start_and_need_a_place(client: Client) -> None:
    there = ask(client, compressed_gb="1", weights_gb="40", weights="volume")
    assert there["phases"][4]["likely"] > 0
    (error,) = errors(client, compressed_gb="1", weights_gb="40")
    assert error == ("weights", "weights: say where they are: image, volume or hub")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("compressed_gb", "NaN"),
        ("compressed_gb", "-1"),
        ("compressed_gb", "1e9"),
        ("down_mbps", "0"),
        ("usd_per_hour", "much"),
        ("cached", "2"),
        ("kind", "castle"),
        ("isolation", "wall"),
        ("increment_s", "-1"),
        ("weights", "nowhere"),
        ("given", "ready_s"),
        ("given", "unheard_of:1"),
        ("given", "ready_s:-1"),
        ("given", "ready_s:nan"),
    ],
)
def test_a_figure_that_cannot_be_is_refused_by_its_name(
    client: Client, name: str, value: str
) -> None:
    found = errors(client, **{"compressed_gb": "1", name: value})
    assert [parameter for parameter, _ in found] == [name]
    assert found[0][1]


def test_an_unknown_assumption_is_answered_with_those_that_exist(client: Client) -> None:
    response = client.get(PATH, {"compressed_gb": "1", "given": "unheard_of:1"})
    assert set(response.json()["errors"][0]["allowed"]) == set(coldstart.assumption_rows())


@pytest.mark.parametrize("tiny", ["1e-300", "9.9e-10"])
def test_a_bandwidth_of_next_to_nothing_is_refused_by_name(client: Client, tiny: str) -> None:
    response = client.get(f"/api/v1/cold-start?compressed_gb=16.3&down_mbps={tiny}")
    assert response.status_code == 422
    assert "down_mbps" in response.content.decode()

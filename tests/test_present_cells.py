"""Answers as cells of a narrow column: where they may break."""

from __future__ import annotations

import pytest

from providers.browse.present import answer_cell
from providers.dimensions import DIMENSIONS
from tests.factories import NOW, make_offering

pytestmark = pytest.mark.django_db


def test_several_answers_break_between_each_other_only() -> None:
    offering = make_offering(registry_auth=["docker_login", "cloud_role"])
    cell = answer_cell(offering, DIMENSIONS["registry_auth"], {}, "/", NOW)
    assert cell.text == "docker\u00a0login, Cloud\u00a0role"


def test_a_single_answer_may_break() -> None:
    offering = make_offering(driver_kind="renter_installs")
    cell = answer_cell(offering, DIMENSIONS["driver_kind"], {}, "/", NOW)
    assert cell.text == "You install"

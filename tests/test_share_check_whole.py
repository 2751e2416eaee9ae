"""Checks shared over the project's own catalog and prices: what is kept is all that counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import QueryDict

from checks.shares import check_again, freeze_check
from gpucompare.cuda.answer import Standing
from providers.browse.world import World
from providers.shares.changes import changes
from providers.shares.kinds import Now
from providers.shares.rows import standing
from tests.factories import NOW
from tests.whole_catalog import whole_catalog

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), whole_catalog():
        yield World.read()


@pytest.mark.parametrize(
    "asked",
    [
        "cuda=12.8",
        "cuda=11.8&framework=torch&release=2.1.0&docker_daemon=root",
        "cuda=13.0&gpu=h100&unknown=hide",
        "software=rocm&size=9000000000",
        "software=cuda&toolkit=12.4.1&require=cuda%3E%3D12.4&cpu=arm64&user=root",
    ],
)
def test_what_is_kept_of_an_image_gives_the_same_verdicts_again(world: World, asked: str) -> None:
    """The facts in a share are all that verdicts hang on."""
    then = freeze_check(QueryDict(asked), world, NOW)
    now = Now(world, NOW, standing(then, world.offerings))
    again = check_again(then, now)
    assert changes(then, again, {row.offering: row.offering for row in then.rows}) == ()
    assert again == then
    assert {row.verdict.standing for row in then.rows if row.verdict} <= set(Standing)
    assert len(then.rows) > 20

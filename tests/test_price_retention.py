"""How long prices are kept is set in days that grow, and never less than what is read of them."""

from __future__ import annotations

import pytest

from providers.price_history import KEPT_DAYS
from providers.price_retention import LEAST_ALL_DAYS, LEAST_DAILY_DAYS, Retention, retention
from providers.refresh.run import PRICE_MEMORY


def test_days_that_grow_are_taken() -> None:
    assert retention(14, 120, 1096) == Retention(14, 120, 1096)
    assert retention(91, 91, 91) == Retention(91, 91, 91)


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ((7, 120, 1096), "GPUCOMPARE_PRICES_ALL_DAYS=7: give 8 or more"),
        ((14, 90, 1096), "GPUCOMPARE_PRICES_DAILY_DAYS=90: give 91 or more"),
        ((200, 120, 1096), "GPUCOMPARE_PRICES_DAILY_DAYS=120: .* not less than .*_ALL_DAYS"),
        ((14, 120, 119), "GPUCOMPARE_PRICES_KEPT_DAYS=119: give no less than .*_DAILY_DAYS"),
    ],
)
def test_other_days_are_refused_with_their_variable(days: tuple[int, int, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        retention(*days)


def test_what_guards_and_drawings_look_at_is_never_rolled_up() -> None:
    # A day more than they look back: it may have begun at any hour.
    assert PRICE_MEMORY.days < LEAST_ALL_DAYS
    assert LEAST_DAILY_DAYS > KEPT_DAYS

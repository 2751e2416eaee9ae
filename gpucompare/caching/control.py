"""For how long an answer may be shown again, by whom, and without asking."""

from __future__ import annotations

from typing import Final

# Long enough to spare the database a program that asks in a loop, short beside any price.
MAX_AGE_S: Final = 60
# So long it may be shown once more while it is asked for anew: five minutes with the above.
STALE_S: Final = 4 * 60
# So long while the site is away. Short beside the bands of freshness, the first of which is two
# hours long: a page that nobody can ask for again must not call an old price fresh.
AWAY_S: Final = 60 * 60

_STALE: Final = f"stale-while-revalidate={STALE_S}, stale-if-error={AWAY_S}"
ANYBODY: Final = f"public, max-age={MAX_AGE_S}, {_STALE}"
# For a curator, whose own change must show at once.
CURATOR: Final = "private, no-cache"
# What is read somewhere else meanwhile: it is asked for each time.
ASKED_ANEW: Final = "no-cache"


def with_stale(control: str) -> str:
    """What a view says of its own answer, with how long that holds when it is over."""
    may = "public" in control and "max-age" in control
    return f"{control}, {_STALE}" if may and "stale-" not in control else control

"""What ten and a hundred times the listings and readers would take, and what gives way first.

    python -m bench.growth

Computed from `measured.csv`, each line of which says when and how it was measured; nothing is
timed here. Prints Markdown, the plot and the table of docs/performance.md. Exits with 1 when one
machine of docs/deploy.md does not even hold what is the case today.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MEASURED = Path(__file__).with_name("measured.csv")
TIMES = (1, 10, 100)
HOUR_S, DAY_S = 3600, 86_400
# A reader waits no longer for a page.
PATIENCE_S = 10


@dataclass(frozen=True)
class Scale:
    """A site: its listings, and its readers in the busiest hour."""

    listings: int
    pages_per_s: float
    # Of its pages so many are made anew: no process has them of this state of the database.
    made_anew: float = 0.5
    # Each source is read hourly; so many of its rows have another price each time.
    repriced: float = 0.02
    largest_source: float = 0.5  # its share of all rows
    # Each hour so many refreshes write listings, and each process lays them out anew then.
    refreshes: int = 20
    processes: int = 2

    def times(self, n: int) -> Scale:
        return Scale(self.listings * n, self.pages_per_s * n)


TODAY = Scale(listings=200_000, pages_per_s=5)
# Of one machine of docs/deploy.md: cores and memory are shared by all parts, a disk is 40 GB.
CORES, DISK_GB = 2.0, 40.0
# Days that settings.PRICES_KEPT keeps every change, each day and each week, by default.
ALL_DAYS, DAILY_DAYS, WEEKLY_DAYS = 14, 106, 976


@dataclass(frozen=True)
class Part:
    """What one part of the site needs, what a machine has of it, and what is added then."""

    name: str
    unit: str
    needs: Callable[[Scale], float]
    has: float
    add: str

    def load(self, scale: Scale) -> float:
        """1: all that one machine has."""
        return self.needs(scale) / self.has


# --- What was measured ------------------------------------------------------------------


@cache
def measured() -> Mapping[str, Sequence[tuple[int, float]]]:
    """By figure: (listings, value), by listings."""
    found: dict[str, list[tuple[int, float]]] = {}
    with MEASURED.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["figure"], []).append((int(row["listings"]), float(row["value"])))
    return {name: sorted(points) for name, points in found.items()}


def at(figure: str, listings: int) -> float:
    """A figure at so many listings: between two measured ones, or beyond the last, as a power of
    them; never less than it was with the fewest."""
    points = measured()[figure]
    if len(points) == 1 or listings <= points[0][0]:
        return points[0][1]
    above = next((n for n, (count, _) in enumerate(points) if count >= listings), len(points) - 1)
    (fewer, low), (more, high) = points[above - 1], points[above]
    power = math.log(high / low) / math.log(more / fewer)
    return float(low * (listings / fewer) ** power)


# --- What is needed -----------------------------------------------------------------------


def _made_per_s(scale: Scale) -> float:
    return scale.pages_per_s * scale.made_anew


def _web(scale: Scale) -> float:
    kept = scale.pages_per_s - _made_per_s(scale)
    own = _made_per_s(scale) * at("page_own_ms", scale.listings)
    return (own + kept * at("kept_page_ms", scale.listings)) / 1000


def _index(scale: Scale) -> float:
    return scale.processes * scale.refreshes * _wait(scale) / HOUR_S


def _wait(scale: Scale) -> float:
    return at("index_ms", scale.listings) / 1000


def _database(scale: Scale) -> float:
    return _made_per_s(scale) * at("page_database_ms", scale.listings) / 1000


def _workers(scale: Scale) -> float:
    return scale.listings * at("merge_us_a_row", scale.listings) / 1e6 / HOUR_S


def _longest_refresh(scale: Scale) -> float:
    rows = scale.listings * scale.largest_source
    return rows * at("merge_us_a_row", scale.listings) / 1e6


def points_a_day(scale: Scale) -> float:
    return scale.listings * scale.repriced * 24


def points_kept(scale: Scale) -> float:
    days, weeks = at("kept_of_a_day", 0), at("kept_of_a_week", 0)
    return points_a_day(scale) * (ALL_DAYS + DAILY_DAYS * days + WEEKLY_DAYS * weeks)


def _disk(scale: Scale) -> float:
    listings = scale.listings * at("listing_kb", 0)
    return (listings + points_kept(scale) * at("point_kb", 0)) / 1e6


def _roll_up(scale: Scale) -> float:
    return points_a_day(scale) * at("roll_up_us_a_point", 0) / 1e6


def _memory(scale: Scale) -> float:
    return at("web_process_mb", scale.listings)


PARTS = (
    Part(
        *("pages, web processes", "cores", _web, CORES),
        "more `web` on more machines (`--scale web=`): they hold no state",
    ),
    Part(
        *("pages, database", "cores", _database, CORES),
        "a replica for reading behind the web processes; then a cache in front of the site (CDN) "
        "for whole pages",
    ),
    Part(
        *("laying out listings, web processes", "cores", _index, CORES),
        "an index a source, of which only the one that was refreshed is laid out anew",
    ),
    Part(
        *("the wait for listings that were just refreshed", "s", _wait, PATIENCE_S),
        "a thread that lays them out before anybody asks",
    ),
    Part(
        *("merges of refreshes, workers", "cores", _workers, CORES),
        "more `worker` on more machines (`--scale worker=`): one source is read by one at a time",
    ),
    Part(
        *("the largest source's merge", "s of its hour", _longest_refresh, HOUR_S),
        "a source for each region or kind of it; or a longer interval for this one",
    ),
    Part(
        *("memory of a web process", "MB", _memory, 512),
        "a larger limit of `web`; fewer processes on more machines",
    ),
    Part(
        *("disk of the database", "GB", _disk, DISK_GB),
        "a larger volume; fewer days in `GPUCOMPARE_PRICES_ALL_DAYS`",
    ),
    Part(
        *("rolling up a day of prices", "s a night", _roll_up, HOUR_S),
        "nothing: it goes day by day beside everything else",
    ),
)


# --- What is told --------------------------------------------------------------------------


def gives_way(scale: Scale) -> list[Part]:
    """The parts that one machine does not hold, the worst first."""
    over = [part for part in PARTS if part.load(scale) > 1]
    return sorted(over, key=lambda part: -part.load(scale))


def _cell(part: Part, scale: Scale) -> str:
    found = f"{_rounded(part.needs(scale))} {part.unit}"
    return f"**{found}**" if part.load(scale) > 1 else found


def _rounded(figure: float) -> str:
    """Two digits that mean something: what was measured holds no more."""
    if figure >= 100:
        return f"{round(figure, 1 - int(math.log10(figure))):,.0f}"
    return f"{figure:.2g}"


def table() -> str:
    """Markdown: each part at each scale; what one machine does not hold is bold."""
    scales = [TODAY.times(n) for n in TIMES]
    names = [f"× {n}" for n in TIMES]
    sizes = [f"{s.listings:,} listings, {s.pages_per_s:g} pages a second" for s in scales]
    lines = [
        f"| | {' | '.join(names)} | a machine has |",
        f"|---|{'---|' * (len(TIMES) + 1)}",
        f"| the site | {' | '.join(sizes)} | |",
    ]
    for part in PARTS:
        cells = " | ".join(_cell(part, scale) for scale in scales)
        lines.append(f"| {part.name} | {cells} | {part.has:g} {part.unit} |")
    return "\n".join(lines)


def order() -> str:
    """Markdown: what gives way at each scale, the worst first, and what to add."""
    lines = []
    for n in TIMES:
        over = gives_way(TODAY.times(n))
        lines.append(f"**× {n}** " + ("holds on one machine." if not over else "gives way in:"))
        lines.append("")
        for place, part in enumerate(over, 1):
            load = part.load(TODAY.times(n))
            lines.append(f"{place}. {part.name} ({_rounded(load)} times a machine): {part.add}.")
        lines += [""] if over else []
    return "\n".join(lines).rstrip()


def chart() -> str:
    """Markdown: a page of listings, from the fewest to the most that were measured."""
    points = measured()["listings_page_ms"]
    sizes = ", ".join(f'"{listings:,}"' for listings, _ms in points)
    values = ", ".join(f"{ms:g}" for _listings, ms in points)
    return f"""```mermaid
xychart-beta
    title "A page of listings that nobody has asked for before"
    x-axis "listings" [{sizes}]
    y-axis "milliseconds" 0 --> {_full(max(ms for _listings, ms in points))}
    line [{values}]
```"""


def _full(most: float) -> int:
    """The next full ten."""
    return math.ceil(most / 10) * 10


def main() -> int:
    print(f"{chart()}\n\n{table()}\n\n{order()}\n")
    holds = not gives_way(TODAY)
    print(f"{int(holds)} passed, {int(not holds)} failed")
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())

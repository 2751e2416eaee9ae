"""What a page of the matrix takes at a number of listings: the figures that `bench.growth` reckons
from.

    python -m bench.pages [LISTINGS …]

Over the project's own catalog and generated listings, under three filters and another price limit
each time, so that nothing is there already but the index of the listings. Prints lines of
`measured.csv`: the least of several; a page's own time is processor time of this process.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from itertools import count

from bench.check_page import fill, nothing, timed
from bench.merge import database
from bench.merge import timed as seconds

SIZES = (20_000, 200_000)
PAGE = "/?docker_daemon=root&persistent_volume=yes&in_stock=1&max_price={}"
BUILDS = 3
_limits = count(300)


def page(limit: int) -> None:
    from django.test import Client  # noqa: PLC0415 -- needs the settings

    answer = Client(headers={"host": "localhost"}).get(PAGE.format(limit / 100))
    assert answer.status_code == 200, answer.status_code  # noqa: S101


def figures(listings: int) -> Iterator[tuple[str, float, str]]:
    """Of a database with so many listings: figure, value, unit."""
    from providers.browse.listing_index import build  # noqa: PLC0415

    fill(listings)
    import gpucompare.wsgi  # noqa: F401, PLC0415 -- as the site is started

    yield "index_ms", min(seconds(build) for _ in range(BUILDS)) * 1000, "ms"
    for _ in range(3):
        page(next(_limits))  # reads tables and templates, and keeps the index
    cases: dict[str, Callable[[], object]] = {
        "page": lambda: page(next(_limits)),
        "kept_page": lambda: page(299),
    }
    page(299)
    own, database_ms = timed(nothing, cases["page"])
    yield "page_own_ms", own, "ms"
    yield "page_database_ms", database_ms, "ms"
    yield "kept_page_ms", sum(timed(nothing, cases["kept_page"])), "ms"


def main() -> int:
    out = csv.writer(sys.stdout)
    for listings in [int(size) for size in sys.argv[1:]] or SIZES:
        with database():
            for figure, value, unit in figures(listings):
                out.writerow([figure, listings, f"{value:.3g}", unit])
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

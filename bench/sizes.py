"""How the page of listings grows with them: the same filters at sites of several sizes.

    python -m bench.sizes 1000=8471 20000=8472 200000=8473 1000000=8474

Asks sites that run here already, each with so many listings of `bench.load` and on that port, in
turn, so that a slow minute of the machine is slow for all. Prints lines of `measured.csv`: the
median, in milliseconds, of pages that no site has made before.
"""

from __future__ import annotations

import csv
import http.client
import statistics
import sys
import time
from collections.abc import Iterator, Mapping

ROUNDS = 60
PAGE = (
    "/listings/?docker_daemon=root&registry_auth=docker_login&persistent_volume=network"
    "&gpu=h100-sxm&gpu=a100-80gb&gpu=rtx-4090&max_price={price}&in_stock=1&per=instance"
    "&sort=price"
)


def asked(argument: str) -> tuple[int, int]:
    """`1000=8471` → (1000, 8471). Raises ValueError."""
    listings, port = argument.split("=")
    return int(listings), int(port)


def page_ms(connection: http.client.HTTPConnection, price: float) -> float:
    begun = time.perf_counter()
    connection.request("GET", PAGE.format(price=price))
    answer = connection.getresponse()
    answer.read()
    if answer.status != http.client.OK:
        raise RuntimeError(f"{connection.port} answers {answer.status}")
    return (time.perf_counter() - begun) * 1000


def medians(ports: Mapping[int, int]) -> Iterator[tuple[int, float]]:
    """By listings, in milliseconds."""
    sites = {n: http.client.HTTPConnection("127.0.0.1", port) for n, port in ports.items()}
    took: dict[int, list[float]] = {n: [] for n in sites}
    for number in range(ROUNDS + 5):
        for listings, site in sites.items():
            ms = page_ms(site, 4 + number / 16 + time.time() % 1 / 1000)
            if number >= 5:  # the first ones read tables and templates
                took[listings].append(ms)
    return ((n, statistics.median(each)) for n, each in sorted(took.items()))


def main() -> int:
    out = csv.writer(sys.stdout)
    for listings, ms in medians(dict(map(asked, sys.argv[1:]))):
        how = f"python -m bench.sizes: median of {ROUNDS} pages of listings, all sizes in turn"
        out.writerow(["listings_page_ms", listings, f"{ms:.3g}", "ms", time.strftime("%F"), how])
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How long the engine takes for the hosts of a marketplace against one image.

    python -m bench.verdicts [HOSTS]

Prints the milliseconds of processor time of the best of a few runs, none of which knows the image
beforehand, and the ratio to asking for each host in turn. Exits with 1 when the goal is missed.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial

from gpucompare.cuda.drivers import branches
from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Build, Image
from gpucompare.cuda.known_images import require_strings
from gpucompare.cuda.tables import gpu_arch
from gpucompare.cuda.verdict import verdict, verdicts

HOSTS = 20_000
GOAL_MS = 100
RUNS = 5
SEED = 1


def hosts(count: int) -> list[Host]:
    """As listings have them: many hosts, few GPUs, and the drivers of some hundred updates."""
    chosen = random.Random(SEED)  # noqa: S311 -- the same hosts in every run
    cards = [host_of(slug) for slug in gpu_arch().cards]
    recent = [branch for branch in branches() if branch >= 470]
    drivers = [f"{chosen.choice(recent)}.{chosen.randrange(20, 220)}.01" for _ in range(60)]
    return [_host(chosen.choice(cards), chosen.choice(drivers)) for _ in range(count)]


def _host(card: Host, driver: str) -> Host:
    """A host of its own, equal to others but not the same object."""
    return Host(
        driver=driver,
        compute_capability=card.compute_capability,
        brand=card.brand,
        platform=card.platform,
        cpu=card.cpu,
        forward_compat=card.forward_compat,
    )


def image(number: int) -> Image:
    """Images that differ, so that nothing is remembered from the run before."""
    return Image(
        software="cuda",
        cuda="12.8.1",
        builds=(Build("torch", "2.8.0", "12.8"), Build("vllm", f"0.10.{number}")),
        requirements=(require_strings()["12.8"].text,),
        platforms=frozenset({"amd64"}),
    )


def milliseconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS
    rented = hosts(count)
    verdicts(image(0), rented[:1])  # reads the tables
    together = min(milliseconds(partial(verdicts, image(n), rented)) for n in range(1, RUNS))
    each = milliseconds(lambda: [verdict(image(RUNS), host) for host in rented])
    kinds = len(set(rented))
    print(f"{count} hosts of {kinds} kinds  {together:.0f} ms  goal <= {GOAL_MS} ms")
    print(f"each in turn {each:.0f} ms  ratio {together / each:.2f}")
    passed = together <= GOAL_MS
    print(f"{int(passed)} passed, {int(not passed)} failed")
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())

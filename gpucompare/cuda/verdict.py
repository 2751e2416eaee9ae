"""The verdict engine's front door: an image, a host or several, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from operator import attrgetter

from gpucompare.cuda.answer import Verdict
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.judging import Judge, verdict
from gpucompare.cuda.ranges import hosts_verdict
from gpucompare.cuda.standing import standing

# A tuple is hashed and compared several times faster than the dataclass that holds it.
_FACTS = attrgetter(*(fact.name for fact in fields(Host)))

__all__ = ["hosts_verdict", "standing", "verdict", "verdicts"]


def verdicts(image: Image, hosts: Iterable[Host]) -> list[Verdict]:
    """One verdict a host, in their order. Many hosts are alike: each kind is judged once."""
    judge, known = Judge(image), dict[tuple[str, ...], Verdict]()
    answers: list[Verdict] = []
    for host in hosts:
        facts = _FACTS(host)
        found = known.get(facts)
        if found is None:
            found = known[facts] = judge.verdict(host)
        answers.append(found)
    return answers

"""The verdict engine's front door: an image, a host or several, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable

from gpucompare.cuda.answer import Verdict
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.judging import Judge, verdict
from gpucompare.cuda.ranges import hosts_verdict
from gpucompare.cuda.standing import standing

__all__ = ["hosts_verdict", "standing", "verdict", "verdicts"]


def verdicts(image: Image, hosts: Iterable[Host]) -> list[Verdict]:
    """One verdict a host, in their order. Many hosts are alike: each kind is judged once."""
    judge = Judge(image)
    return [judge.verdict(host) for host in hosts]

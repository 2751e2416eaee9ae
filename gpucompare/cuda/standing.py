"""A verdict in one word, as offerings are ranked by it."""

from __future__ import annotations

from gpucompare.cuda.answer import HostsVerdict, Run, Share, Standing, Start, Verdict
from gpucompare.cuda.findings import FAILING
from gpucompare.cuda.reasons import Fix

# Whoever rents can do it and then it runs: put in a driver, leave a library out.
_CURES = frozenset({Fix.INSTALL_DRIVER, Fix.NO_COMPAT_LIBRARY})


def standing(found: Verdict | HostsVerdict) -> Standing:
    """The verdict in one word. A caveat is a condition: minor compatibility, a gate to lift."""
    if isinstance(found, Verdict):
        return _standing(found)
    ends = {_standing(found.best), _standing(found.worst)}
    match found.share:
        case Share.ALL:
            return Standing.RUNS if ends == {Standing.RUNS} else Standing.CONDITION
        case Share.SOME:
            return Standing.CONDITION
        case Share.NONE:
            return _standing(found.best)  # refused, it may still be helped
        case _:
            works = ends <= {Standing.RUNS, Standing.CONDITION}
            return Standing.CONDITION if works else Standing.UNKNOWN


def _standing(found: Verdict) -> Standing:
    if found.run in FAILING:
        return Standing.FAILS if _CURES.isdisjoint(found.fixes) else Standing.CONDITION
    if found.run is Run.UNKNOWN:
        return Standing.UNKNOWN
    starts = found.start in (Start.PASSES, Start.NOT_CHECKED)
    if found.run is Run.RUNS and starts:
        return Standing.RUNS
    can_start = starts or Fix.DISABLE_REQUIRE in found.fixes
    return Standing.CONDITION if can_start else Standing.UNKNOWN

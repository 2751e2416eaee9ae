"""What one rule found out. Rules are asked one after another; a verdict joins their findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from gpucompare.cuda.answer import Run
from gpucompare.cuda.reasons import Fix, Missing, Reason

T = TypeVar("T")

RUNNING = frozenset({Run.RUNS, Run.RUNS_MINOR_COMPAT, Run.RUNS_WITH_COMPAT_PACKAGE})
FAILING = frozenset(Run) - RUNNING - {Run.UNKNOWN}


@dataclass(frozen=True)
class Finding:
    """`run` is what would be the answer if there were no other rule."""

    run: Run
    reasons: tuple[Reason, ...] = ()
    fixes: tuple[Fix, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def runs(self) -> bool:
        return self.run in RUNNING

    @property
    def fails(self) -> bool:
        return self.run in FAILING

    def with_(
        self,
        *reasons: Reason,
        fixes: tuple[Fix, ...] = (),
        missing: tuple[Missing, ...] = (),
    ) -> Finding:
        """The same answer with more said about it."""
        return Finding(
            self.run,
            unique(self.reasons, reasons),
            unique(self.fixes, fixes),
            unique(self.missing, missing),
        )


FINE = Finding(Run.RUNS)


def unknown(*missing: Missing, reasons: tuple[Reason, ...] = ()) -> Finding:
    return Finding(Run.UNKNOWN, reasons, (), missing)


def unique(*parts: tuple[T, ...]) -> tuple[T, ...]:
    filled = [part for part in parts if part]
    if len(filled) < 2:
        return filled[0] if filled else ()
    return tuple(dict.fromkeys(one for part in filled for one in part))

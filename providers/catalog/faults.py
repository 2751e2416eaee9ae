"""What is wrong with the catalog's files, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# Keys and indexes from the top of a document: ("offerings", 0, "claims", "spot").
Path = tuple[str | int, ...]


@dataclass(frozen=True, order=True)
class Fault:
    """One fault of one file. `line` counts from 1; `where` is a readable path, or empty."""

    file: str
    line: int
    where: str
    message: str

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{self.file}:{self.line}: {where}{self.message}"


class CatalogFaults(Exception):  # noqa: N818 - it carries many faults, not one error
    """Files that may not be loaded; `faults` holds every fault of every file, in order."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = sorted(faults)
        super().__init__("\n".join(map(str, self.faults)))

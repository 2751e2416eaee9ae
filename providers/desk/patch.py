"""What the desk changed, as a patch of the files that `git apply` takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from django.conf import settings

from providers.desk.records import Records


@dataclass(frozen=True)
class FileDiff:
    """One file that a dump would write otherwise. `behind`: it was not loaded since it changed."""

    path: str  # from the root of the repository
    diff: str
    added: int
    removed: int
    behind: bool

    @property
    def shown(self) -> str:
        """For a page, which can only hold text."""
        return self.diff.encode(errors="surrogateescape").decode(errors="replace")


def diffs(records: Records) -> Iterator[FileDiff]:
    """The files on disk against what a dump would write; what it leaves alone is left out."""
    directory = records.directory
    behind = _changed_on_disk(records)
    for name, (text, _changed) in sorted(records.texts().items()):
        file = directory / f"{name}.yaml"
        before = _read(file)
        if before == text:
            continue
        path = _in_repository(file)
        lines = list(_hunks(before or "", text))
        yield FileDiff(
            path,
            _head(path, new=before is None) + "".join(lines),
            sum(line.startswith("+") for line in lines),
            sum(line.startswith("-") for line in lines),
            name in behind,
        )


def patch_text(found: Iterable[FileDiff]) -> str:
    return "".join(each.diff for each in found)


def _changed_on_disk(records: Records) -> set[str]:
    """Files whose text is not the one that was loaded, by name."""
    return {
        name
        for name, text in records.loaded().items()
        if _read(records.directory / f"{name}.yaml") != text
    }


def _read(file: Path) -> str | None:
    """Byte for byte: what is no text is told as such in the patch."""
    try:
        return file.read_bytes().decode(errors="surrogateescape")
    except FileNotFoundError:
        return None


def _in_repository(file: Path) -> str:
    root = settings.BASE_DIR
    return (file.relative_to(root) if file.is_relative_to(root) else Path(file.name)).as_posix()


def _head(path: str, *, new: bool) -> str:
    made = "new file mode 100644\n--- /dev/null\n" if new else f"--- a/{path}\n"
    return f"diff --git a/{path} b/{path}\n{made}+++ b/{path}\n"


def _hunks(before: str, after: str) -> Iterator[str]:
    lines = unified_diff(_lines(before), _lines(after))
    # Its own two lines of head have no place for /dev/null.
    for _head_line in zip(range(2), lines, strict=False):
        pass
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Split at line breaks alone, as git does: str.splitlines knows many more."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines

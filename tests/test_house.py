"""The size of what we write: no Python module over 400 lines, no function over 60."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = [part for part in ROOT.iterdir() if part.is_dir() and not part.name.startswith(".")]
MODULES = sorted(
    path
    for path in (*ROOT.glob("*.py"), *(found for part in PARTS for found in part.rglob("*.py")))
    # Django writes migrations.
    if "migrations" not in path.parts
)
MOST_LINES, MOST_OF_A_FUNCTION = 400, 60


def too_long(source: str, name: str) -> Iterator[str]:
    """What of a module is too long, by name."""
    lines = source.count("\n")
    if lines > MOST_LINES:
        yield f"{name}: {lines} lines"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            lines = node.end_lineno - node.lineno + 1
            if lines > MOST_OF_A_FUNCTION:
                yield f"{name}:{node.lineno}: {node.name} has {lines} lines"


def test_what_is_too_long_is_told_by_name() -> None:
    just = "def just():\n" + "    pass\n" * 59
    over = "async def over():\n" + "    pass\n" * 60
    assert list(too_long(just + over, "it.py")) == ["it.py:61: over has 61 lines"]
    assert list(too_long("#\n" * 400, "it.py")) == []
    assert list(too_long("#\n" * 401, "it.py")) == ["it.py: 401 lines"]


@pytest.mark.parametrize("part", ["bench", "checks", "gpucompare", "providers", "tests"])
def test_every_part_of_the_project_is_looked_at(part: str) -> None:
    assert any(path.relative_to(ROOT).parts[0] == part for path in MODULES)


def test_no_module_is_over_400_lines_and_no_function_over_60() -> None:
    found = [
        fault
        for path in MODULES
        for fault in too_long(path.read_text(), str(path.relative_to(ROOT)))
    ]
    assert not found, "\n".join(found)

"""`make bench` runs every part and sums up what they print."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import __main__ as bench


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which parts can be written that `bench` finds as its own."""
    (tmp_path / "bench").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "bench"


def test_it_sums_up_and_fails_with_any_of_them(
    parts: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (parts / "good.py").write_text("print('fast'); print('2 passed, 0 failed')")
    (parts / "bad.py").write_text("print('1 passed, 1 failed')")
    assert bench.main(("good",)) == 0
    assert bench.main(("good", "bad")) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[-1] == "3 passed, 1 failed"
    assert "    fast" in lines


def test_a_part_that_breaks_off_has_failed(parts: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (parts / "broken.py").write_text("raise SystemExit('no database')")
    assert bench.main(("broken",)) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_every_part_is_there() -> None:
    folder = Path(bench.__file__).parent
    assert all((folder / f"{name}.py").exists() for name in bench.PARTS)

"""How `make` gets its virtual environment, and what it says when it cannot."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.processes import ROOT, Site, local_folder, postmaster

INSTALL = ROOT / "requirements" / "install.py"


def install(
    venv: Path, lock: Path, before: str = "pass", **extra: str
) -> subprocess.CompletedProcess[str]:
    """Runs it as make does, after the statement `before`."""
    script = f"import runpy, sys; {before}; runpy.run_path({str(INSTALL)!r}, run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", script, venv, lock],
        env={**os.environ, **extra},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock file that asks for nothing, so that nothing is fetched."""
    file = tmp_path / "empty.lock"
    file.touch()
    return file


@pytest.fixture
def borrowed(tmp_path: Path) -> Path:
    """A virtual environment with the packages of the one that runs this, under another name."""
    venv = tmp_path / "a venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    (venv / "pyvenv.cfg").write_text((Path(sys.prefix) / "pyvenv.cfg").read_text())
    purelib = Path(sysconfig.get_path("purelib"))
    (venv / purelib.relative_to(sys.prefix).parts[0]).symlink_to(
        Path(sys.prefix) / purelib.relative_to(sys.prefix).parts[0]
    )
    return venv


def test_it_installs_once_and_again_when_the_lock_file_changes(borrowed: Path, lock: Path) -> None:
    assert install(borrowed, lock).stdout == f"Installing {lock} into {borrowed}\n"
    assert install(borrowed, lock).stdout == ""
    lock.write_text("# changed\n")
    assert install(borrowed, lock).stdout == f"Installing {lock} into {borrowed}\n"


def test_an_old_python_is_told_so_in_one_line(tmp_path: Path, lock: Path) -> None:
    told = install(tmp_path / "venv", lock, before="sys.version_info = (3, 10, 13)")
    assert told.returncode == 1
    assert told.stderr.startswith("Python 3.11 to 3.13 is needed, this is ")
    assert len(told.stderr.splitlines()) == 1


def test_a_python_without_venv_is_told_what_to_install(tmp_path: Path, lock: Path) -> None:
    told = install(tmp_path / "venv", lock, before="sys.modules['ensurepip'] = None")
    assert told.returncode == 1
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert told.stderr.endswith(f"apt install python{version}-venv\n")
    assert len(told.stderr.splitlines()) == 1


def test_a_place_that_cannot_be_written_is_one_line(lock: Path) -> None:
    told = install(Path("/dev/null/venv"), lock)
    assert told.returncode == 1
    assert told.stderr.startswith("/dev/null/venv could not be made: ")
    assert len(told.stderr.splitlines()) == 1


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path, lock: Path) -> None:
    told = install(tmp_path, lock)
    assert told.returncode == 1
    assert "holds something else than a virtual environment" in told.stderr
    assert lock.exists()


def test_what_pip_refuses_is_reported_after_its_own_words(borrowed: Path, lock: Path) -> None:
    lock.write_text("this is no requirement\n")
    told = install(borrowed, lock)
    assert told.returncode == 1
    assert "Invalid requirement" in told.stderr
    assert told.stderr.splitlines()[-1] == (
        f"{lock} could not be installed into {borrowed}: pip says why above"
    )


def test_what_runs_is_locked_alike_for_running_and_for_testing() -> None:
    def pins(name: str) -> set[str]:
        lines = (ROOT / "requirements" / name).read_text().splitlines()
        return {line.removesuffix(" \\") for line in lines if "==" in line}

    assert pins("run.lock")
    assert pins("run.lock") <= pins("test.lock")


def test_make_run_serves_and_stops_when_make_is_told_to(borrowed: Path) -> None:
    python = Path(sys.executable).resolve()
    command = ["make", "--no-print-directory", "run", f"PYTHON={python}", f"VENV={borrowed}"]
    with local_folder() as local:
        site = Site(local, command=command)
        site.wait_until_it_answers()
        assert site.get("/healthz")[0] == 200
        site.process.terminate()
        site.wait()
        assert postmaster(local) is None
        assert "Traceback" not in site.said


@pytest.mark.soak
def test_a_fresh_clone_needs_nothing_but_python_and_make() -> None:
    python = Path(sys.executable).resolve()
    with local_folder() as local:
        clone = local.parent / "a fresh clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        command = ["make", "--no-print-directory", "-C", str(clone), "run", f"PYTHON={python}"]
        site = Site(local, command=command)
        site.wait_until_it_answers()
        assert site.get("/")[0] == 200
        site.process.terminate()
        site.wait()
        assert postmaster(local) is None

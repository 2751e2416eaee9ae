"""Make the virtual environment and install one lock file into it, unless that is done already.

Usage: python install.py VENV LOCK. Only the standard library, in a syntax that an old Python can
read: it has to get as far as being told that it is too old.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)
PYTHON = f"{sys.base_prefix} {sys.version}"
DEBIAN_PACKAGE = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"


def main(folder: Path, lock: Path) -> None:
    """Exits with one line where it cannot go on; pip's own words stand above it."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        found = sys.version.split()[0]
        sys.exit(f"Python 3.11 to 3.13 is needed, this is {found}: try `PYTHON=python3.11 make …`")
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        sys.exit(f"Python's venv module is missing: on Debian, apt install {DEBIAN_PACKAGE}")
    try:
        with lock.open() as one_at_a_time:
            fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
            install(folder, lock)
    except subprocess.CalledProcessError:
        sys.exit(f"{lock} could not be installed into {folder}: pip says why above")
    except OSError as fault:
        sys.exit(f"{folder} could not be made: {fault}")


def install(folder: Path, lock: Path) -> None:
    """Bring `folder` to what `lock` says; quick when it is there already."""
    stamp = folder / f"{lock.stem}.installed"
    state = f"{PYTHON} {hashlib.sha256(lock.read_bytes()).hexdigest()}"
    python = folder / "bin" / "python"
    if stamp.exists() and stamp.read_text() == state and python.exists():
        return
    # Root's own mask may hide the files from the user that PostgreSQL runs as.
    os.umask(0o022)
    if not _made_by_this_python(python):
        _make(folder)
    print(f"Installing {lock} into {folder}", flush=True)
    quietly = ("--quiet", "--disable-pip-version-check", "--no-input")
    pip = (python, "-m", "pip", "install", *quietly, "--require-hashes", "--requirement", lock)
    subprocess.run(pip, check=True)
    stamp.write_text(state)


def _made_by_this_python(python: Path) -> bool:
    ask = "import pip, sys; print(sys.base_prefix, sys.version)"
    try:
        said = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return said.stdout.strip() == PYTHON


def _make(folder: Path) -> None:
    import venv  # noqa: PLC0415 - a Python without it gets its line before this

    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise FileExistsError("it holds something else than a virtual environment")
    print(f"Making {folder} with Python {sys.version.split()[0]}", flush=True)
    venv.create(folder, clear=True, symlinks=True, with_pip=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

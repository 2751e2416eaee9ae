"""Ask which of the locked packages have known vulnerabilities, where that can be asked.

Usage: python audit.py VENV LOCK. pip-audit goes into a virtual environment of its own. It fails
only for what an upgrade cures: neither a network that is not there nor a fault that nobody has
mended yet is a reason to stop a change.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TOOL = "pip-audit~=2.10"
PATIENCE_S = 300


def main(folder: Path, lock: Path) -> int:
    asked = ("--disable-pip", "--require-hashes", "--requirement", lock)
    shown = ("--format", "json", "--progress-spinner", "off", "--timeout", "10")
    try:
        tool = _installed(folder)
        said = subprocess.run(
            [tool, *asked, *shown], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        found = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as fault:
        print(f"Not audited, {lock}: {type(fault).__name__}. Its list could not be reached.")
        return 0
    lines, status = judged(found["dependencies"])
    print("\n".join(lines))
    return status


def judged(packages: Sequence[dict[str, Any]]) -> tuple[list[str], int]:
    """What to say, and the exit status."""
    audited = [package for package in packages if "vulns" in package]
    faults = [(package, fault) for package in audited for fault in package["vulns"]]
    lines = [_line(package, fault) for package, fault in faults]
    mended = any(fault["fix_versions"] for _package, fault in faults)
    return [*lines, f"{len(audited)} of {len(packages)} packages audited"], int(mended)


def _line(package: dict[str, Any], fault: dict[str, Any]) -> str:
    cure = ", ".join(fault["fix_versions"])
    told = f"upgrade to {cure}: make lock ARGS=--upgrade" if cure else "nobody has mended it yet"
    return f"{package['name']} {package['version']}: {fault['id']}, {told}"


def _installed(folder: Path) -> Path:
    if not (folder / "bin" / "pip-audit").exists():
        venv.create(folder, clear=True, symlinks=True, with_pip=True)
        pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input", TOOL)
        subprocess.run(pip, check=True, timeout=PATIENCE_S)
    return folder / "bin" / "pip-audit"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

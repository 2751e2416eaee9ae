"""Where skips are refused, a test cannot hide behind a missing program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT

TESTS = {
    "test_itself.py": "import pytest\n\ndef test_it():\n    pytest.skip('no program')\n",
    "test_mark.py": (
        "import pytest\n\n@pytest.mark.skip(reason='no program')\ndef test_it(): ...\n"
    ),
    "test_file.py": "import pytest\n\npytest.skip('no program', allow_module_level=True)\n",
    "test_expected.py": "import pytest\n\n@pytest.mark.xfail\ndef test_it():\n    assert not 1\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("skips")
    for name, text in TESTS.items():
        (made / name).write_text(text)
    (made / "pytest.ini").write_text("[pytest]\n")
    return made


def run(folder: Path, refuse: str) -> subprocess.CompletedProcess[str]:
    alone = ("-c", folder / "pytest.ini", "-p", "tests.conftest")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *alone, "-ra", "--continue-on-collection-errors", folder],
        cwd=ROOT,
        env={
            **os.environ,
            "GPUCOMPARE_REFUSE_SKIPS": refuse,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_skip_is_let_pass_where_nobody_refuses_it(folder: Path) -> None:
    allowed = run(folder, refuse="")
    assert "3 skipped, 1 xfailed" in allowed.stdout
    assert allowed.returncode == 0


def test_where_skips_are_refused_each_kind_fails_and_an_expected_failure_does_not(
    folder: Path,
) -> None:
    refused = run(folder, refuse="1")
    assert refused.returncode != 0
    assert "1 failed, 1 xfailed, 2 errors" in refused.stdout
    assert refused.stdout.count("this was skipped: ") >= 3
    assert "no program" in refused.stdout

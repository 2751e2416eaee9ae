"""Where skips are refused, a test cannot hide behind a missing program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT

SKIPS = {
    "itself": "import pytest\n\ndef test_it():\n    pytest.skip('no program')\n",
    "by mark": "import pytest\n\n@pytest.mark.skip(reason='no program')\ndef test_it(): ...\n",
    "the whole file": "import pytest\n\npytest.skip('no program', allow_module_level=True)\n",
}
EXPECTED_FAILURE = "import pytest\n\n@pytest.mark.xfail\ndef test_it():\n    assert not 1\n"


def run(folder: Path, test: str, refuse: str) -> subprocess.CompletedProcess[str]:
    file = folder / "test_it.py"
    file.write_text(test)
    config = folder / "pytest.ini"
    config.write_text("[pytest]\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", config, "-p", "tests.conftest", "-ra", file],
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


@pytest.mark.parametrize("test", SKIPS.values(), ids=SKIPS)
def test_a_skip_is_refused_only_where_it_is_asked(tmp_path: Path, test: str) -> None:
    allowed = run(tmp_path, test, refuse="")
    assert "1 skipped" in allowed.stdout
    refused = run(tmp_path, test, refuse="1")
    assert refused.returncode != 0
    assert "no program" in refused.stdout


def test_a_failure_that_is_expected_is_no_skip(tmp_path: Path) -> None:
    assert run(tmp_path, EXPECTED_FAILURE, refuse="1").returncode == 0

"""What every test may use."""

import os
from collections.abc import Generator

import hypothesis
import pytest
from django.utils import translation

# How long one example takes depends on the machine and what else it does.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

# Set where every program that a test needs is there: then a skipped test hides a fault.
REFUSE_SKIPS = os.environ.get("GPUCOMPARE_REFUSE_SKIPS") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if REFUSE_SKIPS and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skips are refused here, and this was skipped: {report.longrepr}"


@pytest.fixture(autouse=True)
def _in_english() -> Generator[None, None, None]:
    """A page in another language leaves the thread in it; the next test begins in English."""
    with translation.override("en"):
        yield

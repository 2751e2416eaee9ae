"""What every test may use."""

import os
from collections.abc import Generator
from contextlib import nullcontext
from typing import Any

import hypothesis
import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import setup_databases, teardown_databases
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
    # tests/test_skips.py loads this file without Django.
    with translation.override("en") if apps.ready else nullcontext():
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, django_db_modify_db_settings: None
) -> Generator[None, None, None]:
    """The test database, whatever is collected.

    pytest-django's own makes none when no collected test bears its mark, and a module that loads
    the catalog for all its tests would then meet the database of `make run`.
    """
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False)
    yield
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            # A thread of a test that has not ended yet would keep the database from going.
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        teardown_databases(made, verbosity=0)

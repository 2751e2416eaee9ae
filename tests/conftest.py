"""What every test may use."""

import gc
import os
import shutil
from collections.abc import Generator
from contextlib import nullcontext
from typing import Any

import hypothesis
import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import override_settings, setup_databases, teardown_databases
from django.utils import translation

from gpucompare.translations.catalogues import compile_all
from gpucompare.translations.extract import ROOT
from tests.prepared import shared_folder

# How long one example takes depends on the machine and what else it does. A change is judged by
# the same examples each time; `make soak` tries others, and many more.
EXAMPLES = os.environ.get("GPUCOMPARE_EXAMPLES")
hypothesis.settings.register_profile(
    "patient", deadline=None, max_examples=int(EXAMPLES or 25), derandomize=EXAMPLES is None
)
hypothesis.settings.load_profile("patient")

LOCALE = ROOT / "locale"

LONGEST = "test_every_page"
# Half a minute and more, each.
LONG = frozenset(
    (
        *("test_admin_pages", "test_api_everything", "test_api_schemathesis", "test_background"),
        *("test_changes_whole", "test_checking", "test_clock_jumps", "test_compare_whole"),
        *("test_comparing", "test_compose", "test_crawl", "test_desk", "test_embedded"),
        *("test_filtering", "test_first_start", "test_listings", "test_login", "test_make_run"),
        *("test_migrations", "test_morning", "test_phone", "test_refresh_matrix", "test_replica"),
        *("test_roles", "test_seeing_site", "test_sharing", "test_site_faults", "test_workers"),
    )
)
LAST_FILES = 60

# Set where every program that a test needs is there: then a skipped test hides a fault.
REFUSE_SKIPS = os.environ.get("GPUCOMPARE_REFUSE_SKIPS") == "1"


def pytest_configure(config: pytest.Config) -> None:
    """What all workers need is made once, before any of them starts."""
    if hasattr(config, "workerinput"):
        return
    # Pages in other languages need the catalogues.
    for _path in compile_all(LOCALE):
        pass
    shared = shared_folder()
    config.add_cleanup(lambda: shutil.rmtree(shared, ignore_errors=True))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A worker that came to a long file last would keep the others waiting."""
    files = [*dict.fromkeys(item.path.stem for item in items)]
    early = LONG.intersection(files[-LAST_FILES:]) | {LONGEST}
    items.sort(key=lambda item: item.path.stem not in early)


def pytest_collection_finish() -> None:
    """Ten thousand tests stay to the end: garbage is not looked for among them again."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope="session", autouse=True)
def _asks_no_registry() -> Generator[None, None, None]:
    """Images are read at registries of this machine only, by tests that play one; and all tests
    are one client, which may ask the API, share, send corrections and log in as it likes."""
    often = "1000000/second"
    rates = ("API_RATE", "SHARE_RATE", "CORRECTION_RATE", "LOGIN_RATE", "LOGIN_NAME_RATE")
    quiet = {"REGISTRY_READS": 0, **dict.fromkeys(rates, often)}
    with override_settings(**quiet) if apps.ready else nullcontext():
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

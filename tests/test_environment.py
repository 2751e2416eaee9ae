"""A secret may stand in a file that a variable names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucompare.environment import SecretError, secret
from providers.refresh.enabled import enabled, key_variable, source
from providers.sources import SOURCES
from tests.test_settings import refusal, settings

KEYED = next(slug for slug, kind in SOURCES.items() if kind.needs_key)
OPEN = next(slug for slug, kind in SOURCES.items() if not kind.needs_key)


def in_file(folder: Path, content: str) -> str:
    file = folder / "secret"
    file.write_text(content)
    return str(file)


def test_it_is_what_the_file_holds_without_its_last_line_end(tmp_path: Path) -> None:
    assert secret("KEY", {"KEY_FILE": in_file(tmp_path, "a secret\n")}) == "a secret"


def test_it_is_what_the_variable_says_and_empty_where_nothing_is_said() -> None:
    assert secret("KEY", {"KEY": "said"}) == "said"
    assert secret("KEY", {}) == ""
    assert secret("KEY", {"KEY": "", "KEY_FILE": ""}) == ""


def test_both_at_once_are_refused(tmp_path: Path) -> None:
    both = {"KEY": "said", "KEY_FILE": in_file(tmp_path, "held")}
    with pytest.raises(SecretError, match=r"^set KEY or KEY_FILE, not both$"):
        secret("KEY", both)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    file = tmp_path / "none"
    with pytest.raises(SecretError) as told:
        secret("KEY", {"KEY_FILE": str(file)})
    assert str(told.value) == f"KEY_FILE={file} cannot be used: No such file or directory"


@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xff\xfe\x00"])
def test_a_file_without_text_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "secret"
    file.write_bytes(content)
    with pytest.raises(SecretError, match=r"cannot be used: it holds no text$"):
        secret("KEY", {"KEY_FILE": str(file)})


def test_what_a_process_started_with_it_keeps(tmp_path: Path) -> None:
    environ = {"KEY_FILE": in_file(tmp_path, "first")}
    assert secret("KEY", environ) == "first"
    Path(environ["KEY_FILE"]).unlink()
    assert secret("KEY", environ) == "first"


def test_the_settings_take_key_database_and_redis_from_files(tmp_path: Path) -> None:
    held = {
        "GPUCOMPARE_SECRET_KEY": "k" * 50,
        "DATABASE_URL": "postgres://me:hidden@db.example:5433/gpu",
        "REDIS_URL": "redis://:hidden@queue.example:6379/1",
    }
    for name, content in held.items():
        (tmp_path / name).write_text(f"{content}\n")
    read = settings(
        tmp_path,
        *("SECRET_KEY", "DATABASES", "CELERY_BROKER_URL"),
        **{f"{name}_FILE": str(tmp_path / name) for name in held},
        GPUCOMPARE_PRODUCTION="1",
    )
    assert read["SECRET_KEY"] == held["GPUCOMPARE_SECRET_KEY"]
    assert read["CELERY_BROKER_URL"] == held["REDIS_URL"]
    assert "'HOST': 'db.example'" in str(read["DATABASES"])
    assert "'PASSWORD': 'hidden'" in str(read["DATABASES"])


@pytest.mark.parametrize("name", ["GPUCOMPARE_SECRET_KEY", "DATABASE_URL", key_variable(OPEN)])
def test_no_setting_of_a_missing_file_is_passed_over(tmp_path: Path, name: str) -> None:
    told = refusal(tmp_path, **{f"{name}_FILE": "/nowhere/secret"})
    assert told.endswith(f"{name}_FILE=/nowhere/secret cannot be used: No such file or directory")
    assert "ImproperlyConfigured" in told


def test_a_source_takes_its_key_from_a_file(tmp_path: Path) -> None:
    environ = {f"{key_variable(KEYED)}_FILE": in_file(tmp_path, "its key")}
    assert KEYED not in enabled({})
    assert KEYED in enabled(environ)
    assert source(KEYED, environ).key == "its key"

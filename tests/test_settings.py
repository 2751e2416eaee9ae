"""Settings come from the environment; production is strict, a checkout needs none."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.processes import ROOT, environment

SHOW = """
import json
from gpucompare import settings
print(json.dumps({name: getattr(settings, name) for name in %r}, default=str))
"""


def settings(local: Path, *names: str, **extra: str) -> dict[str, object]:
    """Those settings, read afresh in a process that has only `extra` set."""
    done = load(local, SHOW % (names,), **extra)
    assert done.returncode == 0, done.stderr
    read: dict[str, object] = json.loads(done.stdout)
    return read


def load(local: Path, script: str, **extra: str) -> subprocess.CompletedProcess[str]:
    bare = {
        name: value
        for name, value in environment(local).items()
        if not name.startswith("GPUCOMPARE_") or name == "GPUCOMPARE_LOCAL_DIR"
    }
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**bare, **extra},
        capture_output=True,
        text=True,
        check=False,
    )


def refusal(local: Path, **extra: str) -> str:
    done = load(local, "import gpucompare.settings", **extra)
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_production_does_not_start_without_a_secret_key(tmp_path: Path) -> None:
    assert "set GPUCOMPARE_SECRET_KEY" in refusal(tmp_path, GPUCOMPARE_PRODUCTION="1")
    assert not (tmp_path / "secret-key").exists()


def test_production_does_not_start_with_debug_on(tmp_path: Path) -> None:
    told = refusal(
        tmp_path, GPUCOMPARE_PRODUCTION="1", GPUCOMPARE_DEBUG="1", GPUCOMPARE_SECRET_KEY="x"
    )
    assert "unset it in production" in told


def test_production_does_not_start_without_a_queue_that_forgets_nothing(tmp_path: Path) -> None:
    key = "x" * 50
    told = refusal(tmp_path, GPUCOMPARE_PRODUCTION="1", GPUCOMPARE_SECRET_KEY=key)
    assert "set REDIS_URL" in told


def test_production_is_strict_about_transport_and_hosts(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "ALLOWED_HOSTS")
    redis = {"REDIS_URL": "redis://localhost:6379/0"}
    key = "x" * 50
    strict = settings(
        tmp_path, *names, GPUCOMPARE_PRODUCTION="1", GPUCOMPARE_SECRET_KEY=key, **redis
    )
    assert strict == {**dict.fromkeys(names[:3], True), "ALLOWED_HOSTS": []}


def test_a_checkout_needs_no_setting_and_debugs_nothing(tmp_path: Path) -> None:
    ours = settings(tmp_path, "DEBUG", "PRODUCTION", "ALLOWED_HOSTS", "DATABASES", "LOCAL_DIR")
    assert ours["DEBUG"] is False
    assert ours["PRODUCTION"] is False
    assert ours["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1", "[::1]"]
    assert ours["LOCAL_DIR"] == str(tmp_path)
    assert "'ENGINE': 'gpucompare.embedded_db'" in str(ours["DATABASES"])


def test_database_url_replaces_the_embedded_database(tmp_path: Path) -> None:
    named = settings(tmp_path, "DATABASES", DATABASE_URL="postgres://me:secret@db.example:5433/gpu")
    text = str(named["DATABASES"])
    assert "'ENGINE': 'django.db.backends.postgresql'" in text
    assert "'HOST': 'db.example'" in text


def test_the_key_of_a_checkout_is_made_once_and_only_for_its_owner(tmp_path: Path) -> None:
    first = settings(tmp_path, "SECRET_KEY")["SECRET_KEY"]
    assert settings(tmp_path, "SECRET_KEY")["SECRET_KEY"] == first
    assert len(str(first)) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


def test_first_starts_at_once_agree_on_the_key(tmp_path: Path) -> None:
    show = [sys.executable, "-c", SHOW % (("SECRET_KEY",),)]
    together = [
        subprocess.Popen(show, cwd=ROOT, env=environment(tmp_path), stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in together}) == 1


def test_an_interval_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    told = refusal(tmp_path, GPUCOMPARE_SOURCE_VAST_MINUTES="hourly")
    assert told.endswith("GPUCOMPARE_SOURCE_VAST_MINUTES=hourly: give minutes, 1 to 10080")
    assert "ImproperlyConfigured" in told


def test_a_registry_is_allowed_by_its_host_and_not_by_an_address(tmp_path: Path) -> None:
    told = refusal(tmp_path, GPUCOMPARE_REGISTRY_ALLOW="localhost:5000,http://registry.lan")
    assert "GPUCOMPARE_REGISTRY_ALLOW: 'http://registry.lan' is not a host" in told


def test_a_rate_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    told = refusal(tmp_path, GPUCOMPARE_REGISTRY_RATE="often")
    assert told.endswith("GPUCOMPARE_REGISTRY_RATE is a rate such as 10/minute, not 'often'")


def test_prices_are_kept_for_days_that_grow(tmp_path: Path) -> None:
    told = refusal(tmp_path, GPUCOMPARE_PRICES_ALL_DAYS="200")
    assert "GPUCOMPARE_PRICES_DAILY_DAYS=120: give 91 or more, and not less than" in told


def test_redis_hands_a_task_out_again_only_when_no_worker_can_be_at_it(tmp_path: Path) -> None:
    def visibility_s(**extra: str) -> int:
        name = "CELERY_BROKER_TRANSPORT_OPTIONS"
        options = settings(tmp_path, name, REDIS_URL="redis://localhost:6379/0", **extra)[name]
        assert isinstance(options, dict)
        return int(options["visibility_timeout"])

    assert visibility_s() == 3600 + 60
    assert visibility_s(GPUCOMPARE_TASK_LIMIT_S="100") == 160
    assert visibility_s(GPUCOMPARE_TASK_VISIBILITY_S="5") == 5


def test_every_variable_is_documented() -> None:
    source = (ROOT / "gpucompare" / "settings.py").read_text()
    secrets = re.findall(r'\bsecret\("([A-Z_]+)"', source)
    read = {*re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', source), *secrets}
    read |= {f"{name}_FILE" for name in secrets}
    documented = set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs/settings.md").read_text(), re.M))
    assert len(secrets) == 4
    assert read <= documented
    assert documented - read <= {"HOST", "PORT", "GPUCOMPARE_RATES_URL"}

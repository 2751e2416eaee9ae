"""Who comes in at the desk, how often it may be tried, and for how long it lasts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from gpucompare import clients
from tests.test_settings import load
from tests.test_settings import settings as read_settings

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh_limits(settings: Any, tmp_path: Path) -> Iterator[None]:
    # A slow hash is what a real login wants, and no test.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # The desk's front page reads the files: none, so that it reads fast.
    settings.CATALOG_DIR = settings.CONTENT_DIR = tmp_path
    clients.forget_turns()
    yield
    clients.forget_turns()


@pytest.fixture
def curator() -> User:
    return User.objects.create_user("mina", password=PASSWORD, is_staff=True, is_superuser=True)


def log_in(client: Client, name: str = "mina", password: str = PASSWORD, **extra: Any) -> int:
    sent = {"username": name, "password": password}
    return client.post(LOGIN, sent, **extra).status_code


def inside(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


# --- Tries ---------------------------------------------------------------------------


def test_a_client_that_tries_too_often_waits(client: Client, curator: User, settings: Any) -> None:
    settings.LOGIN_RATE = "3/hour"
    assert [log_in(client, password="wrong") for _n in range(4)] == [200, 200, 200, 429]
    refused = client.post(LOGIN, {"username": "mina", "password": PASSWORD})
    assert refused.status_code == 429
    assert "Too many tries. The next one counts in 60 min." in refused.content.decode()
    assert not inside(client)
    assert log_in(Client(), REMOTE_ADDR="192.0.2.7") == 302


def test_the_right_password_counts_too(client: Client, curator: User, settings: Any) -> None:
    settings.LOGIN_RATE = "2/hour"
    assert [log_in(Client()) for _n in range(3)] == [302, 302, 429]


def test_a_name_is_not_tried_from_everywhere(curator: User, settings: Any) -> None:
    settings.LOGIN_NAME_RATE = "3/hour"
    tried = [
        log_in(Client(), name, "wrong", REMOTE_ADDR=f"192.0.2.{n}")
        for n, name in enumerate(("mina", "MINA", "mina", "mina"))
    ]
    assert tried == [200, 200, 200, 429]
    assert log_in(Client(), "other", "wrong", REMOTE_ADDR="192.0.2.9") == 200


def test_a_client_out_of_turns_takes_none_of_a_name(curator: User, settings: Any) -> None:
    settings.LOGIN_RATE, settings.LOGIN_NAME_RATE = "2/hour", "3/hour"
    for _n in range(9):
        log_in(Client(), password="wrong", REMOTE_ADDR="192.0.2.1")
    assert log_in(Client(), REMOTE_ADDR="192.0.2.2") == 302


def test_the_limits_tell_nothing_about_who_exists(client: Client, settings: Any) -> None:
    settings.LOGIN_NAME_RATE = "1/hour"
    tried = [log_in(client, "nobody", "wrong"), log_in(client, "nobody", "wrong")]
    assert tried == [200, 429]


def test_looking_at_the_form_is_no_try(client: Client, curator: User, settings: Any) -> None:
    settings.LOGIN_RATE = "1/hour"
    for _n in range(5):
        assert client.get(LOGIN).status_code == 200
    assert log_in(client) == 302


def test_who_is_logged_in_stays_so_while_somebody_tries(
    client: Client, curator: User, settings: Any
) -> None:
    settings.LOGIN_NAME_RATE = "2/hour"
    log_in(client)
    for _n in range(5):
        log_in(Client(), password="wrong")
    assert inside(client)


def test_who_is_no_staff_does_not_come_in(client: Client) -> None:
    User.objects.create_user("reader", password=PASSWORD)
    assert log_in(client, "reader") == 200
    assert not inside(client)


# --- How long ------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Moves the time of sessions on."""
    ahead = [0.0]
    now, seconds = timezone.now, time.time

    def later() -> Any:
        return now() + timedelta(seconds=ahead[0])

    for module in ("base", "db"):
        monkeypatch.setattr(f"django.contrib.sessions.backends.{module}.timezone.now", later)
    monkeypatch.setattr("gpucompare.sessions.time.time", lambda: seconds() + ahead[0])

    def move(hours: float) -> None:
        ahead[0] += hours * 3600

    return move


def test_a_session_ends_twelve_hours_after_its_login_however_busy_it_is(
    client: Client, curator: User, clock: Any
) -> None:
    log_in(client)
    for _n in range(11):
        clock(1)
        session = client.session
        session["seen"] = _n  # what is written would have lengthened it
        session.save()
        assert inside(client)
    clock(1.01)
    assert not inside(client)


def test_the_hours_begin_again_at_a_login(client: Client, curator: User, clock: Any) -> None:
    log_in(client)
    clock(11)
    log_in(client)
    clock(11)
    assert inside(client)


def test_a_session_made_over_for_another_user_is_bounded_too(
    client: Client, curator: User, clock: Any
) -> None:
    other = User.objects.create_user("omar", password=PASSWORD, is_staff=True)
    log_in(client)
    log_in(client, other.username)
    assert Session.objects.count() == 1
    clock(11.9)
    assert inside(client)
    clock(0.2)
    assert not inside(client)


def test_the_cookies_end_with_the_browser_and_no_script_reads_them(
    client: Client, curator: User
) -> None:
    client.get(LOGIN)
    log_in(client)
    for name in ("sessionid", "csrftoken"):
        cookie = client.cookies[name]
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert client.cookies["sessionid"]["max-age"] == ""
    assert client.cookies["sessionid"]["expires"] == ""


def test_a_new_password_ends_every_other_session(client: Client, curator: User) -> None:
    elsewhere = Client()
    for each in (client, elsewhere):
        log_in(each)
    new = "another correct horse"
    sent = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/admin/password_change/", sent).status_code == 302
    assert inside(client)
    assert not inside(elsewhere)
    assert log_in(elsewhere) == 200
    assert log_in(elsewhere, password=new) == 302


def test_a_password_that_an_admin_sets_ends_all_sessions_of_that_person(curator: User) -> None:
    other, desk, theirs = User.objects.create_user("omar", password=PASSWORD), Client(), Client()
    User.objects.filter(pk=other.pk).update(is_staff=True)
    log_in(desk)
    log_in(theirs, "omar")
    assert inside(theirs)
    new = {"password1": "another correct horse", "password2": "another correct horse"}
    url = reverse("admin:auth_user_password_change", args=[other.pk])
    assert desk.post(url, new | {"usable_password": "true"}).status_code == 302
    assert not inside(theirs)


def test_a_person_who_is_made_inactive_is_out_at_once(client: Client, curator: User) -> None:
    log_in(client)
    User.objects.update(is_active=False)
    assert not inside(client)
    assert log_in(client) == 200


# --- Settings ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "password", ["elevenchars", "password1234", "123456789012", "minamina1234"]
)
def test_a_weak_password_is_refused(password: str) -> None:
    with pytest.raises(ValidationError):
        validate_password(password, User(username="minamina"))
    validate_password(PASSWORD, User(username="minamina"))


def test_production_sends_the_cookies_over_https_alone(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY")
    strict = read_settings(
        tmp_path,
        *names,
        GPUCOMPARE_PRODUCTION="1",
        GPUCOMPARE_SECRET_KEY="x" * 50,
        REDIS_URL="redis://localhost:6379/0",
    )
    assert strict == dict.fromkeys(names, True)


def test_twelve_hours_and_ten_tries_unless_told_otherwise(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_AGE", "LOGIN_RATE", "LOGIN_NAME_RATE")
    assert list(read_settings(tmp_path, *names).values()) == [43_200, "10/hour", "30/hour"]
    told = read_settings(
        tmp_path, *names, GPUCOMPARE_SESSION_HOURS="0.5", GPUCOMPARE_LOGIN_RATE="1/day"
    )
    assert list(told.values()) == [1800, "1/day", "30/hour"]
    assert django_settings.SESSION_EXPIRE_AT_BROWSER_CLOSE


@pytest.mark.parametrize(
    ("name", "value"), [("LOGIN_RATE", "often"), ("LOGIN_NAME_RATE", ""), ("SESSION_HOURS", "0")]
)
def test_a_limit_that_is_none_is_refused_by_name(tmp_path: Path, name: str, value: str) -> None:
    done = load(tmp_path, "import gpucompare.settings", **{f"GPUCOMPARE_{name}": value})
    assert done.returncode == 1
    assert f"GPUCOMPARE_{name} is a" in done.stderr.splitlines()[-1]

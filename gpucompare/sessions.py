"""Sessions of the desk: they end some hours after the login, however busy they are."""

from __future__ import annotations

import time
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.dispatch import receiver
from django.http import HttpRequest

# In a session: when its user logged in, as seconds.
_SINCE: Final = "since"


class SessionStore(db.SessionStore):
    """Django's, except that what is written later lengthens nothing."""

    def save(self, must_create: bool = False) -> None:
        # Read as the parent reads it: a key that is just being made holds nothing to load.
        data = self._get_session(no_load=must_create)  # type: ignore[attr-defined]
        if SESSION_KEY in data:
            data.setdefault(_SINCE, int(time.time()))
        super().save(must_create)

    def get_session_cookie_age(self) -> int:
        whole = super().get_session_cookie_age()
        since = self.get(_SINCE)
        return whole if since is None else max(0, since + whole - int(time.time()))


@receiver(user_logged_in)
def begin_again(request: HttpRequest, **_told: Any) -> None:
    """At a login the hours begin again, also in a session that somebody was in already."""
    request.session.pop(_SINCE, None)

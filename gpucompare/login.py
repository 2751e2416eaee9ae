"""The login of the desk, which may be tried only so often: by one client, and for one name."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import HttpRequest, HttpResponse

from gpucompare.clients import Window, client_of, take

_THROTTLED = "throttled"


class LoginForm(AdminAuthenticationForm):
    """Counts each try before the password is looked at, right or wrong."""

    def clean(self) -> dict[str, Any]:
        refused = [w for w in self._turns() if w and not w.allowed]
        if refused:
            wait_min = -(-max(w.reset_s for w in refused) // 60)
            raise ValidationError(
                f"Too many tries. The next one counts in {wait_min} min.", _THROTTLED
            )
        cleaned: dict[str, Any] = super().clean()
        return cleaned

    def _turns(self) -> tuple[Window | None, Window | None]:
        name = self.cleaned_data.get("username", "").casefold()
        client = client_of(self.request) if self.request else ""
        by_client = take(settings.LOGIN_RATE, "login", client)
        if by_client and not by_client.allowed:
            # A client that is out of turns takes none of a name's: it could lock people out.
            return by_client, None
        return by_client, take(settings.LOGIN_NAME_RATE, "login name", name)


def login(request: HttpRequest) -> HttpResponse:
    """Django's page, with the status that programs understand where it was tried too often."""
    response = admin.site.login(request)
    form = (getattr(response, "context_data", None) or {}).get("form")
    if form is not None and form.has_error(NON_FIELD_ERRORS, _THROTTLED):
        response.status_code = 429
    return response

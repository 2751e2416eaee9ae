"""Headers that Django and django-csp have no setting for, or set otherwise than this site is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse

# What no page of the site uses. Of a feature that is not named here each browser has its default.
_UNUSED: Final = (
    *("accelerometer", "autoplay", "browsing-topics", "camera", "display-capture"),
    *("encrypted-media", "fullscreen", "geolocation", "gyroscope", "magnetometer", "microphone"),
    *("midi", "payment", "publickey-credentials-get", "screen-wake-lock", "serial", "usb"),
    "xr-spatial-tracking",
)
# Buttons put links and commands on the clipboard.
PERMISSIONS: Final = ", ".join([*(f"{name}=()" for name in _UNUSED), "clipboard-write=(self)"])


class HeadersMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        if "Vary" in response:
            # Django adds the reader's language, but here the address alone decides.
            named = [name.strip() for name in response["Vary"].split(",")]
            response["Vary"] = ", ".join(n for n in named if n.lower() != "accept-language")
            if not response["Vary"]:
                del response["Vary"]
        return response

"""Forms of public pages: no cookie, so no CSRF token. Where a POST comes from is what counts."""

from __future__ import annotations

from django.http import HttpRequest


def is_same_origin(request: HttpRequest) -> bool:
    """Whether the browser says that the form stood on this site.

    `Sec-Fetch-Site` cannot be set by a page; older browsers send `Origin` with every POST. Without
    either it was no browser's form.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"

"""Who may look at a curators' screen, and who may write."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


def may_look(request: HttpRequest, *models: str) -> None:
    """Refuses whoever may neither view nor change one of these models."""
    for model in models:
        if not any(request.user.has_perm(f"providers.{what}_{model}") for what in _LOOKS):
            raise PermissionDenied


def may_write(request: HttpRequest) -> bool:
    return request.user.has_perm("providers.change_claim")


def must_write(request: HttpRequest) -> None:
    if not may_write(request):
        raise PermissionDenied


_LOOKS = ("view", "change")

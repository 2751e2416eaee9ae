"""An offering's screen at the desk, as a curator's browser asks it."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from providers.models import Claim, Offering
from providers.resolve import resolve_offerings
from tests.factories import make_claim

TYPED = {
    "value": "nested",
    "basis": "documented",
    "source": "https://docs.example/daemon",
    "source_kind": "provider",
    "read_on": "2026-11-20",
    "note": "Since the new release.",
}


def stands(offering: Offering, dimension: str, value: Any, **fields: Any) -> Claim:
    claim = make_claim(offering, dimension, value, **fields)
    resolve_offerings([offering.pk])
    return claim


def url(offering: Offering) -> str:
    return reverse("desk-answers", args=[offering.pk])


def question(page: Any, dimension: str) -> Any:
    groups = page.context["screen"].groups
    return next(q for _l, qs in groups for q in qs if q.dimension.key == dimension)


def row(desk: Client, claim: Claim) -> Any:
    page = desk.get(url(claim.offering))
    return next(r for r in question(page, claim.dimension).rows if r.pk == claim.pk)


def sent(desk: Client, claim: Claim, deed: str, **entries: Any) -> dict[str, Any]:
    """What a form of this claim sends, as the screen shows it now."""
    shown = row(desk, claim).shown
    return {"deed": deed, "claim": claim.pk, "shown": shown} | entries


def sent_for(desk: Client, offering: Offering, dimension: str, **entries: Any) -> dict[str, Any]:
    shown = question(desk.get(url(offering)), dimension).shown
    return {"deed": "add", "dimension": dimension, "shown": shown} | TYPED | entries


def public(offering: Offering, dimension: str) -> Any:
    """The public page of a cell."""
    address = reverse("cell", args=[offering.provider.slug, offering.slug, dimension])
    return Client().get(address).context["cell"]


def today() -> date:
    return timezone.now().date()


def visitor(*rights: str) -> Client:
    user = get_user_model().objects.create(username="v", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(user)
    return client

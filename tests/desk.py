"""The curators' desk, as a browser without script uses it."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.utils import quote
from django.contrib.auth import get_user_model
from django.db.models import Model
from django.test import Client
from django.urls import reverse


def curator() -> Client:
    """A client that is logged in with all rights."""
    client = Client()
    client.force_login(
        get_user_model().objects.create(username="c", is_staff=True, is_superuser=True)
    )
    return client


def address(what: type[Model] | Model, page: str) -> str:
    """Where the desk keeps a page of a model, or of one row."""
    # Django writes a slash within a key as _2F.
    args = [quote(what.pk)] if isinstance(what, Model) else []
    return reverse(f"admin:providers_{what._meta.model_name}_{page}", args=args)


def change(row: Model) -> str:
    return address(row, "change")


def entered(client: Client, url: str) -> dict[str, Any]:
    """What the form of a page would send if it were sent as it is."""
    context = client.get(url).context
    forms = [context["adminform"].form]
    forms += [inline.formset.management_form for inline in context["inline_admin_formsets"]]
    sent = {form.add_prefix(name): form[name].value() for form in forms for name in form.fields}
    return {name: value for name, value in sent.items() if value is not None}


def save(client: Client, url: str, **entries: Any) -> dict[str, list[str]]:
    """Send a page's form with these entries; returns its faults, none when it was saved."""
    response = client.post(url, entered(client, url) | entries)
    if response.status_code == 302:
        return {}
    errors = response.context["adminform"].form.errors
    assert errors, "refused without a word"
    return {field: list(texts) for field, texts in errors.items()}

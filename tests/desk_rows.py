"""One row of every model that the desk shows."""

from __future__ import annotations

from django.contrib.auth.models import Group

from checks.models import ContentEntry
from providers.models import CatalogFile
from tests import catalog_texts as made
from tests.test_admin_pages import rows


def one_of_each() -> None:
    rows()
    CatalogFile.objects.update(text=made.text(made.provider("acme")))
    ContentEntry.objects.create(kind="faq", language="en", key="one", position=0, title="One?")
    Group.objects.get_or_create(name="viewer")

"""Rows ⇄ documents: loading and dumping are inverse, whatever a file says."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings

from providers.catalog import canonical
from providers.catalog.rows import assign, document_of, read_rows
from providers.catalog.schema import ProviderDocument
from providers.catalog.store import dump, load
from providers.models import CatalogFile, Offering, Provider
from tests import catalog_texts as made
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db

inside_one_test = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def load_text(directory: Path, text: str) -> Path:
    (directory / "acme.yaml").write_text(text, encoding="utf-8")
    load(directory)
    return directory


@inside_one_test
@given(made.provider_documents())
def test_what_was_loaded_stands_in_the_rows(db: None, document: ProviderDocument) -> None:
    with TemporaryDirectory() as directory, transaction.atomic():
        load_text(Path(directory), canonical.text_of(document))

        assert document_of(read_rows()["acme"], document) == document
        transaction.set_rollback(True)


@inside_one_test
@given(made.provider_documents())
def test_what_was_dumped_without_its_text_is_what_was_loaded(
    db: None, document: ProviderDocument
) -> None:
    with TemporaryDirectory() as directory, transaction.atomic():
        files = load_text(Path(directory), canonical.text_of(document))
        CatalogFile.objects.all().delete()
        for model in (Provider, Offering):
            model.objects.update(made_at="desk")
        dump(files / "out")

        assert (files / "out" / "acme.yaml").read_text() == canonical.text_of(document)
        transaction.set_rollback(True)


@inside_one_test
@given(made.versions(), made.versions())
def test_a_file_that_changed_alone_is_what_the_rows_say_afterwards(
    db: None, before: ProviderDocument, after: ProviderDocument
) -> None:
    with TemporaryDirectory() as directory, transaction.atomic():
        files = load_text(Path(directory), canonical.text_of(before))
        load_text(files, canonical.text_of(after))
        dump(files / "out")

        assert (files / "out" / "acme.yaml").read_text() == canonical.text_of(after)
        assert document_of(read_rows()["acme"], after) == after
        transaction.set_rollback(True)


def test_rows_are_read_in_three_queries_whatever_their_number() -> None:
    for _ in range(5):
        make_claim(make_offering(), "spot", True)

    with CaptureQueriesContext(connection) as queries:
        assert len(read_rows()) == 5

    assert len(queries) == 3


def test_only_the_providers_that_are_asked_for_are_read() -> None:
    for slug in ("acme", "beta"):
        make_offering("pods", make_provider(slug))

    assert list(read_rows(["beta", "nobody"])) == ["beta"]


def test_rows_that_a_load_will_change_are_held_without_their_keys() -> None:
    make_claim(make_offering(), "spot", True)

    with CaptureQueriesContext(connection) as queries:
        read_rows(lock=True)

    assert all("FOR NO KEY UPDATE" in query["sql"] for query in queries)


def test_only_columns_that_differ_are_assigned() -> None:
    provider = make_provider("acme", name="Acme")

    assert assign(provider, {"name": "Acme", "headquarters": "DE"}) == ["headquarters"]
    assert provider.headquarters == "DE"

"""The project's own catalog, loaded once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, F

from providers.catalog.store import LoadReport, dump, load
from providers.dimensions import MAIN
from providers.models import CatalogFile, Claim, Offering, Provider
from providers.resolve import resolve_offerings

FILES = sorted(Path(settings.CATALOG_DIR).glob("*.yaml"))


@dataclass(frozen=True)
class FirstLoad:
    report: LoadReport
    seconds: float


@pytest.fixture(scope="module")
def first(django_db_setup: None, django_db_blocker: Any) -> Iterator[FirstLoad]:
    """The catalog in the database until the last test of this module."""
    with django_db_blocker.unblock(), transaction.atomic():
        started = monotonic()
        report = load(settings.CATALOG_DIR)
        yield FirstLoad(report, monotonic() - started)
        transaction.set_rollback(True)


def test_every_file_is_a_provider(first: FirstLoad) -> None:
    slugs = [path.stem for path in FILES]

    assert len(slugs) == 69
    assert list(Provider.objects.order_by("slug").values_list("slug", flat=True)) == slugs
    assert list(CatalogFile.objects.values_list("slug", flat=True)) == slugs


def test_every_provider_has_offerings_and_every_offering_is_named_by_a_file(
    first: FirstLoad,
) -> None:
    assert not Provider.objects.annotate(n=Count("offerings")).filter(n=0).exists()
    assert not Offering.objects.exclude(made_at="catalog").exists()


def test_a_whole_round_trip_is_the_same_byte_for_byte(first: FirstLoad, tmp_path: Path) -> None:
    assert not any(dump(tmp_path).values())

    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in FILES
    }


def test_the_database_says_what_the_files_say_even_without_their_texts(
    first: FirstLoad, tmp_path: Path
) -> None:
    with transaction.atomic():
        CatalogFile.objects.all().delete()
        for model in (Provider, Offering):
            model.objects.update(made_at="desk")
        dump(tmp_path)
        transaction.set_rollback(True)

    for path in FILES:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_a_second_load_writes_nothing(first: FirstLoad) -> None:
    before = rows_written()
    report = load(settings.CATALOG_DIR)

    assert (report.changed_files, report.resolved, dict(report.counts)) == (0, 0, {})
    assert rows_written() == before


def rows_written() -> int:
    """By PostgreSQL's own count, in this transaction: a statement may run and change nothing."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables "
            "WHERE relname LIKE 'providers\\_%'"
        )
        return int(cursor.fetchone()[0])


def test_the_count_of_written_rows_sees_a_write(first: FirstLoad) -> None:
    before = rows_written()
    assert Offering.objects.filter(slug="pods").update(position=F("position")) > 0
    assert rows_written() > before


def test_every_answer_follows_from_the_claims(first: FirstLoad) -> None:
    assert first.report.resolved > 100
    assert resolve_offerings() == 0


def test_an_answer_is_known_exactly_where_a_claim_decides(first: FirstLoad) -> None:
    for dimension in MAIN:
        known = Offering.objects.exclude(**{dimension.key: None})
        decided = Claim.objects.filter(dimension=dimension.key, decides=True)
        assert {o.pk for o in known} == {c.offering_id for c in decided}


def test_a_contradiction_has_claims_and_no_answer(first: FirstLoad) -> None:
    contradicted = Offering.objects.exclude(contradicted=[])

    assert contradicted
    for offering in contradicted:
        for key in offering.contradicted:
            assert offering.answer(key) is None
            assert offering.claims.filter(dimension=key, decides=False).count() > 1
            assert not offering.claims.filter(dimension=key, decides=True).exists()


def test_a_load_of_everything_is_few_statements_and_quick(first: FirstLoad) -> None:
    assert first.report.counts["claims", "new"] == Claim.objects.count() > 1700
    # Ten times what it takes on a quiet machine.
    assert first.seconds < 15

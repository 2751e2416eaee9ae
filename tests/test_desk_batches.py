"""A rejected batch on its page: why it was rejected, some of its rows, and what is done with it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from providers.desk.batches import SAMPLE, batch_view
from providers.models import Listing, RejectedBatch
from tests.desk import change, curator
from tests.factories import make_gpu, make_offering, make_provider
from tests.query_counts import queries_of
from tests.refreshing import records, run

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> RejectedBatch:
    """Ten rows stand; the batch has three of them, at another price."""
    acme = make_provider("acme")
    make_offering("pods", acme)
    make_offering("vms", acme)
    make_gpu("l4")
    run(*records(10))
    run(*records(3, "3.125"))
    return RejectedBatch.objects.get()


@pytest.fixture
def desk() -> Client:
    return curator()


def settle(client: Client, batch: RejectedBatch, deed: str) -> Any:
    url = reverse("admin:providers_rejectedbatch_settle", args=[batch.pk])
    return client.post(url, {"deed": deed})


def standing() -> int:
    return Listing.objects.filter(withdrawn_at=None).count()


def test_the_page_tells_the_guard_its_figures_and_rows_beside_what_stands(
    desk: Client, batch: RejectedBatch
) -> None:
    page = desk.get(change(batch)).content.decode()
    assert "<code>rows</code>" in page
    assert "usual 10" in page
    shown = batch_view(batch)
    assert (shown.rows, len(shown.sample)) == (3, 3)
    assert {(r.facts.usd_per_hour, r.stands) for r in shown.sample} == {
        (Decimal("3.125"), Decimal(2))
    }
    assert page.count("3.125") >= 3
    assert "Acme Pods" in page


def test_a_row_that_does_not_stand_yet_is_new(batch: RejectedBatch) -> None:
    Listing.objects.filter(key="told:row-0").delete()
    assert [row.known for row in batch_view(batch).sample] == [False, True, True]


def test_a_large_batch_shows_some_rows_of_all_of_it_in_two_queries(batch: RejectedBatch) -> None:
    row, _run = batch.rows[0], batch.run
    batch.rows = [{**row, "key": f"told:row-{number:04}"} for number in range(1000)]
    assert queries_of(lambda: batch_view(batch)) == 2
    shown = [key.facts for key in batch_view(batch).sample]
    assert len(shown) == SAMPLE


def test_it_is_accepted_from_its_page(desk: Client, batch: RejectedBatch) -> None:
    assert 'value="accept"' in desk.get(change(batch)).content.decode()
    response = settle(desk, batch, "accept")
    assert response["Location"] == change(batch)
    assert standing() == 3
    page = desk.get(change(batch)).content.decode()
    assert "7 withdrawn" in page
    assert 'value="accept"' not in page


def test_it_is_kept_out_from_its_page(desk: Client, batch: RejectedBatch) -> None:
    settle(desk, batch, "keep_out")
    batch.refresh_from_db()
    assert batch.kept_out_at is not None
    settle(desk, batch, "accept")
    assert standing() == 10


def test_who_may_not_settle_sees_no_button_and_settles_nothing(batch: RejectedBatch) -> None:
    user = User.objects.create(username="viewer", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_rejectedbatch"))
    viewer = Client()
    viewer.force_login(user)
    page = viewer.get(change(batch)).content.decode()
    assert "<code>rows</code>" in page
    assert 'name="deed"' not in page
    for deed in ("accept", "keep_out"):
        assert settle(viewer, batch, deed).status_code == 403
    batch.refresh_from_db()
    assert (batch.kept_out_at, standing()) == (None, 10)


def test_there_are_two_deeds_and_no_other(desk: Client, batch: RejectedBatch) -> None:
    assert settle(desk, batch, "delete_model").status_code == 404
    batch.pk += 1
    assert settle(desk, batch, "accept").status_code == 404
    url = reverse("admin:providers_rejectedbatch_settle", args=[1])
    assert desk.get(url).status_code == 405

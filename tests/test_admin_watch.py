"""Reviews at the desk: both texts side by side, and three ways to settle them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from providers import claims as desk
from providers.models import Claim, Passage, ReviewOutcome, SourcePage, SourceReview
from providers.watch.passage import Near
from tests.desk import address, change, curator
from tests.factories import make_claim, make_offering, make_provider

pytestmark = pytest.mark.django_db

BEFORE, AFTER = "# Building\nUp to 80 GB.", "# Building\nUp to 90 GB & <more>."


def review(dimension: str = "max_image_gb", **fields: object) -> SourceReview:
    offering = make_offering("pods", make_provider("acme", name="Acme"), name="Pods")
    claim = make_claim(offering, dimension, 80, source="https://docs.example/limits#size")
    page = SourcePage.objects.create(address="https://docs.example/limits")
    Passage.objects.create(
        page=page, claim=claim, text=AFTER, digest=Near(AFTER).digest, seen_at=timezone.now()
    )
    says = {"kind": "changed", "before": BEFORE, "after": AFTER, "found_at": timezone.now()}
    return SourceReview.objects.create(page=page, claim=claim, **(says | fields))


def someone(*permissions: str) -> Client:
    user = get_user_model().objects.create(username="someone", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def test_the_list_holds_those_that_wait_with_their_page() -> None:
    waits = review()
    page = curator().get(address(SourceReview, "changelist")).content.decode()
    for text in ("Acme", "Pods", "The passage changed", f'href="{waits.claim.source}"'):
        assert text in page
    assert change(waits) in page


@pytest.mark.parametrize(
    ("asked", "shown"), [({}, 0), ({"state": "settled"}, 1), ({"state": "all"}, 1)]
)
def test_settled_ones_are_shown_when_they_are_asked_for(asked: dict[str, str], shown: int) -> None:
    review(settled_at=timezone.now(), outcome=ReviewOutcome.NOTHING)
    listed = curator().get(address(SourceReview, "changelist"), asked)
    assert listed.context["cl"].result_count == shown


def test_of_a_claim_that_was_retired_nothing_waits() -> None:
    waits = review()
    desk.retire([waits.claim], "It is nowhere.")
    client = curator()
    assert client.get(address(SourceReview, "changelist")).context["cl"].result_count == 0
    page = client.get(change(waits)).content.decode()
    assert "The claim was retired meanwhile" in page
    assert 'name="outcome"' not in page


def test_a_longer_list_takes_no_more_queries() -> None:
    client, first = curator(), review()

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(address(SourceReview, "changelist"))
        return len(captured)

    few = queries()
    for _ in range(3):
        claim = make_claim(make_offering(), "spot", True)
        SourceReview.objects.create(
            page=first.page, claim=claim, kind="gone", found_at=timezone.now()
        )
    assert queries() <= few


def test_what_differs_is_marked_and_nothing_of_a_page_is_markup() -> None:
    page = curator().get(change(review())).content.decode()
    assert "Up to <del>80</del> GB." in page
    assert "Up to <ins>90</ins> GB<ins> &amp; &lt;more&gt;</ins>." in page
    assert "<more>" not in page


def test_a_moved_page_shows_where_it_is() -> None:
    waits = review(kind="moved")
    SourcePage.objects.update(moved_to="https://docs.example/new")
    assert 'href="https://docs.example/new"' in curator().get(change(waits)).content.decode()


def test_still_true_confirms_the_claim_as_of_today() -> None:
    waits = review()
    response = curator().post(change(waits), {"outcome": "still_true"})
    assert response["Location"] == address(SourceReview, "changelist")
    claim = Claim.objects.get()
    waits.refresh_from_db()
    assert (claim.read_on, claim.value) == (timezone.now().date(), 80)
    assert (waits.outcome, str(waits.settled_by)) == (ReviewOutcome.STILL_TRUE, "c")
    # What was confirmed is what was seen: the next look compares with that.
    newest = claim.history.first()
    assert newest
    assert Passage.objects.get().seen_at > newest.history_date


def test_a_changed_claim_leads_to_where_it_is_replaced() -> None:
    waits = review()
    claim = waits.claim
    response = curator().post(change(waits), {"outcome": "claim_changed"})
    waits.refresh_from_db()
    assert waits.outcome == ReviewOutcome.CLAIM_CHANGED
    screen = f"/admin/providers/offering/{claim.offering_id}/answers/?replace={claim.pk}#entry"
    assert response["Location"] == screen
    assert Claim.objects.get().read_on == date(2026, 11, 1)


def test_no_matter_settles_it_and_touches_no_claim() -> None:
    waits = review()
    curator().post(change(waits), {"outcome": "nothing"})
    waits.refresh_from_db()
    assert (waits.outcome, waits.claim.read_on) == (ReviewOutcome.NOTHING, date(2026, 11, 1))
    assert waits.claim.history.count() == 1


def test_whoever_comes_second_is_told() -> None:
    waits = review()
    client = curator()
    client.post(change(waits), {"outcome": "nothing"})
    page = client.post(change(waits), {"outcome": "still_true"}, follow=True).content.decode()
    assert "Settled already, by c: No matter." in page
    assert Claim.objects.get().read_on == date(2026, 11, 1)


def test_a_form_without_an_outcome_settles_nothing() -> None:
    waits = review()
    for sent in ({}, {"outcome": "whatever"}):
        assert curator_page(waits, sent).count("Say what is to become of it.") == 1
    waits.refresh_from_db()
    assert waits.settled_at is None


def curator_page(waits: SourceReview, sent: dict[str, str]) -> str:
    client = someone("view_sourcereview", "change_sourcereview")
    page = client.post(change(waits), sent, follow=True).content.decode()
    get_user_model().objects.all().delete()
    return page


@pytest.mark.parametrize(
    ("permissions", "outcome", "status"),
    [
        ((), "nothing", 403),
        (("view_sourcereview",), "nothing", 403),
        (("view_sourcereview", "change_claim"), "still_true", 403),
        (("view_sourcereview", "change_sourcereview"), "still_true", 403),
        (("view_sourcereview", "change_sourcereview"), "nothing", 302),
        (("view_sourcereview", "change_sourcereview", "change_claim"), "still_true", 302),
    ],
)
def test_who_may_settle(permissions: tuple[str, ...], outcome: str, status: int) -> None:
    waits = review()
    client = someone(*permissions)
    assert client.post(change(waits), {"outcome": outcome}).status_code == status
    waits.refresh_from_db()
    assert (waits.settled_at is None) is (status == 403)


def test_who_may_only_look_sees_no_button() -> None:
    waits = review()
    client = someone("view_sourcereview")
    assert 'name="outcome"' not in client.get(change(waits)).content.decode()
    assert client.get("/admin/providers/sourcereview/4711/change/").status_code == 404
    assert someone_else().get(change(waits)).status_code == 403


def someone_else() -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create(username="other", is_staff=True))
    return client


def test_pages_and_passages_can_only_be_looked_at() -> None:
    review()
    client = curator()
    for row in (SourcePage.objects.get(), Passage.objects.get()):
        assert client.get(change(row)).status_code == 200
        assert client.post(change(row), {}).status_code == 403
        assert client.post(address(row, "delete"), {"post": "yes"}).status_code == 403


def test_pages_are_listed_with_the_days_that_they_failed() -> None:
    day = timezone.now() - timedelta(days=2)
    SourcePage.objects.create(
        address="https://a.example/", look="gone", looked_at=day, failed_on=["2026-11-28"]
    )
    page = curator().get(address(SourcePage, "changelist")).content.decode()
    assert "https://a.example/" in page
    assert '<td class="field-failed">1</td>' in page

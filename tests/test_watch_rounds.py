"""Rounds over a real server: what each page did becomes the right review, and no claim changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from providers import claims as desk
from providers.models import (
    Claim,
    Look,
    Passage,
    ReviewKind,
    ReviewOutcome,
    SourcePage,
    SourceReview,
)
from tests import provider_server as play
from tests.factories import make_claim, make_offering
from tests.provider_server import Answer
from tests.watching import (
    FIRST_DAY,
    OTHER,
    SAYS,
    Site,
    days,
    html,
    near,
    once,
    played,
    sent,
    tagged,
    waiting,
)

pytestmark = pytest.mark.django_db
site = pytest.fixture(played)
day = pytest.fixture(autouse=True)(days)


def settled() -> list[str]:
    return list(SourceReview.objects.exclude(settled_at=None).values_list("outcome", flat=True))


# --- A table: how a page was, how it is, what comes of it --------------------------------

MOVED = {"/pods": play.redirect("/new", 301), "/new": html()}
CHANGED = (ReviewKind.CHANGED, near(SAYS), near(OTHER))
GONE = (ReviewKind.GONE, near(SAYS), "")
EMPTIED = (ReviewKind.CHANGED, near(SAYS), "")


@pytest.mark.parametrize(
    ("then", "look", "reviews"),
    [
        ({"/pods": html()}, Look.READ, []),
        ({"/pods": html(more="Prices rose.")}, Look.READ, []),
        ({"/pods": html(OTHER)}, Look.READ, [CHANGED]),
        ({"/pods": html("See elsewhere.")}, Look.READ, [EMPTIED]),
        (MOVED, Look.READ, [(ReviewKind.MOVED, near(SAYS), near(SAYS))]),
        (
            MOVED | {"/new": html(OTHER)},
            Look.READ,
            [(ReviewKind.MOVED, near(SAYS), near(OTHER))],
        ),
        (MOVED | {"/pods": play.redirect("/new", 302)}, Look.READ, []),
        (MOVED | {"/new": play.status(404)}, Look.GONE, []),
        ({"/pods": play.redirect("http://10.0.0.1/")}, Look.UNSAFE, []),
        ({"/pods": play.redirect("/pods")}, Look.UNREACHABLE, []),
        ({}, Look.GONE, []),
        ({"/pods": play.status(410)}, Look.GONE, []),
        ({"/pods": play.status(500)}, Look.UNREACHABLE, []),
        ({"/pods": play.status(403)}, Look.REFUSED, []),
        ({"/pods": play.gzip_bomb}, Look.TOO_LARGE, []),
        ({"/pods": sent(b"\0\0", "text/html")}, Look.NOT_TEXT, []),
        (
            {"/pods": sent(b"<a " * 50_000, "text/html")},
            Look.READ,
            [EMPTIED],
        ),
    ],
)
def test_what_a_page_did_becomes_the_right_review(
    site: Site, then: dict[str, Answer], look: Look, reviews: list[tuple[str, str, str]]
) -> None:
    claim = site.claim(make_offering())
    before = Claim.every.values().get()
    site.pages["/pods"] = html()
    once(site)
    assert (Passage.objects.get().text, waiting()) == (near(SAYS), [])
    site.pages = dict(then)
    once(site)
    assert SourcePage.objects.get().look == look
    assert waiting() == reviews
    assert Claim.every.values().get() == before
    assert claim.history.count() == 1


def test_the_first_look_keeps_the_passage_and_asks_nobody(site: Site) -> None:
    site.claim(make_offering())
    site.pages |= MOVED
    told = once(site)
    page = SourcePage.objects.get()
    assert (page.address, page.moved_to) == (site.url(), site.url("/new"))
    assert Passage.objects.get().text == near(SAYS)
    assert (told.looks, told.left, waiting()) == ({"read": 1}, 0, [])


def test_a_page_without_a_passage_is_no_fault(site: Site) -> None:
    site.claim(make_offering())
    site.pages["/pods"] = sent(b"", "text/html")
    once(site)
    assert Passage.objects.get().text == ""


# --- Reviews that wait ------------------------------------------------------------------


def test_a_review_that_waits_is_brought_up_to_date_and_not_doubled(site: Site) -> None:
    site.claim(make_offering())
    for text in (SAYS, OTHER, f"{OTHER} Soon."):
        site.pages["/pods"] = html(text)
        once(site)
    assert waiting() == [(ReviewKind.CHANGED, near(SAYS), near(f"{OTHER} Soon."))]


def test_a_page_that_says_again_what_it_said_needs_no_look(site: Site) -> None:
    site.claim(make_offering())
    for text in (SAYS, OTHER, SAYS):
        site.pages["/pods"] = html(text)
        once(site)
    assert (waiting(), settled()) == ([], [ReviewOutcome.NOTHING])


def test_a_review_that_was_settled_does_not_come_back(site: Site) -> None:
    site.claim(make_offering())
    for answer in (html(), html(OTHER)):
        site.pages["/pods"] = answer
        once(site)
    SourceReview.objects.update(settled_at=FIRST_DAY, outcome=ReviewOutcome.NOTHING)
    once(site)
    assert waiting() == []
    site.pages["/pods"] = html()
    once(site)
    assert waiting() == [(ReviewKind.CHANGED, near(OTHER), near(SAYS))]


def test_a_move_is_told_once(site: Site) -> None:
    site.claim(make_offering())
    site.pages["/pods"] = html()
    once(site)
    site.pages |= MOVED
    once(site)
    once(site)
    assert [kind for kind, *_texts in waiting()] == [ReviewKind.MOVED]
    SourceReview.objects.update(settled_at=FIRST_DAY, outcome=ReviewOutcome.NOTHING)
    once(site)
    assert waiting() == []
    site.pages["/new"] = html(OTHER)
    once(site)
    assert waiting() == [CHANGED]


def test_a_page_that_moved_back_needs_no_look(site: Site) -> None:
    site.claim(make_offering())
    for pages in ({"/pods": html()}, MOVED, {"/pods": html()}):
        site.pages = dict(pages)
        once(site)
    assert (waiting(), settled()) == ([], [ReviewOutcome.NOTHING])


def test_every_claim_that_cites_a_page_has_its_own_review(site: Site) -> None:
    offering = make_offering()
    site.claim(offering)
    make_claim(offering, "spot", True, source=site.url("/pods#prices"), note="Spot is cheaper.")
    site.pages["/pods"] = html(more="Spot Pods cost half.")
    once(site)
    assert site.asked() == ["/pods"]
    site.pages["/pods"] = html(more="Spot Pods are no more.")
    once(site)
    assert [(review.claim.dimension, review.kind) for review in SourceReview.objects.all()] == [
        ("spot", ReviewKind.CHANGED)
    ]


# --- Dead links -------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [play.status(404), play.status(500)])
def test_a_page_counts_as_gone_after_three_days_and_not_after_three_looks(
    site: Site, day: Callable[[int], None], answer: Answer
) -> None:
    site.claim(make_offering())
    site.pages["/pods"] = html()
    once(site)
    site.pages["/pods"] = answer
    for number in (1, 1, 1, 2, 2):
        day(number)
        once(site)
    assert (waiting(), len(SourcePage.objects.get().failed_on)) == ([], 2)
    day(9)
    once(site)
    once(site)
    assert waiting() == [GONE]


def test_a_page_that_never_was_there_is_told_of_too(site: Site, day: Callable[[int], None]) -> None:
    site.claim(make_offering())
    for number in range(3):
        day(number)
        once(site)
    assert waiting() == [(ReviewKind.GONE, "", "")]


@pytest.mark.parametrize(
    ("back", "reviews", "outcomes"),
    [
        (html(), [], [ReviewOutcome.NOTHING]),
        (sent(b"%PDF", "application/pdf"), [], [ReviewOutcome.NOTHING]),
        (html(OTHER), [CHANGED], []),
        (play.status(403), [GONE], []),
    ],
)
def test_a_page_that_comes_back_clears_its_review(
    site: Site,
    day: Callable[[int], None],
    back: Answer,
    reviews: list[tuple[str, str, str]],
    outcomes: list[str],
) -> None:
    gone_for_three_days(site, day)
    site.pages["/pods"] = back
    once(site)
    assert (waiting(), settled()) == (reviews, outcomes)
    assert bool(SourcePage.objects.get().failed_on) == (reviews == [GONE])


def gone_for_three_days(site: Site, day: Callable[[int], None]) -> None:
    site.claim(make_offering())
    site.pages["/pods"] = html()
    once(site)
    del site.pages["/pods"]
    for number in (1, 2, 3):
        day(number)
        once(site)
    assert [kind for kind, *_texts in waiting()] == [ReviewKind.GONE]


def test_who_was_told_that_a_page_is_gone_is_not_told_again_until_it_was_back(
    site: Site, day: Callable[[int], None]
) -> None:
    gone_for_three_days(site, day)
    SourceReview.objects.update(settled_at=FIRST_DAY, outcome=ReviewOutcome.NOTHING)
    day(10)
    once(site)
    assert waiting() == []
    site.pages["/pods"] = html()
    once(site)
    del site.pages["/pods"]
    for number in (11, 12, 13):
        day(number)
        once(site)
    assert waiting() == [GONE]


# --- Asking whether it changed ----------------------------------------------------------


def test_an_unchanged_page_is_not_sent_again_unless_a_claim_is_new(site: Site) -> None:
    offering = make_offering()
    site.claim(offering)
    site.pages["/pods"] = tagged(SAYS, '"one"')
    once(site)
    once(site)
    assert SourcePage.objects.get().look == Look.UNCHANGED
    make_claim(offering, "spot", True, source=site.url(), note="Docker pods.")
    once(site)
    assert SourcePage.objects.get().look == Look.READ
    assert Passage.objects.count() == 2
    site.pages["/pods"] = tagged(OTHER, '"two"')
    once(site)
    assert CHANGED in waiting()


# --- Claims that change -----------------------------------------------------------------


def test_a_claim_that_was_confirmed_since_is_compared_with_the_page_as_it_is(site: Site) -> None:
    claim = site.claim(make_offering())
    for text in (SAYS, OTHER):
        site.pages["/pods"] = html(text)
        once(site)
    site.pages["/pods"] = html(f"{OTHER} Soon.")
    desk.confirm([claim], FIRST_DAY.date())
    once(site)
    assert (waiting(), settled()) == ([], [ReviewOutcome.STILL_TRUE])
    assert Passage.objects.get().text == near(f"{OTHER} Soon.")


def test_a_claim_that_was_replaced_leaves_its_review_settled(site: Site) -> None:
    claim = site.claim(make_offering())
    for text in (SAYS, OTHER):
        site.pages["/pods"] = html(text)
        once(site)
    new = desk.replace(claim, value="rootless", note="A rootless Docker daemon.")
    once(site)
    assert (waiting(), settled()) == ([], [ReviewOutcome.CLAIM_CHANGED])
    assert {passage.claim_id for passage in Passage.objects.all()} == {claim.pk, new.pk}


def test_a_retired_claim_is_not_watched(site: Site) -> None:
    desk.retire([site.claim(make_offering())], "It is nowhere.")
    assert once(site).looks == {}
    assert site.asked() == []

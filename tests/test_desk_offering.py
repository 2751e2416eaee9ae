"""An offering's screen at the desk: every answer with its claims, and what is done with them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from providers.dimensions import DIMENSIONS, GROUPS
from providers.models import Claim, Offering
from tests.answers_screen import TYPED, public, question, row, sent, sent_for, stands, today, url
from tests.desk import change, curator
from tests.factories import make_offering, make_provider
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Client:
    return curator()


@pytest.fixture
def pods() -> Offering:
    return make_offering("pods", make_provider("acme"))


# --- What it shows -----------------------------------------------------------------


def test_the_page_of_an_offering_leads_to_its_answers(desk: Client, pods: Offering) -> None:
    assert f'href="{url(pods)}"' in desk.get(change(pods)).content.decode()


def test_every_dimension_stands_in_its_group_with_its_question(
    desk: Client, pods: Offering
) -> None:
    page = desk.get(url(pods))
    shown = [
        q.dimension.key for _label, questions in page.context["screen"].groups for q in questions
    ]
    assert sorted(shown) == sorted(DIMENSIONS)
    assert [label for label, _questions in page.context["screen"].groups] == [*GROUPS.values()]
    html = page.content.decode()
    for dimension in DIMENSIONS.values():
        assert f'id="{dimension.key}"' in html
        assert str(dimension.question).replace("'", "&#x27;") in html


def test_a_claim_is_shown_with_all_that_speaks_for_it(desk: Client, pods: Offering) -> None:
    stands(
        *(pods, "docker_daemon", "root"),
        source="https://docs.example/root",
        read_on=date(2025, 1, 2),
        note="On every machine.",
    )
    html = desk.get(url(pods)).content.decode()
    link = '<a href="https://docs.example/root" target="_blank" rel="noopener">'
    for text in (link, "Root", "Documented", "The provider", "2 January 2025", "On every machine."):
        assert text in html
    assert '<span class="band due">Due for review</span>' in html
    assert '<strong class="tag">decides</strong>' in html


def test_a_contradiction_comes_first(desk: Client, pods: Offering) -> None:
    stands(pods, "ssh", True)
    stands(pods, "ssh", False, source="https://other.example/")
    page = desk.get(url(pods))
    assert [q.dimension.key for q in page.context["screen"].contradicted] == ["ssh"]
    html = page.content.decode()
    assert html.index('id="ssh"') < html.index('id="custom_image"')
    assert html.count('id="ssh"') == 1


def test_the_number_of_queries_does_not_grow_with_the_claims(desk: Client, pods: Offering) -> None:
    stands(pods, "ssh", True)
    few = queries_of(lambda: desk.get(url(pods)))
    for n in range(6):
        stands(pods, "ssh", n % 2 == 0, source=f"https://docs.example/{n}")
        stands(pods, "docker_daemon", "root", source=f"https://docs.example/{n}")
    assert queries_of(lambda: desk.get(url(pods))) == few


def test_an_offering_that_is_not_there_is_not_found(desk: Client) -> None:
    assert desk.get(reverse("desk-answers", args=[10**17])).status_code == 404


# --- Confirm -----------------------------------------------------------------------


def test_confirm_gives_the_claim_todays_day_and_leads_back_to_it(
    desk: Client, pods: Offering
) -> None:
    claim = stands(pods, "ssh", True, read_on=None)
    answer = desk.post(url(pods), sent(desk, claim, "confirm"))
    assert answer["Location"] == f"{url(pods)}#claim-{claim.pk}"
    claim.refresh_from_db()
    assert claim.read_on == today()
    assert claim.history.first().history_user.username == "c"
    assert "Read today" in desk.get(url(pods)).content.decode()


def test_the_button_of_a_row_sends_what_the_row_shows(desk: Client, pods: Offering) -> None:
    claim = stands(pods, "ssh", True)
    html = desk.get(url(pods)).content.decode()
    form = html[html.index(f'id="claim-{claim.pk}"') :]
    assert f'name="shown" value="{row(desk, claim).shown}"' in form
    assert 'name="deed" value="confirm" aria-keyshortcuts="c"' in form


# --- Retire ------------------------------------------------------------------------


def test_retire_asks_why_and_says_what_the_page_would_say(desk: Client, pods: Offering) -> None:
    claim = stands(pods, "ssh", True)
    page = desk.get(url(pods), {"retire": claim.pk})
    assert page.context["opened"].preview.answer == "Unknown"
    refused = desk.post(url(pods), sent(desk, claim, "retire", why=" "))
    assert refused.context["opened"].form.errors["why"] == ["This field is required."]
    assert Claim.objects.filter(pk=claim.pk).exists()


def test_a_retired_claim_says_nothing_any_more_and_keeps_the_reason(
    desk: Client, pods: Offering
) -> None:
    claim = stands(pods, "ssh", True)
    desk.post(url(pods), sent(desk, claim, "retire", why="The page is gone."))
    assert not Claim.objects.exists()
    assert Claim.every.get().retired_why == "The page is gone."
    assert public(pods, "ssh").state == "unknown"


# --- Replace and add ---------------------------------------------------------------


def test_replace_begins_with_what_the_claim_says_and_todays_day(
    desk: Client, pods: Offering
) -> None:
    claim = stands(pods, "registries", ["ghcr.io", "quay.io"], note="Two only.")
    form = desk.get(url(pods), {"replace": claim.pk}).context["opened"].form
    assert form["value"].value() == "ghcr.io, quay.io"
    assert form["note"].value() == "Two only."
    assert form["read_on"].value() == today()


def test_a_replaced_claim_is_retired_and_the_new_one_answers(desk: Client, pods: Offering) -> None:
    old = stands(pods, "docker_daemon", "root")
    answer = desk.post(url(pods), sent(desk, old, "replace", **TYPED))
    new = Claim.objects.get()
    assert answer["Location"].endswith(f"#claim-{new.pk}")
    assert (new.value, new.note, new.decides) == ("nested", "Since the new release.", True)
    old.refresh_from_db()
    assert old.retired_at is not None
    assert public(pods, "docker_daemon").answer == "Nested"


def test_a_number_of_a_file_stays_as_it_was_written(desk: Client, pods: Offering) -> None:
    old = stands(pods, "max_image_gb", 60.0)
    desk.post(url(pods), sent(desk, old, "replace", **TYPED | {"value": "60"}))
    assert repr(Claim.objects.get().value) == "60.0"


def test_an_added_claim_stands_beside_the_others(desk: Client, pods: Offering) -> None:
    stands(pods, "docker_daemon", "root", basis="reported")
    assert desk.post(url(pods), sent_for(desk, pods, "docker_daemon")).status_code == 302
    assert Claim.objects.count() == 2
    assert public(pods, "docker_daemon").answer == "Nested"


@pytest.mark.parametrize(
    ("field", "typed", "told"),
    [
        ("value", "sometimes", "'sometimes' is not one of root, rootless, nested, none"),
        ("value", "", "This field is required."),
        ("basis", "", "This field is required."),
        ("basis", "guessed", "guessed is not one of the available choices"),
        ("source", "", "This field is required."),
        ("source", "docs", "Enter a valid URL."),
        ("source", "ftp://docs.example/", "'ftp://docs.example/' is not an http or https address"),
        ("source_kind", "", "This field is required."),
        ("read_on", "yesterday", "Enter a valid date."),
        ("read_on", "2999-01-01", "This day has not come yet."),
        ("note", "n" * 501, "at most 500 characters"),
        ("note", "one\x85two", "has a line break or a control character"),
    ],
)
@pytest.mark.parametrize("deed", ["add", "replace"])
def test_what_a_file_could_not_say_is_refused_beside_its_field_and_nothing_typed_is_lost(
    desk: Client, pods: Offering, *, deed: str, field: str, typed: str, told: str
) -> None:
    claim = stands(pods, "docker_daemon", "root")
    entries = TYPED | {field: typed}
    if deed == "add":
        sending = sent_for(desk, pods, "docker_daemon", **entries)
    else:
        sending = sent(desk, claim, deed, **entries)
    page = desk.post(url(pods), sending)
    form = page.context["opened"].form
    assert told in " ".join(form.errors[field])
    assert {name: form[name].value() for name in TYPED} == entries
    assert [c.pk for c in Claim.objects.all()] == [claim.pk]
    html = page.content.decode()
    assert html.index('class="errorlist"') < html.index(f'id="entry-{field}"')


def test_the_same_claim_twice_is_refused(desk: Client, pods: Offering) -> None:
    desk.post(url(pods), sent_for(desk, pods, "docker_daemon"))
    page = desk.post(url(pods), sent_for(desk, pods, "docker_daemon"))
    assert "once is enough" in str(page.context["opened"].form.non_field_errors())
    assert Claim.objects.count() == 1


# --- Preview -----------------------------------------------------------------------

CANDIDATES = [
    ("docker_daemon", "nested", {}),
    ("docker_daemon", "nested", {"basis": "reported"}),
    ("docker_daemon", "none", {"read_on": "2026-11-01"}),  # as strong as what stands
    ("registry_auth", "cloud_role, docker_login", {"basis": "probed"}),
    ("max_image_gb", "9.12345", {}),
    ("spot_notice_s", "120", {"read_on": ""}),
    ("cold_start", "Under a minute.", {"note": ""}),
    ("driver", "535-595", {}),
]


@pytest.mark.parametrize(("dimension", "value", "said"), CANDIDATES)
@pytest.mark.parametrize("deed", ["add", "replace"])
def test_the_preview_is_what_the_public_page_says_afterwards(
    desk: Client, pods: Offering, *, deed: str, dimension: str, value: str, said: dict[str, str]
) -> None:
    stands(pods, "docker_daemon", "root")
    old = stands(pods, "docker_daemon", "rootless", basis="derived", position=1)
    if deed == "replace" and dimension == "docker_daemon":
        sending = sent(desk, old, "replace", **TYPED | {"value": value} | said)
    else:
        sending = sent_for(desk, pods, dimension, **{"value": value} | said)
    page = desk.post(url(pods), sending | {"do": "preview"})
    assert Claim.objects.count() == 2, "a preview saves nothing"
    assert page.status_code == 200
    preview = page.context["opened"].preview
    assert desk.post(url(pods), sending).status_code == 302
    assert preview == public(pods, dimension)


def test_a_preview_comes_with_a_fault_that_leaves_the_answer_open_to_nobody(
    desk: Client, pods: Offering
) -> None:
    sending = sent_for(desk, pods, "docker_daemon", note="n" * 501)
    assert desk.post(url(pods), sending).context["opened"].preview.answer == "Nested"


def test_without_a_value_there_is_no_preview_and_that_is_said(desk: Client, pods: Offering) -> None:
    page = desk.post(url(pods), sent_for(desk, pods, "docker_daemon", value="maybe"))
    assert page.context["opened"].preview is None
    assert "The page would stay as it is" in page.content.decode()


# --- Contradictions ----------------------------------------------------------------


def test_one_press_says_which_side_is_right(desk: Client, pods: Offering) -> None:
    right = stands(pods, "ssh", True)
    wrong = stands(pods, "ssh", False, source="https://other.example/")
    weaker = stands(pods, "ssh", False, basis="reported")
    shown = desk.get(url(pods)).context["screen"].contradicted[0]
    proposed = next(r for r in shown.rows if r.pk == right.pk)
    sending = {"deed": "right", "claim": right.pk, "shown": shown.shown, "why": proposed.why}
    desk.post(url(pods), sending)
    wrong.refresh_from_db()
    assert wrong.retired_why == f"yes is right, as docs.example says; compared on {today()}"
    assert set(Claim.objects.all()) == {right, weaker}
    assert public(pods, "ssh").answer == "Yes"


def test_the_side_that_is_confirmed_wins_by_its_day(desk: Client, pods: Offering) -> None:
    right = stands(pods, "ssh", True)
    stands(pods, "ssh", False, source="https://other.example/")
    desk.post(url(pods), sent(desk, right, "confirm"))
    cell = public(pods, "ssh")
    assert (cell.answer, cell.contradicted, len(cell.others)) == ("Yes", False, 1)


def test_only_a_side_of_the_contradiction_can_be_right(desk: Client, pods: Offering) -> None:
    right, weaker = stands(pods, "ssh", True), stands(pods, "ssh", False, basis="reported")
    shown = question(desk.get(url(pods)), "ssh").shown
    sending = {"deed": "right", "claim": right.pk, "shown": shown, "why": "It is."}
    assert desk.post(url(pods), sending).status_code == 409
    assert set(Claim.objects.all()) == {right, weaker}


def test_who_is_wrong_is_not_retired_without_a_reason(desk: Client, pods: Offering) -> None:
    right = stands(pods, "ssh", True)
    stands(pods, "ssh", False, source="https://other.example/")
    shown = question(desk.get(url(pods)), "ssh").shown
    sending = {"deed": "right", "claim": right.pk, "shown": shown, "why": ""}
    assert "This field is required." in desk.post(url(pods), sending).content.decode()
    assert Claim.objects.count() == 2


def test_old_days_are_due(desk: Client, pods: Offering) -> None:
    stands(pods, "ssh", True, read_on=today() - timedelta(days=181))
    stands(pods, "jupyter", True, read_on=today() - timedelta(days=1))
    assert desk.get(url(pods)).context["screen"].due == 1

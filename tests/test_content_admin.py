"""The desk for texts: what it accepts, what it shows of translations, what it keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from checks.content.store import dump, load
from checks.models import ContentEntry
from providers.catalog.merge import Side
from tests.content_texts import LIVE, entry, question, source, translated, write
from tests.desk import curator, save
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

FAQ = {"one": question("One?", sources=[source()]), "two": question("Two?")}
GUIDE = {"start": entry("Start", dimension="docker_daemon")}
ARABIC = {"one": translated(FAQ["one"], "واحد؟")}
LIST = reverse("admin:checks_contententry_changelist")
ADD = reverse("admin:checks_contententry_add")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write(tmp_path, en_faq=FAQ, en_guide=GUIDE, ar_faq=ARABIC)


@pytest.fixture(autouse=True)
def _loaded(files: Path) -> None:
    load(files)


@pytest.fixture
def client() -> Client:
    return curator()


def row(key: str, language: str = "en") -> ContentEntry:
    return ContentEntry.objects.get(key=key, language=language)


def form_of(key: str, language: str = "en") -> str:
    return reverse("admin:checks_contententry_change", args=[row(key, language).pk])


def listed(client: Client, **asked: str) -> list[str]:
    """The texts that the list shows, each with how it stands."""
    found = client.get(LIST, asked).context["cl"].result_list
    admin = client.get(LIST).context["cl"].model_admin
    return [f"{each}: {strip_tags(admin.standing(each))}" for each in found]


# --- Saving ------------------------------------------------------------------------------------


def test_an_edit_is_kept_with_its_digest_and_the_moment(client: Client) -> None:
    before = row("one").digest

    assert save(client, form_of("one"), body="So.\r\n\r\n- a\r\n- b") == {}

    one = row("one")
    assert one.body == "So.\n\n- a\n- b"
    assert one.digest != before
    assert one.edited_at is not None
    assert (one.key, one.of, one.position) == ("one", "", 0)


def test_an_edit_survives_the_next_load_and_can_be_dumped(client: Client, files: Path) -> None:
    save(client, form_of("two"), title="Two, then?")
    write(files, en_faq=FAQ | {"one": question("One, in the file?")})
    load(files)

    assert (row("one").title, row("two").title) == ("One, in the file?", "Two, then?")
    assert dump(files / "out")["en/faq"]
    assert load(files / "out", take=Side.FILE).settled == {}
    assert row("two").edited_at is None


def test_saving_unchanged_leaves_nothing_to_dump(client: Client, tmp_path: Path) -> None:
    for key, language in (("one", "en"), ("one", "ar"), ("start", "en")):
        assert save(client, form_of(key, language)) == {}
    assert not any(dump(tmp_path / "out").values())


@pytest.mark.parametrize(
    ("key", "entered", "field", "told"),
    [
        ("one", {"body": "See {nothing}."}, "body", "is not one of {total}"),
        ("one", {"body": "A `b"}, "body", "begins or ends nothing"),
        ("one", {"body": "See [it](/faq/#gone)."}, "body", "/faq/ has no entry"),
        ("one", {"live": "{count:spot=si} [x](/)"}, "live", "allowed: yes, no"),
        ("one", {"live": "[x](/)"}, "live", "counts nothing"),
        ("one", {"live": ""}, "live", "is missing"),
        ("one", {"dimension": "spot"}, "dimension", "is nothing that a text of the faq has"),
        ("start", {"dimension": "spot"}, "dimension", "'spot' is not one of custom_image"),
        ("start", {"title": " "}, "title", "required"),
        (
            "one",
            {"sources": '[{"address": "ftp://x", "read_on": null}]'},
            "sources",
            "not an http or https address",
        ),
        ("one", {"sources": "{"}, "sources", "JSON"),
    ],
)
def test_what_a_file_may_not_hold_the_desk_does_not_take(
    client: Client, key: str, entered: dict[str, str], field: str, told: str
) -> None:
    before = row(key).digest
    faults = save(client, form_of(key), **entered)
    assert any(told in text for text in faults[field]), faults
    assert row(key).digest == before


def test_a_page_counts_listings_in_few_ways_at_the_desk_too(client: Client) -> None:
    three = " ".join(f"{{count:min_cuda=12.{n}}}" for n in range(3))
    assert save(client, form_of("one"), live=f"{three} [x](/)") == {}
    faults = save(client, form_of("two"), live="{count:in_stock=1} {may:spot_only=1} [x](/)")
    assert "in more than 4 ways" in faults["live"][0]
    assert save(client, form_of("two"), live="{count:in_stock=1} [x](/)") == {}


def test_a_new_text_stands_after_the_others(client: Client) -> None:
    given = {"kind": "faq", "language": "en", "key": "new", "title": "New?", "body": "Yes."}
    assert save(client, ADD, **given, live=LIVE, sources="[]") == {}
    assert row("new").position == 2


# --- Translations ------------------------------------------------------------------------------


def translation(**fields: Any) -> dict[str, Any]:
    given = {"kind": "faq", "language": "tr", "key": "two", "title": "İki?", "body": "Evet."}
    return given | {"live": LIVE, "sources": "[]", "follows": "on"} | fields


def test_a_translation_is_made_from_the_english_of_today(client: Client) -> None:
    assert save(client, ADD, **translation()) == {}
    assert row("two", "tr").of == row("two").digest
    assert row("two", "tr").position == 1


def test_a_translation_of_nothing_is_refused(client: Client) -> None:
    faults = save(client, ADD, **translation(key="gone"))
    assert "There is no such English text to translate." in faults["key"]


def test_a_new_translation_that_follows_nothing_is_refused(client: Client) -> None:
    given = translation()
    del given["follows"]
    response = client.post(ADD, given)
    assert "is missing" in response.content.decode()
    assert not ContentEntry.objects.filter(language="tr").exists()


def test_an_edit_of_the_english_makes_its_translations_outdated(client: Client) -> None:
    assert "ar/faq#one: current" in listed(client)
    save(client, form_of("one"), title="One, again?")
    assert "ar/faq#one: outdated" in listed(client)
    assert listed(client, standing="outdated") == ["ar/faq#one: outdated"]


def test_an_outdated_translation_stays_so_until_somebody_says_that_it_follows(
    client: Client,
) -> None:
    save(client, form_of("one"), title="One, again?")
    assert save(client, form_of("one", "ar"), title="واحد ثانية؟") == {}
    assert "ar/faq#one: outdated" in listed(client)
    assert save(client, form_of("one", "ar"), follows="on") == {}
    assert "ar/faq#one: current" in listed(client)


def test_the_english_stands_beside_the_form_of_a_translation(client: Client) -> None:
    html = client.get(form_of("one", "ar")).content.decode()
    assert '<pre lang="en" dir="ltr">One?</pre>' in html


def test_the_list_shows_what_is_missing_and_leads_to_where_it_is_written(client: Client) -> None:
    lines = listed(client)
    assert "en/faq#one: ar current · ur missing · tr missing · bn missing" in lines
    html = client.get(LIST).content.decode()
    assert f"{ADD}?kind=faq&amp;language=ur&amp;key=one" in html
    assert form_of("one", "ar") in html


def test_only_texts_that_lack_a_translation_are_listed_as_wanting(client: Client) -> None:
    for code in ("ur", "tr", "bn"):
        assert save(client, ADD, **translation(key="one", language=code)) == {}
    wanting = [line.partition(":")[0] for line in listed(client, standing="wanting")]
    assert wanting == ["en/faq#two", "en/guide#start"]


def test_the_list_costs_the_same_with_more_texts(client: Client, files: Path) -> None:
    few = queries_of(lambda: client.get(LIST))
    load(write(files, en_faq=FAQ | {f"q{n}": question(f"{n}?") for n in range(30)}))
    assert queries_of(lambda: client.get(LIST)) == few


def test_no_text_is_deleted_here(client: Client) -> None:
    for key, language in (("one", "en"), ("one", "ar")):
        url = reverse("admin:checks_contententry_delete", args=[row(key, language).pk])
        assert client.post(url, {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": row("one").pk, "post": "yes"}
    client.post(LIST, chosen)
    assert ContentEntry.objects.filter(key="one").count() == 2

"""Which text a page shows in a language, and what is left to translate."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.content import canonical
from checks.content.files import trusted
from checks.content.schema import digest
from checks.content.standing import (
    Standing,
    standing_lines,
    standing_of,
    standings,
    texts_in,
    translations,
)
from checks.content.store import document_of, load
from checks.models import ContentEntry
from tests.content_texts import entry, question, source, translated, write
from tests.query_counts import queries_of

FAQ = {"one": question("One?"), "two": question("Two?"), "three": question("Three?")}
GUIDE = {"start": entry("Start")}
# In another order, as a translator may write them; the pages keep the English one.
ARABIC = {
    "three": translated(FAQ["three"], "ثلاثة؟"),
    "one": translated(FAQ["one"], "واحد؟"),
    "two": translated(question("Two, before?"), "اثنان؟"),
}


@pytest.fixture
def _loaded(tmp_path: Path, db: None) -> None:
    load(write(tmp_path, en_faq=FAQ, en_guide=GUIDE, ar_faq=ARABIC))


def shown(language: str, *kinds: str) -> list[str]:
    return [row.title for row in texts_in(language, *kinds)]


@pytest.mark.usefixtures("_loaded")
def test_english_pages_show_the_english_texts_in_their_order() -> None:
    assert shown("en", "faq") == ["One?", "Two?", "Three?"]
    assert shown("en", "guide") == ["Start"]


@pytest.mark.usefixtures("_loaded")
def test_a_translation_stands_where_its_english_stands_and_an_outdated_one_gives_way() -> None:
    assert shown("ar", "faq") == ["واحد؟", "Two?", "ثلاثة؟"]


@pytest.mark.usefixtures("_loaded")
def test_a_language_without_texts_shows_the_english_ones() -> None:
    assert shown("tr", "faq") == ["One?", "Two?", "Three?"]


@pytest.mark.usefixtures("_loaded")
def test_a_translation_whose_english_is_gone_is_not_shown() -> None:
    ContentEntry.objects.filter(language="en", key="one").delete()
    assert shown("ar", "faq") == ["Two?", "ثلاثة؟"]


@pytest.mark.usefixtures("_loaded")
def test_texts_of_several_kinds_take_one_query() -> None:
    assert queries_of(lambda: texts_in("ar", "guide", "faq")) == 1
    assert shown("ar", "guide", "faq") == ["واحد؟", "Two?", "ثلاثة؟", "Start"]


def test_a_translation_is_current_outdated_or_missing() -> None:
    original = ContentEntry(digest="a" * 16)
    assert standing_of(original, "a" * 16) is Standing.CURRENT
    assert standing_of(original, "b" * 16) is Standing.OUTDATED
    assert standing_of(original, "") is Standing.OUTDATED
    assert standing_of(original, None) is Standing.MISSING


@pytest.mark.usefixtures("_loaded")
def test_every_english_text_knows_how_it_stands_in_every_language() -> None:
    found = {one.key: one.by_language for one in standings()}
    assert found.keys() == {"faq#one", "faq#two", "faq#three", "guide#start"}
    assert {key: by["ar"] for key, by in found.items()} == {
        "faq#one": Standing.CURRENT,
        "faq#two": Standing.OUTDATED,
        "faq#three": Standing.CURRENT,
        "guide#start": Standing.MISSING,
    }
    assert all(set(by) == set(translations()) for by in found.values())


@pytest.mark.usefixtures("_loaded")
def test_what_is_left_names_the_digest_that_a_translation_is_to_give() -> None:
    of = digest("Two?", "It is so.", FAQ["two"].live)
    lines = [line for line in standing_lines() if line.startswith("ar/")]
    assert f"ar/faq#two: outdated (of: {of})" in lines
    assert len(lines) == 2


# --- Digests and files ---------------------------------------------------------------------------


def test_a_digest_changes_with_what_a_reader_reads() -> None:
    told = [
        ("A", "b", "c"),
        ("A", "b", None),
        ("A", None, "b"),
        ("Ab", None, None),
        ("A", "bc", ""),
    ]
    assert len({digest(*each) for each in told}) == len(told)
    assert digest("A", "b", None) == digest("A", "b", "")
    assert len(digest("ع", "", "")) == 16


@pytest.mark.usefixtures("_loaded")
def test_a_source_is_no_part_of_what_a_reader_reads(tmp_path: Path) -> None:
    """Another day of reading does not make a translation outdated."""
    sourced = FAQ | {"one": question("One?", sources=[source()])}
    load(write(tmp_path, en_faq=sourced, en_guide=GUIDE, ar_faq=ARABIC))
    assert shown("ar", "faq")[0] == "واحد؟"


@pytest.mark.usefixtures("_loaded")
def test_a_row_says_what_its_file_said() -> None:
    rows = ContentEntry.objects.filter(language="ar")
    assert {row.key: document_of(row) for row in rows} == ARABIC


def test_the_canonical_form_is_what_people_write() -> None:
    written = {
        "who-pays": question("Who: you?", "One\n\n- two", live="Live.", sources=[source(day=None)]),
        "no": entry("خادم", None, of="0" * 16, forms=["a, b"], avoid=["yes"]),
    }
    text = canonical.text_of(written)
    assert text == (
        "who-pays:\n"
        "  title: 'Who: you?'\n"
        "  body: |\n"
        "    One\n"
        "\n"
        "    - two\n"
        "  live: |\n"
        "    Live.\n"
        "  sources:\n"
        "    - {address: https://docs.example/page, read_on: null}\n"
        "\n"
        "'no':\n"
        "  title: خادم\n"
        "  forms: ['a, b']\n"
        "  avoid: ['yes']\n"
        "  of: '0000000000000000'\n"
    )
    assert trusted("en/faq", text) == written

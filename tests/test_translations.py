"""The catalogues of the interface: found whole, kept in step, compiled, and checked for faults."""

from __future__ import annotations

import gettext
import io
from pathlib import Path

import pytest
import yaml
from babel.messages.catalog import Catalog
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings

from gpucompare.translations import catalogues
from gpucompare.translations.extract import messages
from gpucompare.translations.faults import OTHER_SENSE, SAME, faults
from gpucompare.translations.terms import Glossaries, folded, terms_in

NO_TERMS = Glossaries({}, "tr", {})


def catalog(*texts: tuple[object, object], language: str = "tr") -> Catalog:
    """Texts with what is said for each."""
    made = catalogues.read(Path("/nowhere"), language)
    for text, said in texts:
        made.add(text, said)  # type: ignore[arg-type]
    return made


def found(*texts: tuple[object, object], terms: Glossaries = NO_TERMS) -> list[str]:
    """What is wrong with a catalogue that has all that is asked."""
    kept = catalog(*texts, language=terms.language)
    return [str(fault) for fault in faults(kept, kept, terms)]


# --- What is extracted --------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("checks", "providers", "gpucompare", "templates"):
        (tmp_path / folder).mkdir()
    return tmp_path


def extracted(project: Path) -> set[tuple[object, str | None]]:
    return {(message.id, message.context) for message in messages(project) if message.id}


def test_texts_of_code_are_found_however_they_are_marked(project: Path) -> None:
    (project / "checks" / "a.py").write_text(
        "a = _('plain'); b = gettext_lazy(\n    'over '\n    'two lines')\n"
        "c = ngettext('one thing', '%(n)s things', n)\n"
        "d = pgettext_lazy('theme', 'dark'); e = f'{gettext(\"in a format\")}'\n"
    )
    assert extracted(project) >= {
        ("plain", None),
        ("over two lines", None),
        (("one thing", "%(n)s things"), None),
        ("dark", "theme"),
    }


def test_texts_of_templates_are_found_however_they_are_marked(project: Path) -> None:
    (project / "templates" / "a.html").write_text(
        '{% load i18n %}{% translate "it\'s plain" %}{% translate "dark" context "theme" %}'
        "{% blocktranslate trimmed count n=x|length %}\n  one row\n{% plural %}\n  {{ n }} rows\n"
        '{% endblocktranslate %}{{ x|default:_("nothing yet") }}'
        "{% blocktranslate with a=b %}100 % of {{ a }}{% endblocktranslate %}"
    )
    assert extracted(project) == {
        ("it's plain", None),
        ("dark", "theme"),
        (("one row", "%(n)s rows"), None),
        ("nothing yet", None),
        ("100 %% of %(a)s", None),
    }


def test_a_text_that_moves_within_its_file_changes_no_catalogue(project: Path) -> None:
    code = project / "checks" / "a.py"
    code.write_text("a = _('plain')\n")
    folder = project / "locale"
    assert catalogues.write(folder, "tr", catalogues.updated(folder, "tr", messages(project)))
    code.write_text("\n\n\na = _('plain')\n")
    assert not catalogues.write(folder, "tr", catalogues.updated(folder, "tr", messages(project)))


# --- What is kept -------------------------------------------------------------------------------


def test_an_update_keeps_what_is_translated_marks_what_was_reworded_and_drops_the_rest(
    tmp_path: Path,
) -> None:
    catalogues.write(
        tmp_path,
        "tr",
        catalog(
            ("stays", "kalır"),
            ("The price of this offering is not known", "Bu teklifin fiyatı bilinmiyor"),
            ("goes", "gider"),
        ),
    )
    now = Catalog(charset="utf-8")
    for text in ("stays", "The price of this offering is not known yet", "Entirely new words"):
        now.add(text)
    after = catalogues.updated(tmp_path, "tr", now)
    assert {m.id: (m.string or "", m.fuzzy) for m in after if m.id} == {
        "stays": ("kalır", False),
        "The price of this offering is not known yet": ("Bu teklifin fiyatı bilinmiyor", True),
        "Entirely new words": ("", False),
    }
    catalogues.write(tmp_path, "tr", after)
    assert "goes" not in (tmp_path / "tr" / catalogues.PO).read_text()


def test_a_catalogue_is_read_as_it_was_written(tmp_path: Path) -> None:
    six = ("لا", "واحد", "اثنان", "قليل", "كثير", "غير ذلك")
    catalogues.write(tmp_path, "ar", catalog((("one", "%(n)s"), six), language="ar"))
    written = (tmp_path / "ar" / catalogues.PO).read_bytes()
    again = catalogues.read(tmp_path, "ar")
    assert {m.id: m.string for m in again if m.id} == {("one", "%(n)s"): six}
    assert not catalogues.write(tmp_path, "ar", again)
    assert (tmp_path / "ar" / catalogues.PO).read_bytes() == written


def compiled(folder: Path, language: str) -> gettext.GNUTranslations:
    path = (folder / language / catalogues.PO).with_suffix(".mo")
    return gettext.GNUTranslations(io.BytesIO(path.read_bytes()))


def test_what_is_compiled_says_the_six_forms_of_arabic_and_no_fuzzy_text(tmp_path: Path) -> None:
    forms = tuple(f"form {n}" for n in range(6))
    texts = catalog((("one", "%(n)s of them"), forms), ("old", "قديم"), language="ar")
    next(m for m in texts if m.id == "old").flags.add("fuzzy")
    catalogues.write(tmp_path, "ar", texts)
    assert len(list(catalogues.compile_all(tmp_path))) == 1
    said = compiled(tmp_path, "ar")
    spoken = [said.ngettext("one", "%(n)s of them", n) for n in (0, 1, 2, 3, 10, 11, 99, 100, 103)]
    assert [int(form.split()[1]) for form in spoken] == [0, 1, 2, 3, 3, 4, 4, 5, 3]
    assert said.gettext("old") == "old"


def test_nothing_is_compiled_twice_and_what_changed_is_compiled_again(tmp_path: Path) -> None:
    catalogues.write(tmp_path, "tr", catalog(("a", "b")))
    assert list(catalogues.compile_all(tmp_path))
    assert not list(catalogues.compile_all(tmp_path))
    catalogues.write(tmp_path, "tr", catalog(("a", "c")))
    assert list(catalogues.compile_all(tmp_path))
    assert compiled(tmp_path, "tr").gettext("a") == "c"


def test_a_language_that_babel_does_not_know_has_a_catalogue_too(tmp_path: Path) -> None:
    catalogues.write(tmp_path, "xx", catalog((("one", "more"), ("eno", "erom")), language="xx"))
    list(catalogues.compile_all(tmp_path))
    assert compiled(tmp_path, "xx").ngettext("one", "more", 5) == "erom"


# --- What is wrong ------------------------------------------------------------------------------


def test_a_right_translation_has_no_fault() -> None:
    assert not found(
        ("Found <b>%(n)s</b> in {place}", "{place} içinde <b>%(n)s</b> bulundu"),
        (("one row", "%(n)s rows"), ("bir satır", "%(n)s satır")),
        ("GPU", "GPU"),
    )


@pytest.mark.parametrize(
    ("english", "said", "fault"),
    [
        ("plain", "", "is not translated"),
        (("one row", "%(n)s rows"), ("bir satır", ""), "is not translated"),
        ("of %(name)s", "of %(isim)s", "has the placeholders %(isim)s, not %(name)s"),
        ("of %(name)s", "bunun", "has the placeholders none, not %(name)s"),
        ("of {name}", "{name} {name}", "has the placeholders {name} {name}, not {name}"),
        (("one", "%(n)s rows"), ("bir", "satırlar"), "has the placeholders none, not %(n)s"),
        ("a <b>word</b>", "bir <i>söz</i>", "has the tags </i> <i>, not </b> <b>"),
        ("12 rows", "١٢ satır", "has digits that are not Latin"),
        ("12 rows", "১২ satır", "has digits that are not Latin"),
        ("rows", "\u202esatır", "turns the direction of the text"),
        ("rows", "satır ", "begins or ends with a space"),
        ("rows of it", "rows of it", f"is the English; flag it {SAME}"),
    ],
)
def test_each_fault_is_named(english: object, said: object, fault: str) -> None:
    (only,) = found((english, said))
    assert fault in only
    assert only.startswith("tr: ")


def test_a_text_that_is_reworded_missing_or_gone_is_named() -> None:
    kept = catalog(("old", "eski"), ("gone", "gitti"))
    next(m for m in kept if m.id == "old").flags.add("fuzzy")
    asked = catalog(("old", ""), ("new", ""))
    said = [str(fault) for fault in faults(kept, asked, NO_TERMS)]
    assert [line.split(" ")[1] for line in said] == ["'new'", "'gone'", "'old'"]
    assert "is missing" in said[0]
    assert "is used nowhere" in said[1]
    assert "is fuzzy" in said[2]


def test_a_word_that_is_the_same_in_both_languages_can_be_flagged() -> None:
    kept = catalog(("rootless", "rootless"))
    next(m for m in kept if m.id == "rootless").flags.add(SAME)
    assert not list(faults(kept, kept, NO_TERMS))


# --- Terms --------------------------------------------------------------------------------------


@pytest.fixture
def terms(tmp_path: Path) -> Glossaries:
    english = {
        "toolkit": {"title": "NVIDIA Container Toolkit"},
        "container": {"title": "container", "forms": ["containers"]},
        "host": {"title": "host"},
    }
    turkish = {
        "toolkit": {"title": "NVIDIA Container Toolkit"},
        "container": {"title": "kapsayıcı", "avoid": ["konteyner"]},
        "host": {"title": "makine", "forms": ["Isınan"]},
    }
    for code, entries in (("en", english), ("tr", turkish)):
        (tmp_path / code).mkdir()
        (tmp_path / code / "glossary.yaml").write_text(yaml.safe_dump(entries, allow_unicode=True))
    return Glossaries.read(tmp_path, "tr")


def test_terms_are_whole_words_and_the_longest_wins(terms: Glossaries) -> None:
    assert terms_in("Containers on a HOST", terms.english) == {"container", "host"}
    assert terms_in("The NVIDIA Container Toolkit", terms.english) == {"toolkit"}
    assert not terms_in(
        "hosted, self-host, %(host)s, {host}, `host`, <b class=host>", terms.english
    )


def test_another_word_for_a_term_and_a_word_to_avoid_are_faults(terms: Glossaries) -> None:
    assert not found(("a container", "bir Kapsayıcıdır"), terms=terms)
    (other,) = found(("a container", "bir kutu"), terms=terms)
    assert "says 'container' without 'kapsayıcı'" in other
    (avoided,) = found(("a container", "bir konteyner kapsayıcı"), terms=terms)
    assert "says 'konteyner' for 'kapsayıcı'" in avoided


def test_a_word_in_another_sense_can_be_flagged(terms: Glossaries) -> None:
    kept = catalog(("host of the party", "ev sahibi"))
    assert list(faults(kept, kept, terms))
    next(m for m in kept if m.id == "host of the party").flags.add(OTHER_SENSE)
    assert not list(faults(kept, kept, terms))


def test_turkish_i_with_and_without_a_dot_are_told_apart(terms: Glossaries) -> None:
    assert folded("İMAJ", "tr") == "imaj"
    assert folded("ISI", "tr") == "ısı"
    assert folded("IMAGE", "bn") == "image"
    assert not found(("a host", "ISINAN bir şey"), terms=terms)
    assert found(("a host", "isinan bir şey"), terms=terms)


# --- The project's own --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return messages()


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES[1:]])
def test_the_interface_is_whole_in(language: str, texts: Catalog) -> None:
    kept = catalogues.read(settings.LOCALE_PATHS[0], language)
    terms = Glossaries.read(settings.CONTENT_DIR, language)
    assert not [str(fault) for fault in faults(kept, texts, terms)]


def test_the_command_names_every_fault_and_fails(tmp_path: Path, texts: Catalog) -> None:
    with override_settings(LOCALE_PATHS=[tmp_path]):
        with pytest.raises(CommandError, match=r"is missing.*\n(.*\n)*\d+ faults") as raised:
            call_command("translations", "check", language="tr")
        assert len(str(raised.value).splitlines()) == len(texts) + 1


def test_the_command_begins_a_language_and_compiles_it(tmp_path: Path) -> None:
    output = io.StringIO()
    with override_settings(LOCALE_PATHS=[tmp_path], LANGUAGES=[("en", "English"), ("xx", "New")]):
        for task in ("update", "update", "compile"):
            call_command("translations", task, stdout=output)
    assert output.getvalue().split("\n") == ["xx: updated", "xx: nothing to do", "xx: compiled", ""]
    assert (tmp_path / "xx" / "LC_MESSAGES" / "django.mo").exists()


def test_a_language_that_settings_do_not_name_is_refused() -> None:
    with pytest.raises(CommandError, match="'de' is none of LANGUAGES: ar, ur, tr, bn"):
        call_command("translations", "check", language="de")

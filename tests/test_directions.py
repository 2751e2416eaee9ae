"""Names and figures in a text that runs from right to left stay in one piece."""

from __future__ import annotations

import gettext
import io
import re
from pathlib import Path

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from gpucompare import spoken
from gpucompare.translations import catalogues
from gpucompare.translations.directions import END, ISOLATE, RIGHT_TO_LEFT_MARK, directed
from providers.dimensions import DIMENSIONS
from tests.test_translations import catalog

MARKS = re.compile(f"[{ISOLATE}{END}{RIGHT_TO_LEFT_MARK}]")


@pytest.mark.parametrize(
    ("text", "compiled"),
    [
        ("السعر %(price)s", f"السعر {ISOLATE}%(price)s{END}"),
        ("بعد %s يوم", f"بعد {ISOLATE}%s{END} يوم"),
        ('<a href="%(url)s">هنا</a>', f'{RIGHT_TO_LEFT_MARK}<a href="%(url)s">هنا</a>'),
        ("شغّل `docker pull %(image)s`", "شغّل `docker pull %(image)s`"),
        ("<code>%(image)s</code> صورة", "<code>%(image)s</code> صورة"),
        ("Docker ڈیمان", f"{RIGHT_TO_LEFT_MARK}Docker ڈیمان"),
        ("%(n)s صف", f"{RIGHT_TO_LEFT_MARK}{ISOLATE}%(n)s{END} صف"),
        ("GPU", "GPU"),
        ("%(n)s GB", f"{ISOLATE}%(n)s{END} GB"),
        ("", ""),
    ],
)
def test_a_text_gets_the_marks_that_it_needs(text: str, compiled: str) -> None:
    assert directed(text) == compiled


@given(st.text(alphabet="اب aZ%()s`<>n1.$", max_size=30))
def test_without_its_marks_a_compiled_text_is_the_translation(text: str) -> None:
    compiled = directed(text)
    assert MARKS.sub("", compiled) == text
    assert compiled.count(ISOLATE) == compiled.count(END)


def compiled(folder: Path, code: str) -> gettext.GNUTranslations:
    path = (folder / code / catalogues.PO).with_suffix(".mo")
    return gettext.GNUTranslations(io.BytesIO(path.read_bytes()))


def test_marks_are_in_what_is_compiled_and_not_in_what_translators_edit(tmp_path: Path) -> None:
    for code, forms in (("ar", 6), ("tr", 2)):
        texts = catalog(
            ("of %(n)s", "%(n)s مما"), (("one", "%(n)s"), ("%(n)s",) * forms), language=code
        )
        catalogues.write(tmp_path, code, texts)
    list(catalogues.compile_all(tmp_path))
    assert compiled(tmp_path, "ar").gettext("of %(n)s") == directed("%(n)s مما")
    assert compiled(tmp_path, "ar").ngettext("one", "%(n)s", 7) == f"{ISOLATE}%(n)s{END}"
    assert compiled(tmp_path, "tr").gettext("of %(n)s") == "%(n)s مما"
    assert not MARKS.search((tmp_path / "ar" / catalogues.PO).read_text())


@pytest.mark.parametrize("code", ["ar", "ur"])
def test_the_parts_of_a_list_are_ordered_each_by_itself(code: str) -> None:
    with translation.override(code):
        assert spoken.joined(["Docker خادم", "Jupyter"]).count(ISOLATE) == 2
    with translation.override("tr"):
        assert not MARKS.search(spoken.joined(["Docker", "Jupyter"]))


@pytest.mark.parametrize("code", ["ar", "ur"])
def test_no_answer_of_a_dimension_runs_the_wrong_way(code: str) -> None:
    """An answer stands in an element that takes its direction from the first letter."""
    with translation.override(code):
        labels = [str(value.label) for d in DIMENSIONS.values() for value in d.values]
    mixed = [text for text in labels if re.search("[a-zA-Z]", text) and re.search("[ء-ے]", text)]
    assert mixed
    assert all(re.match(f"[{RIGHT_TO_LEFT_MARK}ء-ے]", text) for text in mixed)

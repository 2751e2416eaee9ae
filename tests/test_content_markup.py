"""The markup of texts: a few marks, all else words; what is not understood is a fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.content.markup import (
    Block,
    Bullets,
    Code,
    Inline,
    Link,
    Paragraph,
    Strong,
    Words,
    inlines_of,
    parse,
)
from checks.content.placeholders import Placeholder, TextError


def paragraph(*parts: Inline) -> Paragraph:
    return Paragraph(parts)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", ()),
        ("One.", (paragraph(Words("One.")),)),
        ("One\nline.", (paragraph(Words("One line.")),)),
        ("One.\n\nTwo.", (paragraph(Words("One.")), paragraph(Words("Two.")))),
        ("One.\n\n\n\nTwo.", (paragraph(Words("One.")), paragraph(Words("Two.")))),
        ("- One\n- Two", (Bullets(((Words("One"),), (Words("Two"),))),)),
        ("- One\n  goes on\n- Two", (Bullets(((Words("One goes on"),), (Words("Two"),))),)),
        ("A - B", (paragraph(Words("A - B")),)),
        ("Say `a {b} [c]`.", (paragraph(Words("Say "), Code("a {b} [c]"), Words(".")),)),
        ("**Now**", (paragraph(Strong((Words("Now"),))),)),
        ("**a `b`**", (paragraph(Strong((Words("a "), Code("b")))),)),
        ("[to](/x/)", (paragraph(Link((Words("to"),), "/x/")),)),
        ("{total}", (paragraph(Placeholder("total")),)),
        (
            "[{count:spot=yes} there](/?spot=yes)",
            (paragraph(Link((Placeholder("count", "spot=yes"), Words(" there")), "/?spot=yes")),),
        ),
    ],
)
def test_a_text_is_paragraphs_and_lists(text: str, blocks: tuple[Block, ...]) -> None:
    assert parse(text) == blocks


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a `b", 2),
        ("**a", 0),
        ("One.\n\na {b", 8),
        ("a} b", 1),
        ("[a] b", 0),
        ("[a](b c)", 0),
        ("- fine\n- [a](", 9),
        ("x [y **z](/a/)", 5),
    ],
)
def test_a_mark_that_does_not_end_is_a_fault_with_its_place(text: str, at: int) -> None:
    with pytest.raises(TextError, match="begins or ends nothing") as raised:
        parse(text)
    assert raised.value.at == at


def test_an_unknown_placeholder_tells_its_place() -> None:
    with pytest.raises(TextError, match="is not one of") as raised:
        parse("One.\n\nTwo {three}.")
    assert raised.value.at == 10


def test_every_part_is_found_however_deep_it_stands() -> None:
    blocks = parse("a\n\n- **b {total}**\n- [`c`](/d/)")
    found = list(inlines_of(blocks))
    assert Placeholder("total") in found
    assert Code("c") in found
    assert [part.address for part in found if isinstance(part, Link)] == ["/d/"]


@given(st.text(alphabet="ab `*[](){}-\n:=/<>&", max_size=60))
def test_any_text_is_parsed_or_refused_with_a_place_in_it(text: str) -> None:
    parts, place = parsed_or_refused(text)
    assert 0 <= place <= len(text)
    words = "".join(part.text for part in parts if isinstance(part, Words))
    assert not set(words) & set("`{}[]")


def parsed_or_refused(text: str) -> tuple[list[Inline], int]:
    """The parts of a text, or none and the place of its fault."""
    try:
        return list(inlines_of(parse(text))), 0
    except TextError as fault:
        return [], fault.at


@given(st.text(alphabet="äöü ع ব abc.,:;!?<>&\"'", min_size=1))
def test_words_without_marks_stay_as_they_are(text: str) -> None:
    words = "".join(p.text for p in inlines_of(parse(text)) if isinstance(p, Words))
    assert "".join(words.split()) == "".join(text.split())

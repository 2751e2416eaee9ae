"""Two texts side by side."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from providers.watch.differences import Span, side_by_side


def spelled(spans: tuple[Span, ...]) -> str:
    return "".join(f"[{span.text}]" if span.differs else span.text for span in spans)


def told(before: str, after: str) -> list[tuple[str, str]]:
    return [(spelled(p.before), spelled(p.after)) for p in side_by_side(before, after)]


def test_words_that_differ_are_marked_on_their_side() -> None:
    assert told("# Limits\nUp to 80 GB.", "# Limits\nUp to 90 GB.") == [
        ("# Limits", "# Limits"),
        ("Up to [80] GB.", "Up to [90] GB."),
    ]


def test_a_line_of_one_side_has_nothing_beside_it() -> None:
    assert told("a\nb", "a") == [("a", "a"), ("[b]", "")]
    assert told("", "new") == [("", "[new]")]
    assert told("", "") == []


@given(st.text(), st.text())
def test_both_texts_stand_there_whole(before: str, after: str) -> None:
    pairs = side_by_side(before, after)
    for text, side in ((before, "before"), (after, "after")):
        lines = ["".join(span.text for span in getattr(pair, side)) for pair in pairs]
        assert [line for line in lines if line] == [line for line in text.splitlines() if line]


def test_long_texts_are_compared_in_a_moment() -> None:
    one = "\n".join("a b " * 250 for _ in range(8))
    other = "\n".join("b c a " * 166 for _ in range(8))
    begun = time.thread_time()
    side_by_side(one, other)
    assert time.thread_time() - begun < 5

"""The text near a claim: found by its words, moved by nothing else on the page."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.watch.html import MOST_CHARACTERS, blocks_of
from providers.watch.passage import Near, near
from providers.watch.texts import blocks

WORDS = {"docker": 2, "daemon": 2, "bazel": 3, "image": 1, "pod": 1}
CLAIM = "Pods run no Docker daemon; images can be built with Bazel."
# None of the claim's words.
FAR_WORDS = st.sampled_from(
    "price region storage volume network ticket team mail 2026 12 € – ü weight".split()  # noqa: SIM905
)
FAR = st.lists(st.lists(FAR_WORDS, min_size=1, max_size=12).map(" ".join), max_size=8)


def page(before: list[str], claim: str, after: list[str]) -> str:
    def paragraphs(texts: list[str]) -> str:
        return "".join(f"<p>{text}</p>\n" for text in texts)

    return (
        f"<html><head><title>x</title></head><body><main><h1>Overview</h1>{paragraphs(before)}"
        f"<h2>Building</h2><p>{claim}</p><h2>Else</h2>{paragraphs(after)}</main></body></html>"
    )


def digest(html: str) -> str:
    return near(blocks_of(html), WORDS).digest


# --- What moves a passage ---------------------------------------------------------------


@given(FAR, FAR, FAR, FAR)
def test_text_far_from_the_claim_does_not_move_its_passage(
    before: list[str], after: list[str], other: list[str], another: list[str]
) -> None:
    assert digest(page(before, CLAIM, after)) == digest(page(other, CLAIM, another))


@given(st.sampled_from(CLAIM.split()), st.sampled_from(["never", "9", "rootless"]))
def test_another_word_in_the_sentence_of_the_claim_changes_it(old: str, new: str) -> None:
    changed = CLAIM.replace(old, new, 1)
    assert digest(page([], CLAIM, [])) != digest(page([], changed, []))


@given(st.text(max_size=2000), st.sampled_from(["text/html", "text/plain", "application/json"]))
def test_the_same_page_gives_the_same_passage(text: str, kind: str) -> None:
    body = text.encode("utf-8", "replace")
    first, second = (near(blocks(body, kind) or [], WORDS) for _ in range(2))
    assert first == second
    first.text.encode()  # what no database takes is not in it
    assert "\0" not in first.text


def test_a_sentence_that_left_the_page_leaves_its_passage() -> None:
    gone = near(blocks_of(page(["price"], "We moved.", [])), WORDS)
    assert gone.text == ""
    assert gone.digest != digest(page([], CLAIM, []))


def test_a_passage_is_the_sentences_of_the_claim_under_their_headings() -> None:
    long = "This text is long. " * 30
    html = page(["Nothing to see."], f"{long}{CLAIM} {long}", [])
    assert near(blocks_of(html), WORDS).text == f"# Building\n{CLAIM}"


def test_without_a_sentence_the_section_is_taken_whose_heading_tells() -> None:
    html = "<h2>Prices</h2><p>One.</p><h2>The Docker way</h2><p>Two.</p><p>3.</p><h2>End</h2><p>4"
    assert near(blocks_of(html), WORDS).text == "# The Docker way\nTwo.\n3."


def test_a_page_without_anything_of_the_kind_has_an_empty_passage() -> None:
    assert near(blocks_of("<p>Hello <b>there</b>"), WORDS) == Near("")
    assert near([], WORDS) == near(blocks_of(page([], CLAIM, [])), {}) == Near("")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Last updated: May 12, 2026", "Last updated: 3 June 2026"),
        ("Last modified on 2026-05-12", "last modified on 2026-06-01"),
        ("Updated 3 days ago", "Updated 2 months ago"),
        ("1,234 stars", "1,301 stars"),
        ("5 min read", "6 min read"),
        ("© 2025 Acme", "© 2026 Acme"),
        ("It’s “so”", 'It\'s "so"'),
        ("a  b\u00a0c", "a b c"),
        ("ﬁne", "fine"),
    ],
)
def test_what_passes_with_time_is_no_change(one: str, other: str) -> None:
    assert Near(f"{CLAIM} {one}").digest == Near(f"{CLAIM} {other}").digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deprecated on 2026-05-12", "Deprecated on 2026-06-12"),
        ("570.195.03", "570.195.30"),
        ("5 minutes", "6 minutes"),
        ("up to 80 GB", "up to 90 GB"),
        ("is supported", "is not supported"),
    ],
)
def test_what_a_claim_may_rest_on_is_a_change(one: str, other: str) -> None:
    assert Near(f"{CLAIM} {one}").digest != Near(f"{CLAIM} {other}").digest


# --- What a page's text is --------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>a<p>b", ["a", "b"]),
        ("<p>a <b>b</b> c</p>", ["a b c"]),
        ("<script>if (a < b) '<p>no</p>'</script><p>a", ["a"]),
        ("<STYLE>p{}</STYLE ><P>a", ["a"]),
        ("<script></scripts><p>no</script><p>a", ["a"]),
        ("<nav><nav>x</nav>y</nav><p>a</p><footer>z</footer>", ["a"]),
        ("<nav>x<main><p>a</main>", ["a"]),
        ("<p>a <time>2 days</time></p><svg><title>t</title></svg><svg/>b", ["a", "b"]),
        ("<!-- <p>no --><p>a<!--><p>b", ["a", "b"]),
        ('<p title="a > b" class=x>a</p>', ["a"]),
        ("<p title='a>b'>a</p>", ["a"]),
        ('<p title="x"">a</p>', ["a"]),
        ("a &lt;p&gt; &amp;&nbsp;b &#233;&#xe9;", ["a <p> & b éé"]),
        ("1 < 2 <3", ["1 < 2 <3"]),
        ("<tr><td>a<td>b<tr><th>c", ["a b", "c"]),
        ("<pre>one\n two\n</pre>", ["one", "two"]),
        ("<button>x<p>a", ["a"]),
        ("<p>a</p><script>", ["a"]),
        ("<p>a</p><a href=", ["a"]),
        ("<!doctype html><?xml x?><p>a</p>", ["a"]),
        ("", []),
    ],
)
def test_the_text_of_html(html: str, texts: list[str]) -> None:
    assert [block.text for block in blocks_of(html)] == texts


def test_headings_have_their_level() -> None:
    found = [(block.text, block.level) for block in blocks_of("<h1>a</h1>b<h3>c<b>d</b></h3>e")]
    assert found == [("a", 1), ("b", 0), ("cd", 3), ("e", 0)]


@pytest.mark.parametrize(
    ("body", "kind", "texts"),
    [
        (b"# A\n\none\ntwo\n\n- x\n- y", "text/markdown", ["A", "one two", "- x", "- y"]),
        (b'{"a": {"b": [1, {"c": "d"}]}}', "application/json", ["a.b: 1", "a.b.c: d"]),
        (b'{"a": ', "application/json", ['{"a":']),
        (b"[" * 100_000, "application/json", ["[" * 100_000]),
        (b"a: 1\nb: 2", "application/yaml", ["a: 1 b: 2"]),
        ("é".encode("latin-1"), "text/plain; charset=iso-8859-1", ["é"]),
        ("é".encode("latin-1"), "text/plain", ["é"]),
        ("é".encode(), "text/plain", ["é"]),
        ("é".encode(), "text/plain; charset=no-such", ["é"]),
        (b"e-9ia", "text/plain; charset=punycode", ["e-9ia"]),
        (b"\xff\xff", "text/plain; charset=utf-8", ["��"]),
        ("é".encode("utf-16"), "text/plain", ["é"]),
        (b"\xef\xbb\xbfa", "text/plain", ["a"]),
        (b'<meta charset="windows-1251"><p>\xe4', "text/html", ["д"]),
        (b"<p>a", "", ["a"]),
        (b"a <p>", "", ["a <p>"]),
    ],
)
def test_the_text_of_what_was_sent(body: bytes, kind: str, texts: list[str]) -> None:
    found = blocks(body, kind)
    assert found is not None
    assert [block.text for block in found] == texts


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"x", "application/octet-stream"),
        (b"\x89PNG\0\0", "text/html"),
        (b"\0", ""),
    ],
)
def test_what_is_no_text_has_no_blocks(body: bytes, kind: str) -> None:
    assert blocks(body, kind) is None


# --- Hostile pages ----------------------------------------------------------------------

HOSTILE = {
    "open tags": "<a>",
    "marks": "<",
    "open comments": "<!--",
    "comments": "<!-- x -->",
    "tags without an end": "<a ",
    "values without an end": '<a ="',
    "values with either quote": "<a ='\"",
    "spaces after a sign": "<a = = = ",
    "ampersands": "&",
    "one number": "&#99999999",
    "digits": "9",
    "scripts": "<script>",
    "scripts that do not end": "<script></script",
    "empty scripts": "<script></script>",
    "declarations": "<!",
    "closing tags": "</a",
    "headings": "<h1>docker",
    "paragraphs": "<p>docker daemon",
    "rows": "<tr><td>docker daemon bazel",
    "a sentence without an end": "docker daemon ",
    "sentences": "docker daemon. ",
    "hyphens": "a-",
    "lines of code": "\ndocker daemon",
    "spaces": " ",
    "days": "updated may 1",
    "JSON": '{"docker":',
}


def seconds(body: bytes, kind: str) -> float:
    begun = time.thread_time()
    found = near(blocks(body, kind) or [], WORDS)
    assert found.digest
    assert len(found.text) <= 8000
    return time.thread_time() - begun


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "text/html") for name in HOSTILE),
        *((name, "text/markdown") for name in ("sentences", "lines of code", "spaces", "hyphens")),
        *((name, "application/json") for name in ("JSON", "digits", "lines of code")),
    ],
)
def test_a_hostile_page_ends_within_two_seconds(name: str, kind: str) -> None:
    body = (HOSTILE[name] * (MOST_CHARACTERS // len(HOSTILE[name]) + 1)).encode()
    # Once more: the machine may be busy with something else.
    assert seconds(body, kind) < 2 or seconds(body, kind) < 2


def test_a_hostile_page_takes_no_more_memory_than_some_of_its_length() -> None:
    for piece in ("<p>docker", "docker daemon. "):
        body = (piece * (4 * 1024**2 // len(piece))).encode()
        tracemalloc.start()
        near(blocks(body, "text/html") or [], WORDS)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100 * 1024**2


@given(st.lists(st.sampled_from([*HOSTILE.values(), ">", '"', "'", "</script>", "-->", CLAIM])))
def test_any_mixture_of_marks_is_read(pieces: list[str]) -> None:
    near(blocks_of("".join(pieces)), WORDS)

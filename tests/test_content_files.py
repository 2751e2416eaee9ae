"""Files of texts: every fault is told with file and line, and then nothing is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.content.files import read_content, trusted
from checks.content.rules import MAX_LISTING_COUNTS
from providers.catalog.faults import CatalogFaults
from tests.content_texts import entry, question, source, translated, write

FAQ = {"one": question("One?"), "two": question("Two?", sources=[source(), source(day=None)])}
GUIDE = {"start": entry("Start", "First\n\n- a\n- b", dimension="docker_daemon")}
TERMS = {"daemon": entry("daemon", "A service.", forms=["daemons"], avoid=["server: no"])}


def told(directory: Path) -> list[str]:
    with pytest.raises(CatalogFaults) as raised:
        read_content(directory)
    return str(raised.value).splitlines()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    files = read_content(write(tmp_path, en_faq=FAQ, en_guide=GUIDE, en_glossary=TERMS))

    assert files.entries == {"en/faq": FAQ, "en/guide": GUIDE, "en/glossary": TERMS}
    assert list(files.entries["en/faq"]) == ["one", "two"]
    assert files.texts["en/faq"] == (tmp_path / "en/faq.yaml").read_text()


def test_a_file_that_was_loaded_is_read_without_being_judged(tmp_path: Path) -> None:
    text = write(tmp_path, en_faq=FAQ).joinpath("en/faq.yaml").read_text()

    assert trusted("en/faq", text) == FAQ
    assert trusted("en/faq", text.replace("spot=yes", "gone=yes"))["one"].title == "One?"
    assert trusted("en/faq", None) == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "en/faq.yaml:1: is empty"),
        ("- a", "en/faq.yaml:1: ['a'] is not a mapping of keys and values"),
        ("one: 1", "en/faq.yaml:1: one: 1 is not a mapping of keys and values"),
        ("one:\n  body: x\n", "en/faq.yaml:1: one.title: is missing"),
        ("one:\n  title: 7\n", "en/faq.yaml:2: one.title: 7 is not a text"),
        ("One!:\n  title: A\n", "en/faq.yaml:1: One!: 'One!' is not a slug"),
        ("one:\n  title: A\none:\n  title: B\n", "en/faq.yaml:3: one: stands twice; keep one"),
        (
            "one:\n  title: A\n  text: B\n",
            "en/faq.yaml:3: one.text: is not a known key; allowed: title, body, live, dimension",
        ),
        (
            "one:\n  title: A\n  sources:\n  - {address: ftp://x, read_on: null}\n",
            "en/faq.yaml:4: one.sources.0.address: 'ftp://x' is not an http or https address",
        ),
        (
            "one:\n  title: A\n  sources:\n  - {address: https://x.example}\n",
            "en/faq.yaml:4: one.sources.0.read_on: is missing",
        ),
        (
            "one:\n  title: A\n  sources:\n  - {address: https://x.example, read_on: 2026-13-01}\n",
            "en/faq.yaml:4: one.sources.0.read_on: '2026-13-01' is not a day",
        ),
        ("one:\n  title: A\n  body: 'a \n\n\n  b'\n  of: x\n", "of: 'x' is not a digest"),
        ('one:\n  title: A\n  body: "a\\tb"\n', "one.body: has a tab"),
        ("one:\n  title: A\n  body: |\n    a  \n    b\n", "one.body: has space"),
        ("one:\n  title: A\n  body: ''\n", "one.body: is 0 characters long"),
    ],
)
def test_a_file_of_another_shape_is_a_fault(tmp_path: Path, text: str, fault: str) -> None:
    assert any(fault in line for line in told(write(tmp_path, en_faq=text)))


PLACED = """\
# A comment.
one:
  title: One?
  body: |
    Fine.

    On the second line {count:docker_daemon=sudo}.
  live: "{count:spot=yes} and [nothing](/nowhere/)"
two:
  title: Two?
  body: Plain {oops}.
"""


def test_a_fault_inside_a_text_tells_the_line_it_stands_on(tmp_path: Path) -> None:
    found = told(write(tmp_path, en_faq=PLACED))

    assert [line.partition(": ")[0] for line in found] == [
        "en/faq.yaml:7",
        "en/faq.yaml:8",
        "en/faq.yaml:9",
        "en/faq.yaml:11",
    ]
    assert "'sudo' is not a value of docker_daemon; allowed: root" in found[0]
    assert "/nowhere/ is not an address of the site" in found[1]
    assert found[2] == "en/faq.yaml:9: two.live: is missing"
    assert "{oops} is not one of {total}" in found[3]


def test_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    found = told(write(tmp_path, en_faq="one: 1", en_guide="two: 2", ar_faq="three: 3"))

    assert [line.partition(":")[0] for line in found] == [
        "ar/faq.yaml",
        "en/faq.yaml",
        "en/guide.yaml",
    ]


def test_a_file_that_nobody_knows_is_a_fault(tmp_path: Path) -> None:
    (line, other) = told(write(tmp_path, en_news="one: 1", xx_faq="one: 1", en_faq=FAQ))

    assert line.startswith("en/news.yaml:1: is no file of texts; allowed: en|ar|ur|tr|bn/")
    assert other.startswith("xx/faq.yaml:1: is no file of texts")


def test_a_directory_without_english_is_a_fault(tmp_path: Path) -> None:
    assert "holds no texts (en/*.yaml)" in told(write(tmp_path, ar_faq="one: 1"))[0]


def test_a_translation_of_nothing_is_a_fault(tmp_path: Path) -> None:
    arabic = {"gone": translated(FAQ["one"], "ما هو؟")}

    assert told(write(tmp_path, en_faq=FAQ, ar_faq=arabic)) == [
        "ar/faq.yaml:1: gone: translates nothing: en/faq.yaml has no such key"
    ]


def test_links_between_texts_are_followed(tmp_path: Path) -> None:
    linked = question(
        body="See [it](/faq/#two), [a term](/guide/#term-daemon), [all](/guide/#glossary)."
    )
    write(tmp_path, en_faq=FAQ | {"one": linked}, en_guide=GUIDE, en_glossary=TERMS)
    assert read_content(tmp_path).entries["en/faq"]["one"] == linked

    broken = question(body="First.\n\nSee [it](/guide/#term-gone).")
    (line,) = told(write(tmp_path, en_faq=FAQ | {"one": broken}))
    assert line == "en/faq.yaml:6: one.body: /guide/ has no entry 'term-gone'"


def test_a_page_counts_listings_in_few_ways(tmp_path: Path) -> None:
    queries = [f"min_cuda=12.{n}" for n in range(MAX_LISTING_COUNTS + 1)]
    texts = [f"{{count:{query}}} of [these](/)" for query in queries]
    few = {f"q{n}": question(live=text) for n, text in enumerate(texts[:-1])}
    assert read_content(write(tmp_path, en_faq=few))

    many = few | {"more": question(live=texts[-1])}
    (line,) = told(write(tmp_path, en_faq=many))
    assert line.startswith("en/faq.yaml:1: counts listings in 5 ways; at most 4: min_cuda=12.0")


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path, en_faq=FAQ)
    (tmp_path / "en/guide.yaml").write_bytes(b"one:\n  title: \xff\n")

    assert told(tmp_path) == ["en/guide.yaml:2: is not UTF-8 text"]

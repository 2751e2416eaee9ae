"""What a robots.txt allows: the group that is for us, the longest rule, `*` and `$`."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.watch.robots import NOWHERE, parse

FILE = """\
# For all
User-agent: *
Disallow: /private
Allow: /private/but
Disallow: /*/raw/
Disallow: /*.pdf$
Crawl-delay: 7

User-agent: other
User-agent: GpuCompare
Disallow: /ours  # not for us
Disallow:
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("any", "/", True),
        ("any", "/private/x", False),
        ("any", "/private/but/this", True),
        ("any", "/a/b/raw/c", False),
        ("any", "/a/rawer", True),
        ("any", "/x.pdf", False),
        ("any", "/x.pdf?page=2", True),
        ("any", "/%70rivate", False),
        ("gpucompare", "/ours", False),
        ("gpucompare", "/private", True),
        ("other", "/ours/x", False),
    ],
)
def test_the_longest_rule_of_our_group_decides(agent: str, path: str, allowed: bool) -> None:
    assert parse(FILE, agent).allows(path) is allowed


def test_of_two_rules_alike_the_one_that_allows_decides() -> None:
    assert parse("user-agent: *\ndisallow: /a\nallow: /a", "x").allows("/a")


def test_a_delay_is_of_its_group_and_is_a_number() -> None:
    assert parse(FILE, "any").delay_s == 7
    assert parse(FILE, "gpucompare").delay_s == 0
    assert parse("user-agent: *\ncrawl-delay: inf", "x").delay_s == 0


def test_rules_that_cannot_be_read_keep_us_out() -> None:
    assert not NOWHERE.allows("/")


@given(st.text(), st.text())
def test_anything_can_be_read(text: str, path: str) -> None:
    parse(f"user-agent: *\ndisallow: {text}\n{text}", "x").allows(f"/{path}")


def test_no_pattern_takes_longer_than_its_length() -> None:
    robots = parse("user-agent: *\n" + "disallow: /" + "*a" * 240 + "$\n" * 1000, "x")
    begun = time.thread_time()
    robots.allows("/" + "a" * 2000 + "b")
    assert time.thread_time() - begun < 1

"""Contents of shares: one spelling, read back as they were, and bounded."""

from __future__ import annotations

import json
import zlib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings

from providers.shares import content as contents_module
from providers.shares.content import MOST_BYTES, MOST_ROWS, Content, TooLargeError, freeze, thaw
from tests.sharing import answer, content, contents, price, row


@given(contents)
def test_whatever_is_frozen_thaws_as_it_was(held: Content) -> None:
    plain, packed = freeze(held)
    assert thaw(packed) == held
    # And again to the same bytes: one content has one spelling.
    assert freeze(thaw(packed)) == (plain, packed)


@given(contents, contents)
@settings(max_examples=50)
def test_two_contents_share_a_spelling_only_if_they_are_the_same(a: Content, b: Content) -> None:
    assert (freeze(a)[0] == freeze(b)[0]) == (a == b)


def test_the_form_of_version_one_stays_readable_for_good() -> None:
    """Written by the first release: never change this text, add a reader instead."""
    written = (
        '{"columns":["docker_daemon"],"day":"2026-11-30","kind":"browse","match":1,"rows":[{'
        '"answers":[{"basis":"documented","dimension":"docker_daemon","read_on":"2026-08-20",'
        '"source":"https://docs.example","source_kind":"provider","value":"root"},'
        '{"dimension":"registries","value":["any"]}],"key":"runpod/pods","name":"Pods",'
        '"offering":7,"prices":[{"day":"2026-11-29","gpu":"H100","gpu_count":8,"instance":"19.92",'
        '"kind":"cheapest","origin":"live","shown":"2.49"}],"provider":"RunPod",'
        '"status":"active"}],"values":[["gpu",["h100"]]],"version":1}'
    )
    found = thaw(zlib.compress(written.encode()))
    assert found.json_bytes().decode() == written
    assert found.rows[0].prices[0].shown == Decimal("2.49")
    assert found.rows[0].answers[1].value == ("any",)


@pytest.mark.parametrize(
    ("plain", "why"),
    [
        ('{"version":2}', "no reader for version 2"),
        ("{}", "no reader for version None"),
        ('{"version":1,"kind":"browse","day":"2026-11-30"}', "rows"),
        ('{"version":1,"kind":"browse","day":"2026-11-30","rows":[],"visitor":"me"}', "visitor"),
        ('{"version":1,"kind":"browse","day":"today","rows":[]}', "day"),
        (
            '{"version":1,"kind":"browse","day":"2026-11-30","rows":[],"usd_per_unit":"0"}',
            "usd_per_unit",
        ),
    ],
)
def test_what_is_no_share_is_refused_with_its_reason(plain: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        thaw(zlib.compress(plain.encode()))


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (b"", "longer than any share"),
        (b"not zlib", "not compressed"),
        (zlib.compress(b"x" * (MOST_BYTES + 1)), "longer than any share"),
        (zlib.compress(b"{}")[:-3], "longer than any share"),
    ],
)
def test_what_does_not_unpack_within_its_bounds_is_refused(packed: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        thaw(packed)


def test_more_than_a_share_may_hold_is_refused() -> None:
    noise = [f"{n:x}".zfill(200) for n in range(8_000)]
    large = content(row(answers=tuple(answer(value=text) for text in noise)))
    with pytest.raises(TooLargeError):
        freeze(large)


def test_what_packs_badly_is_measured_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents_module, "MOST_STORED", 10)
    with pytest.raises(TooLargeError):
        freeze(content(row()))


def test_no_more_rows_than_a_page_can_show() -> None:
    with pytest.raises(ValueError, match="at most 400"):
        content(*(row(n + 1) for n in range(MOST_ROWS + 1)))


def test_a_share_says_nothing_of_whoever_made_it() -> None:
    def names(part: Any) -> set[str]:
        if isinstance(part, dict):
            return set(part).union(*map(names, part.values()))
        return set().union(*map(names, part)) if isinstance(part, list) else set()

    full = content(
        row(answers=(answer(source="https://docs.example"),), prices=(price(),)), match=1
    )
    held = names(json.loads(full.json_bytes()))
    assert held <= {
        *("version", "kind", "day", "match", "rows", "offering", "key", "provider", "name"),
        *("status", "answers", "dimension", "value", "source", "prices"),
        *("shown", "instance", "gpu", "gpu_count", "origin"),
    }

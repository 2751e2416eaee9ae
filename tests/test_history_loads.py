"""Loads of files write history too: one row for each change, and none where nothing changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checks.content.store import load as load_content
from checks.models import ContentEntry
from providers.catalog.store import load
from providers.models import Claim, Offering, Provider
from tests import catalog_texts as made
from tests.content_texts import question
from tests.content_texts import write as write_content

pytestmark = pytest.mark.django_db

CLAIMS = {"spot": made.claim(True), "ssh": made.claim(True), "jupyter": made.claim(True)}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return made.write(tmp_path / "catalog", acme(CLAIMS))


def acme(claims: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return made.provider("acme", made.offering("pods", claims=claims), **fields)


def history(*models: Any) -> list[tuple[str, str, str]]:
    """(row, kind of change, reason), and forgets them."""
    return sorted(_rows(models or (Provider, Offering, Claim)))


def _rows(models: Any) -> Iterator[tuple[str, str, str]]:
    for model in models:
        for row in model.history.all():
            name = row.dimension if model is Claim else model.__name__
            yield name, row.history_type, row.history_change_reason
        model.history.all().delete()


def test_a_first_load_is_the_first_row_of_each(files: Path) -> None:
    load(files)
    told = ("+", "catalog file acme.yaml")
    names = ["Offering", "Provider", "jupyter", "spot", "ssh"]
    assert history() == [(name, *told) for name in names]


def test_an_unchanged_load_is_no_history(files: Path) -> None:
    load(files)
    history()
    load(files)
    assert history() == []


def test_each_changed_claim_has_one_row(files: Path) -> None:
    load(files)
    history()
    changed = CLAIMS | {"ssh": made.claim(False), "spot": made.claim(True, note="By auction.")}
    load(made.write(files, acme(changed)))
    told = ("~", "catalog file acme.yaml")
    assert history() == [("spot", *told), ("ssh", *told)]
    assert {c.dimension: c.value for c in Claim.objects.all()}["ssh"] is False


def test_a_dropped_claim_is_retired_once(files: Path) -> None:
    load(files)
    history()
    load(made.write(files, acme({key: CLAIMS[key] for key in ("ssh", "jupyter")})))
    assert history() == [("spot", "~", "no longer in its file")]


def test_an_offering_that_left_its_file_says_why_it_was_closed(files: Path) -> None:
    load(files)
    history()
    load(made.write(files, made.provider("acme")))
    assert history(Offering) == [("Offering", "~", "no longer in its file")]


def test_a_claim_that_only_moves_has_no_row(files: Path) -> None:
    several = [made.claim(True, source=f"https://{n}.example") for n in range(2)]
    load(made.write(files, acme({"ssh": several})))
    history()
    counts = load(made.write(files, acme({"ssh": several[::-1]}))).counts
    assert counts["claims", "changed"] == 2
    assert history() == []
    assert [c.source for c in Claim.objects.all()] == ["https://1.example", "https://0.example"]


def test_a_load_that_is_only_tried_is_no_history(files: Path) -> None:
    load(files, check=True)
    assert history() == []


def test_texts_have_a_row_for_each_change(tmp_path: Path) -> None:
    faq = {"one": question("One?"), "two": question("Two?"), "three": question("Three?")}

    def after(**faq: Any) -> list[tuple[str, str, str]]:
        load_content(write_content(tmp_path, en_faq=faq))
        rows = ContentEntry.history.order_by("key")
        written = list(rows.values_list("key", "history_type", "history_change_reason"))
        rows.delete()
        return written

    why = "file of texts en/faq.yaml"
    assert after(**faq) == [(key, "+", why) for key in ("one", "three", "two")]
    assert after(**faq) == []
    assert after(**(faq | {"two": question("Two, then?")})) == [("two", "~", why)]
    # The others move up, which is nothing that they say.
    assert after(two=question("Two, then?"), three=faq["three"]) == [
        ("one", "-", "no longer in its file")
    ]
    assert [e.key for e in ContentEntry.objects.order_by("position")] == ["two", "three"]

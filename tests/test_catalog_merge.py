"""Three-way merge of catalog documents: nobody's edit is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.catalog.merge import MISSING, Merged, Side, merge
from providers.catalog.schema import ProviderDocument
from tests import catalog_texts as made


def acme(*offerings: dict[str, Any], **fields: Any) -> ProviderDocument:
    return made.document(made.provider("acme", *offerings, **fields))


def pods(claims: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return made.offering("pods", claims=claims or {}, **fields)


def clean(merged: Merged) -> ProviderDocument:
    assert merged.conflicts == ()
    assert merged.document is not None
    return merged.document


BASE = acme(pods({"spot": made.claim(True), "ssh": made.claim(True)}))


def test_what_only_the_file_changed_is_taken() -> None:
    file = acme(pods({"spot": made.claim(False), "ssh": made.claim(True)}), name="New")

    assert clean(merge(BASE, file, BASE)) == file


def test_what_only_the_desk_changed_is_kept() -> None:
    desk = acme(pods({"spot": made.claim(True, note="Read again.")}))

    assert clean(merge(BASE, BASE, desk)) == desk


def test_both_sides_may_change_different_fields_of_one_claim() -> None:
    file = acme(pods({"spot": made.claim(False), "ssh": made.claim(True)}))
    desk = acme(pods({"spot": made.claim(True, note="Ask."), "ssh": made.claim(True)}))

    merged = clean(merge(BASE, file, desk))

    assert merged == acme(pods({"spot": made.claim(False, note="Ask."), "ssh": made.claim(True)}))


def test_both_sides_may_make_the_same_change() -> None:
    both = acme(pods({"spot": made.claim(False)}), name="Same")

    assert clean(merge(BASE, both, both)) == both


def test_both_sides_may_add_claims_and_offerings() -> None:
    file = acme(pods({"jupyter": made.claim(True)}), made.offering("vms"))
    desk = acme(
        pods({"jupyter": made.claim(False, source="https://other.example")}),
        made.offering("bare-metal"),
    )

    merged = clean(merge(acme(pods()), file, desk))

    assert [o.slug for o in merged.offerings] == ["pods", "vms", "bare-metal"]
    assert [c.value for c in merged.offerings[0].claims["jupyter"]] == [True, False]


def test_both_sides_may_change_the_two_halves_of_the_pricing_api() -> None:
    file = acme(pricing_api={"public": True})
    desk = acme(pricing_api={"docs": "https://api.example"})

    merged = clean(merge(acme(), file, desk))

    assert merged == acme(pricing_api={"public": True, "docs": "https://api.example"})


def test_different_changes_of_one_field_are_a_conflict_with_both_sides() -> None:
    file = acme(pods({"spot": made.claim(True, note="File."), "ssh": made.claim(True)}))
    desk = acme(pods({"spot": made.claim(True, note="Desk."), "ssh": made.claim(True)}))

    [conflict] = merge(BASE, file, desk).conflicts

    assert str(conflict) == (
        "offerings.pods.claims.spot[https://docs.example/page].note (was None):"
        " the file has 'File.'; the desk has 'Desk.'"
    )


def test_true_and_one_are_different_changes() -> None:
    start, one, true = (
        BASE.model_copy(update={"headquarters": value}) for value in (None, 1, True)
    )

    assert len(merge(start, one, true).conflicts) == 1


@pytest.mark.parametrize("gone", [Side.FILE, Side.DESK])
def test_an_offering_that_one_side_removed_and_the_other_changed_is_a_conflict(gone: Side) -> None:
    removed, changed = acme(), acme(pods({"spot": made.claim(False)}, name="Changed"))
    file, desk = (removed, changed) if gone is Side.FILE else (changed, removed)

    merged = merge(BASE, file, desk)

    [conflict] = merged.conflicts
    assert conflict.path == ("offerings", "pods")
    assert f"the {gone} has nothing" in str(conflict)
    assert "has another name, claims" in str(conflict)


def test_an_offering_that_one_side_removed_and_the_other_left_alone_is_gone() -> None:
    assert clean(merge(BASE, acme(), BASE)) == acme()
    assert clean(merge(BASE, BASE, acme())) == acme()


def test_a_claim_that_the_file_dropped_and_the_desk_changed_is_a_conflict() -> None:
    file = acme(pods({"ssh": made.claim(True)}))
    desk = acme(pods({"spot": made.claim(True, note="Kept."), "ssh": made.claim(True)}))

    merged = merge(BASE, file, desk, Side.DESK)

    assert len(merged.conflicts) == 1
    assert merged.document == desk


def test_a_provider_that_the_file_dropped_and_the_desk_changed_is_a_conflict() -> None:
    desk = acme(pods(), name="Changed")

    merged = merge(BASE, None, desk)

    assert str(merged.conflicts[0]).startswith("the provider: the file has nothing; the desk has")
    assert merged.document is None
    assert merge(BASE, None, desk, Side.DESK).document == desk


def test_without_a_base_both_sides_are_joined_and_differences_are_conflicts() -> None:
    file = acme(pods({"spot": made.claim(True)}), name="File")
    desk = acme(pods({"ssh": made.claim(True)}), name="Desk")

    merged = merge(None, file, desk)

    [conflict] = merged.conflicts
    assert str(conflict) == "name (new): the file has 'File'; the desk has 'Desk'"
    assert merged.document is not None
    assert list(merged.document.offerings[0].claims) == ["spot", "ssh"]


def test_the_second_claim_of_a_source_is_a_claim_of_its_own() -> None:
    twice = [made.claim(1), made.claim(60)]
    base = acme(pods({"billing_increment_s": twice}))
    file = acme(pods({"billing_increment_s": [made.claim(1), made.claim(3600)]}))
    desk = acme(pods({"billing_increment_s": [made.claim(1, note="Pods."), made.claim(60)]}))

    merged = clean(merge(base, file, desk))

    claims = merged.offerings[0].claims["billing_increment_s"]
    assert [(c.value, c.note) for c in claims] == [(1, "Pods."), (3600, None)]


def test_the_order_of_the_file_stands_with_additions_of_the_desk_after_it() -> None:
    a, b, c, d = (made.offering(slug) for slug in "abcd")

    merged = clean(merge(acme(a, b), acme(b, c, a), acme(a, d, b)))

    assert [o.slug for o in merged.offerings] == ["b", "c", "a", "d"]


def test_an_order_that_only_the_desk_changed_is_kept() -> None:
    a, b, c = (made.offering(slug) for slug in "abc")

    merged = clean(merge(acme(a, b), acme(a, b, c), acme(b, a)))

    assert [o.slug for o in merged.offerings] == ["b", "a", "c"]


# --- Properties ---------------------------------------------------------------

TWO = st.tuples(made.versions(), made.versions())
THREE = st.tuples(made.versions(), made.versions(), made.versions())
SIDES = st.sampled_from(Side)
quick = settings(deadline=None)


@quick
@given(TWO, SIDES)
def test_one_side_alone_decides(
    documents: tuple[ProviderDocument, ProviderDocument], take: Side
) -> None:
    base, edited = documents

    assert clean(merge(base, edited, base, take)) == edited
    assert clean(merge(base, base, edited, take)) == edited
    assert clean(merge(base, edited, edited, take)) == edited
    assert clean(merge(None, edited, None, take)) == edited
    assert clean(merge(None, None, edited, take)) == edited


@quick
@given(THREE)
def test_taking_either_side_is_symmetrical(
    documents: tuple[ProviderDocument, ProviderDocument, ProviderDocument],
) -> None:
    base, one, other = documents

    file = merge(base, one, other, Side.FILE)
    desk = merge(base, other, one, Side.DESK)

    assert leaves(file.document) == leaves(desk.document)
    assert {c.path: (c.file, c.desk) for c in file.conflicts} == {
        c.path: (c.desk, c.file) for c in desk.conflicts
    }


@quick
@given(THREE, SIDES)
def test_no_edit_of_either_side_is_lost(
    documents: tuple[ProviderDocument, ProviderDocument, ProviderDocument], take: Side
) -> None:
    base, file, desk = (leaves(document) for document in documents)

    merged = merge(*documents, take)

    disputed = [conflict.path for conflict in merged.conflicts]
    expected = {}
    for path in {*base, *file, *desk}:
        before, mine, yours = (side.get(path, MISSING) for side in (base, file, desk))
        if not any(path[: len(top)] == top for top in disputed):
            expected[path] = mine if yours == before else yours
            assert mine in (before, expected[path]), path
    disputed_claims = {family(path) for path in disputed}
    result = leaves(merged.document)
    for path, value in renumbered(expected).items():
        assert family(path) in disputed_claims or result[path] == value, path


def family(path: tuple[Any, ...]) -> tuple[Any, ...]:
    """The claims of one source on one question, which are told apart by their number only."""
    return (*path[:3], *path[3][:2]) if len(path) > 3 else path


def renumbered(leaves: dict[tuple[Any, ...], Any]) -> dict[tuple[Any, ...], Any]:
    """`leaves` without what is missing; a claim moves up where one before it is gone."""
    there = {path: value for path, value in leaves.items() if value is not MISSING}
    found = {}
    for path, value in there.items():
        if len(path) > 3:
            dimension, source, number = path[3]
            kept = {p[3][2] for p in there if family(p) == family(path)}
            key = (dimension, source, sorted(kept).index(number))
            found[(*path[:3], key, *path[4:])] = value
        else:
            found[path] = value
    return found


@quick
@given(THREE, SIDES)
def test_a_merge_that_was_loaded_is_not_merged_again(
    documents: tuple[ProviderDocument, ProviderDocument, ProviderDocument], take: Side
) -> None:
    base, file, desk = documents

    first = merge(base, file, desk, take).document

    assert clean(merge(file, file, first, take)) == first


def leaves(document: ProviderDocument | None) -> dict[tuple[Any, ...], Any]:
    """Every single field of `document` by its path: what one person can edit."""
    if document is None:
        return {}
    found: dict[tuple[Any, ...], Any] = {}
    for name in ("slug", "name", "kind", "website", "headquarters", "status", "status_note"):
        found[name,] = getattr(document, name)
    for name in ("public", "docs"):
        found["pricing_api", name] = getattr(document.pricing_api, name, None)
    for offering in document.offerings:
        top = ("offerings", offering.slug)
        for name in ("name", "status", "status_note", "summary", "docs", "access_modes", "gpus"):
            found[*top, name] = getattr(offering, name)
        for dimension, claims in offering.claims.items():
            seen: dict[str, int] = {}
            for claim in claims:
                number = seen[claim.source] = seen.get(claim.source, -1) + 1
                key = (*top, "claims", (dimension, claim.source, number))
                for name in ("value", "basis", "source_kind", "read_on", "note"):
                    found[*key, name] = getattr(claim, name)
    return found

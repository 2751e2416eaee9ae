"""Whatever is sent as a correction, the answer is one that was meant."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from providers.answers import Dimension, Kind
from providers.corrections.present import correction_page
from providers.corrections.typed import MOST_LINKS, Typed, longest, said
from providers.dimensions import CLAIMED
from providers.models import Correction, Offering
from tests.correcting import FORM, URLENCODED, a_while_ago, make_acme
from tests.factories import NOW
from tests.sharing import FROM_HERE

pytestmark = pytest.mark.django_db

ANSWERED = {303, 400, 413, 415, 422}
NAMES = ["value", "other", "source", "note", "website", "stamp", "more"]
nasty = st.sampled_from(
    ["\x00", "\ud800", "\u202e", "a\r\nb", "%00", "https://[", "https://x:99999/", "=1+1", "root"]
)
texts = st.one_of(nasty, st.text(max_size=60), st.integers(400, 1200).map("x".__mul__))
pairs = st.lists(st.tuples(st.sampled_from(NAMES), texts), max_size=12)


def encoded(fields: list[tuple[str, str]]) -> bytes:
    return "&".join(f"{name}={quote(text, errors='replace')}" for name, text in fields).encode()


@pytest.fixture(autouse=True)
def _acme() -> None:
    make_acme()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=pairs, in_time=st.booleans())
def test_any_fields_are_answered(fields: list[tuple[str, str]], in_time: bool) -> None:
    given = [*fields, ("stamp", a_while_ago())] if in_time else fields
    with transaction.atomic():
        response = Client().post(FORM, encoded(given), URLENCODED, headers=FROM_HERE)
    assert response.status_code in ANSWERED
    if response.status_code == 303:
        assert Client().get(response.headers["Location"]).status_code == 200


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=400), kind=st.sampled_from([URLENCODED, "text/plain", "x\x7f/"]))
def test_any_bytes_are_answered(body: bytes, kind: str) -> None:
    response = Client().post(FORM, body, kind, headers=FROM_HERE)
    assert response.status_code in ANSWERED
    assert not Correction.objects.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.one_of(st.binary(max_size=200).map(quote), pairs.map(lambda p: encoded(p).decode()))
)
def test_any_address_shows_the_form(query: str) -> None:
    assert Client().get(f"{FORM}?{query}").status_code == 200


@given(fields=pairs, asked=st.sampled_from(CLAIMED))
def test_what_is_taken_fits_the_table_and_reads_the_same_again(
    fields: list[tuple[str, str]], asked: Dimension
) -> None:
    typed = Typed.read(QueryDict(encoded(fields)), asked)
    if typed.faults(asked):
        return
    kept = said(typed)
    assert kept["value"]
    assert all(len(text) <= longest(name) for name, text in kept.items())
    assert not any("\x00" in text for text in kept.values())
    assert kept["note"].count("http://") <= MOST_LINKS
    assert not kept["source"] or kept["source"].lower().startswith(("http://", "https://"))
    again = [("value", key) for key in typed.chosen]
    again += [("other", typed.text), ("source", kept["source"]), ("note", kept["note"])]
    if asked.kind is Kind.CHOICE:
        assert said(Typed.read(QueryDict(encoded(again)), asked)) == kept


@pytest.mark.parametrize("dimension", CLAIMED, ids=lambda d: d.key)
@pytest.mark.parametrize("value", ["0", "1e999", "-", "no, no", "any", "9" * 400, "yes", "\u0661"])
def test_any_value_reads_on_the_page_of_a_correction(dimension: Dimension, value: str) -> None:
    made = Correction(
        offering=Offering.objects.get(), dimension=dimension.key, value=value, made_at=NOW
    )
    assert correction_page(made, "https://x.example/").value


def test_a_length_that_is_no_number_is_too_much(client: Client) -> None:
    for length in ("x", "-1", "9" * 5000, "²"):
        response = client.post(
            FORM, b"value=root", URLENCODED, headers=FROM_HERE, CONTENT_LENGTH=length
        )
        assert response.status_code == 413

"""The page of a check says the same of the same rows, in whatever order the database has them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client

from tests.check_pages import BY_HAND
from tests.factories import make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db

# None of them runs CUDA 12.4, for reasons of their own: what is too old, and what is not known.
HOSTS = [
    (slug, capability, driver)
    for slug, capability in (("k80", "3.7"), ("v100", "7.0"), ("h100", "9.0"), ("b200", "10.0"))
    for driver in ("390.157", "470.82.01", "580.65.06")
]


def market() -> None:
    """Offerings whose hosts are equally many and come in another order each."""
    known = {slug: capability for slug, capability, _driver in HOSTS}
    gpus = {slug: make_gpu(slug, compute_capability=told) for slug, told in known.items()}
    chance = random.Random(7)
    for n in range(12):
        offering = make_offering("pods", make_provider(f"cloud-{n}"), custom_image="any")
        for slug, _capability, driver in chance.sample(HOSTS, 6):
            make_listing(offering, gpus[slug], driver=driver, usd_per_hour=2)


@contextmanager
def without(way: str) -> Iterator[None]:
    """PostgreSQL, which may group rows by sorting or by hashing, does not do it that way."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL enable_{way} = off")
        yield
        cursor.execute(f"SET LOCAL enable_{way} = on")


def written_anew() -> None:
    """Each row in another place of its table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM providers_listing ORDER BY md5(id::text)")
        for (pk,) in cursor.fetchall():
            cursor.execute("UPDATE providers_listing SET key = key WHERE id = %s", [pk])


@pytest.mark.parametrize("query", ["", "&format=csv", "&gpu=h100"])
def test_the_page_is_the_same_however_rows_are_grouped_and_wherever_they_lie(
    client: Client, query: str
) -> None:
    market()
    pages = set()
    for _time in range(2):
        for way in ("hashagg", "sort"):
            with without(way):
                pages.add(b"".join(client.get(BY_HAND + query)))
        written_anew()
    assert len(pages) == 1

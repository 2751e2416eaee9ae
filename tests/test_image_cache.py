"""Documents are kept by digest, within bounds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from checks.image import cache
from checks.image.cache import DatabaseDocuments, KeptOnly, NotKeptError, evict
from checks.image.documents import Document, digest_of
from checks.models import ImageReading, RegistryDocument

pytestmark = pytest.mark.django_db

MEGABYTE = 2**20


def keep(body: bytes, days_ago: int = 0) -> str:
    document = Document(digest_of(body), body)
    DatabaseDocuments().put(document)
    used = timezone.now() - timedelta(days=days_ago)
    RegistryDocument.objects.filter(pk=document.digest).update(used_at=used)
    return document.digest


def test_what_was_kept_comes_back_byte_for_byte() -> None:
    body = b'{"a": "\\u0000"}\n\x00\xff'
    digest = keep(body)
    assert DatabaseDocuments().get(digest) == Document(digest, body)
    assert DatabaseDocuments().get(digest_of(b"other")) is None


@pytest.mark.parametrize("body", [b"", b"{", b"\x00" * 400, b'{"config": "of another"}'])
def test_what_is_not_what_its_digest_says_is_not_there_and_is_replaced(body: bytes) -> None:
    digest = keep(b"{}")
    RegistryDocument.objects.filter(pk=digest).update(body=body)
    assert DatabaseDocuments().get(digest) is None
    with pytest.raises(NotKeptError):
        KeptOnly().config(digest)
    assert keep(b"{}") == digest
    assert DatabaseDocuments().get(digest) == Document(digest, b"{}")


def test_what_is_kept_again_is_needed_again() -> None:
    digest = keep(b"{}", days_ago=30)
    DatabaseDocuments().put(Document(digest, b"{}"))
    row = RegistryDocument.objects.get()
    assert timezone.now() - row.used_at < timedelta(minutes=1)


def test_out_of_the_cache_alone_a_missing_document_is_an_error() -> None:
    digest = keep(b"{}")
    assert KeptOnly().manifest(digest).body == KeptOnly().config(digest).body == b"{}"
    with pytest.raises(NotKeptError):
        KeptOnly().manifest(digest_of(b"other"))


def test_the_least_recently_needed_go_first(settings: Any) -> None:
    settings.REGISTRY_CACHE_MB = 2
    bodies = [bytes([n]) * (MEGABYTE // 2) for n in range(6)]
    digests = [keep(body, days_ago=n) for n, body in enumerate(bodies)]
    evict()
    assert set(RegistryDocument.objects.values_list("pk", flat=True)) == set(digests[:4])
    evict()
    assert RegistryDocument.objects.count() == 4


def test_readings_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_READINGS", 3)
    now = timezone.now()
    for n in range(5):
        ImageReading.objects.create(reference=f"x:{n}", asked_at=now - timedelta(hours=n))
    evict()
    assert set(ImageReading.objects.values_list("pk", flat=True)) == {"x:0", "x:1", "x:2"}

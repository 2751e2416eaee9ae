"""Images that the site has read before, for tests of what it does with them. They ask no registry.

know("nvidia/cuda:12.8.1-base-ubuntu22.04", registry_images.image("amd64"))
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from checks.image.cache import DatabaseDocuments
from checks.image.documents import Document
from checks.image.reasons import Reason
from checks.image.reference import Reference, parse
from checks.image.registry import Phase
from checks.models import ImageReading
from tests.registry_images import Image


def know(text: str, image: Image, read_at: datetime | None = None) -> Reference:
    """`look` is ready with it; with `read_at`, as of then."""
    kept = DatabaseDocuments()
    for blob in (*image.all_blobs(), *image.manifests()):
        kept.put(Document(blob.digest, blob.body))
    moment = read_at or timezone.now()
    return _row(text, asked_at=moment, read_at=moment, digest=image.top.digest)


def know_failure(text: str, reason: Reason) -> Reference:
    """`look` has failed for that reason, a moment ago."""
    now = timezone.now()
    retry_at = now + timedelta(minutes=2)
    return _row(text, asked_at=now, failed_at=now, retry_at=retry_at, reason=reason)


def know_reading(text: str, phase: Phase = Phase.ASKING) -> Reference:
    """`look` is pending: another process reads it just now."""
    now = timezone.now()
    return _row(text, asked_at=now, lease_until=now + timedelta(seconds=35), phase=phase)


def _row(text: str, **fields: object) -> Reference:
    reference = parse(text)
    ImageReading.objects.update_or_create(reference=str(reference), defaults=fields)
    return reference

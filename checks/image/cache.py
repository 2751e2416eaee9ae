"""Documents in the database, by digest; the least recently needed go when there are too many."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db.models import F, Sum, Window
from django.utils import timezone

from checks.image.documents import Document, verified
from checks.image.reasons import RegistryError
from checks.models import ImageReading, RegistryDocument

# Strangers make these rows; one holds less than a kilobyte.
MOST_READINGS = 50_000

logger = logging.getLogger(__name__)


class DatabaseDocuments:
    """A cache whose documents are good for every registry: the digest says what they are."""

    def get(self, digest: str) -> Document | None:
        """Verified again: what a fault of the disk or somebody's hand changed is not there."""
        row = RegistryDocument.objects.filter(digest=digest).first()
        try:
            return verified(digest, bytes(row.body)) if row else None
        except RegistryError:
            logger.warning("a kept document is not what its digest says: %s", digest)
            return None

    def put(self, document: Document) -> None:
        RegistryDocument.objects.bulk_create(
            [
                RegistryDocument(
                    digest=document.digest,
                    body=document.body,
                    size=len(document.body),
                    used_at=timezone.now(),
                )
            ],
            update_conflicts=True,
            unique_fields=["digest"],
            update_fields=["body", "size", "used_at"],
        )


class NotKeptError(Exception):
    """A document is no longer in the cache."""


class KeptOnly:
    """Documents out of the cache and from nowhere else. They raise NotKeptError."""

    def __init__(self) -> None:
        self._kept = DatabaseDocuments()

    def manifest(self, digest: str) -> Document:
        found = self._kept.get(digest)
        if found is None:
            raise NotKeptError(digest)
        return found

    config = manifest


def evict() -> None:
    """Bring the cache below its bounds, what was needed last staying longest."""
    newer = Window(Sum("size"), order_by=[F("used_at").desc(), F("digest").asc()])
    most = settings.REGISTRY_CACHE_MB * 1024**2
    too_many = RegistryDocument.objects.annotate(sum=newer).filter(sum__gt=most)
    RegistryDocument.objects.filter(pk__in=list(too_many.values_list("pk", flat=True))).delete()
    newest = ImageReading.objects.order_by("-asked_at").values_list("asked_at", flat=True)
    if oldest := newest[MOST_READINGS - 1 : MOST_READINGS].first():
        ImageReading.objects.filter(asked_at__lt=oldest).delete()

"""The stand-in for images read before is what a real reading would have left."""

from __future__ import annotations

import pytest

from checks.image.reading import look
from checks.image.reasons import Reason
from checks.image.registry import Phase
from tests import registry_images as images
from tests.known_images import know, know_failure, know_reading

pytestmark = pytest.mark.django_db


def test_a_known_image_is_ready_though_nothing_may_be_read() -> None:
    image = images.index(("linux/amd64", images.image()), attested=True)
    seen = look(know("acme/trainer:1", image))
    assert seen.state == "ready"
    assert seen.record
    assert seen.record.index_digest == image.top.digest
    assert seen.record.config.env == images.ENV


def test_a_known_failure_and_a_reading_are_told() -> None:
    failed = look(know_failure("acme/private", Reason.NOT_PUBLIC_OR_MISSING))
    assert (failed.state, failed.reason) == ("failed", Reason.NOT_PUBLIC_OR_MISSING)
    pending = look(know_reading("acme/trainer:2", Phase.MANIFEST))
    assert (pending.state, pending.phase) == ("pending", Phase.MANIFEST)

"""Every key has its words, and they say what to do."""

from __future__ import annotations

from enum import StrEnum

import pytest
from django.utils import timezone

from checks.image.reasons import Reason
from checks.image.reference import Fault
from checks.image.registry import Phase
from checks.image.texts import FAULTS, PHASES, REASONS
from checks.models import ImageReading


@pytest.mark.parametrize(
    ("keys", "texts"), [(Fault, FAULTS), (Reason, REASONS), (Phase, PHASES)], ids=str
)
def test_every_key_has_words_of_its_own(keys: type[StrEnum], texts: dict[StrEnum, str]) -> None:
    assert list(texts) == list(keys)
    assert len({str(text) for text in texts.values()}) == len(texts)


@pytest.mark.parametrize("text", [*FAULTS.values(), *REASONS.values()], ids=str)
def test_a_text_tells_what_happened_and_what_to_do(text: str) -> None:
    """At least two sentences: what is wrong, and what helps."""
    assert str(text).endswith(".")
    assert len(str(text).removesuffix(".").split(". ")) >= 2 or ": " in str(text)


def test_every_key_fits_its_column() -> None:
    for reason in Reason:
        for phase in Phase:
            row = ImageReading(reference="x", asked_at=timezone.now(), reason=reason, phase=phase)
            row.clean_fields()

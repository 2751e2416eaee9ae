"""The question of a first start as fields, and what is shown while its image is read."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from django.urls import reverse
from django.utils.translation import gettext as _

from checks.image.reading import Reading
from checks.image.texts import PHASES
from checks.page import Pending
from checks.present_page import title_of as named
from checks.start.asked import ASSUMED, USUAL_HOURS, USUAL_INTERRUPTIONS, StartAsked
from checks.start.cold_page import StartForm
from checks.start.wording import WEIGHTS
from gpucompare import spoken
from providers.browse.links import hidden
from providers.browse.page import Choice

# The fields of the form itself; all else is carried along.
_FIELDS = (
    "image",
    "compressed_gb",
    "hours",
    "interruptions",
    "disk_gb",
    "weights_gb",
    "weights",
    "cached",
)


def start_form(asked: StartAsked) -> StartForm:
    question = asked.question
    by_name = question.kind in ("image", "nothing")
    return StartForm(
        path=reverse("cold-start"),
        by_size=not question.reference,
        image=question.typed,
        compressed_gb=_text(asked.compressed_gb),
        hours=_text(asked.hours),
        interruptions=_text(asked.interruptions),
        disk_gb=_text(asked.disk_gb),
        weights_gb=_text(asked.weights_gb),
        weights=tuple(Choice(w.value, text, "", w is asked.weights) for w, text in WEIGHTS.items()),
        cached=asked.cached,
        hidden=hidden(
            replace(asked.criteria, beside=asked.pairs()),
            *(_FIELDS if by_name else _FIELDS[1:]),
            *ASSUMED,
        ),
        usual_hours=_text(USUAL_HOURS),
        usual_interruptions=_text(USUAL_INTERRUPTIONS),
    )


def title_of(asked: StartAsked) -> str:
    """The image as short as people write it; by its size where that is all there is."""
    title = named(asked.question)
    if title or asked.compressed_gb is None:
        return title
    return _("an image of %(n)s GB") % {"n": spoken.number(asked.compressed_gb)}


def _text(figure: Decimal | None) -> str:
    return "" if figure is None else f"{figure.normalize():f}"


def pending_at(reading: Reading, url: str) -> Pending:
    """The page asks again at `url`."""
    phase = PHASES[reading.phase] if reading.phase else ""
    return Pending(phase, spoken.moment(reading.since), url)

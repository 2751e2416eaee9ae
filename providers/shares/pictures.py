"""What stands on the picture of a share, and where drawn pictures are kept."""

from __future__ import annotations

import logging
from pathlib import Path

from django.conf import settings
from django.core.cache import caches
from django.utils import translation
from django.utils.translation import ngettext

from gpucompare import spoken
from providers.browse.parameters import PARAMETERS
from providers.dimensions import MAIN
from providers.models import GpuFamily, Share
from providers.shares import drawing, wording
from providers.shares.content import Content, Row, thaw
from providers.shares.kinds import Kind, kind_of
from providers.shares.of_pages import criteria_of
from providers.shares.present import facts

# Another look needs another number, so that the old pictures are drawn anew.
_LOOK = 1
_LINES, _COLUMNS = 6, 7

logger = logging.getLogger(__name__)


def picture_of(share: Share, language: str) -> bytes | None:
    """A PNG, drawn once for each language; None when no app owns the kind of share any more."""
    kind = kind_of(share.kind)
    if kind is None:
        return None
    folders = tuple(Path(folder) for folder in settings.FONT_DIRS)
    # A plain one, where the letters of the language cannot be drawn.
    language = language if drawing.can_draw(language, folders) else "en"
    key = f"{share.pk}.{language}.{_LOOK}"
    if (found := _kept(key)) is not None:
        return found
    with translation.override(language):
        drawn = drawing.draw(texts_of(kind, thaw(bytes(share.content)), language), folders)
    _keep(key, drawn)
    return drawn


def _kept(key: str) -> bytes | None:
    try:
        found: bytes | None = caches["pictures"].get(key)
    except OSError as fault:
        logger.warning("Kept pictures cannot be read: %s", fault)
        return None
    return found


def _keep(key: str, drawn: bytes) -> None:
    try:
        caches["pictures"].set(key, drawn)
    except OSError as fault:
        logger.warning("A picture cannot be kept: %s", fault)


def texts_of(kind: Kind, content: Content, language: str) -> drawing.Texts:
    """In the active language; `language` decides how it is drawn."""
    shown = content.rows[:_LINES]
    left = len(content.rows) - len(shown)
    more = ngettext("and %(n)d more", "and %(n)d more", left) % {"n": left} if left else ""
    keys = _keys(content)
    heads = [str(wording.dimension_label(key, short=True)) for key in keys]
    if any(row.verdict for row in shown):
        heads = [str(PARAMETERS["verdict"].label), *heads]
    return drawing.Texts(
        language,
        str(kind.title(content)),
        spoken.day(content.day),
        _about(kind, content),
        tuple(heads[:_COLUMNS]),
        tuple(_line(row, keys, content) for row in shown),
        more,
    )


def _keys(content: Content) -> tuple[str, ...]:
    """Seven at most: the main questions where there are more."""
    if len(content.columns) <= _COLUMNS:
        return content.columns
    return tuple(d.key for d in MAIN if d.key in content.columns)


def _about(kind: Kind, content: Content) -> str:
    names = _gpu_names() if any(name == "gpu" for name, _ in content.values) else {}
    return " · ".join(f"{fact.label}: {fact.value}" for fact in facts(kind, content, names))


def _gpu_names() -> dict[str, str]:
    families = GpuFamily.objects.prefetch_related("models")
    models = {gpu.slug: gpu.name for family in families for gpu in family.models.all()}
    return models | {family.slug: family.name for family in families}


def _line(row: Row, keys: tuple[str, ...], content: Content) -> drawing.Line:
    said = {a.dimension: wording.answer_said(a).state for a in row.answers}
    price = next(iter(row.prices), None)
    amount = str(wording.price_said(price, criteria_of(content)).text) if price else ""
    states = tuple(said.get(key, "unknown") for key in keys)
    if row.verdict:
        states = (row.verdict.standing.value, *states)
    return drawing.Line(row.title, states[:_COLUMNS], amount)

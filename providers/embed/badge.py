"""A provider in a few words, for a badge on somebody else's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from unicodedata import combining, east_asian_width

from django.utils.translation import get_language_bidi, ngettext
from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.answers import Text
from providers.browse.world import is_closed
from providers.coverage import Coverage
from providers.coverage_views import age_text, share_text
from providers.dimensions import DIMENSIONS, MAIN
from providers.models import Offering, Provider, Status
from providers.wording import cell_text

# The two questions that decide first whether a container runs.
ASKED = ("custom_image", "docker_daemon")
# More answers than this do not fit: then they differ by offering.
_SEVERAL = 2
# Of the 11 px sans-serif that the badge is drawn in; wide enough for the widest of those in use.
_CHARACTER = 6.2
_BOLD = 7.4
_PADDING = 8


@dataclass(frozen=True)
class Badge:
    """Texts and where they stand; all places in whole px, which no language writes differently."""

    name: str
    text: str  # "image: any image · daemon: none · 24 of 28 known · read 24 Nov 2026"
    rtl: bool
    name_width: int
    text_width: int

    @property
    def title(self) -> str:
        """All of it, for who hears it."""
        return f"{self.name}: {self.text}"

    @property
    def width(self) -> int:
        return self.name_width + self.text_width

    @property
    def inner_width(self) -> int:
        """Of the line round it, which is a px wide."""
        return self.width - 1

    @property
    def name_left(self) -> int:
        """The name stands where reading starts: on the right where that is the right."""
        return self.text_width if self.rtl else 0

    @property
    def name_middle(self) -> int:
        return self.name_left + self.name_width // 2

    @property
    def text_middle(self) -> int:
        return self.text_width // 2 + (0 if self.rtl else self.name_width)


def badge_of(
    provider: Provider,
    offerings: Sequence[Offering],
    read_on: Mapping[int, Mapping[str, date | None]],
) -> Badge:
    """`read_on` is the day of each deciding claim, by offering and dimension."""
    open_ones = [offering for offering in offerings if not is_closed(offering)]
    return _drawn(provider, _text(provider, open_ones), _day(open_ones, read_on))


def coverage_badge(provider: Provider, figures: Coverage) -> Badge:
    """How much of a provider's offerings is known, and how old that is."""
    return _drawn(provider, _known(provider, figures), _age(figures))


def _drawn(provider: Provider, *told: Text) -> Badge:
    name, text = provider.name, " · ".join(str(part) for part in told if part)
    return Badge(name, text, get_language_bidi(), _width(name, bold=True), _width(text))


def _width(text: str, *, bold: bool = False) -> int:
    """Room for a text, with its padding; marks that stand on a letter take none."""
    wide = sum(2 if east_asian_width(c) in "WF" else 0 if combining(c) else 1 for c in text)
    return round(wide * (_BOLD if bold else _CHARACTER)) + 2 * _PADDING


# --- What it says ------------------------------------------------------------------------


def _text(provider: Provider, offerings: Sequence[Offering]) -> str:
    if not offerings:
        return _nothing(provider)
    image, daemon = (_answers(offerings, key) for key in ASKED)
    known = sum(o.answer(d.key) is not None for o in offerings for d in MAIN)
    return _("image: %(image)s · daemon: %(daemon)s · %(known)d of %(all)d known") % {
        "image": image,
        "daemon": daemon,
        "known": known,
        "all": len(offerings) * len(MAIN),
    }


def _nothing(provider: Provider) -> str:
    """What is said where nothing can be rented."""
    closed = provider.status == Status.CLOSED
    return str(Status.CLOSED.label).lower() if closed else _("nothing to rent")


def _answers(offerings: Sequence[Offering], key: str) -> str:
    """What the offerings answer, each answer once."""
    dimension = DIMENSIONS[key]
    said = list(dict.fromkeys(str(cell_text(o, dimension)) for o in offerings))
    if len(said) > _SEVERAL:
        return _("differs by offering")
    return " / ".join(said).lower()


def _day(offerings: Sequence[Offering], read_on: Mapping[int, Mapping[str, date | None]]) -> str:
    """The oldest day of the answers that are shown; empty where none has a claim."""
    told = [read_on.get(offering.pk, {}) for offering in offerings]
    days = [found[key] for found in told for key in ASKED if key in found]
    if not days:
        return ""
    known = [day for day in days if day]
    if len(known) < len(days):
        return _("day not recorded")
    day = spoken.short_day(min(known))
    # A number and a name of a month stay together whichever way the words round them run.
    return _("read %(day)s") % {"day": f"\u2068{day}\u2069" if get_language_bidi() else day}


# --- What it says of coverage ------------------------------------------------------------


def _known(provider: Provider, figures: Coverage) -> str:
    if not figures.offerings:
        return _nothing(provider)
    said = ngettext(
        "%(known)s of %(all)s main question known (%(share)s)",
        "%(known)s of %(all)s main questions known (%(share)s)",
        figures.main_cells,
    )
    return said % {
        "known": spoken.number(figures.main_known),
        "all": spoken.number(figures.main_cells),
        "share": share_text(figures.main_known_share),
    }


def _age(figures: Coverage) -> Text:
    age = age_text(figures)
    return _("median age: %(age)s") % {"age": age} if figures.median_age_days is not None else age

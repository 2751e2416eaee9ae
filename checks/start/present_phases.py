"""The phases of one start: rows, the bar, and the figures behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from checks import coldstart
from checks.coldstart import Assumption, Basis, Phase, Range
from checks.coldstart.numbers import Cases
from checks.start.asked import ASSUMED
from checks.start.cold_page import AssumptionRow, PhaseRow, Segment, SourceLink, UsedFigure
from checks.start.figures import short, times
from checks.start.found import ColdResult
from checks.start.places import Here
from checks.start.wording import ASSUMED_ON, ASSUMPTIONS, BASES, LIMITS, PHASES, UNITS
from gpucompare import spoken
from providers.wording import joined

# The assumptions that decide a phase, by what holds it up.
BEHIND: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("provision", ""): ("provision_s",),
    ("pull", "link"): ("link_mbps",),
    ("pull", "registry"): ("registry_mb_s", "parallel_layers"),
    ("pull", "largest_layer"): ("registry_mb_s", "largest_layer_share"),
    ("unpack", "inflate"): ("inflate_mb_s", "hidden_unpack_share"),
    ("unpack", "disk"): ("disk_write_mb_s", "unpacked_ratio", "hidden_unpack_share"),
    ("start", ""): ("container_start_s",),
    ("weights", "hub"): ("hub_mb_s",),
    ("weights", "link"): ("link_mbps",),
    ("weights", "volume"): ("volume_read_mb_s",),
    ("weights", "disk"): ("local_read_mb_s",),
    ("ready", ""): ("ready_s",),
}
# A number is drawn where the bar has room for it.
_ROOM: Final = Decimal(3)


class Phases:
    """The parts of the page about one start."""

    def __init__(self, result: ColdResult) -> None:
        self._here: Here = result.first.here
        self._start = result.first.job.start
        self._assumed = result.starts.assumed
        self._image = result.starts.image
        self._rows = coldstart.rows_in_use(self._image, self._here.place, self._assumed)

    def rows(self) -> Iterator[PhaseRow]:
        for number, phase in enumerate(self._start.phases, 1):
            none = not phase.seconds.high
            yield PhaseRow(
                number,
                PHASES[phase.key],
                times(phase.seconds),
                "" if none else BASES[phase.basis],
                LIMITS.get(phase.limit, ""),
                () if none else tuple(self._figures(phase)),
                None if none else self._source(phase),
                none,
            )

    def _figures(self, phase: Phase) -> Iterator[UsedFigure]:
        """What is measured or documented needs no assumption but the share of the line."""
        keys = BEHIND.get((phase.key, phase.limit), ())
        if phase.limit == "link" and self._told_line(phase):
            keys = ("link_used_share",)
        elif phase.basis is Basis.DOCUMENTED:
            keys = ()
        # With the layers known, the largest is one of them and no share.
        known = self._image.largest_layer is not None and not self._image.without_gb
        for key in keys:
            if not (known and key == "largest_layer_share"):
                yield UsedFigure(ASSUMPTIONS[key], self._likely(key), f"#{row_id(key)}")

    def _told_line(self, phase: Phase) -> bool:
        return phase.basis in (Basis.MEASURED, Basis.DOCUMENTED)

    def _likely(self, key: str) -> str:
        row = self._rows[key]
        likely = self._figure(key, row).likely
        if row.unit == "share":
            return spoken.percent(likely * 100)
        return f"{spoken.number(likely)} {UNITS[row.unit]}"

    def _figure(self, key: str, row: Assumption) -> Range:
        return self._assumed.range(key, *filter(None, (row.key.partition(".")[2],)))

    def _source(self, phase: Phase) -> SourceLink | None:
        if phase.key == "provision" and phase.basis is Basis.DOCUMENTED:
            told = coldstart.documented()[self._here.key, "provision_s"]
            return source_link(told.source, told.read_on)
        listing = self._here.listing
        if phase.limit == "link" and self._told_line(phase) and listing:
            mbps = Decimal(str(self._here.place.down_mbps))
            text = f"{spoken.number(mbps)} {UNITS['Mbit/s']}"
            return SourceLink(text, listing.source_url)
        return None

    # --- The bar ---------------------------------------------------------------------------

    def bar(self) -> Iterator[Segment]:
        """The likely phases one behind the other; the longest stands out."""
        total = self._start.total_s.likely
        longest = max(self._start.phases, key=lambda phase: phase.seconds.likely)
        at = Decimal(0)
        for number, phase in enumerate(self._start.phases, 1):
            width = phase.seconds.likely / total * 100 if total else Decimal(0)
            if width:
                middle, is_longest = at + width / 2, phase is longest
                room = width >= _ROOM
                yield Segment(
                    number, _hundredth(at), _hundredth(width), _hundredth(middle), is_longest, room
                )
            at += width

    def bar_text(self) -> str:
        parts = [
            _("%(phase)s: %(time)s") % {"phase": PHASES[p.key], "time": short(p.seconds.likely)}
            for p in self._start.phases
            if p.seconds.likely
        ]
        return str(joined(parts))

    # --- Assumptions ---------------------------------------------------------------------------

    def assumptions(self) -> Iterator[AssumptionRow]:
        """One row a key, with the figures of this place."""
        for parameter, key in ASSUMED.items():
            if key in self._rows:
                yield self._assumption(parameter, key)

    def _assumption(self, parameter: str, key: str) -> AssumptionRow:
        row = self._rows[key]
        own = self._assumed.given.get(key)
        return AssumptionRow(
            row_id(key),
            parameter,
            ASSUMPTIONS[key],
            spoken.number(row.low),
            spoken.number(row.likely),
            spoken.number(row.high),
            UNITS[row.unit],
            plain(own.likely) if own else "",
            ASSUMED_ON[row.basis],
            source_link(row.source, row.read_on) if row.source else None,
            row.why,
        )


def row_id(key: str) -> str:
    return f"assumed-{key}"


def plain(figure: Decimal) -> str:
    return f"{figure.normalize():f}"


def source_link(url: str, day: date | None) -> SourceLink:
    read = spoken.day(day) if day else _("day not recorded")
    return SourceLink(urlsplit(url).hostname or url, url, read)


def _hundredth(figure: Decimal) -> str:
    return f"{figure:.2f}"


def saving(cold: Cases, other: Cases) -> Decimal:
    """Likely seconds that another way saves; negative where it takes longer."""
    return cold.likely - other.likely

"""What the page of a first start shows, ready for the template: texts, addresses, no rules."""

from __future__ import annotations

from dataclasses import dataclass

from checks.page import Failure, Pending
from checks.start.figures import Span
from providers.answers import Text
from providers.browse.page import Choice, HiddenField


@dataclass(frozen=True)
class SourceLink:
    """Where something is said; `day` is when it was read. Without `url` nobody says it."""

    text: Text
    url: str = ""
    day: Text = ""


@dataclass(frozen=True)
class UsedFigure:
    """An assumption behind a phase; `url` is its row on the page."""

    label: Text
    value: str
    url: str


@dataclass(frozen=True)
class PhaseRow:
    number: int
    label: Text
    seconds: Span
    basis: Text
    limit: Text  # what decides its likely length; empty where one figure does
    figures: tuple[UsedFigure, ...]
    source: SourceLink | None
    none: bool = False  # it takes no time here


@dataclass(frozen=True)
class Segment:
    """A phase in the bar, in hundredths of its width."""

    number: int
    x: str
    width: str
    middle: str
    longest: bool
    labelled: bool  # whether there is room for its number


@dataclass(frozen=True)
class BillRow:
    label: Text
    seconds: Span
    usd: Span | None


@dataclass(frozen=True)
class Rests:
    """An answer of the offering that the bill or the pull rests on; `url` opens its claim."""

    label: Text
    state: str
    text: Text
    url: str


@dataclass(frozen=True)
class WayRow:
    """One way to start the image. Without `seconds`, `reason` says why nothing can be said."""

    key: str
    label: Text
    seconds: Span | None
    usd: Span | None
    saves: Text
    reason: Text


@dataclass(frozen=True)
class JobRow:
    """The job on demand, or on spot."""

    label: Text
    wall: Span
    usd: Span | None
    missing: Text
    stalls: bool = False


@dataclass(frozen=True)
class SpotPart:
    rows: tuple[JobRow, ...]
    break_even: Text


@dataclass(frozen=True)
class RankedRow:
    """One offering in the ranking; `url` makes the page one about it."""

    key: str
    provider: str
    name: str
    url: str
    launch_url: str
    state: str  # the standing; empty where nothing is known of the image
    word: Text
    gpu: str
    price: Text
    age: Text
    band: str
    spot: bool
    start: Span
    start_usd: Span | None
    total: Span | None
    missing: Text
    current: bool


@dataclass(frozen=True)
class AssumptionRow:
    """A figure that nobody told, with the field that replaces it."""

    id: str
    parameter: str
    label: Text
    low: str
    likely: str
    high: str
    unit: Text
    own: str  # the reader's; empty where there is none
    basis: Text
    source: SourceLink | None
    why: str  # as the table says it, in English


@dataclass(frozen=True, kw_only=True)
class StartForm:
    """The question as fields. `hidden` is what it carries along."""

    path: str
    by_size: bool  # the image is known by its size alone
    image: str
    compressed_gb: str
    hours: str
    interruptions: str
    disk_gb: str
    weights_gb: str
    weights: tuple[Choice, ...]
    cached: bool
    hidden: tuple[HiddenField, ...]
    usual_hours: str
    usual_interruptions: str


@dataclass(frozen=True, kw_only=True)
class ColdFound:
    """The answer: one offering in full, and all of them ranked."""

    key: str
    place: str
    place_url: str
    lead: Text
    range: Text
    price: Text
    data_day: Text
    phases: tuple[PhaseRow, ...]
    total: Span
    bar: tuple[Segment, ...]
    bar_text: Text
    bill: tuple[BillRow, ...]
    bill_unknown: bool
    rests: tuple[Rests, ...]
    ways: tuple[WayRow, ...]
    job_title: Text
    spot: SpotPart
    ranked: tuple[RankedRow, ...]
    folded: tuple[RankedRow, ...]
    exports: tuple[Choice, ...]
    judged: bool
    left_out: Text
    assumptions: tuple[AssumptionRow, ...]
    assumptions_open: bool
    all_url: str  # the same question about all offerings; empty where it is that
    launch_url: str

    @property
    def offerings(self) -> int:
        return len(self.ranked) + len(self.folded)


@dataclass(frozen=True, kw_only=True)
class ColdPage:
    """The page in any of its states: `found` stands in one of them only."""

    title: str  # the image as short as people write it; empty without one
    canonical_url: str
    check_url: str
    form: StartForm
    notices: tuple[Text, ...] = ()
    failure: Failure | None = None
    pending: Pending | None = None
    found: ColdFound | None = None
    nothing: bool = False  # no offering is left under the criteria

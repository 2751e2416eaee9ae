"""What the page of a check shows, ready for the template: texts, addresses and marks, no rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from providers.answers import Text
from providers.browse.page import BrowsePage, HiddenField


@dataclass(frozen=True)
class ConditionLine:
    """A condition of the offering; `url` is the claim that it rests on."""

    text: Text
    url: str
    state: str  # the standing that it leaves at best


@dataclass(frozen=True)
class GpuLine:
    """The GPUs of one offering that share a standing."""

    state: str
    word: Text
    names: str
    why: Text = ""


@dataclass(frozen=True)
class NamedLink:
    name: str
    url: str


@dataclass(frozen=True)
class SaidTexts:
    """What is said of a kind of host, in words that all cells about it share."""

    word: str
    why: str
    fix: str
    start: str
    reasons: tuple[str, ...]
    fixes: tuple[str, ...]
    missing: tuple[str, ...]
    explained: tuple[NamedLink, ...] = ()  # answers of the FAQ
    html: str = ""  # the part of the opened cell that is the same wherever this is said


@dataclass(frozen=True)
class VerdictCell:
    """The verdict on an offering: a word with its reason, and all that stands behind it."""

    state: str  # runs | condition | unknown | fails
    share: Text  # "14 of 20 listings"; empty without listings
    said: SaidTexts
    conditions: tuple[ConditionLine, ...]
    gpus: tuple[GpuLine, ...]
    elsewhere: tuple[NamedLink, ...]
    label: Text = ""
    first: object = None  # the first start there, where the size of the image is known


@dataclass(frozen=True)
class FactLine:
    label: Text
    value: Text
    source: Text
    doubtful: bool = False  # not confirmed, or another source says otherwise


@dataclass(frozen=True)
class Tally:
    """One part of the sentence that comes before the table; `url` shows those offerings alone."""

    state: str
    text: Text
    url: str


@dataclass(frozen=True)
class Failure:
    """Why an image could not be read, and until when it is not asked again."""

    text: Text
    retry: Text = ""
    part: str = ""  # the piece of a name that is at fault


@dataclass(frozen=True)
class Pending:
    phase: Text
    since: Text
    url: str  # where the page asks again


@dataclass(frozen=True, kw_only=True)
class Asking:
    """The box: what was asked, and the ways to ask."""

    path: str
    image: str  # as it was typed
    title: str  # the image as short as people write it, or what was told of it
    cuda: str
    framework: str
    release: str
    frameworks: tuple[str, ...]
    hidden: tuple[HiddenField, ...]  # the criteria that every form carries along
    by_hand_open: bool = False
    paste_open: bool = False
    example: str = ""  # the name of an image
    commands: str = ""  # what prints the texts that can be pasted, one a line
    paste_fault: Text = ""


@dataclass(frozen=True, kw_only=True)
class Learnt:
    """What was learnt of the image."""

    facts: tuple[FactLine, ...]
    gist: tuple[Text, ...]  # the few that decide most, for one line
    advice: tuple[Text, ...]
    base: NamedLink | None = None  # a Dockerfile's base, whose facts are not among these
    read: Text = ""  # when the registry said so
    pinned: str = ""
    stale: bool = False  # an earlier reading: the latest did not succeed


@dataclass(frozen=True, kw_only=True)
class CheckPage(BrowsePage):
    """A result: the page of browse with a verdict on each row."""

    tallies: tuple[Tally, ...]
    lead: Text  # "Runs unchanged at 31 offerings of 18 providers"
    computed: Text


@dataclass(frozen=True, kw_only=True)
class WholePage:
    """The page in any of its states: `result` stands in one of them only."""

    asking: Asking
    canonical_url: str
    notices: tuple[Text, ...] = ()
    failure: Failure | None = None
    pending: Pending | None = None
    learnt: Learnt | None = None
    job: object = None  # the form that asks for the total of a job
    cold_url: str = ""  # what a first start takes, in full
    result: CheckPage | None = field(default=None)

"""What the page of a launch shows, ready for the template: texts and addresses, no rules."""

from __future__ import annotations

from dataclasses import dataclass

from checks.page import Failure
from checks.start.cold_page import SourceLink
from providers.answers import Text
from providers.browse.page import Choice, HiddenField


@dataclass(frozen=True)
class Block:
    """A text to paste, with the id that its copy button names."""

    id: str
    label: Text
    text: str
    lines: int


@dataclass(frozen=True)
class RecipeView:
    """One way to start the image there."""

    key: str
    title: Text
    kind: Text
    blocks: tuple[Block, ...]
    warnings: tuple[Text, ...]
    unknown: Text  # the answers that may make it fail; empty: none
    to_set: tuple[str, ...]
    credential: Text
    variables: tuple[str, ...]
    source: SourceLink
    basis: Text


@dataclass(frozen=True)
class CheckView:
    """One of the seven checks. `command` settles it on the machine; empty: known, or none does."""

    question: Text
    url: str
    known: bool
    state: str  # the mark of the cell
    answer: Text
    details: Text
    evidence: Text  # "Documented, read: 20 August 2026"
    source: SourceLink | None
    look: Text
    command: Block | None


@dataclass(frozen=True, kw_only=True)
class LaunchForm:
    path: str
    image: str
    count: int
    gpus: tuple[Choice, ...]
    private: bool
    on_spot: bool
    podman: bool
    command: str
    hidden: tuple[HiddenField, ...]


@dataclass(frozen=True, kw_only=True)
class LaunchPage:
    """The page in any of its states: without image and offering there are no recipes."""

    title: str
    image: str
    place: str
    place_url: str
    canonical_url: str
    cold_url: str
    check_url: str
    form: LaunchForm
    notices: tuple[Text, ...] = ()
    failure: Failure | None = None
    wants_image: bool = False
    wants_offering: bool = False
    closed: bool = False
    recipes: tuple[RecipeView, ...] = ()
    checks: tuple[CheckView, ...] = ()
    open_checks: int = 0

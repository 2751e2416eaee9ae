"""What is asked of a first start: the image, the offerings, the job, and the reader's own figures.

All of it stands in the address beside the criteria, in one canonical order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from django.http import QueryDict

from checks import coldstart
from checks.coldstart.assumptions import BOUNDS
from checks.coldstart.numbers import number
from checks.question import Question, read_question
from providers.browse.criteria import MAX_IGNORED, MAX_VALUES, Criteria, Ignored
from providers.browse.parameters import PARAMETERS, Vocabulary, clean

USUAL_HOURS: Final = Decimal(8)
USUAL_INTERRUPTIONS: Final = Decimal(1)

# Numbers with their ends, as the model allows them.
_NUMBERS: Final[Mapping[str, tuple[Decimal, Decimal]]] = {
    "compressed_gb": (Decimal("0.001"), Decimal(10**6)),
    "hours": (Decimal("0.01"), Decimal(10**5)),
    "interruptions": (Decimal(0), Decimal(1000)),
    "disk_gb": (Decimal(0), Decimal(10**6)),
    "weights_gb": (Decimal(0), Decimal(10**6)),
}
_LONGEST_NUMBER = 20
_LONGEST_KEY = 140


def _parameter(key: str) -> str:
    """An assumption by its key; where a criterion has that name already, `own_` stands before."""
    return f"own_{key}" if key in PARAMETERS else key


# The assumptions that a reader may replace, by the name of their parameter.
ASSUMED: Final[Mapping[str, str]] = {_parameter(key): key for key in coldstart.assumption_rows()}
OWN: Final = ("o", *_NUMBERS, "weights", "cached", *ASSUMED)


@dataclass(frozen=True)
class StartAsked:
    """The question of a first start. None is left to what is usual."""

    question: Question
    criteria: Criteria  # `beside` holds the question and all below
    compressed_gb: Decimal | None = None
    offerings: tuple[str, ...] = ()  # "provider/offering"; none: all
    hours: Decimal | None = None
    interruptions: Decimal | None = None
    disk_gb: Decimal | None = None
    weights_gb: Decimal | None = None
    weights: coldstart.Weights | None = None
    cached: bool = False
    given: tuple[tuple[str, Decimal], ...] = ()  # assumptions by key

    @property
    def figures(self) -> dict[str, str]:
        """The reader's own figures, as the model takes them."""
        return {key: _plain(figure) for key, figure in self.given}

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The parameters of this question alone, in canonical order."""
        return (*self.question.pairs, *self._own())

    def _own(self) -> Iterator[tuple[str, str]]:
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        told = [(name, _plain(value)) for name, value in numbers.items() if value is not None]
        # The size is what the image is known by.
        yield from (pair for pair in told if pair[0] == "compressed_gb")
        yield from (("o", key) for key in self.offerings)
        yield from (pair for pair in told if pair[0] != "compressed_gb")
        if self.weights:
            yield "weights", self.weights.value
        if self.cached:
            yield "cached", "1"
        yield from ((_parameter(key), _plain(figure)) for key, figure in self.given)

    def url(self, path: str) -> str:
        return replace(self.criteria, beside=self.pairs()).url(path)

    def canonical(self, path: str) -> str:
        """The same without what is usual anyway: one state, one address."""
        usual = {"hours": USUAL_HOURS, "interruptions": USUAL_INTERRUPTIONS, "disk_gb": 0}
        told = {name: None for name, value in usual.items() if getattr(self, name) == value}
        return replace(self, **told).url(path)  # type: ignore[arg-type]

    def at(self, *offerings: str) -> StartAsked:
        """The same question about these offerings."""
        return replace(self, offerings=offerings)


def read_start(
    query: QueryDict, offerings: Collection[str] | None, vocabulary: Vocabulary
) -> tuple[StartAsked, list[Ignored]]:
    """The question of an address, and what in it was not understood.

    `offerings` are those that may be named; None: the page is about all of them.
    Reasons beside those of Criteria: `missing`, an offering that does not exist; `beside`, a
    figure that goes with something else; `range`, a number outside its ends.
    """
    own, rest = query.copy(), query.copy()
    if offerings is None:
        own.pop("o", None)
    for name in OWN[1:] if offerings is None else OWN:
        rest.pop(name, None)
    question, criteria, unknown = read_question(rest, vocabulary)
    found, ignored = _Reader(own, question, offerings or ()).read()
    asked = replace(found, criteria=criteria)
    asked = replace(asked, criteria=replace(criteria, beside=asked.pairs()))
    return asked, [*ignored, *unknown][:MAX_IGNORED]


class _Reader:
    """Reads one query; what it does not take is noted in `ignored`."""

    def __init__(self, query: QueryDict, question: Question, offerings: Collection[str]) -> None:
        self.query = query
        self.question = question
        self.known = offerings
        self.ignored: list[Ignored] = []

    def read(self) -> tuple[StartAsked, list[Ignored]]:
        given = {key: self._number(name, *_ends(key)) for name, key in ASSUMED.items()}
        numbers = {name: self._number(name, *ends) for name, ends in _NUMBERS.items()}
        weights = self._choice("weights", tuple(coldstart.Weights))
        asked = StartAsked(
            self.question,
            Criteria(),
            offerings=self._offerings(),
            weights=coldstart.Weights(weights) if weights else None,
            cached=bool(self._choice("cached", ("1",))),
            given=tuple((key, figure) for key, figure in given.items() if figure is not None),
            **numbers,
        )
        return self._consistent(asked), self.ignored

    def _consistent(self, asked: StartAsked) -> StartAsked:
        if asked.compressed_gb is not None and self.question.reference:
            self._ignore("compressed_gb", "beside")
            asked = replace(asked, compressed_gb=None)
        if asked.weights_gb and asked.weights is None:
            self._ignore("weights_gb", "value", tuple(f"weights={w}" for w in coldstart.Weights))
            asked = replace(asked, weights_gb=None)
        return asked

    def _number(self, name: str, least: Decimal, most: Decimal) -> Decimal | None:
        text = clean(self.query.get(name, ""), _LONGEST_NUMBER + 1)
        if not text:  # a form sends its empty fields too
            return None
        try:
            found = number(text, name) if len(text) <= _LONGEST_NUMBER else None
        except ValueError:
            found = None
        # What the address could not tell again, written out, is not taken either.
        if found is not None and len(_plain(found)) > _LONGEST_NUMBER:
            found = None
        if found is None or not least <= found <= most:
            self._ignore(name, "range", (_plain(least), _plain(most)))
            return None
        return found

    def _choice(self, name: str, allowed: Sequence[str]) -> str:
        text = clean(self.query.get(name, ""), 40)
        if not text or text in allowed:
            return text
        # An unticked box of somebody's own form.
        if not (name == "cached" and text == "0"):
            self._ignore(name, "value", tuple(allowed))
        return ""

    def _offerings(self) -> tuple[str, ...]:
        raw = [clean(text, _LONGEST_KEY) for text in self.query.getlist("o")]
        chosen = dict.fromkeys(key for key in raw[:MAX_VALUES] if key)
        self.ignored += [Ignored("o", k, (), "missing") for k in chosen if k not in self.known]
        if len(raw) > MAX_VALUES:
            self.ignored.append(Ignored("o", str(len(raw) - MAX_VALUES), (), "too_many"))
        return tuple(key for key in chosen if key in self.known)

    def _ignore(self, name: str, reason: str, allowed: tuple[str, ...] = ()) -> None:
        value = clean(self.query.get(name, ""), 40)
        self.ignored.append(Ignored(name, value, allowed, reason))


def _ends(key: str) -> tuple[Decimal, Decimal]:
    return BOUNDS[coldstart.assumption_rows()[key].unit]


def _plain(figure: Decimal) -> str:
    """3600, not 3.6E+3."""
    return f"{figure.normalize():f}"

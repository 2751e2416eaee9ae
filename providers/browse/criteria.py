"""A filter state. It and the URL's query string are the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict

from gpucompare.escaping import escape, escaped
from providers.answers import version_key
from providers.browse.parameters import BESIDE_CRITERIA, PARAMETERS, Parameter, Vocabulary, clean
from providers.dimensions import DIMENSIONS, MAIN

# Hours that a price for the period stands for; a month is a twelfth of 8,760.
HOURS = {"hour": 1, "day": 24, "month": 730}

# What a price facet offers for an hour in any currency; other periods have multiples of these.
PRICE_STEPS = ("0.5", "1", "2", "4", "8")

# Nobody reads more notices than this, and a hostile query string may hold thousands.
MAX_IGNORED = 8
MAX_VALUES = 50
# Where one is in the rows: forgotten by every change of what the rows are.
PAGING = ("page", "after")
_PLACES = {name: place for place, name in enumerate(PARAMETERS)}


def place(name: str) -> int:
    """Where a parameter stands in a query string."""
    return _PLACES[name]


@dataclass(frozen=True)
class Ignored:
    """A part of a query string that was not understood, and what would have been."""

    name: str
    value: str
    allowed: tuple[str, ...] = ()
    reason: str = "value"  # value | parameter | repeated | too_many


@dataclass(frozen=True)
class Criteria:
    """Canonical values by parameter, in canonical order, defaults left out."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # What one unit of the asked currency is worth; no part of the state, it changes every day.
    usd_per_unit: Decimal = field(default=Decimal(1), compare=False)
    # What a page asks besides criteria, such as an image: every address of it carries that along.
    beside: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        values: Mapping[str, Iterable[str]],
        usd_per_unit: Decimal = Decimal(1),
        beside: tuple[tuple[str, str], ...] = (),
    ) -> Criteria:
        """Criteria from canonical values in any order."""
        ordered = ((name, p.canonical(values.get(name, ()))) for name, p in PARAMETERS.items())
        return cls(tuple((name, kept) for name, kept in ordered if kept), usd_per_unit, beside)

    @classmethod
    def parse(cls, query: QueryDict, vocabulary: Vocabulary) -> tuple[Criteria, list[Ignored]]:
        """Criteria of a query string, and what in it was ignored (at most MAX_IGNORED)."""
        kept: dict[str, list[str]] = {}
        ignored: list[Ignored] = []
        for name, raw in query.lists():
            if name in BESIDE_CRITERIA:
                continue
            if name not in PARAMETERS:
                ignored.append(
                    Ignored(clean(name, 40), clean("".join(raw[-1:]), 40), (), "parameter")
                )
                continue
            kept[name], refused = _read(PARAMETERS[name], raw, vocabulary)
            ignored.extend(refused)
        currency = next(iter(kept.get("currency", ())), "USD")
        return cls.of(kept, vocabulary.currencies[currency]), ignored[:MAX_IGNORED]

    def query(self) -> str:
        """The canonical query string, without a question mark."""
        beside = [urlencode(self.beside, safe="/:@")] if self.beside else []
        return "&".join([*beside, *map(_encoded, self.values)])

    def url(self, path: str) -> str:
        query = self.query()
        return f"{path}?{query}" if query else path

    # --- Reading ---------------------------------------------------------------

    def all(self, name: str) -> tuple[str, ...]:
        """The values of a parameter; its default when it is left out."""
        return self._by_name.get(name) or PARAMETERS[name].default

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, ...]]:
        return dict(self.values)

    def one(self, name: str) -> str:
        """The value of a parameter that has one; empty when it is left out without default."""
        return next(iter(self.all(name)), "")

    def filters(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The parameters that narrow the rows."""
        return ((name, kept) for name, kept in self.values if PARAMETERS[name].filters)

    @property
    def about_listings(self) -> tuple[str, ...]:
        """The filters about listings: they must hold on one of them."""
        return tuple(name for name, _ in self.values if PARAMETERS[name].listing)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.all("columns")

    @property
    def page(self) -> int:
        return int(self.one("page"))

    @property
    def hours(self) -> int:
        """Hours of the period that prices are shown for."""
        return HOURS[self.one("period")]

    @cached_property
    def scale(self) -> Decimal:
        """What a price in USD an hour is multiplied by to be shown."""
        return self.hours / self.usd_per_unit

    @cached_property
    def per_gpu(self) -> bool:
        return self.one("per") == "gpu"

    @cached_property
    def spot_only(self) -> bool:
        return bool(self.all("spot_only"))

    @property
    def max_usd_per_hour(self) -> Decimal | None:
        """The highest price in USD an hour, per GPU or per instance as `per` says."""
        asked = self.one("max_price")
        return Decimal(asked) / self.scale if asked else None

    @property
    def price_steps(self) -> list[Decimal]:
        """The price limits that a facet offers, in the shown unit, with the one in use."""
        asked = map(Decimal, self.all("max_price"))
        return sorted({*asked, *(Decimal(step) * self.hours for step in PRICE_STEPS)})

    def version(self, name: str) -> list[int] | None:
        """`min_driver` or `min_cuda` as numbers."""
        asked = self.one(name)
        return list(version_key(asked)) if asked else None

    # --- Changing: each gives new Criteria, on their first page --------------------

    def put(self, name: str, *values: str) -> Criteria:
        """With exactly these values for a parameter."""
        # The others are canonical already: a page makes hundreds of such addresses.
        forgotten = {name, *(() if name in PAGING else PAGING)}
        changed = [(other, kept) for other, kept in self.values if other not in forgotten]
        if kept := PARAMETERS[name].canonical(values):
            changed.append((name, kept))
            changed.sort(key=lambda one: _PLACES[one[0]])
        return Criteria(tuple(changed), self.usd_per_unit, self.beside)

    def toggled(self, name: str, value: str) -> Criteria:
        """With one value added, or taken away where it is already there."""
        kept = self.all(name)
        if value in kept:
            return self.put(name, *(v for v in kept if v != value))
        return self.put(name, *(kept if PARAMETERS[name].many else ()), value)

    def toggles(self, name: str, path: str) -> Toggles:
        """The addresses with a value of this parameter toggled."""
        here = _PLACES[name]
        others = [v for v in self.values if v[0] != name and v[0] not in PAGING]
        before = [_encoded(other) for other in others if _PLACES[other[0]] < here]
        if self.beside:
            before.insert(0, urlencode(self.beside, safe="/:@"))
        after = [_encoded(other) for other in others if _PLACES[other[0]] > here]
        return Toggles(PARAMETERS[name], self.all(name), path, "&".join(before), "&".join(after))

    def without(self, name: str) -> Criteria:
        return self.put(name)

    def unfiltered(self) -> Criteria:
        """The same view (columns, units, sort) with no filter."""
        kept = [v for v in self.values if not PARAMETERS[v[0]].filters and v[0] not in PAGING]
        return Criteria(tuple(kept), self.usd_per_unit, self.beside)


@dataclass(frozen=True)
class Toggles:
    """Addresses that differ in one value, of which a page has hundreds: what they share is
    written once. Each is that of `Criteria.toggled`."""

    parameter: Parameter
    kept: tuple[str, ...]  # its values now
    path: str
    before: str  # what the query says before the parameter …
    after: str  # … and behind it

    def url(self, value: str) -> str:
        query = "&".join(filter(None, (self.before, self._part(value), self.after)))
        return f"{self.path}?{query}" if query else self.path

    def hrefs(self, values: Iterable[str]) -> list[str]:
        """The same of many values, for attributes in HTML."""
        before, after = self.before and f"{self.before}&", self.after and f"&{self.after}"
        head, tail = escape(f"{self.path}?{before}"), escape(after)
        # Beside others that are kept a value makes another text on each page.
        say = escape if self.kept else escaped
        parts = ((value, self._part(value)) for value in values)
        # Without its only value the parameter is gone, and what joined it too.
        return [
            f"{head}{say(part)}{tail}" if part else escape(self.url(value)) for value, part in parts
        ]

    def _part(self, value: str) -> str:
        if not self.kept:
            return _pair(self.parameter.name, value)
        kept: Iterable[str] = self.kept if self.parameter.many else ()
        values = (v for v in kept if v != value) if value in self.kept else (*kept, value)
        return _encoded((self.parameter.name, self.parameter.canonical(values)))


def _encoded(kept: tuple[str, tuple[str, ...]]) -> str:
    name, values = kept
    return "&".join([_pair(name, value) for value in values])


# A page makes hundreds of addresses, which differ in one value.
@lru_cache(maxsize=16_384)
def _pair(name: str, value: str) -> str:
    return f"{name}={quote_plus(value)}"


def _read(
    parameter: Parameter, raw: list[str], vocabulary: Vocabulary
) -> tuple[list[str], list[Ignored]]:
    kept: list[str] = []
    ignored: list[Ignored] = []
    for text in raw[:MAX_VALUES]:
        if not text.strip():  # a form sends its empty fields too
            continue
        value = parameter.normalise(text.strip(), vocabulary)
        if value is None:
            allowed = tuple(parameter.allowed(vocabulary))
            ignored.append(Ignored(parameter.name, clean(text, 40), allowed))
        elif value not in kept:
            kept.append(value)
    if len(raw) > MAX_VALUES:
        ignored.append(Ignored(parameter.name, str(len(raw) - MAX_VALUES), (), "too_many"))
    if not parameter.many and len(kept) > 1:
        ignored += [Ignored(parameter.name, value, (), "repeated") for value in kept[:-1]]
        kept = kept[-1:]
    return kept, ignored


def answers_asked(criteria: Criteria) -> dict[str, tuple[str, ...]]:
    """The dimensions that are asked for, with the answers that would do."""
    return {name: kept for name, kept in criteria.values if name in DIMENSIONS}


MAIN_KEYS = tuple(d.key for d in MAIN)

"""Which offerings stand side by side, and how. It and the query string are the same thing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.http import QueryDict

from providers.browse.criteria import MAX_IGNORED, MAX_VALUES, Criteria, Ignored
from providers.browse.parameters import BESIDE_CRITERIA, PRICED, Vocabulary, clean

# More columns than this cannot be read side by side.
LIMIT = 6
_OWN = ("o", "base", "equal")


@dataclass(frozen=True)
class Selection:
    """Offerings as `provider/offering` in the order of their columns.

    `base` is the one that the others are measured against; empty only without offerings.
    """

    offerings: tuple[str, ...] = ()
    base: str = ""
    fold: bool = False  # whether rows in which all agree are folded away
    view: Criteria = field(default_factory=Criteria)

    def __post_init__(self) -> None:
        if self.base not in self.offerings:
            object.__setattr__(self, "base", next(iter(self.offerings), ""))

    @classmethod
    def parse(
        cls, query: QueryDict, offerings: Collection[str], vocabulary: Vocabulary
    ) -> tuple[Selection, list[Ignored]]:
        """The selection of a query string, and what in it was not followed.

        `offerings` are the keys that exist. Reasons beside those of Criteria: `missing`,
        `twice`, `surplus` of an offering.
        """
        chosen, ignored = _offerings(query.getlist("o"), offerings)
        base, refused = _last(query, "base", chosen)
        equal, refused_equal = _last(query, "equal", ("fold",))
        view, refused_view = _view(query, vocabulary)
        ignored += [*refused, *refused_equal, *refused_view]
        return cls(chosen, base, equal == "fold", view), ignored[:MAX_IGNORED]

    def pairs(self) -> list[tuple[str, str]]:
        """The parameters in canonical order; defaults are left out."""
        pairs = [("o", key) for key in self.offerings]
        if self.offerings and self.base != self.offerings[0]:
            pairs.append(("base", self.base))
        if self.fold:
            pairs.append(("equal", "fold"))
        return pairs + [(name, value) for name, kept in self.view.values for value in kept]

    def url(self, path: str) -> str:
        query = urlencode(self.pairs(), safe="/")
        return f"{path}?{query}" if query else path

    def one(self, name: str) -> str:
        """The value of a parameter of the view; its default when it is left out."""
        return self.view.one(name)

    # --- Changing: each gives a new selection ----------------------------------------

    def put(self, name: str, *values: str) -> Selection:
        """With exactly these values for a parameter of the view."""
        return replace(self, view=self.view.put(name, *values))

    def moved(self, key: str, by: int) -> Selection:
        """With one column that many places later, no further than the end; the base stays."""
        place = self.offerings.index(key)
        others = [other for other in self.offerings if other != key]
        others.insert(min(max(place + by, 0), len(others)), key)
        return replace(self, offerings=tuple(others))

    def based_on(self, key: str) -> Selection:
        return replace(self, base=key)

    def without(self, key: str) -> Selection:
        """Without one column; when it was the base, the first of the rest becomes it."""
        return replace(self, offerings=tuple(o for o in self.offerings if o != key))

    def joined_by(self, key: str) -> Selection:
        """With one more column at the end."""
        return replace(self, offerings=(*self.offerings, key))

    def folded(self, fold: bool) -> Selection:
        return replace(self, fold=fold)


def _offerings(raw: list[str], known: Collection[str]) -> tuple[tuple[str, ...], list[Ignored]]:
    chosen: list[str] = []
    ignored: list[Ignored] = []
    for text in raw[:MAX_VALUES]:
        key = clean(text, 140)
        if not key:  # a form sends its empty fields too
            continue
        if key not in known:
            ignored.append(Ignored("o", key, (), "missing"))
        elif key in chosen:
            ignored.append(Ignored("o", key, (), "twice"))
        elif len(chosen) == LIMIT:
            ignored.append(Ignored("o", key, (), "surplus"))
        else:
            chosen.append(key)
    if len(raw) > MAX_VALUES:
        ignored.append(Ignored("o", str(len(raw) - MAX_VALUES), (), "too_many"))
    return tuple(chosen), ignored


def _last(query: QueryDict, name: str, allowed: Iterable[str]) -> tuple[str, list[Ignored]]:
    """The last value of a parameter that has one; empty when it is none of the allowed."""
    value = clean(query.get(name, ""), 140)
    allowed = tuple(allowed)
    if not value or value in allowed:
        return value, []
    return "", [Ignored(name, value, allowed)]


def _view(query: QueryDict, vocabulary: Vocabulary) -> tuple[Criteria, list[Ignored]]:
    """The criteria that the page has a use for; all other parameters are refused."""
    used = QueryDict(mutable=True)
    refused = []
    for name, raw in query.lists():
        if name in PRICED:
            used.setlist(name, raw)
        elif name not in _OWN and name not in BESIDE_CRITERIA:
            refused.append(Ignored(clean(name, 40), clean(raw[-1], 40), (), "parameter"))
    view, ignored = Criteria.parse(used, vocabulary)
    return view, [*ignored, *refused]

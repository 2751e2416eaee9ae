"""What stands in braces in a text: numbers and words that only the database or the code knows.

    {total}                      offerings that can be rented
    {providers}                  providers of them
    {count:docker_daemon=root}   offerings that match for certain, as the browse page counts them
    {may:docker_daemon=root}     those that may match: nobody has said
    {no:docker_daemon=root}      those that do not match
    {label:docker_daemon}        what the interface calls a dimension
    {label:docker_daemon=root}   … and one of its answers

The query is that of the browse page. A wrong one is a fault when the text comes in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import QueryDict
from django.urls import Resolver404, resolve
from django.utils import translation

from providers.browse.criteria import Criteria, Ignored
from providers.browse.parameters import Vocabulary
from providers.dimensions import DIMENSIONS

BARE = ("total", "providers")
COUNTED = ("count", "may", "no")
# Pages whose query is Criteria.
_WITH_CRITERIA = frozenset({"browse", "listings", "changes"})


class TextError(ValueError):
    """A text that may not be shown; `at` is where in it."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class Placeholder:
    """`name` is what stands before the colon, `query` what stands behind it."""

    name: str
    query: str = ""

    @property
    def about_listings(self) -> bool:
        """Whether listings have to be looked at to count."""
        if self.name not in COUNTED:
            return False
        criteria = criteria_of(self.query)
        return bool(criteria.about_listings or criteria.one("q"))


def placeholder(text: str, at: int = 0) -> Placeholder:
    """What stands between braces; raises TextError."""
    name, colon, query = text.partition(":")
    if name in BARE and not colon:
        return Placeholder(name)
    if name not in (*COUNTED, "label") or not query:
        raise TextError(f"{{{text}}} is not one of {_KNOWN}", at)
    faults = list(_label_faults(query) if name == "label" else _query_faults(query))
    if faults:
        raise TextError(f"{{{text}}}: {faults[0]}", at)
    return Placeholder(name, query)


_KNOWN = "{total}, {providers}, {count:QUERY}, {may:QUERY}, {no:QUERY}, {label:DIMENSION}"


def criteria_of(query: str) -> Criteria:
    """The criteria of a query that was found right."""
    return Criteria.parse(QueryDict(query), Vocabulary())[0]


def _query_faults(query: str) -> Iterator[str]:
    """What is wrong with a query. Names that only the database knows are wrong: they may go."""
    criteria, ignored = Criteria.parse(QueryDict(query), Vocabulary())
    yield from map(_ignored, ignored)
    if not ignored and not list(criteria.filters()):
        yield "asks for nothing; use {total}"


def _ignored(part: Ignored) -> str:
    if part.reason == "parameter":
        return f"{part.name!r} is not a dimension or another filter"
    if part.reason == "repeated":
        return f"{part.name} takes one value"
    known = f"; allowed: {', '.join(part.allowed)}" if part.allowed else ""
    return f"{part.value!r} is not a value of {part.name}{known}"


def _label_faults(query: str) -> Iterator[str]:
    key, _equals, value = query.partition("=")
    if key not in DIMENSIONS:
        yield f"{key!r} is not a dimension"
    elif value and value not in DIMENSIONS[key].by_key:
        yield f"{value!r} is not a value of {key}"


def address_fault(address: str) -> str:
    """Why an address may not stand in a link; empty when it may.

    Addresses of the site stand without host and language; others are https.
    """
    if not address.startswith("/"):
        return "" if address.startswith("https://") else f"{address!r} is neither https:// nor /…"
    path, _mark, query = address.partition("#")[0].partition("?")
    try:
        with translation.override("en"):
            name = resolve(path).url_name
    except Resolver404:
        return f"{path} is not an address of the site"
    if query and name not in _WITH_CRITERIA:
        return f"{address}: only lists take a query in a text"
    _criteria, ignored = Criteria.parse(QueryDict(query), Vocabulary())
    return f"{address}: {_ignored(ignored[0])}" if ignored else ""

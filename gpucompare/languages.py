"""The same page in every language: the address alone decides which is shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.urls import get_script_prefix
from django.utils.translation import get_language, get_language_bidi, get_language_info

from gpucompare.rest.middleware import PREFIX as API


@dataclass(frozen=True)
class LanguageLink:
    """`name` is what the language calls itself; `url` keeps the page and its query."""

    code: str
    name: str
    direction: str
    url: str
    current: bool


def step(before: str, after: str) -> str:
    """From one value to the next in plain text, as the language reads: each of the two keeps its
    own direction, whatever letters it begins with."""
    if get_language_bidi():
        return f"\u2068{before}\u2069 ← \u2068{after}\u2069"
    return f"{before} → {after}"


@cache
def direction(code: str) -> str:
    return "rtl" if get_language_info(code)["bidi"] else "ltr"


@cache
def _own_name(code: str) -> str:
    """What the language calls itself."""
    return str(get_language_info(code)["name_local"])


def in_language(path: str, code: str) -> str:
    """The path of the same page in another language; English is the one without a prefix.

    Unlike Django's own, it also knows the way from an address at which nothing is.
    """
    root = get_script_prefix()
    rest = path.removeprefix(root)
    if (spoken := language_of(path)) != settings.LANGUAGE_CODE:
        rest = rest.removeprefix(spoken).removeprefix("/")
    return root + rest if code == settings.LANGUAGE_CODE else f"{root}{code}/{rest}"


def language_of(path: str) -> str:
    """The language that a path asks for by its first part."""
    first = path.removeprefix(get_script_prefix()).partition("/")[0]
    return first if first in dict(settings.LANGUAGES) else str(settings.LANGUAGE_CODE)


def language_links(request: HttpRequest) -> tuple[LanguageLink, ...]:
    """One link for each language."""
    here = get_language()
    # The API has one address for all of them, and its page of documentation is under it.
    link = _with_lang if request.path_info.startswith(API) else _prefixed
    return tuple(
        LanguageLink(
            code,
            _own_name(code),
            direction(code),
            link(request, code),
            code == here,
        )
        for code, _name in settings.LANGUAGES
    )


def _prefixed(request: HttpRequest, code: str) -> str:
    query = request.META.get("QUERY_STRING", "")
    return in_language(request.path, code) + (f"?{query}" if query else "")


def _with_lang(request: HttpRequest, code: str) -> str:
    asked: QueryDict = request.GET.copy()
    asked.pop("lang", None)
    if code != settings.LANGUAGE_CODE:
        asked["lang"] = code
    return request.path + (f"?{asked.urlencode()}" if asked else "")

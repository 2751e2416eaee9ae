"""The links of a page: where they lead, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

# Elements that hold nothing, so that no end tag follows.
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "use", "wbr"}


@dataclass
class Link:
    href: str
    name: str  # what a screen reader calls it


@dataclass
class Links(HTMLParser):
    """All links of `html` with their accessible names, and the ids that they may point at."""

    html: str
    found: list[Link] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: Link | None = None
        self._hidden = 0  # how deep inside an element that nobody reads aloud
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self._open = Link(given["href"], given.get("aria-label", ""))
            self.found.append(self._open)
        elif tag not in _VOID and (self._hidden or given.get("aria-hidden") == "true"):
            self._hidden += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._open = None
        elif self._hidden and tag not in _VOID:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if self._open and not self._hidden:
            self._open.name += data.strip()


def inside(page: str, href: str) -> tuple[str, str] | None:
    """(address without fragment, fragment) of a link on `page`; None when it leaves the site."""
    address, fragment = urldefrag(urljoin(page, href))
    return None if urlsplit(address).scheme else (address, fragment)

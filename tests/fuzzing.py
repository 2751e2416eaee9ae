"""Requests that nobody means well: random, huge, binary, doubled, in every script, by one seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from checks.told_address import SHAPES
from gpucompare.api import api
from providers.browse.parameters import PARAMETERS

# By name of its pattern: the parts of its path, of something that is there.
PATHS: Mapping[str, Mapping[str, str]] = {
    "cell": {"slug": "acme", "offering": "pods", "dimension": "ssh"},
    "correct": {"slug": "acme", "offering": "pods", "dimension": "ssh"},
    "provider": {"slug": "acme"},
    "badge": {"slug": "acme"},
    "gpu": {"slug": "h100"},
    "listing": {"pk": "1"},
    "correction": {"typed": "0" * 24},
    "share": {"typed": "0" * 12},
    "share-picture": {"typed": "0" * 12},
}
# Parameters of pages that are no Criteria.
_OTHERS = (
    *("image", "cuda", "framework", "release", "o", "base", "equal", "format", "lang", "now"),
    *("value", "source", "show", "compressed_gb", "hours", "given", "private", "command", "kind"),
    *("address", "paste", "note", "stamp", "all", "page", "after"),
)
_NAMES = tuple(dict.fromkeys([*PARAMETERS, *SHAPES, *_OTHERS]))
_GOOD = (
    *("root", "any", "none", "yes", "1", "0", "12.4", "550.54", "h100", "h100-sxm", "acme"),
    *("acme/pods", "price", "-price", "csv", "json", "md", "ar", "ubuntu:24.04", "torch", "2.6.0"),
    *("instance", "month", "hide", "2_0_1.5_7", "marketplace", "cuda", "torch:2.6.0:12.4", "16.3"),
)
_BAD = (
    *("\0", "'", '"', "%", "%s", "%(x)s", "{{7*7}}", "../../etc/passwd", "<script>", "\r\nX: y"),
    *("-1", "1e999", "NaN", "-inf", "0x10", "9" * 400, "9" * 5_000, "١٢", "²", "\u202e", "İı"),
    *("\ud800", "💩" * 50, "a\u0301" * 400, "\ufffe", "ﷺ" * 500, "' OR 1=1 --", "||", "\\", "\x7f"),
)
_HEADERS: Mapping[str, Sequence[str]] = {
    "HX-Request": ("true", "false", "\x80"),
    "HX-History-Restore-Request": ("true",),
    "HX-Current-URL": ("http://testserver/?q=a", "http://[", "javascript:1", "%%%"),
    "Accept": ("text/markdown", "*/*", "a/b;q=x", ";;,", "text/html;q=" + "9" * 400),
    "Accept-Language": ("tr", "x" * 300, "*;q=0"),
    "Accept-Encoding": ("gzip", "gzip;q=nan"),
    "If-None-Match": ("*", '"x"', "W/", "," * 300, 'W/"1.2.3"'),
    "If-Modified-Since": ("yesterday", "Tue, 99 Foo 2026"),
    "Origin": ("null", "http://testserver", "http://["),
    "Sec-Fetch-Site": ("same-origin", "none"),
    "X-Forwarded-For": ("unknown", "::1", "1.2.3.4, x"),
    "Range": ("bytes=0-1",),
    "Cookie": ("sessionid=" + "x" * 300, "=;;", "csrftoken=\xff"),
}
_TYPES = ("application/x-www-form-urlencoded", "application/json", "text/plain", "x", "")


@dataclass(frozen=True)
class Ask:
    method: str
    path: str
    query: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    content_type: str = ""

    def sent(self, client: Client) -> Any:
        return client.generic(
            self.method,
            self.path,
            self.body,
            self.content_type,
            QUERY_STRING=self.query,
            headers=dict(self.headers),
        )

    def __str__(self) -> str:
        """To be asked again by hand, but for what is endless."""
        told = f"{self.method} {self.path}?{self.query[:600]} {dict(self.headers)}"
        return f"{told} {self.content_type} {self.body[:300]!r}"[:2_000]


def public_names() -> set[str]:
    """Every named page of the site outside the desk and the API's own views."""
    return {str(pattern.name) for pattern in _patterns(get_resolver().url_patterns)}


def _patterns(found: Sequence[Any]) -> Iterator[URLPattern]:
    for one in found:
        if isinstance(one, URLResolver):
            if not str(one.pattern).startswith(("admin/", "api/")):
                yield from _patterns(one.url_patterns)
        elif one.name:
            yield one


def public_paths() -> list[str]:
    """One address of each page, in English, and each of the API's."""
    templates = {name: get_resolver().reverse_dict.getlist(name) for name in public_names()}
    pages = []
    for name, ways in templates.items():
        template, _names = ways[-1][0][-1]
        pages.append("/" + template % dict(PATHS.get(name, {})))
    parts = {**PATHS["cell"], "provider": "acme", "gpu": "h100", "listing": "1"}
    document = api.get_openapi_schema(path_prefix="api/v1/")["paths"]
    pages += [path.format(**parts) for path in document]
    return sorted({*pages, "/api/v1/docs", "/nowhere/"})


class Fuzz:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._paths = public_paths()
        # Drawn once: making them takes longer than most answers do.
        self._texts = [self._drawn() for _time in range(200)]
        self._values = [quote_plus(text, errors="surrogatepass") for text in self._texts]
        self._values += [
            "".join(f"%{one:02x}" for one in self._random.randbytes(n)) for n in _BINARY
        ]

    def asks(self) -> Iterator[Ask]:
        while True:
            for path in self._paths:
                yield self._ask(path)

    def _ask(self, path: str) -> Ask:
        rng = self._random
        if rng.random() < 0.1:
            path = self._broken(path)
        if rng.random() < 0.2 and not path.startswith("/api/"):
            path = f"/{rng.choice(['ar', 'ur', 'tr', 'bn', 'xx'])}{path}"
        names = rng.sample(sorted(_HEADERS), rng.choice([0, 0, 1, 2, 4]))
        headers = {name: rng.choice(_HEADERS[name]) for name in names}
        method = rng.choices(["GET", "HEAD", "POST", "PUT", "OPTIONS"], [80, 5, 12, 1, 2])[0]
        if method != "POST":
            return Ask(method, path, self._query(), headers)
        kind = rng.choice(_TYPES)
        body = self._json() if "json" in kind else self._query().encode()
        return Ask(method, path, self._query() if rng.random() < 0.3 else "", headers, body, kind)

    def _broken(self, path: str) -> str:
        parts = path.split("/")
        parts[self._random.randrange(len(parts))] = quote(self._text(), errors="surrogatepass")
        return "/" + "/".join(parts).lstrip("/")

    def _query(self) -> str:
        rng = self._random
        if rng.random() < 0.05:  # no pairs at all
            return "".join(chr(rng.randrange(33, 127)) for _ in range(rng.choice([1, 30, 3_000])))
        count = rng.choices([0, 1, 2, 3, 8, 40], [1, 2, 3, 3, 3, 1])[0]
        if rng.random() < 0.02:
            count = rng.choice([900, 1_100])
        pairs = [self._pair() for _ in range(count)]
        if pairs and rng.random() < 0.2:
            pairs += [rng.choice(pairs)] * rng.choice([1, 5, 60])
        return "&".join(pairs)

    def _pair(self) -> str:
        rng = self._random
        name = rng.choice(_NAMES) if rng.random() < 0.9 else self._text()
        return f"{quote_plus(name, errors='surrogatepass')}={self._value()}"

    def _value(self) -> str:
        good = self._random.random() < 0.5
        return quote_plus(self._random.choice(_GOOD)) if good else self._random.choice(self._values)

    def _text(self) -> str:
        good = self._random.random() < 0.5
        return self._random.choice(_GOOD) if good else self._random.choice(self._texts)

    def _drawn(self) -> str:
        rng = self._random
        if rng.random() < 0.5:
            return rng.choice(_BAD)
        length = rng.choices([1, 3, 20, 400, 3_000], [30, 30, 30, 8, 2])[0]
        return "".join(chr(rng.choice(_SCRIPTS) + rng.randrange(64)) for _ in range(length))

    def _json(self) -> bytes:
        rng = self._random
        texts = [self._text().encode("utf-8", "backslashreplace").decode() for _ in range(3)]
        return rng.choice(
            [
                f'{{"image": "{texts[0]}", "{texts[1]}": ["{texts[2]}"]}}'.encode(),
                b"[" * 5_000,
                b'{"facts": {"cuda": ' + b"9" * 5_000 + b"}}",
                b'{"criteria": {"gpu": [null, true, {}]}, "paste": "FROM \\u0000"}',
                b"\xff\xfe",
                b"",
            ]
        )


# Lengths of values that are no UTF-8.
_BINARY = (1, 2, 3, 4, 8, 16, 64, 200)
# Where letters of some kinds begin: ASCII, Latin, Arabic, Bengali, Han, marks, private, emoji.
_SCRIPTS = (32, 192, 1_569, 2_437, 19_968, 768, 57_344, 128_512)

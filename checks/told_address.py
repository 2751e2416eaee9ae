"""The facts of a pasted image as a query string, so that its result can be shared.

Nothing of the paste but facts that decide a verdict goes in: no variable, step, name or path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from checks.image.fact import Fact, ImageFacts, Key, Origin
from checks.image.shape_facts import is_root
from gpucompare.cuda.image import Build, Image, Kernels, Software
from gpucompare.cuda.known_images import require_strings

_MOST_VALUES = 16

_VERSION = r"\d{1,5}(?:\.\d{1,6}){0,3}"
_CAPABILITIES = r"\d{1,2}\.\d[a-z]?(?: \d{1,2}\.\d[a-z]?){0,40}"
# What each parameter may hold. `software` makes an address one of told facts.
SHAPES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(shape)
    for name, shape in {
        "software": r"cuda|rocm|cpu|unknown",
        "toolkit": _VERSION,
        "build": r"[a-z0-9_-]{1,40}:[0-9a-zA-Z.+_-]{0,40}:[0-9a-z.]{0,12}",
        "cubins": _CAPABILITIES,
        "ptx": _CAPABILITIES,
        # `none`: the image was read, and asks nothing. `nvidia:12.8`: what NVIDIA's images of that
        # id ask, in kilobytes that each link of a page would repeat.
        "require": r"(?!nvidia:)[ -~]{1,4000}|nvidia:[\w.-]{1,20}",
        "check": r"off",
        "compat": _VERSION,
        "forced": r"1",
        "cpu": r"[a-z0-9]{1,12}",
        "size": r"\d{1,13}",
        "unpacked": r"\d{1,13}",
        "user": r"root|other",
        "base": r"[!-~]{1,300}",  # the image that a Dockerfile builds on
    }.items()
}
_ASKS_NOTHING = "none"
# An id of tables/require_strings.csv stands in addresses that were shared: it keeps its text.
_BY_ID = "nvidia:"


@dataclass(frozen=True)
class Told:
    """What an address tells: facts, and the values that were not understood."""

    facts: ImageFacts
    ignored: tuple[tuple[str, str], ...] = ()


def pairs_of(facts: ImageFacts) -> tuple[tuple[str, str], ...]:
    """The parameters that stand for these facts, in canonical order; only values that fit."""
    found = [(name, value) for name, values in _spelled(facts) for value in values]
    return tuple((n, v) for n, v in found if SHAPES[n].fullmatch(v))


def _spelled(facts: ImageFacts) -> Iterator[tuple[str, Sequence[str]]]:
    image = facts.image
    yield "software", [image.software or "unknown"]
    yield "toolkit", [image.cuda]
    yield "build", [f"{build.name}:{build.release}:{build.cuda}" for build in image.builds]
    if image.kernels:
        yield "cubins", [" ".join(sorted(image.kernels.cubins))]
        yield "ptx", [" ".join(sorted(image.kernels.ptx))]
    if image.requirements is not None:
        yield "require", _requirements_told(image.requirements)
    yield "check", ["off"] if image.check_disabled else []
    yield "compat", [image.compat_driver]
    yield "forced", ["1"] if image.compat_forced else []
    yield "cpu", sorted(image.platforms)
    for name, key in (("size", Key.SIZE), ("unpacked", Key.UNCOMPRESSED_SIZE)):
        yield name, [str(fact.value) for fact in (facts.first(key),) if fact]
    user = facts.first(Key.USER)
    yield "user", ["root" if is_root(str(user.value)) else "other"] if user else []
    yield "base", [facts.base]


@cache
def _ids() -> Mapping[str, str]:
    """How the requirements that we know are spelled, by their text."""
    return {row.text: f"{_BY_ID}{row.id}" for row in require_strings().values()}


def _requirements_told(texts: Sequence[str]) -> Sequence[str]:
    """All of them or none: a part would let in what the rest refuses."""
    values = [_shortened(text) for text in texts] or [_ASKS_NOTHING]
    fit = all(SHAPES["require"].fullmatch(value) for value in values)
    return values if fit and len(values) <= _MOST_VALUES else []


def _shortened(text: str) -> str:
    if text.startswith(_BY_ID):
        return ""  # it would be taken for another
    return min(text, _ids().get(text, text), key=len)


def _in_full(value: str) -> str | None:
    """The text of a requirement; None for an id of none."""
    if not value.startswith(_BY_ID):
        return value
    row = require_strings().get(value.removeprefix(_BY_ID))
    return row.text if row else None


def _fits(name: str, value: str) -> bool:
    shaped = SHAPES[name].fullmatch(value) is not None
    return shaped and (name != "require" or _in_full(value) is not None)


def told(query: Mapping[str, Sequence[str]]) -> Told:
    """The facts that an address tells; `query` holds every value of each parameter."""
    kept: dict[str, list[str]] = {name: [] for name in SHAPES}
    ignored: list[tuple[str, str]] = []
    for name in SHAPES:
        for value in query.get(name, ())[:_MOST_VALUES]:
            fits = _fits(name, value)
            (kept[name].append(value) if fits else ignored.append((name, value[:40])))
    image = _image(kept)
    base = kept["base"][-1] if kept["base"] else ""
    return Told(ImageFacts(image, tuple(_facts(image, kept)), base=base), tuple(ignored))


def _image(kept: Mapping[str, list[str]]) -> Image:
    def last(name: str) -> str:
        return kept[name][-1] if kept[name] else ""

    return Image(
        software=_SOFTWARE.get(last("software"), ""),
        cuda=last("toolkit"),
        builds=tuple(Build(*value.split(":")) for value in kept["build"]),
        kernels=_kernels(last("cubins"), last("ptx")),
        requirements=_requirements(kept["require"]),
        check_disabled=bool(last("check")),
        compat_driver=last("compat"),
        compat_forced=bool(last("forced")),
        platforms=frozenset(kept["cpu"]),
    )


_SOFTWARE: dict[str, Software] = {"cuda": "cuda", "rocm": "rocm", "cpu": "cpu"}


def _kernels(cubins: str, ptx: str) -> Kernels | None:
    if not (cubins or ptx):
        return None
    return Kernels(frozenset(cubins.split()), frozenset(ptx.split()))


def _requirements(values: list[str]) -> tuple[str, ...] | None:
    if not values:
        return None
    return tuple(text for value in values if value != _ASKS_NOTHING and (text := _in_full(value)))


def _facts(image: Image, kept: Mapping[str, list[str]]) -> Iterator[Fact]:
    """What the page shows of them."""
    yield from _one(Key.SOFTWARE, image.software)
    for cpu in sorted(image.platforms):
        yield Fact(Key.PLATFORM, f"linux/{cpu}", Origin.HAND)
    yield from _one(Key.CUDA, image.cuda)
    for build in image.builds:
        yield from _one(Key.FRAMEWORK, build.release, build.name)
        yield from _one(Key.FRAMEWORK_CUDA, build.cuda, build.name)
    for text in image.requirements or ():
        yield Fact(Key.REQUIRE, text, Origin.HAND)
    yield from _one(Key.CHECK_DISABLED, "yes" if image.check_disabled else "")
    yield from _one(Key.COMPAT_DRIVER, image.compat_driver)
    yield from _one(Key.COMPAT_FORCED, "yes" if image.compat_forced else "")
    for name, key, read in _SHOWN:
        yield from (Fact(key, read(value), Origin.HAND) for value in kept[name][-1:])


_SHOWN: tuple[tuple[str, Key, Callable[[str], str | int]], ...] = (
    ("size", Key.SIZE, int),
    ("unpacked", Key.UNCOMPRESSED_SIZE, int),
    ("user", Key.USER, str),
)


def _one(key: Key, value: str, about: str = "") -> Iterator[Fact]:
    if value:
        yield Fact(key, value, Origin.HAND, about)

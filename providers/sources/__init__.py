"""Every source, found by walking this package: adding a source is adding a file.

A module that holds a class derived from Source is one; the others are what sources share.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import isabstract, isclass
from types import MappingProxyType

from providers.sources.base import Source


def _sources() -> Iterator[type[Source]]:
    for module in pkgutil.iter_modules(__path__):
        name = f"{__name__}.{module.name}"
        for thing in vars(import_module(name)).values():
            own = isclass(thing) and thing.__module__ == name
            if own and issubclass(thing, Source) and not isabstract(thing):
                yield thing


def _by_slug() -> Mapping[str, type[Source]]:
    """Raises TypeError for a source whose slug is not its file's name."""
    found: dict[str, type[Source]] = {}
    for source in _sources():
        if source.__module__ != f"{__name__}.{source.slug}" or source.slug in found:
            raise TypeError(f"{source.__module__}: its one source must have its name as slug")
        found[source.slug] = source
    return MappingProxyType(dict(sorted(found.items())))


SOURCES: Mapping[str, type[Source]] = _by_slug()

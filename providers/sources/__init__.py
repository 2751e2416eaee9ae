"""Every source, found by walking this package: adding a source is adding a file.

A module that holds a class derived from Source is one; the others are what sources share.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from inspect import isabstract, isclass

from providers.sources.base import Source


class _Registry(Mapping[str, type[Source]]):
    """Slug → source, in alphabetical order. Reads the files when it is first asked."""

    def __getitem__(self, slug: str) -> type[Source]:
        return self._found[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @cached_property
    def _found(self) -> dict[str, type[Source]]:
        found = dict(
            pair for module in pkgutil.iter_modules(__path__) for pair in _sources(module.name)
        )
        return dict(sorted(found.items()))


def _sources(module: str) -> Iterator[tuple[str, type[Source]]]:
    """The source of a module. Raises TypeError when its slug is not the name of its file."""
    name = f"{__name__}.{module}"
    for thing in vars(import_module(name)).values():
        own = isclass(thing) and thing.__module__ == name
        if own and issubclass(thing, Source) and not isabstract(thing):
            if thing.slug != module:
                raise TypeError(f"{name}: its source calls itself {thing.slug!r}")
            yield module, thing


SOURCES: Mapping[str, type[Source]] = _Registry()

"""What is asked of a launch: an image at one offering, with a GPU and a few options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import QueryDict
from django.urls import reverse

from checks.launch import BadOptionError, Options
from checks.launch.options import MOST_GPUS, check
from checks.start.asked import StartAsked, read_start
from checks.start.places import Here
from providers.browse.criteria import MAX_IGNORED, Criteria, Ignored
from providers.browse.parameters import Vocabulary

OWN: Final = ("count", "private", "on_spot", "runtime", "command")
_FLAGS = ("private", "on_spot")
_RUNTIMES = ("docker", "podman")
_LONGEST_COMMAND = 2000
# These stand for an offering, its GPU and their number while an address is put together; no slug
# holds a capital.
_KEY: Final = "KEY/KEY"
_GPU: Final = "&gpu=GPU"
_COUNT: Final = MOST_GPUS + 1


@dataclass(frozen=True)
class LaunchAsked:
    """A launch; all of the first start's question is carried along."""

    start: StartAsked
    count: int = 1
    private: bool = False
    on_spot: bool = False
    runtime: str = "docker"
    command: str = ""  # as it was typed

    @property
    def criteria(self) -> Criteria:
        return self.start.criteria

    @property
    def image(self) -> str:
        """The image's name; empty where it is not known by one."""
        reference = self.start.question.reference
        return reference.familiar if reference else ""

    @property
    def offering(self) -> str:
        return next(iter(self.start.offerings), "")

    @property
    def gpu(self) -> str:
        """The GPU, where the criteria leave one only."""
        asked = self.criteria.all("gpu")
        return asked[0] if len(asked) == 1 else ""

    def options(self) -> Options:
        """What the recipes may say; criteria that leave one value only choose it."""
        region, cuda = self.criteria.all("region"), self.criteria.one("min_cuda")
        disk = self.start.disk_gb
        return Options(
            command=tuple(shlex.split(self.command)),
            private=self.private,
            spot=self.on_spot,
            region=region[0] if len(region) == 1 else "",
            min_cuda=cuda if re.fullmatch(r"\d{1,2}\.\d{1,2}", cuda) else "",
            disk_gb=int(disk) if disk and disk >= 1 else None,
            runtime="podman" if self.runtime == "podman" else "docker",
        )

    def pairs(self) -> tuple[tuple[str, str], ...]:
        return (*self.start.pairs(), *self._own())

    def _own(self) -> Iterator[tuple[str, str]]:
        usual: dict[str, Any] = {"count": 1, "runtime": "docker", "command": ""}
        for name in OWN:
            value = getattr(self, name)
            if value != usual.get(name, False):
                yield name, "1" if value is True else str(value)

    def url(self, path: str) -> str:
        return replace(self.criteria, beside=self.pairs()).url(path)


class OfferingLinks:
    """Where the first start and the launch of many offerings stand, under one question.

    An address is put together once and then filled: a page has some hundred of each.
    """

    def __init__(self, asked: StartAsked) -> None:
        self._asked = asked
        self._cold = asked.at(_KEY).url(reverse("cold-start"))
        self._launches: dict[tuple[bool, bool, bool], str] = {}

    def cold(self, key: str) -> str:
        return self._cold.replace(f"o={_KEY}", f"o={key}")

    def launch(self, here: Here) -> str:
        """The launch of what a page says of `here`: that very GPU, and as many of it."""
        listing = here.listing
        gpu = listing.slug if listing else ""
        count = min((listing.gpu_count if listing else None) or 1, MOST_GPUS)
        kind = (bool(gpu), count > 1, here.on_spot)
        if kind not in self._launches:
            self._launches[kind] = self._launch(*kind)
        found = self._launches[kind].replace(f"o={_KEY}", f"o={here.key}")
        return found.replace(f"&count={_COUNT}", f"&count={count}").replace(_GPU, f"&gpu={gpu}")

    def _launch(self, named: bool, several: bool, on_spot: bool) -> str:
        there = self._asked.at(_KEY)
        if named:
            there = replace(there, criteria=there.criteria.put("gpu", _GPU.partition("=")[2]))
        count = _COUNT if several else 1
        return LaunchAsked(there, count=count, on_spot=on_spot).url(reverse("launch"))


def read_launch(
    query: QueryDict, offerings: Collection[str], vocabulary: Vocabulary
) -> tuple[LaunchAsked, list[Ignored]]:
    """The question of an address, and what in it was not understood.

    Reasons beside those of a first start: `option` with the key of what is wrong with it.
    """
    rest = query.copy()
    for name in OWN:
        rest.pop(name, None)
    start, unknown = read_start(rest, offerings, vocabulary)
    extra = [Ignored("o", key, (), "repeated") for key in start.offerings[1:]]
    start = start.at(*start.offerings[:1])
    asked, refused = _own_part(query, start)
    asked, wrong = _possible(asked)
    return asked, [*refused, *wrong, *extra, *unknown][:MAX_IGNORED]


def _own_part(query: QueryDict, start: StartAsked) -> tuple[LaunchAsked, list[Ignored]]:
    ignored: list[Ignored] = []
    told = {name: query.get(name, "").strip() for name in OWN}

    def taken(name: str, allowed: tuple[str, ...]) -> str:
        if told[name] and told[name] not in allowed:
            ignored.append(Ignored(name, told[name][:40], allowed))
            return ""
        return told[name]

    flags = {name: bool(taken(name, ("1",))) for name in _FLAGS}
    runtime = taken("runtime", _RUNTIMES) or "docker"
    count = told["count"]
    if count and not re.fullmatch(r"[0-9]{1,4}", count):
        ignored.append(Ignored("count", count[:40], ("1", str(MOST_GPUS)), "range"))
        count = ""
    command = told["command"][:_LONGEST_COMMAND]
    return LaunchAsked(start, int(count or 1), runtime=runtime, command=command, **flags), ignored


def _possible(asked: LaunchAsked) -> tuple[LaunchAsked, list[Ignored]]:
    """Without the options that cannot be taken."""
    ignored = []
    if not 1 <= asked.count <= MOST_GPUS:
        ignored.append(Ignored("count", str(asked.count), ("1", str(MOST_GPUS)), "range"))
        asked = replace(asked, count=1)
    try:
        check(asked.options(), asked.gpu, asked.count)
    except BadOptionError as wrong:
        ignored.append(Ignored(wrong.option, str(wrong.part)[:40], (wrong.fault,), "option"))
        asked = _without(asked, wrong.option)
    except ValueError:  # a quotation that does not end
        ignored.append(Ignored("command", asked.command[:40], ("quotes",), "option"))
        asked = replace(asked, command="")
    return asked, ignored


def _without(asked: LaunchAsked, option: str) -> LaunchAsked:
    if option == "command":
        return replace(asked, command="")
    if option == "disk_gb":
        return replace(asked, start=replace(asked.start, disk_gb=None))
    criteria = asked.criteria.without(option)
    return replace(asked, start=replace(asked.start, criteria=criteria))

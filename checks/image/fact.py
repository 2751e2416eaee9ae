"""A fact of an image: what it is, its value, and where that was read. Texts are keys, no prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpucompare.cuda.image import Image
from gpucompare.cuda.tables import Basis


class Key(StrEnum):
    """What a fact is about, in the order in which facts are shown."""

    SOFTWARE = "software"  # cuda, rocm, cpu
    PLATFORM = "platform"  # linux/amd64; one fact each
    CUDA = "cuda"  # toolkit of the base
    FRAMEWORK = "framework"  # release; `about` names the framework
    FRAMEWORK_CUDA = "framework_cuda"  # the CUDA it was built with; `about` names the framework
    NGC_RELEASE = "ngc_release"  # 26.03
    ROCM = "rocm"
    ARCHITECTURES = "architectures"  # "8.0 9.0+PTX"
    REQUIRE = "require"  # `about` names the variable
    CHECK_DISABLED = "check_disabled"
    CUDNN = "cudnn"
    NCCL = "nccl"
    COMPAT = "compat"  # CUDA version of the compat package inside
    COMPAT_DRIVER = "compat_driver"
    COMPAT_FORCED = "compat_forced"
    BASE = "base"  # base, runtime, devel
    SIZE = "size"  # bytes to pull
    UNCOMPRESSED_SIZE = "uncompressed_size"  # bytes on disk
    LAYERS = "layers"
    LARGEST_LAYER = "largest_layer"  # bytes to pull
    USER = "user"
    ENTRYPOINT = "entrypoint"
    CMD = "cmd"
    DRIVER_PACKAGE = "driver_package"  # one fact each
    WEIGHTS = "weights"  # how models got in; one fact each


class Origin(StrEnum):
    """Where a fact was read; what stands behind the colon of a source says more."""

    ENV = "env"  # a variable of the image
    LABEL = "label"
    HISTORY = "history"  # a step of the build
    CONFIG = "config"  # any other part of the configuration
    INDEX = "index"  # the list of platforms
    LAYERS = "layers"
    INSPECT = "inspect"  # a number that docker or podman worked out
    TAG = "tag"
    FROM = "from"  # the name of the image that a Dockerfile builds on
    TABLE = "table"  # a data file of this project
    HAND = "hand"  # typed by the reader


@dataclass(frozen=True)
class Fact:
    """One fact. `source` is an origin, or an origin and its detail: `env:CUDA_VERSION`."""

    key: Key
    value: str | int
    source: str
    about: str = ""
    basis: Basis = "documented"  # less than documented only where a data file says so

    @property
    def origin(self) -> Origin:
        return Origin(self.source.partition(":")[0])

    @property
    def detail(self) -> str:
        return self.source.partition(":")[2]


@dataclass(frozen=True)
class ImageFacts:
    """All that was learnt of an image. Facts of one key stand with the most trusted first."""

    image: Image
    facts: tuple[Fact, ...]
    reference: str = ""  # "" for an image without a name
    pinned: str = ""  # the digest that means this very image; "" where it was not told
    base: str = ""  # a Dockerfile's base image, whose own facts are not among these

    def told(self, key: Key, about: str = "") -> tuple[Fact, ...]:
        """What was told about one thing, the most trusted first."""
        return tuple(fact for fact in self.facts if (fact.key, fact.about) == (key, about))

    def first(self, key: Key, about: str = "") -> Fact | None:
        return next(iter(self.told(key, about)), None)

    def values(self, key: Key) -> tuple[str | int, ...]:
        return tuple(fact.value for fact in self.facts if fact.key is key)

    @property
    def disagreements(self) -> tuple[tuple[Fact, ...], ...]:
        """Groups of facts about one thing that cannot all be true."""
        groups: dict[tuple[Key, str], list[Fact]] = {}
        for fact in self.facts:
            if fact.key not in _MANY:
                groups.setdefault((fact.key, fact.about), []).append(fact)
        return tuple(tuple(group) for group in groups.values() if _disagree(group))


# Several facts of these stand beside each other without contradiction.
_MANY: frozenset[Key] = frozenset({Key.PLATFORM, Key.DRIVER_PACKAGE, Key.WEIGHTS, Key.SOFTWARE})
_VERSIONS = frozenset(
    {Key.CUDA, Key.FRAMEWORK, Key.FRAMEWORK_CUDA, Key.CUDNN, Key.NCCL, Key.ROCM, Key.COMPAT}
)


def _disagree(group: Sequence[Fact]) -> bool:
    first, *others = group
    return any(not agree(first, other) for other in others)


def agree(one: Fact, other: Fact) -> bool:
    """Whether both may be true: 12.8 and 12.8.1 are, 12.8 and 12.6 are not."""
    if one.key not in _VERSIONS:
        return one.value == other.value
    pairs = zip(_parts(one.value), _parts(other.value), strict=False)
    return all(mine == theirs for mine, theirs in pairs)


def _parts(version: str | int) -> Iterator[str | int]:
    """Numbers as numbers; what stands behind a plus says how it was built, not which it is."""
    for part in str(version).partition("+")[0].split("."):
        yield int(part) if part.isdecimal() and len(part) < 10 else part

"""YAML text → plain data, with the line of every part of it.

Scalars are read by the core schema of YAML 1.2: only true and false are
booleans, a day stays text, and `no` is the word no.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from providers.catalog.faults import CatalogFaults, Fault, Path

MAX_BYTES = 256 * 1024
# The shape of a provider file is 6 deep; more is a mistake or an attack on the parser's stack.
MAX_DEPTH = 12

_TAG = "tag:yaml.org,2002:"
_CORE_SCALARS = (
    ("null", re.compile(r"null|Null|NULL|~|"), ["n", "N", "~", ""]),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE"), list("tTfF")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"), list("-+0123456789")),
    (
        "float",
        re.compile(
            r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
            r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
        ),
        list("-+.0123456789"),
    ),
)


class CoreLoader(yaml.CSafeLoader):
    """The C parser with the scalars of YAML 1.2 instead of those of 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


for _name, _pattern, _first in _CORE_SCALARS:
    CoreLoader.add_implicit_resolver(_TAG + _name, re.compile(rf"(?:{_pattern.pattern})\Z"), _first)


@dataclass(frozen=True)
class Parsed:
    """A file's data (None when it could not be read), its lines by path, and its faults."""

    name: str
    text: str
    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def line_of(self, path: Path) -> int:
        """The line of `path`, or of the nearest part above it that the file has.

        A part that the file leaves out is skipped: a lone claim has no index in the file.
        """
        here: Path = ()
        for part in path:
            if (*here, part) in self.lines:
                here = (*here, part)
        return self.lines.get(here, 1)


def read_directory(directory: FilePath) -> list[Parsed]:
    """Every `*.yaml` of `directory`, by name. No such file is a fault: it is never meant."""
    found = sorted(directory.glob("*.yaml"))
    if not found:
        return [_unread(str(directory), "", "holds no catalog files (*.yaml)")]
    return [read_file(path) for path in found]


def read_texts(directory: FilePath, pattern: str = "*.yaml") -> dict[str, str]:
    """The files of `directory` unparsed, by their place in it without `.yaml`.

    Raises CatalogFaults where one is no text, or where there is none.
    """
    texts: dict[str, str] = {}
    faults: list[Fault] = []
    for path in sorted(directory.glob(pattern)):
        text = _text_of(path)
        if isinstance(text, Parsed):
            faults += text.faults
        else:
            texts[path.relative_to(directory).with_suffix("").as_posix()] = text
    if not texts and not faults:
        faults = [Fault(str(directory), 1, "", f"holds no files ({pattern})")]
    if faults:
        raise CatalogFaults(faults)
    return texts


def read_file(path: FilePath) -> Parsed:
    text = _text_of(path)
    return text if isinstance(text, Parsed) else parse(path.name, text)


def _text_of(path: FilePath) -> str | Parsed:
    """The text of a file, or the fault for which there is none."""
    try:
        raw = path.read_bytes()
        return raw.decode()
    except OSError as error:
        return _unread(path.name, "", f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return _unread(path.name, "", "is not UTF-8 text", line)


def parse(name: str, text: str) -> Parsed:
    """Plain data of one YAML document; faults instead of exceptions, whatever the text."""
    if len(text.encode()) > MAX_BYTES:
        return _unread(name, text, f"is larger than {MAX_BYTES // 1024} KiB")
    try:
        root = yaml.compose(text, Loader=CoreLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return _unread(name, text, f"is not YAML: {_reason(error)}", mark.line + 1 if mark else 1)
    except yaml.YAMLError as error:
        return _unread(name, text, f"is not YAML: {error}".splitlines()[0])
    if root is None:
        return _unread(name, text, "is empty")
    reader = _Reader(name)
    data = reader.value(root, ())
    return Parsed(name, text, data, reader.lines, tuple(reader.faults))


def _reason(error: yaml.MarkedYAMLError) -> str:
    return ", ".join(part for part in (error.context, error.problem) if part)


def _unread(name: str, text: str, message: str, line: int = 1) -> Parsed:
    return Parsed(name, text, faults=(Fault(name, line, "", message),))


class _Reader:
    """Turns nodes into data and notes each one's line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Path, int] = {}
        self.faults: list[Fault] = []
        self._seen: set[int] = set()

    def value(self, node: Node, path: Path) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        # An alias gives the same node again: a file of facts says each one where it stands.
        if id(node) in self._seen:
            return self._fault(node, path, "is an alias; write the value out")
        self._seen.add(id(node))
        if len(path) > MAX_DEPTH:
            return self._fault(node, path, "is nested too deeply")
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self._fault(key_node, path, "has a key that is not a word")
                continue
            key = str(key_node.value)
            if key in data:
                self._fault(key_node, (*path, key), "stands twice; keep one")
                continue
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            data[key] = self.value(value_node, (*path, key))
        return data

    def _scalar(self, node: Node, path: Path) -> Any:
        read = _SCALARS.get(node.tag)
        if read is None:
            return self._fault(node, path, f"has the tag {node.tag}, which is not allowed")
        try:
            return read(node.value)
        except ValueError:
            return self._fault(node, path, f"is not a {node.tag.removeprefix(_TAG)}")

    def _fault(self, node: Node, path: Path, message: str) -> None:
        line = node.start_mark.line + 1
        self.faults.append(Fault(self.name, line, ".".join(map(str, path)), message))


def _integer(text: str) -> int:
    return int(text, 0) if text.startswith(("0o", "0x")) else int(text)


def _float(text: str) -> float:
    return float(re.sub(r"\.(inf|nan)", r"\1", text, flags=re.IGNORECASE))


_SCALARS: dict[str, Callable[[str], Any]] = {
    _TAG + "str": str,
    _TAG + "null": lambda _text: None,
    _TAG + "bool": lambda text: text.lower() == "true",
    _TAG + "int": _integer,
    _TAG + "float": _float,
}

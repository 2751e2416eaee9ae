"""Templates, filled so that no value can become anything but a value.

A shell or Dockerfile template is read by lines: a line is a piece of a command (an instruction,
in a Dockerfile), an empty line ends the command. `<name>` stands for a value, quoted for the
language; `<name|VARIABLE>` for a variable of the reader's where there is none; `<name*>` repeats
its line for every word. A line whose value is missing falls away, and so does one that begins with
`[name] ` where `name` has no value.

A YAML or JSON template is loaded first and its `<name>` leaves are exchanged then, never its
text; a leaf without a value takes its key along. `<name|WORD>` leaves the word for the reader,
`<name?text>` is our own text where `name` has a value (null, if there is no text).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import yaml

Values = Mapping[str, Any]  # str, int, bool, list of str; None, "" and () are missing


_NULL = object()  # a leaf that stays, as null
_PLACE = re.compile(r"<(\w+)(?:\|([A-Z_]+)|(\*))?>")
_CONDITION = re.compile(r"\[(\w+)\] ")
_OURS = re.compile(r"<(\w+)\?(.*)>")
_VARIABLE = re.compile(r"\$([A-Z][A-Z0-9_]+)")
_WORD = re.compile(r'"([A-Z]+(?:_[A-Z]+)+)"')
# What a reference of an image is made of; nothing here means something to Docker's parser.
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*|\[[0-9A-Fa-f:]+\][A-Za-z0-9._/:@-]*")


def places(template: str) -> set[str]:
    """The names of the values that a template asks for, also of those that are a condition."""
    conditions = {match[1] for match in map(_CONDITION.match, template.splitlines()) if match}
    return conditions | {match[1] for match in _PLACE.finditer(template)}


def to_set(template: str, values: Values) -> Iterator[str]:
    """The variables and words that a shell or JSON template leaves to the reader."""
    for line in kept(template, values):
        yield from _VARIABLE.findall(line)
        yield from _WORD.findall(line)
        for match in _PLACE.finditer(line):
            if match[2] and not _there(values.get(match[1])):
                yield match[2]


def kept(template: str, values: Values) -> Iterator[str]:
    """The lines of a template that do not fall away for a condition of theirs."""
    for line in template.splitlines():
        found = _CONDITION.match(line) or _OURS.search(line)
        if found is None or _there(values.get(found[1])):
            yield line


def _there(value: Any) -> bool:
    return value is not None and value not in ("", ())


def shell_word(value: Any) -> str:
    """A value as one word of a POSIX shell; a list as its words."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return shlex.join(value)
    return shlex.quote(str(value))


def dockerfile_word(value: Any) -> str:
    """A list as the exec form of an instruction; a text as it is.

    Dockerfiles have no quotes for a text there: one that would need them raises ValueError.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return json.dumps(list(value), ensure_ascii=False)
    if not _BARE.fullmatch(str(value)):
        raise ValueError(f"{value!r} cannot stand in a Dockerfile as it is")
    return str(value)


def fill_shell(template: str, values: Values) -> str:
    """The commands of a shell template, one below the other."""
    commands = [_lines(part, values, shell_word) for part in template.split("\n\n")]
    return "\n".join(" \\\n  ".join(lines) for lines in commands if lines)


def fill_dockerfile(template: str, values: Values) -> str:
    return "".join(f"{line}\n" for line in _lines(template, values, dockerfile_word))


def _lines(part: str, values: Values, word: Callable[[Any], str]) -> list[str]:
    return [line for raw in part.splitlines() for line in _line(raw, values, word)]


def _line(raw: str, values: Values, word: Callable[[Any], str]) -> list[str]:
    condition = _CONDITION.match(raw)
    if condition and not _there(values.get(condition[1])):
        return []
    line = raw[condition.end() :] if condition else raw
    repeated = next((m[1] for m in _PLACE.finditer(line) if m[3]), None)
    # As a list of one, so that an empty word is a word.
    rounds = [{**values, repeated: (w,)} for w in values[repeated]] if repeated else [values]
    return [filled for each in rounds if (filled := _filled(line, each, word)) is not None]


def _filled(line: str, values: Values, word: Callable[[Any], str]) -> str | None:
    missing = False

    def put(match: re.Match[str]) -> str:
        nonlocal missing
        value = values.get(match[1])
        if _there(value):
            return word(value)
        missing = missing or match[2] is None
        return f'"${match[2]}"'

    filled = _PLACE.sub(put, line)
    return None if missing else filled


# --- YAML and JSON ---------------------------------------------------------------


class Given(str):
    """A text that came from outside: in YAML it always stands in quotes."""

    __slots__ = ()


def _block(text: str) -> bool:
    """Whether it may stand as lines: in a block YAML takes other breaks for line feeds."""
    return "\n" in text and not re.search("[\r\x85\u2028\u2029]", text)


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists stand further in than their key, as people write them."""
        super().increase_indent(flow, indentless=False)


_Dumper.add_representer(
    Given,
    # YAML 1.1 and 1.2 disagree about what a bare word means; about quotes they agree.
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", str(text), style="|" if _block(text) else '"'
    ),
)


def fill_yaml(template: str, values: Values, escape: Callable[[str], str] = str) -> str:
    """A YAML file. `escape` is what the reader of the file undoes in every text of it."""
    tree = _exchange(_tree(template), values, escape)
    return yaml.dump(
        tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6, indent=2
    )


@cache
def _tree(template: str) -> Any:
    """A template as data, which nobody changes: an exchange builds a new tree."""
    return yaml.safe_load(template)


def fill_json(template: str, values: Values) -> str:
    """A JSON text, of several lines."""
    tree = _exchange(json.loads(template), values, str)
    return json.dumps(tree, indent=2, ensure_ascii=False)


def _exchange(node: Any, values: Values, escape: Callable[[str], str]) -> Any:
    """`node` with its leaves exchanged; None where nothing is left of it."""
    if isinstance(node, dict):
        pairs = {key: _exchange(value, values, escape) for key, value in node.items()}
        return {key: _nulled(value) for key, value in pairs.items() if value is not None} or None
    if isinstance(node, list):
        items = [_exchange(item, values, escape) for item in node]
        return [item for item in items if item is not None] or None
    if not isinstance(node, str):
        return node
    if ours := _OURS.fullmatch(node):
        return (ours[2] or _NULL) if _there(values.get(ours[1])) else None
    match = _PLACE.fullmatch(node)
    return _leaf(values.get(match[1]), match[2], escape) if match else node


def _nulled(value: Any) -> Any:
    return None if value is _NULL else value


def _leaf(value: Any, word: str | None, escape: Callable[[str], str]) -> Any:
    if not _there(value):
        return word
    if isinstance(value, str):
        return Given(escape(value))
    if isinstance(value, Sequence):
        return [Given(escape(each)) for each in value]
    if isinstance(value, Mapping):
        return {escape(key): _leaf(each, None, escape) for key, each in value.items()}
    return value


def doubled_dollars(text: str) -> str:
    """What Compose, Kubernetes and dstack undo: they take `$` for the start of a variable."""
    return text.replace("$", "$$")

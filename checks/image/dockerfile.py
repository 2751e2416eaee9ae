"""Reads a Dockerfile as far as it tells what its last stage will hold.

Source: https://docs.docker.com/reference/dockerfile/ (parser directives, ARG and FROM, ENV).
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from checks.image.expand import expand
from checks.image.kept import kept
from checks.image.record import Config, HistoryLine, Platform
from checks.image.reference import BadReferenceError, parse
from checks.image.steps import StepReader
from checks.image.told import Told

MOST_STAGES = 100

_ESCAPE = re.compile(r"#\s*escape\s*=\s*([\\`])\s*", re.IGNORECASE)
_HEREDOC = re.compile(r"<<-?\s*[\"']?([A-Za-z_]\w{0,60})[\"']?")
_PAIR = re.compile(
    r"""([A-Za-z_][\w.-]{0,99})=((?:"(?:[^"\\]|\\.)*+"?|'[^']*+'?|\\.|[^\s"'\\])*+)""", re.DOTALL
)
_FROM = re.compile(
    r"(?:--platform=(?P<platform>\S+)\s+)?(?P<image>\S+)(?:\s+AS\s+(?P<name>\S+))?\s*",
    re.IGNORECASE,
)
# Prose may begin a line with From; it does not end there.
_TELLING = re.compile(
    rf"\s*(?:FROM\s+{_FROM.pattern}|(?:ENV|ARG)\s+[A-Za-z_]\w*(?:[= ].*)?|RUN\s+\S.*)",
    re.IGNORECASE,
)
_ARRAY_ITEM = re.compile(r'"((?:[^"\\]|\\.)*+)"?')


class TooManyStagesError(ValueError):
    """More stages than anyone writes."""


def is_dockerfile(text: str) -> bool:
    """Whether there is an instruction that may tell something."""
    return any(_TELLING.fullmatch(line) for line in text.splitlines())


@dataclass
class _Stage:
    """One FROM and what follows it."""

    image: str = ""  # the name behind FROM, "" where it could not be filled in
    parent: _Stage | None = None  # an earlier stage that it builds on
    platform: str = ""
    env: dict[str, str] = field(default_factory=dict)
    args: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    history: list[HistoryLine] = field(default_factory=list)
    user: str = ""
    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    own_cmd: bool = False

    @property
    def known(self) -> Mapping[str, str]:
        """What may be filled in: a variable hides the argument of its name."""
        return ChainMap(self.env, self.args)


def read_dockerfile(text: str) -> Told:
    """What the last stage will hold, as far as the file says. Raises TooManyStagesError."""
    reader = _Reader()
    for line in _instructions(text):
        reader.take(line)
    last = reader.stages[-1] if reader.stages else reader.before
    root = last
    while root.parent:
        root = root.parent
    whole = root.image == "scratch"
    return Told(
        platforms=tuple(_platform(last.platform)),
        config=_config(last),
        whole=whole,
        base="" if whole else _canonical(root.image),
    )


class _Reader:
    """Takes one instruction after the other."""

    def __init__(self) -> None:
        self.before = _Stage()  # what stands above the first FROM; a fragment has nothing else
        self.stages: list[_Stage] = []
        self.names: dict[str, _Stage] = {}
        self.steps = StepReader()

    def take(self, line: str) -> None:
        word, rest = (*line.split(maxsplit=1), "", "")[:2]
        stage = self.stages[-1] if self.stages else self.before
        match word.upper():
            case "FROM":
                self._begin(rest)
            case "ARG":
                self._arguments(stage, rest)
            case "ENV":
                # All of a line see the values from before it.
                filled = [(name, expand(v, stage.known)) for name, v in _pairs(rest)]
                stage.env.update(filled)
            case "LABEL":
                stage.labels.update(_pairs(rest))
            case "USER":
                stage.user = expand(rest, stage.known)
            case "ENTRYPOINT":
                # A new entrypoint resets the command of the base, not one of its own stage.
                stage.entrypoint = _words(rest)
                stage.cmd = stage.cmd if stage.own_cmd else ()
            case "CMD":
                stage.cmd, stage.own_cmd = _words(rest), True
            case "RUN" | "COPY" | "ADD":
                if text := self.steps.read(line, stage.known).text:
                    stage.history.append(HistoryLine(text))

    def _begin(self, rest: str) -> None:
        if len(self.stages) >= MOST_STAGES:
            raise TooManyStagesError
        stage = _Stage()
        # FROM sees the arguments above the first FROM, and no others.
        if match := _FROM.fullmatch(rest):
            image = expand(match["image"], self.before.args)
            parent = self.names.get(image.lower())
            stage = _Stage("" if parent else image, parent)
            if parent:
                stage.env.update(parent.env)
                stage.labels.update(parent.labels)
                stage.user = parent.user
                stage.entrypoint, stage.cmd = parent.entrypoint, parent.cmd
            stage.platform = match["platform"] or (parent.platform if parent else "")
            if match["name"]:
                self.names[match["name"].lower()] = stage
        self.stages.append(stage)

    def _arguments(self, stage: _Stage, rest: str) -> None:
        for word in rest.split() if "=" not in rest else ():
            # Named again without a value, it has the one from above the first FROM.
            stage.args.setdefault(word, self.before.args.get(word, ""))
        filled = [(name, expand(value, stage.known)) for name, value in _pairs(rest)]
        stage.args.update(filled)


def _config(last: _Stage) -> Config:
    chain = [last]
    while parent := chain[-1].parent:
        chain.append(parent)
    history = tuple(line for stage in reversed(chain) for line in stage.history)
    config = Config(
        env=tuple(f"{name}={value}" for name, value in last.env.items()),
        labels=last.labels,
        user=last.user,
        entrypoint=last.entrypoint,
        cmd=last.cmd,
        history=history,
    )
    return kept(config)


def _instructions(text: str) -> Iterator[str]:
    """Whole instructions: continued lines joined, comments left out, here-documents joined."""
    escape, until, parts = "\\", "", list[str]()
    lines = text.splitlines()
    if lines and (directive := _ESCAPE.fullmatch(lines[0].strip())):
        escape = directive[1]
    ends = {line.strip() for line in lines}
    for raw in lines:
        line = raw.rstrip()
        if until:
            if line.strip() == until:
                yield "\n".join(parts)
                until, parts = "", []
            else:
                parts.append(line)
            continue
        if not line.strip() or _is_comment(line):
            continue
        continued = line.endswith(escape)
        parts.append((line[:-1] if continued else line).strip())
        if not continued:
            heredoc = _HEREDOC.search(parts[-1])
            runs = parts[0][:4].upper() in ("RUN ", "COPY")
            until = heredoc[1] if heredoc and runs and heredoc[1] in ends else ""
            if not until:
                yield " ".join(parts)
                parts = []
    if parts:
        yield "\n".join(parts)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _pairs(rest: str) -> list[tuple[str, str]]:
    """NAME=value …, or ENV's old form `NAME value`."""
    found = [(match[1], _unquoted(match[2])) for match in _PAIR.finditer(rest)]
    name, _space, value = rest.partition(" ")
    if value and "=" not in name:
        return [(name, value.strip())]
    return found


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace('\\"', '"')
    return value


def _words(rest: str) -> tuple[str, ...]:
    """The program of `["python", "a.py"]`, or of a line for the shell."""
    return tuple(_ARRAY_ITEM.findall(rest)) if rest.startswith("[") else tuple(rest.split()[:1])


def _platform(name: str) -> Iterator[Platform]:
    words = name.split("/")
    if len(words) > 1 and all(word.isalnum() and len(word) < 20 for word in words[:3]):
        yield Platform(*[*words, ""][:3])


def _canonical(image: str) -> str:
    try:
        return str(parse(image))
    except BadReferenceError:
        return ""

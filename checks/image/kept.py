"""What is kept of a configuration that somebody pasted: what facts are drawn from, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from checks.image.environment import only_read
from checks.image.record import Config, HistoryLine
from checks.image.steps import StepReader

_LABELS = frozenset(
    f"com.nvidia.{name}.version" for name in ("cudnn", "nccl", "pytorch", "tensorflow")
)
# Where a value of a variable that is read may still hold more than a version or a path.
_PLAIN = re.compile(r"[\w .,:;/+=<>!|~^$\-\[\]\"]{0,4000}")
_WORD = re.compile(r"[\w./:@+-]{1,128}")


def kept(config: Config) -> Config:
    """`config` without the values of other variables, with its steps as far as recognised."""
    reader, values = StepReader(), config.environment
    return Config(
        env=tuple(line for line in only_read(config.env) if _PLAIN.fullmatch(line)),
        labels={name: value for name, value in config.labels.items() if name in _LABELS},
        user=_word(config.user),
        entrypoint=_program(config.entrypoint),
        cmd=_program(config.cmd),
        architecture=_word(config.architecture),
        os=_word(config.os),
        variant=_word(config.variant),
        history=tuple(
            HistoryLine(reader.read(line.created_by, values).text, empty_layer=line.empty_layer)
            for line in config.history
        ),
    )


def _word(text: str) -> str:
    return text if _WORD.fullmatch(text) else ""


def _program(words: Iterable[str]) -> tuple[str, ...]:
    """The program alone: what it is called with may be a secret."""
    first = next(iter(words), "").split(maxsplit=1)
    return (_word(first[0]) or "…",) if first else ()

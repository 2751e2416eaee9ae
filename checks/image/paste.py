"""Reads what someone pastes of an image that no registry shows to us.

Known: `docker image inspect` (podman's too), `docker buildx imagetools inspect --format
'{{json .}}'`, `skopeo inspect` with and without `--config`, an index, a manifest, a configuration,
and a Dockerfile. A pasted text is neither stored nor logged. What comes out holds the variables
that facts are drawn from, the steps as far as they were recognised, and the names of programs;
everything else, secrets with it, is dropped here.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from checks.image.dockerfile import TooManyStagesError, is_dockerfile, read_dockerfile
from checks.image.paste_fault import PasteError, PasteFault
from checks.image.pasted_json import read_json
from checks.image.record import Config
from checks.image.reference import BadReferenceError, parse
from checks.image.told import Told

LARGEST = 1024 * 1024  # bytes of UTF-8; a configuration of an NGC image has half of that
DEEPEST = 32  # brackets within brackets; the documents that we read have about 8

_JSON_START = re.compile(r"^[ \t]*[\[{]", re.MULTILINE)
# A string that does not end goes on to the end: it is not looked for again from each quote in it.
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_FROM = re.compile(r"^\s*FROM\s", re.MULTILINE | re.IGNORECASE)
_STEPS_IN = {"[": 1, "{": 1, "]": -1, "}": -1}


def read_paste(text: str) -> Told:
    """What the text tells of an image. Raises PasteError, and nothing else."""
    text = text.removeprefix("\ufeff").replace("\0", "").replace("\r\n", "\n").strip()
    if not text:
        raise PasteError(PasteFault.EMPTY)
    if len(text) > LARGEST or len(text.encode("utf-8", "replace")) > LARGEST:
        too_large()
    if text[0] not in "[{" and is_dockerfile(text):
        return _dockerfile(text)
    if start := _JSON_START.search(text):
        # A command line that was copied along is left out.
        return read_json(_parsed(text[start.start() :]))
    raise PasteError(_what_else(text))


def too_large() -> NoReturn:
    """Says of a text that it is; raises PasteError."""
    raise PasteError(PasteFault.TOO_LARGE, str(LARGEST // 1024))


def _dockerfile(text: str) -> Told:
    try:
        told = read_dockerfile(text)
    except TooManyStagesError:
        raise PasteError(PasteFault.TOO_MANY_STAGES) from None
    config = told.config or Config()
    steps = any(line.created_by.removeprefix("COPY .") for line in config.history)
    if not (told.base or told.whole or config.env or steps):
        begins = _FROM.search(text) is not None
        raise PasteError(PasteFault.NO_BASE if begins else PasteFault.UNRECOGNISED)
    return told


def _parsed(text: str) -> Any:
    if _depth(text) > DEEPEST:
        raise PasteError(PasteFault.TOO_DEEP, str(DEEPEST))
    try:
        found, _end = json.JSONDecoder().raw_decode(text.lstrip())
    except json.JSONDecodeError as error:
        raise PasteError(PasteFault.NOT_JSON, str(error.lineno)) from None
    except ValueError:  # a number of thousands of digits
        raise PasteError(PasteFault.NOT_JSON) from None
    return found


def _depth(text: str) -> int:
    deepest = depth = 0
    for match in _BRACKETS.finditer(text):
        depth += _STEPS_IN.get(match[0], 0)
        deepest = max(deepest, depth)
    return deepest


def _what_else(text: str) -> PasteFault:
    try:
        parse(text)
    except BadReferenceError:
        return PasteFault.UNRECOGNISED
    return PasteFault.REFERENCE


__all__ = ["PasteError", "PasteFault", "read_paste", "too_large"]

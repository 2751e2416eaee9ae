"""Whether options can be taken, before anything is written with them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from checks.launch.words import BadOptionError, OptionFault, Options

MOST_GPUS: Final = 1024
MOST_DISK_GB: Final = 1_000_000
_FORMS: Final = {
    # What Kubernetes, dstack and the providers' forms all take as a name.
    "name": re.compile(r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?"),
    "min_cuda": re.compile(r"\d{1,2}\.\d{1,2}"),
    "gpu": re.compile(r"[a-z0-9-]{1,64}"),
    "region": re.compile(r"[\w./ -]{1,80}"),
    "instance_type": re.compile(r"[\w.:+/ -]{1,120}"),
    "cloud": re.compile(r"[\w.-]{1,80}"),
    "offer": re.compile(r"[\w.-]{1,80}"),
}
# A terminal, an editor or a reader would obey these instead of showing them.
_OBEYED: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DIRECTION: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def check(options: Options, gpu: str, count: int) -> None:
    """Raises BadOptionError for the first option that cannot be taken."""
    for option, text in _texts(options, gpu):
        _check_characters(option, text)
        form = _FORMS.get(option)
        if form and text and (not form.fullmatch(text) or text.startswith("-")):
            raise BadOptionError(option, OptionFault.FORM, text)
    if not options.name:
        raise BadOptionError("name", OptionFault.FORM, options.name)
    _check_range("count", count, MOST_GPUS)
    if options.disk_gb is not None:
        _check_range("disk_gb", options.disk_gb, MOST_DISK_GB)


def _texts(options: Options, gpu: str) -> Iterator[tuple[str, str]]:
    yield "gpu", gpu
    for option in ("name", "region", "instance_type", "cloud", "offer", "min_cuda"):
        yield option, getattr(options, option)
    for word in options.command:
        yield "command", word


def _check_characters(option: str, text: str) -> None:
    for letter in text:
        if unicodedata.category(letter) in _OBEYED or _DIRECTION.fullmatch(letter):
            raise BadOptionError(option, OptionFault.CHARACTER, letter)


def _check_range(option: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise BadOptionError(option, OptionFault.RANGE, number)

"""What a reader typed into the form of a correction, and what of it cannot be taken."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.http import QueryDict

from providers.answers import Dimension, Kind, Text
from providers.corrections.wording import FAULTS, too_long
from providers.models import Correction

# What is sent for an answer that its dimension does not list; no key of a value begins like this.
OTHER = "_other"
# A note explains; what it links to beyond this is advertising.
MOST_LINKS = 2
_LINK = re.compile(r"https?://|www\.", re.IGNORECASE)
_is_address = URLValidator(schemes=["http", "https"])


def longest(name: str) -> int:
    """How many characters a field of a correction holds."""
    return int(getattr(Correction._meta.get_field(name), "max_length", 0))


@dataclass(frozen=True)
class Typed:
    """The fields of the form, cleaned of what is no text."""

    chosen: tuple[str, ...] = ()  # keys of the dimension's values, and OTHER
    text: str = ""  # an answer in the reader's own words
    source: str = ""
    note: str = ""

    @classmethod
    def read(cls, fields: QueryDict, dimension: Dimension) -> Typed:
        """From a form that was sent, or from an address that fills it in."""
        values = [one for value in fields.getlist("value") if (one := _line(value))]
        known = tuple(v for v in dict.fromkeys(values) if v in dimension.by_key or v == OTHER)
        unknown = " ".join(v for v in values if v not in known)
        text = _line(fields.get("other", "")) or unknown
        if text and not known:
            known = (OTHER,)
        return cls(known, text, _address(fields.get("source", "")), _lines(fields.get("note", "")))

    @property
    def value(self) -> str:
        """The answer as it is stored: keys as a curator spells them, or the reader's words."""
        keys = [key for key in self.chosen if key != OTHER]
        return ", ".join([*keys, self.text] if OTHER in self.chosen else keys)

    def faults(self, dimension: Dimension) -> dict[str, Text]:
        """Why this cannot be taken, by the name of the field."""
        found = {
            "value": self._fault_of_value(dimension),
            "source": self._fault_of_source(),
            "note": self._fault_of_note(),
        }
        return {name: fault for name, fault in found.items() if fault}

    def _fault_of_value(self, dimension: Dimension) -> Text:
        if self.text and OTHER not in self.chosen:
            return FAULTS["both"]
        if len(self.chosen) > 1 and dimension.kind is not Kind.SET:
            return FAULTS["several"]
        if not _says_something(self.value) or (OTHER in self.chosen and not self.text):
            return FAULTS["nothing"]
        return _fault_of_length("value", self.value)

    def _fault_of_source(self) -> Text:
        if not self.source or (fault := _fault_of_length("source", self.source)):
            return fault if self.source else ""
        try:
            _is_address(self.source)
            # A name and a password in an address are nobody else's business.
            wrong = "@" in urlsplit(self.source).netloc
        except (ValidationError, ValueError):
            wrong = True
        return FAULTS["address"] if wrong else ""

    def _fault_of_note(self) -> Text:
        if len(_LINK.findall(f"{self.value} {self.note}")) > MOST_LINKS:
            return FAULTS["links"]
        return _fault_of_length("note", self.note)


def said(typed: Typed) -> Mapping[str, str]:
    """What of it is kept."""
    return {"value": typed.value, "source": typed.source, "note": typed.note}


def _fault_of_length(name: str, text: str) -> Text:
    return too_long(longest(name), len(text)) if len(text) > longest(name) else ""


def _lines(text: str) -> str:
    """Text without control characters; a browser sends the end of a line as two."""
    text = re.sub(r"\r\n?", "\n", text).replace("\t", " ")
    kept = (c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cs"))
    return "".join(kept).strip()


def _line(text: str) -> str:
    return " ".join(_lines(text).split())


def _address(text: str) -> str:
    """An address as people write it: without a scheme it is https."""
    text = _line(text)
    return text if not text or "://" in text else f"https://{text}"


def _says_something(text: str) -> bool:
    """Whether anything of it can be seen: a letter, a digit, a sign."""
    return any(unicodedata.category(c)[0] in "LNPS" for c in text)

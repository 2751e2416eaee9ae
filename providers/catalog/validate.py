"""Parsed files → documents, or every fault of every file at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from providers.catalog.faults import CatalogFaults, Fault, Path
from providers.catalog.files import Parsed
from providers.catalog.schema import (
    ClaimDocument,
    OfferingDocument,
    PricingApi,
    ProviderDocument,
    claim_lists,
)


def documents(files: Iterable[Parsed]) -> dict[str, ProviderDocument]:
    """The documents of `files` by slug; raises CatalogFaults with every fault of every file."""
    faults: list[Fault] = []
    found: dict[str, ProviderDocument] = {}
    for file in files:
        document, wrong = document_of(file)
        faults += wrong
        if document is not None:
            found[document.slug] = document
    if faults:
        raise CatalogFaults(faults)
    return found


def document_of(file: Parsed) -> tuple[ProviderDocument | None, list[Fault]]:
    """One file's document, or None with all the faults that speak against it."""
    if file.data is None:
        return None, list(file.faults)
    faults = [*file.faults, *_file_faults(file)]
    try:
        document = ProviderDocument.model_validate(file.data)
    except ValidationError as error:
        return None, faults + [_fault(file, e) for e in error.errors(include_url=False)]
    return (None if faults else document), faults


def _file_faults(file: Parsed) -> Iterator[Fault]:
    """What no single field can know: its neighbours and the file's own name.

    Read from plain data, so that it is reported beside the faults of the fields.
    """
    data = file.data if isinstance(file.data, dict) else {}
    slug = data.get("slug")
    if isinstance(slug, str) and f"{slug}.yaml" != file.name:
        message = f"{slug!r} is not the file's name; allowed: {file.name.removesuffix('.yaml')}"
        yield Fault(file.name, file.line_of(("slug",)), "slug", message)
    seen: set[str] = set()
    for path, offering in _items(data.get("offerings"), ("offerings",)):
        offering_slug = str(offering.get("slug"))
        if offering_slug in seen:
            yield _at(file, (*path, "slug"), f"{offering_slug!r} is another offering's slug")
        seen.add(offering_slug)
        yield from _repeated_claims(file, path, offering.get("claims"))


def _repeated_claims(file: Parsed, path: Path, claims: Any) -> Iterator[Fault]:
    for key, several in claims.items() if isinstance(claims, dict) else ():
        before: list[Any] = []
        for at, claim in _items(several, (*path, "claims", key)):
            if claim in before:
                yield _at(file, at, "is the same claim again; once is enough")
            before.append(claim)


def _items(several: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for index, item in enumerate(several if isinstance(several, list) else ()):
        if isinstance(item, dict):
            yield (*path, index), item


def _at(file: Parsed, path: Path, message: str) -> Fault:
    return Fault(file.name, file.line_of(path), readable(path, file.data), message)


def _fault(file: Parsed, error: ErrorDetails) -> Fault:
    path: Path = tuple(part for part in error["loc"] if part != "[key]")
    return _at(file, path, _message(error, path))


def readable(path: Path, data: Any) -> str:
    """`offerings.pods.claims.spot[1].source`: offerings by slug, the rest by number."""
    text = ""
    for part in path:
        inside = _inside(data, part)
        slug = inside.get("slug") if isinstance(inside, dict) else None
        if isinstance(part, str):
            text += f".{part}"
        elif isinstance(slug, str):
            text += f".{slug}"
        elif isinstance(data, list):
            text += f"[{part}]"
        data = inside
    return text.removeprefix(".")


def _inside(data: Any, part: str | int) -> Any:
    if isinstance(data, dict) and part == 0:
        return data  # a lone claim: the first of it is itself
    try:
        return data[part]
    except (KeyError, IndexError, TypeError):
        return None


_WANTED = {
    "string_type": "a text (put numbers, true and false in quotes)",
    "list_type": "a list",
    "dict_type": "a mapping of keys and values",
    "model_type": "a mapping of keys and values",
    "bool_type": "true or false",
}


def _message(error: ErrorDetails, path: Path) -> str:
    """What is wrong and what is allowed, in our own words."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "extra_forbidden":
        return f"is not a known key; allowed: {', '.join(_allowed_keys(path))}"
    wanted = _WANTED.get(error["type"])
    return f"{error['input']!r} is not {wanted}" if wanted else error["msg"]


def _allowed_keys(path: Path) -> list[str]:
    model: type[BaseModel] = ProviderDocument
    if path[0] == "pricing_api":
        model = PricingApi if len(path) > 1 else model
    elif path[0] == "offerings" and len(path) > 1:
        model = ClaimDocument if "claims" in path else OfferingDocument
    return [name for name, info in model.model_fields.items() if not info.exclude]


def trusted(data: dict[str, Any]) -> ProviderDocument:
    """A document that was valid when it was loaded, not judged again by today's rules."""
    offerings = [_trusted_offering(offering) for offering in data.get("offerings", ())]
    api = PricingApi.model_construct(**data["pricing_api"]) if data.get("pricing_api") else None
    return ProviderDocument.model_construct(**{**data, "offerings": offerings, "pricing_api": api})


def _trusted_offering(data: dict[str, Any]) -> OfferingDocument:
    claims = {
        key: [_trusted_claim(claim) for claim in several]
        for key, several in claim_lists(data.get("claims", {})).items()
    }
    return OfferingDocument.model_construct(**{**data, "claims": claims})


def _trusted_claim(data: dict[str, Any]) -> ClaimDocument:
    read_on = date.fromisoformat(data["read_on"]) if data["read_on"] else None
    return ClaimDocument.model_construct(**{**data, "read_on": read_on})

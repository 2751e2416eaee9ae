"""Runs every rule over catalog files and says at which line each finding stands."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from providers.catalog import canonical, rules
from providers.catalog.faults import Path
from providers.catalog.files import Parsed
from providers.catalog.rule import Finding, Rule, Severity
from providers.catalog.schema import ProviderDocument
from providers.catalog.validate import document_of, readable


@dataclass(frozen=True, order=True)
class Remark:
    """A finding with its place; `rule` is the rule's key."""

    file: str
    line: int
    rule: str
    severity: Severity
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.message} ({self.severity})"


@cache
def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule of the package `rules`, found by walking it: adding one is adding a file."""
    names = sorted(module.name for module in pkgutil.iter_modules(rules.__path__))
    modules = (importlib.import_module(f"{rules.__name__}.{name}") for name in names)
    return tuple(each for module in modules for each in _rules_in(module))


def _rules_in(module: object) -> list[Rule[Any]]:
    return [value for value in vars(module).values() if isinstance(value, Rule)]


def lint(files: Iterable[Parsed], today: date) -> list[Remark]:
    """What is wrong or doubtful in `files`, by file and line."""
    return sorted(remark for file in files for remark in _lint_file(file, today))


def _lint_file(file: Parsed, today: date) -> Iterator[Remark]:
    document, faults = document_of(file)
    for fault in faults:
        message = f"{fault.where}: {fault.message}" if fault.where else fault.message
        yield Remark(fault.file, fault.line, "shape", Severity.ERROR, message)
    if document is None:
        return
    yield from _form(file, document)
    for path, subject in _subjects(document):
        for rule in all_rules():
            if isinstance(subject, rule.subject):
                yield from (_remark(file, rule, path, each) for each in rule(subject, today))


def _subjects(provider: ProviderDocument) -> Iterator[tuple[Path, object]]:
    yield (), provider
    for index, offering in enumerate(provider.offerings):
        yield ("offerings", index), offering
        for key, claims in offering.claims.items():
            for number, claim in enumerate(claims):
                yield ("offerings", index, "claims", key, number), claim


def _remark(file: Parsed, rule: Rule[Any], path: Path, finding: Finding) -> Remark:
    at = (*path, *finding.at)
    where = readable(at, file.data)
    message = rule.message.format(**finding.parameters)
    text = f"{where}: {message}" if where else message
    return Remark(file.name, file.line_of(at), rule.key, rule.severity, text)


def _form(file: Parsed, document: ProviderDocument) -> Iterator[Remark]:
    """The first line that differs from the canonical form."""
    wanted = canonical.text_of(document)
    if file.text == wanted:
        return
    pairs = zip(file.text.split("\n"), wanted.split("\n"), strict=False)
    line = next((n for n, (is_, should) in enumerate(pairs, 1) if is_ != should), 1)
    message = "is not in the canonical form; lint_catalog --fix writes it"
    yield Remark(file.name, line, "form", Severity.WARNING, message)

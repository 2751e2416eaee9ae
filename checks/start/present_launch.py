"""Recipes and checks → LaunchPage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _

from checks import launch
from checks.launch import Check, Recipe
from checks.start.cold_page import SourceLink
from checks.start.launch_asked import LaunchAsked
from checks.start.launch_page import Block, CheckView, LaunchForm, RecipeView
from checks.start.present_phases import source_link
from checks.start.wording_launch import CAUTIONS, CREDENTIALS, KINDS, LANGUAGES, STATES, TITLES
from gpucompare import spoken
from providers.answers import Text
from providers.browse.links import hidden
from providers.browse.page import Choice
from providers.claim_views import cell_url
from providers.dimensions import DIMENSIONS
from providers.models import Basis, Offering
from providers.wording import answer_text, cell_state, joined


def recipe_view(recipe: Recipe) -> RecipeView:
    credential = recipe.credential
    return RecipeView(
        key=recipe.key,
        title=TITLES[recipe.key],
        kind=KINDS[recipe.kind],
        blocks=tuple(_blocks(recipe)),
        warnings=tuple(CAUTIONS[launch.Caution(key)] for key in recipe.warnings),
        unknown=joined([_unknown(key) for key in recipe.unknown]) if recipe.unknown else "",
        to_set=recipe.to_set,
        credential=CREDENTIALS[credential.way] if credential else "",
        variables=credential.variables if credential else (),
        source=source_link(recipe.source, recipe.read_on),
        basis=basis_text(recipe.basis),
    )


def _unknown(key: str) -> Text:
    if key in DIMENSIONS:
        return DIMENSIONS[key].label
    return _("which GPU it is, and so how a container gets it")


def _blocks(recipe: Recipe) -> Iterator[Block]:
    """In the order in which they are used."""
    parts = (
        ("first", _("First, once"), recipe.first),
        ("text", LANGUAGES[recipe.language], recipe.text),
        ("then", _("Then"), recipe.then),
    )
    for name, label, text in parts:
        if text:
            yield block(f"{name}-{recipe.key}", label, text)


def block(ident: str, label: Text, text: str) -> Block:
    return Block(ident, label, text, text.count("\n") + 1)


# --- The checks before ---------------------------------------------------------------------


def check_views(offering: Offering, found: tuple[Check, ...]) -> tuple[CheckView, ...]:
    return tuple(_check(offering, one) for one in found)


def _check(offering: Offering, one: Check) -> CheckView:
    dimension = DIMENSIONS[one.dimension]
    known = one.state == "known"
    settle = block(f"settle-{one.dimension}", dimension.label, one.settle) if one.settle else None
    return CheckView(
        question=dimension.question,
        url=cell_url(offering, dimension),
        known=known,
        state=cell_state(offering, dimension),
        answer=answer_text(dimension, one.value) if known else STATES[one.state],
        details=" · ".join(_detail(d) for d in one.details),
        evidence=_evidence(one.basis, one.read_on) if known else "",
        source=_source(one.source) if one.source else None,
        look="" if known else dimension.settled_by.text,
        command=settle,
    )


def _detail(detail: launch.Detail) -> str:
    dimension = DIMENSIONS[detail.dimension]
    return f"{dimension.label}: {answer_text(dimension, detail.value)}"


def _source(url: str) -> SourceLink:
    return SourceLink(urlsplit(url).hostname or url, url)


def _evidence(basis: str, day: date | None) -> str:
    if not basis:  # answered by the offering itself, not by a claim
        return _("in its own documentation")
    return _("%(basis)s, read: %(day)s") % {"basis": basis_text(basis), "day": day_text(day)}


def basis_text(basis: str) -> Text:
    return Basis(basis).label if basis in Basis.values else ""


def day_text(day: date | None) -> str:
    return spoken.day(day) if day else _("day not recorded")


# --- The form ----------------------------------------------------------------------------------


def form(asked: LaunchAsked, gpus: Mapping[str, str]) -> LaunchForm:
    """`gpus` are those that the offering lists; the one asked for is among the choices anyway."""
    return LaunchForm(
        path=reverse("launch"),
        image=asked.image or asked.start.question.typed,
        count=asked.count,
        gpus=tuple(_gpus(asked, gpus)),
        private=asked.private,
        on_spot=asked.on_spot,
        podman=asked.runtime == "podman",
        command=asked.command,
        hidden=hidden(replace(asked.criteria, beside=asked.start.pairs()), "image", "gpu"),
    )


def _gpus(asked: LaunchAsked, gpus: Mapping[str, str]) -> Iterator[Choice]:
    yield Choice("", _("not chosen"), "", not asked.gpu)
    named = dict(gpus) | ({asked.gpu: gpus.get(asked.gpu, asked.gpu)} if asked.gpu else {})
    for slug, name in named.items():
        yield Choice(slug, name, "", slug == asked.gpu)

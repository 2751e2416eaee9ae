"""Catalog data for tests: each maker fills in what a test does not care about."""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from providers.answers import Dimension, Kind
from providers.catalog import canonical
from providers.catalog.schema import (
    KEY_ABOVE,
    ClaimDocument,
    OfferingDocument,
    PricingApi,
    ProviderDocument,
)
from providers.dimensions import CLAIMED, DIMENSIONS

TODAY = date(2026, 11, 30)


def claim(value: Any = "any", **fields: Any) -> dict[str, Any]:
    """A claim as it stands in a file."""
    return {
        "value": value,
        "basis": "documented",
        "source": "https://docs.example/page",
        "source_kind": "provider",
        "read_on": "2026-11-01",
    } | fields


def offering(slug: str = "pods", **fields: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "name": slug.title(),
        "status": "active",
        "summary": "One GPU container.",
        "docs": "https://docs.example/pods",
    } | fields


def provider(slug: str = "acme", *offerings: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "name": slug.title(),
        "kind": "container_cloud",
        "website": f"https://{slug}.example",
        "status": "active",
        "offerings": list(offerings),
    } | fields


def document(data: dict[str, Any]) -> ProviderDocument:
    return ProviderDocument.model_validate(data)


def offering_document(**fields: Any) -> OfferingDocument:
    return OfferingDocument.model_validate(offering(**fields))


def claim_document(dimension: str, value: Any, **fields: Any) -> ClaimDocument:
    return ClaimDocument.model_validate({KEY_ABOVE: dimension, **claim(value, **fields)})


def text(data: dict[str, Any]) -> str:
    return canonical.text_of(document(data))


def write(directory: Path, *files: dict[str, Any]) -> Path:
    """Write `files` as the only catalog files of `directory`."""
    directory.mkdir(exist_ok=True)
    for old in directory.glob("*.yaml"):
        old.unlink()
    for data in files:
        (directory / f"{data['slug']}.yaml").write_text(text(data), encoding="utf-8")
    return directory


# --- Generated documents ------------------------------------------------------

_WORDS = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=40
).filter(lambda words: words == words.strip())
_SLUGS = st.sampled_from(["pods", "vms", "serverless", "no", "on-demand", "123"])
_SOURCES = st.sampled_from(
    ["https://docs.example/a", "https://docs.example/b#c", "http://x.example"]
)
_DAYS = st.none() | st.dates(date(2020, 1, 1), date(2030, 1, 1)).map(date.isoformat)
_HOSTS = st.sampled_from(["any", "ghcr.io", "docker.io", "dkr.ecr.amazonaws.com"])


@cache
def answers(dimension: Dimension) -> st.SearchStrategy[Any]:
    """Any answer that `dimension` may have, as a file holds it."""
    members = [key for key in dimension.allowed if key != "no"] or [""]
    kinds: dict[Kind, st.SearchStrategy[Any]] = {
        Kind.CHOICE: st.sampled_from(dimension.allowed or ("",)),
        Kind.SET: st.lists(st.sampled_from(members), min_size=1, unique=True),
        Kind.HOSTS: st.lists(_HOSTS, min_size=1, unique=True),
        Kind.YES_NO: st.booleans(),
        Kind.VERSION: st.sampled_from(["12.8", "13.0", "11"]),
        Kind.VERSIONS: st.sampled_from(["580.126.20", "535-595", "570"]),
        Kind.NUMBER: st.integers(0, 10**6) | st.decimals(0, 10**6, places=3).map(float),
        Kind.TEXT: _WORDS,
    }
    return kinds[dimension.kind]


def _optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


@st.composite
def claim_data(draw: st.DrawFn, dimension: Dimension) -> dict[str, Any]:
    basis = draw(st.sampled_from(["probed", "documented", "derived", "reported"]))
    kind = draw(st.sampled_from(["provider", "integrator", "third_party"]))
    return claim(
        draw(answers(dimension)),
        basis=basis,
        source_kind=kind,
        source=draw(_SOURCES),
        read_on=draw(_DAYS),
        **draw(_optional(note=_WORDS)),
    )


@st.composite
def offering_data(draw: st.DrawFn, slug: str) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from([d.key for d in CLAIMED]), unique=True, max_size=4))
    claims = {
        key: draw(st.lists(claim_data(DIMENSIONS[key]), min_size=1, max_size=3, unique_by=repr))
        for key in keys
    }
    optional = _optional(
        status_note=_WORDS,
        access_modes=answers(DIMENSIONS["access_modes"]),
        gpus=st.lists(_WORDS, min_size=1, max_size=4, unique=True),
    )
    status = draw(st.sampled_from(["active", "acquired", "closed"]))
    fields = draw(optional)
    return offering(slug, name=draw(_WORDS), status=status, summary=draw(_WORDS), **fields) | {
        "claims": claims
    }


@st.composite
def provider_documents(draw: st.DrawFn) -> ProviderDocument:
    slugs = draw(st.lists(_SLUGS, unique=True, max_size=3))
    optional = _optional(
        headquarters=st.sampled_from(["US", "NO", "DE"]),
        status_note=_WORDS,
        pricing_api=st.sampled_from([{"public": True}, {"docs": "https://api.example"}]),
    )
    data = provider("acme", *[draw(offering_data(slug)) for slug in slugs], **draw(optional))
    return document(data | {"name": draw(_WORDS)})


# Few values of few fields, so that three documents often agree and often do not.
_CLAIMS = {
    key: [
        claim_document(key, value, source=source, note=note)
        for value in values
        for source in ("https://docs.example/a", "https://docs.example/b")
        for note in (None, "Ask.")
    ]
    for key, values in {"registry_auth": (["no"], ["cloud_role"]), "spot": (True, False)}.items()
}


@st.composite
def _versions_of_an_offering(draw: st.DrawFn) -> OfferingDocument:
    claims = {
        key: draw(st.lists(st.sampled_from(pool), max_size=2, unique_by=id))
        for key, pool in _CLAIMS.items()
    }
    return OfferingDocument.model_construct(
        **offering(draw(st.sampled_from(["pods", "vms", "jobs"]))),
        gpus=draw(st.sampled_from([None, ["L4"], ["L4", "H100"]])),
        claims={key: several for key, several in claims.items() if several},
    )


@st.composite
def versions(draw: st.DrawFn) -> ProviderDocument:
    """The same provider at different times and in different hands."""
    offerings = st.lists(_versions_of_an_offering(), max_size=3, unique_by=lambda o: o.slug)
    return ProviderDocument.model_construct(
        **provider(name=draw(st.sampled_from("AB"))) | {"offerings": draw(offerings)},
        pricing_api=draw(
            st.sampled_from([None, PricingApi(public=True), PricingApi(public=False)])
        ),
    )

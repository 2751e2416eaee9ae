"""A check in the shape of the API; the command prints the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from checks import wording, wording_image
from checks.conditions import Asked, Found
from checks.image.advice import advice
from checks.image.fact import ImageFacts
from checks.image.reading import Reading
from checks.image.texts import REASONS
from checks.judgement import Said
from checks.verdicts import Checked, CheckResult, Stand
from gpucompare.cuda.answer import HostsVerdict
from gpucompare.cuda.verdict import standing
from providers.answers import Text
from providers.api.shapes import names_of, price_of, units_of
from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.world import World
from providers.models import Offering

PAGE = "/check/"


@dataclass(frozen=True)
class Answered:
    """All that an answer is made of."""

    asked: Asked
    result: CheckResult
    reading: Reading | None
    host: HostsVerdict | None


def answer(found: Answered, now: datetime) -> dict[str, Any]:
    """The whole answer, for schemas.CheckAnswer."""
    result = found.result
    criteria = result.criteria
    show = criteria.one("unknown") == "show"
    slugs = GpuSlugs.of(result.world)
    return {
        "computed_at": now,
        "address": criteria.url(PAGE),
        "criteria": Criteria(criteria.values).query(),
        "units": units_of(criteria),
        "image": image(found.asked.facts, found.reading),
        "reading": reading(found.reading) if found.reading else None,
        "host": verdict(found.host) if found.host else None,
        "counts": {s.value: _count(offerings) for s, offerings in result.counts.items()},
        "match": len(result.match),
        "may": len(result.may),
        "offerings": [
            _offering(one, criteria, slugs)
            for one in result.rows
            if show or one.row.truth is Truth.YES
        ],
    }


def _count(offerings: Sequence[Offering]) -> dict[str, int]:
    return {
        "offerings": len(offerings),
        "providers": len({offering.provider_id for offering in offerings}),
    }


# --- The image ------------------------------------------------------------------------------


def image(facts: ImageFacts, read: Reading | None) -> dict[str, Any]:
    return {
        "reference": facts.reference,
        "pinned": facts.pinned,
        "base": facts.base,
        "read_at": read.record.read_at if read and read.record else None,
        "facts": [
            {
                "key": fact.key,
                "about": fact.about,
                "value": fact.value,
                "text": str(wording_image.value_text(fact)),
                "source": fact.source,
                "basis": fact.basis,
            }
            for fact in facts.facts
        ],
        "doubtful": list(dict.fromkeys(group[0].key for group in facts.disagreements)),
        "advice": [
            {"key": one.key, "text": wording_image.advice_text(one)} for one in advice(facts)
        ],
    }


def reading(read: Reading) -> dict[str, Any]:
    return {
        "state": read.state,
        "since": read.since,
        "reason": read.reason,
        "text": str(REASONS[read.reason]) if read.reason else "",
        "retry_at": read.retry_at,
    }


# --- Verdicts ---------------------------------------------------------------------------------


def verdict(found: HostsVerdict) -> dict[str, Any]:
    """On a host of which nothing but the host is known."""
    return _said(Said(found, ())) | {"standing": standing(found)}


def _said(said: Said) -> dict[str, Any]:
    return {
        "standing": said.standing,
        "share": said.found.share,
        "best": {"start": said.found.best.start, "run": said.found.best.run},
        "worst": {"start": said.found.worst.start, "run": said.found.worst.run},
        "reasons": list(_keyed(said.reasons, wording.REASONS)),
        "fixes": list(_keyed(said.fixes, wording.FIXES)),
        "missing": list(_keyed(said.missing, wording.MISSING)),
    }


def _keyed(keys: Sequence[str], words: Mapping[Any, Text]) -> Iterator[dict[str, str]]:
    for key, text in zip(keys, wording.texts(words, tuple(keys)), strict=True):
        yield {"key": str(key), "text": str(text)}


def _offering(one: Checked, criteria: Criteria, slugs: GpuSlugs) -> dict[str, Any]:
    row, stand = one.row, one.stand
    names = names_of(row.offering)
    return {
        **names,
        **_said(stand.said),
        "match": "yes" if row.truth is Truth.YES else "may",
        "unknown": list(row.unknown),
        "conditions": [_condition(found, names["key"]) for found in stand.said.conditions],
        "listings": stand.listings,
        "listings_alike": stand.its_listings,
        "gpus": list(_gpus(stand, slugs)),
        "cheapest": price_of(row.cheapest, criteria),
    }


def _condition(found: Found, key: str) -> dict[str, Any]:
    return {
        "key": found.key.value,
        "text": str(wording.CONDITIONS[found.key]),
        "at_best": found.at_best,
        "dimension": found.dimension,
        "claims": f"/api/v1/claims?offering={key}&dimension={found.dimension}",
    }


def _gpus(stand: Stand, slugs: GpuSlugs) -> Iterator[dict[str, Any]]:
    for on in stand.gpus:
        yield {
            "gpu": slugs.slug(on.gpu),
            "name": slugs.name(on.gpu),
            "standing": on.said.standing,
            "listings": on.listings,
        }


@dataclass(frozen=True)
class GpuSlugs:
    """GPUs by their ids, as addresses name them."""

    models: Mapping[int, str]
    families: Mapping[int, str]
    names: Mapping[str, str]  # by slug

    @classmethod
    def of(cls, world: World) -> GpuSlugs:
        return cls(
            {gpu.pk: gpu.slug for family in world.families for gpu in family.models.all()},
            {family.pk: family.slug for family in world.families},
            world.gpu_names,
        )

    def slug(self, gpu: tuple[int | None, int | None]) -> str:
        family, model = gpu
        if model is not None:
            return self.models[model]
        return self.families[family] if family is not None else ""

    def name(self, gpu: tuple[int | None, int | None]) -> str:
        return self.names.get(self.slug(gpu), "")

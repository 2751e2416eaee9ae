"""What the page of a GPU model or family shows: its facts, who rents it, names and neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from gpucompare import spoken
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import MAIN_KEYS, Criteria
from providers.browse.frame import snapshot_day
from providers.browse.judge import Truth
from providers.browse.page import Choice, Column, Section
from providers.browse.present import groups
from providers.browse.query import BrowseResult, Judged
from providers.browse.world import World
from providers.dimensions import DIMENSIONS
from providers.gpu_facts import (
    Caveat,
    FactLine,
    FactSource,
    Hardware,
    caveats,
    fact_lines,
    fact_sources,
)
from providers.gpu_file import ANYWHERE
from providers.gpu_links import SEGMENTS, gpu_order, gpu_url, models_in_order
from providers.models import Gpu, GpuFamily


@dataclass(frozen=True)
class Named:
    """A GPU elsewhere on the site; without `url` it is the one whose page this is."""

    name: str
    url: str


@dataclass(frozen=True)
class Names:
    """What one source calls it."""

    source: Text
    url: str  # of the provider's page; empty when the source is none
    names: tuple[str, ...]


@dataclass(frozen=True)
class Subject:
    """What a slug stands for: a model, or a family with all of its models."""

    family: GpuFamily
    models: tuple[Gpu, ...]
    slug: str
    name: str

    @property
    def model_alone(self) -> bool:
        """Whether it is one model of a family of several."""
        return self.slug != self.family.slug

    @classmethod
    def find(cls, slug: str, world: World) -> Subject | None:
        """A family of one shares its model's slug: that is one page, the family's."""
        for family in world.families:
            models = models_in_order(family)
            if family.slug == slug:
                return cls(family, tuple(models), slug, family.name)
            for gpu in models:
                if gpu.slug == slug:
                    return cls(family, (gpu,), slug, gpu.name)
        return None


@dataclass(frozen=True)
class GpuPage:
    """Names of fields that the matrix shows are those of a page of browse."""

    name: str
    vendor: str
    segment: Text
    family: Named | None  # of a model in a family of several
    models: tuple[Named, ...]  # heads of the columns of `facts`
    facts: tuple[FactLine, ...]
    caveats: tuple[Caveat, ...]
    notes: tuple[str, ...]
    sources: tuple[FactSource, ...]
    sections: tuple[Section, ...]
    columns: tuple[Column, ...]
    sorts: tuple[Choice, ...]
    units: tuple[Choice, ...]
    price_unit: Text
    snapshot_day: Text
    match: int
    unnamed: int  # offerings of which nobody says what GPUs they rent
    browse_url: str
    listings_url: str
    names: tuple[Names, ...]
    siblings: tuple[Named, ...]
    neighbours: tuple[Named, ...]  # other families of the same compute capability
    neighbours_label: Text


def rented_criteria(subject: Subject, units: Criteria) -> Criteria:
    """The question that browse answers for the page: who rents it, the cheapest first."""
    return units.put("gpu", subject.slug).put("sort", "price")


def gpu_page(
    subject: Subject,
    result: BrowseResult,
    form_open: Collection[int],
    world: World,
    now: datetime,
) -> GpuPage:
    """The page for what browse found; `form_open` are the offerings that name only the family."""
    units = result.criteria.without("gpu").without("sort")
    asked = units.put("gpu", subject.slug)
    hardware = [Hardware.of(gpu) for gpu in subject.models]
    may = [row for row in result.may if row.offering.pk in form_open]
    cheapest = (row.cheapest for row in result.rows if row.cheapest)
    return GpuPage(
        name=subject.name,
        vendor=subject.family.vendor,
        segment=_segment(subject.models),
        family=_named(subject.family) if subject.model_alone else None,
        models=tuple(_named(gpu) for gpu in subject.models),
        facts=fact_lines(hardware),
        caveats=caveats(hardware),
        notes=_notes(hardware),
        sources=fact_sources(hardware),
        sections=tuple(_sections(result, may, subject, now)),
        columns=tuple(
            Column(d.key, d.column_label, d.question)
            for d in map(DIMENSIONS.__getitem__, MAIN_KEYS)
        ),
        sorts=(),
        units=links.units(units, gpu_url(subject.slug)),
        price_unit=links.price_unit(units),
        snapshot_day=snapshot_day((c.origin, c.seen_at) for c in cheapest),
        match=len(result.match),
        unnamed=len(result.may) - len(may),
        browse_url=asked.url(reverse("browse")),
        listings_url=asked.put("sort", "price").url(reverse("listings")),
        names=_names(subject.models, world),
        siblings=_siblings(subject),
        neighbours=_neighbours(subject, world),
        neighbours_label=_neighbours_label(hardware),
    )


def _named(gpu: Gpu | GpuFamily) -> Named:
    return Named(gpu.name, gpu_url(gpu.slug))


def _segment(models: Sequence[Gpu]) -> Text:
    return spoken.joined(SEGMENTS[s] for s in SEGMENTS if s in {gpu.segment for gpu in models})


def _notes(hardware: Sequence[Hardware]) -> tuple[str, ...]:
    said = [one.card.note for one in hardware if one.card] + [one.gpu.notes for one in hardware]
    return tuple(dict.fromkeys(note for note in said if note))


# --- Who rents it ----------------------------------------------------------------


def _sections(
    result: BrowseResult, may: list[Judged], subject: Subject, now: datetime
) -> Iterator[Section]:
    priced = [row for row in result.match if row.cheapest]
    named = [row for row in result.match if not row.cheapest]
    parts = (
        ("match", "", "", priced),
        (
            "named",
            _("Named without a price"),
            _("The provider says that it rents this GPU; what it costs there is not known here."),
            named,
        ),
        (
            "may",
            _("May be this one"),
            _("They rent %(family)s and leave the form open.") % {"family": subject.family.name},
            may,
        ),
        (
            "closed",
            pgettext("offerings", "Closed"),
            _("Can no longer be rented; kept so that it stays readable."),
            [row for row in result.closed if row.truth is Truth.YES],
        ),
    )
    for key, heading, explanation, rows in parts:
        if rows:
            found = groups(rows, result.criteria, now)
            yield Section(key, heading, explanation, found, len(rows))


# --- Names and neighbours --------------------------------------------------------


def _names(models: Iterable[Gpu], world: World) -> tuple[Names, ...]:
    """The words of each source, trade names first, then providers, then tools, by name."""
    known = {o.provider.slug: o.provider for o in world.offerings}
    by_source: dict[str, dict[str, None]] = {}
    for gpu in models:
        for alias in gpu.aliases:
            source, _colon, name = alias.partition(":")
            by_source.setdefault(source, {})[name] = None
    found = []
    for source, names in by_source.items():
        provider = known.get(source)
        label = provider.name if provider else _("Anywhere") if source == ANYWHERE else source
        url = reverse("provider", args=[source]) if provider else ""
        rank = (source != ANYWHERE, provider is None, str(label).casefold())
        found.append((rank, Names(label, url, tuple(names))))
    return tuple(each for _rank, each in sorted(found, key=lambda pair: pair[0]))


def _siblings(subject: Subject) -> tuple[Named, ...]:
    if not subject.model_alone:
        return ()
    family = models_in_order(subject.family)
    return tuple(_named(gpu) for gpu in family if gpu.slug != subject.slug)


def _capability(models: Sequence[Gpu]) -> str:
    """That of all models; empty when they differ or it is not known."""
    found = {gpu.compute_capability for gpu in models}
    return found.pop() if len(found) == 1 else ""


def _neighbours(subject: Subject, world: World) -> tuple[Named, ...]:
    capability = _capability(subject.models)
    if not capability:
        return ()
    near = [
        (gpu_order(models[0]), family)
        for family in world.families
        if family != subject.family
        and (models := models_in_order(family))
        and all(gpu.compute_capability == capability for gpu in models)
    ]
    return tuple(_named(family) for _order, family in sorted(near, key=lambda pair: pair[0]))


def _neighbours_label(hardware: Sequence[Hardware]) -> Text:
    capability = {"capability": _capability([one.gpu for one in hardware])}
    if all(one.platform == "cuda" for one in hardware):
        return _("Of the same compute capability, %(capability)s") % capability
    return _("Of the same architecture, %(capability)s") % capability

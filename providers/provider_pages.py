"""What the page of a provider shows: its offerings side by side, prices, claims, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from urllib.parse import urlencode, urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _

from gpucompare import spoken
from providers.answers import Dimension, Look, Text
from providers.browse import links
from providers.browse.criteria import Criteria
from providers.browse.frame import snapshot_day
from providers.browse.page import Cell, Choice, PriceCell
from providers.browse.present import answer_cell, price_cell
from providers.claim_views import ClaimView, cell_url, claim_view
from providers.coverage import coverage
from providers.coverage_facts import facts_read
from providers.coverage_views import CoverageView, coverage_view
from providers.dimensions import CLAIMED, DIMENSIONS, GROUPS, MAIN
from providers.freshness import ReviewBand
from providers.gpu_links import GpuLink
from providers.models import Claim, Offering, Provider, Status
from providers.prices import GpuPrice
from providers.queries import ProviderFacts

# As many as stand side by side on the page of a comparison.
COMPARED = 6


@dataclass(frozen=True)
class Question:
    """One main question, with the answer of each offering."""

    label: Text
    question: Text
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class OfferedGpu:
    """A GPU at one offering; without `url` it is not rented there, as far as anyone says."""

    on_demand: PriceCell
    spot: PriceCell
    url: str  # its listings


@dataclass(frozen=True)
class PriceRow:
    gpu: GpuLink
    offered: tuple[OfferedGpu, ...]  # one an offering

    @property
    def priced(self) -> bool:
        return any(each.on_demand.amount or each.spot.amount for each in self.offered)


@dataclass(frozen=True)
class AnswerView:
    """One question about an offering, with all that is said about it."""

    label: Text
    question: Text
    cell: Cell
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True)
class AnswerGroup:
    label: Text
    answers: tuple[AnswerView, ...]
    known: int
    contradicted: int

    @property
    def open(self) -> bool:
        """Whether it stands open: a contradiction is not to be folded away."""
        return self.contradicted > 0


@dataclass(frozen=True)
class OfferingView:
    key: str  # runpod/pods
    slug: str
    name: str
    url: str  # its place on this page
    summary: str
    docs: str
    status_text: Text  # empty while it is active
    status_note: str
    access_modes: tuple[Text, ...]
    known: int  # answers, of all questions
    questions: int
    groups: tuple[AnswerGroup, ...]


@dataclass(frozen=True)
class OpenAt:
    """An offering at which a question is open."""

    name: str
    url: str  # the cell
    contradicted: bool


@dataclass(frozen=True)
class OpenQuestion:
    """A question that nobody has answered for some offerings, and what would settle it."""

    label: Text
    question: Text
    look: Look
    at: tuple[OpenAt, ...]


@dataclass(frozen=True)
class Freshness:
    """How old the claims are."""

    claims: int
    newest: Text  # empty without a claim that bears a day
    oldest: Text
    due: int  # among those that decide an answer
    undated: int


@dataclass(frozen=True)
class ProviderPage:
    name: str
    kind: Text
    website: str
    website_host: str
    headquarters: str
    status: str
    status_text: Text
    status_note: str
    pricing_api: Text
    pricing_api_docs: str
    freshness: Freshness
    coverage: CoverageView
    questions: tuple[Question, ...]
    offerings: tuple[OfferingView, ...]
    prices: tuple[PriceRow, ...]
    unpriced: tuple[PriceRow, ...]  # GPUs that it names, and nobody prices
    price_unit: Text
    units: tuple[Choice, ...]
    exports: tuple[Choice, ...]
    snapshot_day: Text
    compare_url: str  # empty with a single offering
    listings_url: str
    open_main: tuple[OpenQuestion, ...]
    open_rest: tuple[OpenQuestion, ...]


def provider_page(facts: ProviderFacts, units: Criteria, now: datetime) -> ProviderPage:
    """A provider with its offerings, all their claims and the cheapest price of each GPU."""
    provider, offerings = facts.provider, facts.offerings
    path = reverse("provider", args=[provider.slug])
    said = _by_offering(facts.claims)
    views = [_Offering(offering, said.get(offering.pk, []), now) for offering in offerings]
    unanswered = tuple(_open_questions(views))
    rows = tuple(_price_rows(facts, units, now))
    cheapest = (price.cheapest for price in facts.prices if price.cheapest)
    return ProviderPage(
        name=provider.name,
        kind=provider.get_kind_display(),
        website=provider.website,
        website_host=urlsplit(provider.website).hostname or provider.website,
        headquarters=provider.headquarters,
        status=provider.status,
        status_text=provider.get_status_display(),
        status_note=provider.status_note,
        pricing_api=_pricing_api(provider),
        pricing_api_docs=provider.pricing_api_docs,
        freshness=_freshness([claim for view in views for claim in view.claims], now.date()),
        coverage=coverage_view(coverage(facts_read(offerings, facts.claims), now.date())),
        questions=tuple(_question(d, views) for d in MAIN),
        offerings=tuple(view.view() for view in views),
        prices=tuple(row for row in rows if row.priced),
        unpriced=tuple(row for row in rows if not row.priced),
        price_unit=links.price_unit(units),
        units=tuple(replace(c, url=f"{c.url}#prices") for c in links.units(units, path)),
        exports=links.exports(units, path),
        snapshot_day=snapshot_day((c.origin, c.seen_at) for c in cheapest),
        compare_url=_compare_url(offerings),
        listings_url=Criteria.of({"provider": [provider.slug]}).url(reverse("listings")),
        open_main=tuple(q for q, main in unanswered if main),
        open_rest=tuple(q for q, main in unanswered if not main),
    )


def _by_offering(claims: Iterable[Claim]) -> dict[int, list[Claim]]:
    found: dict[int, list[Claim]] = {}
    for claim in claims:
        found.setdefault(claim.offering_id, []).append(claim)
    return found


def _pricing_api(provider: Provider) -> Text:
    if provider.pricing_api_public is None:
        return _("Unknown")
    return _("Public") if provider.pricing_api_public else _("With a key")


def _compare_url(offerings: Sequence[Offering]) -> str:
    if len(offerings) < 2:
        return ""
    keys = [("o", f"{o.provider.slug}/{o.slug}") for o in offerings[:COMPARED]]
    return f"{reverse('compare')}?{urlencode(keys, safe='/')}"


def _freshness(views: Sequence[ClaimView], today: date) -> Freshness:
    days = sorted(view.day for view in views if view.day)
    return Freshness(
        len(views),
        spoken.day(days[-1]) if days else "",
        spoken.day(days[0]) if days else "",
        sum(view.decides and view.age == ReviewBand.DUE for view in views),
        sum(view.day is None for view in views),
    )


# --- Offerings -------------------------------------------------------------------


class _Offering:
    """An offering with its claims by dimension."""

    def __init__(self, offering: Offering, claims: Iterable[Claim], now: datetime) -> None:
        self.offering = offering
        self.url = f"#{offering.slug}"
        self._now = now
        self._claims: dict[str, list[ClaimView]] = {}
        for claim in claims:
            view = claim_view(claim, now.date())
            self._claims.setdefault(claim.dimension, []).append(view)
        self._read_on = {
            key: view.day for key, views in self._claims.items() for view in views if view.decides
        }
        self._base = f"{reverse('provider', args=[offering.provider.slug])}{offering.slug}/"

    @property
    def claims(self) -> list[ClaimView]:
        return [view for views in self._claims.values() for view in views]

    def cell(self, dimension: Dimension) -> Cell:
        return answer_cell(self.offering, dimension, self._read_on, self._base, self._now)

    def answer(self, dimension: Dimension) -> AnswerView:
        said = tuple(self._claims.get(dimension.key, ()))
        return AnswerView(dimension.label, dimension.question, self.cell(dimension), said)

    def group(self, key: str, label: Text) -> AnswerGroup:
        answers = tuple(self.answer(d) for d in CLAIMED if d.group == key)
        states = [answer.cell.state for answer in answers]
        known = sum(state not in ("unknown", "contradicted") for state in states)
        return AnswerGroup(label, answers, known, states.count("contradicted"))

    def view(self) -> OfferingView:
        offering = self.offering
        groups = tuple(self.group(key, label) for key, label in GROUPS.items())
        modes = DIMENSIONS["access_modes"]
        return OfferingView(
            key=f"{offering.provider.slug}/{offering.slug}",
            slug=offering.slug,
            name=offering.name,
            url=self.url,
            summary=offering.summary,
            docs=offering.docs,
            status_text="" if offering.status == Status.ACTIVE else offering.get_status_display(),
            status_note=offering.status_note,
            access_modes=tuple(modes.by_key[key].label for key in offering.answer(modes.key) or ()),
            known=sum(group.known for group in groups),
            questions=sum(len(group.answers) for group in groups),
            groups=groups,
        )


def _question(dimension: Dimension, views: Iterable[_Offering]) -> Question:
    return Question(
        dimension.label, dimension.question, tuple(view.cell(dimension) for view in views)
    )


def _open_questions(views: Sequence[_Offering]) -> Iterable[tuple[OpenQuestion, bool]]:
    """Every question that is open at an offering which can still be rented; whether it is main."""
    rented = [view for view in views if view.offering.status != Status.CLOSED]
    for dimension in DIMENSIONS.values():
        at = tuple(
            OpenAt(
                view.offering.name,
                cell_url(view.offering, dimension),
                dimension.key in view.offering.contradicted,
            )
            for view in rented
            if view.offering.answer(dimension.key) is None
        )
        if at:
            yield (
                OpenQuestion(dimension.label, dimension.question, dimension.settled_by, at),
                dimension.main,
            )


# --- Prices ----------------------------------------------------------------------


def _price_rows(facts: ProviderFacts, units: Criteria, now: datetime) -> Iterable[PriceRow]:
    found: dict[GpuLink, dict[int, dict[bool, GpuPrice]]] = {}
    for price in facts.prices:
        link = facts.gpus.link(price.family, price.gpu, price.name)
        found.setdefault(link, {}).setdefault(price.offering, {})[price.spot] = price
    for link in sorted(found, key=lambda link: link.order):
        url = _listings_url(facts.provider, link, units)
        yield PriceRow(
            link,
            tuple(_offered(found[link].get(o.pk, {}), url, units, now) for o in facts.offerings),
        )


def _listings_url(provider: Provider, gpu: GpuLink, units: Criteria) -> str:
    narrowed = units.put("provider", provider.slug)
    if gpu.slug:
        narrowed = narrowed.put("gpu", gpu.slug)
    return narrowed.url(reverse("listings"))


def _offered(
    prices: Mapping[bool, GpuPrice], listings_url: str, units: Criteria, now: datetime
) -> OfferedGpu:
    on_demand, spot = (
        price_cell(prices[kind].cheapest if kind in prices else None, units, now)
        for kind in (False, True)
    )
    return OfferedGpu(on_demand, spot, listings_url if prices else "")

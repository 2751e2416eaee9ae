"""Criteria → the changes that concern them. One rule for the page, the exports and the feed.

A change is shown when what it is about met the criteria before it or meets them after it: so one
hears of an offering that starts to match and of one that stops. docs/feeds.md tells it at length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cached_property

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce, Concat

from providers.browse.criteria import Criteria, answers_asked
from providers.browse.judge import Truth, judge_answer
from providers.browse.judging import Judging
from providers.browse.query import ready
from providers.browse.world import World
from providers.changes.catalog import CONTRADICTED
from providers.dimensions import DIMENSIONS
from providers.models import PRICED, Change, What, Why

# What a price's change cannot say of itself: its listings are asked.
_OF_LISTINGS = ("gpu_count", "min_vram", "region", "min_driver", "min_cuda")
# How far back changes of an answer that is asked for are looked through.
_ANSWERS_JUDGED = 2000


@dataclass(frozen=True)
class Limits:
    """What a price must be, and be had for, to match."""

    max_usd: Decimal | None = None
    in_stock: bool = False
    unknown_matches: bool = True

    def __bool__(self) -> bool:
        return self.max_usd is not None or self.in_stock

    def met(self, side: str) -> Q:
        """Whether one side of a change (`before`, `after`) keeps them."""
        gone = What.LISTED if side == "before" else What.WITHDRAWN
        kept = ~Q(what=gone)
        if self.max_usd is not None:
            kept &= Q(**{f"usd_{side}__lte": self.max_usd})
        if self.in_stock:
            stocked = Q(**{side: True})
            kept &= stocked | Q(**{f"{side}__isnull": True}) if self.unknown_matches else stocked
        return kept

    def keeps(self, change: Change, side: str) -> bool:
        """`met`, of one change that was read."""
        gone = What.LISTED if side == "before" else What.WITHDRAWN
        if change.what == gone:
            return False
        usd, in_stock = getattr(change, f"usd_{side}"), getattr(change, side)
        if self.max_usd is not None and (usd is None or usd > self.max_usd):
            return False
        if not self.in_stock:
            return True
        return bool(self.unknown_matches if in_stock is None else in_stock)


@dataclass(frozen=True)
class Selection:
    """Criteria, judged now, as a condition on changes."""

    criteria: Criteria
    world: World
    now: datetime
    filtered: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "filtered", any(self.criteria.filters()))

    def changes(self) -> QuerySet[Change]:
        """Newest first. Three statements at most stand behind the condition, whatever the data."""
        rows = Change.objects.select_related("run").order_by("-at", "-pk")
        if not self.filtered:
            return rows.filter(digest=None, notable=True, spot=False)
        rows = rows.annotate(pair=_pair_of_row())
        return rows.filter(self._claims() | self._statuses() | self._prices() | self._digests())

    # --- Who matches -------------------------------------------------------------------

    @property
    def least(self) -> Truth:
        return Truth.YES if self.criteria.one("unknown") == "hide" else Truth.MAYBE

    @property
    def by_gpu(self) -> bool:
        """Whether a digest is taken apart: who names a GPU or a price waits for that one."""
        return bool(self.criteria.all("gpu") or self.limits)

    @property
    def limits(self) -> Limits:
        return Limits(
            self.criteria.max_usd_per_hour,
            bool(self.criteria.all("in_stock")),
            self.least is Truth.MAYBE,
        )

    @cached_property
    def _judging(self) -> Judging:
        return ready(self.criteria, self.world, self.now)

    def _ids(self, lifted: str = "") -> list[int]:
        judging = self._judging
        return [o.pk for o in self.world.offerings if judging.all_of(o, lifted) >= self.least]

    @cached_property
    def _matching(self) -> list[int]:
        return self._ids()

    @cached_property
    def _of_offering(self) -> list[int]:
        """Those whose own answers match, whatever they list."""
        judging = self._judging
        return [o.pk for o in self.world.offerings if judging.of_offering(o) >= self.least]

    # --- What is shown ------------------------------------------------------------------

    def _claims(self) -> Q:
        asked = answers_asked(self.criteria)
        others = Q(what=What.CLAIM, offering__in=self._matching) & ~Q(dimension__in=asked)
        return others | Q(pk__in=self._answers_that_matter(asked))

    def _answers_that_matter(self, asked: Iterable[str]) -> list[int]:
        """Changes of an answer that is asked for, by which an offering starts or stops matching."""
        wanted = Q(pk__in=[])
        for dimension in asked:
            wanted |= Q(dimension=dimension, offering__in=self._ids(dimension))
        if not wanted.children:
            return []
        rows = Change.objects.filter(wanted, what=What.CLAIM).order_by("-at", "-pk")
        found = rows.values_list("pk", "dimension", "before", "after")[:_ANSWERS_JUDGED]
        return [
            pk
            for pk, dimension, before, after in found
            if max(self.says(dimension, before), self.says(dimension, after)) >= self.least
        ]

    def says(self, dimension: str, answer: object) -> Truth:
        """Whether an answer, as a change keeps it, is one of those asked for."""
        known = None if answer == CONTRADICTED else answer
        return judge_answer(DIMENSIONS[dimension], known, self.criteria.all(dimension))

    def _statuses(self) -> Q:
        matching = set(self._matching)
        providers = {o.provider_id for o in self.world.offerings if o.pk in matching}
        return Q(what=What.STATUS) & (Q(offering__in=matching) | Q(provider__in=providers))

    def _prices(self) -> Q:
        shown = Q(
            what__in=PRICED,
            spot=self.criteria.spot_only,
            offering__in=self._of_offering,
        )
        shown &= self._gpu() & self._listings() & self._moves()
        return shown if self.by_gpu else shown & Q(digest=None)

    def _moves(self) -> Q:
        """Steps across a limit, however small; without a limit on the price, notable ones too."""
        limits = self.limits
        if not limits:
            return Q(notable=True)
        before, after = limits.met("before"), limits.met("after")
        crossing = (before & ~after) | (after & ~before)
        if limits.max_usd is None:
            return crossing | (Q(notable=True) & (before | after))
        return crossing

    def _gpu(self) -> Q:
        slugs = self.criteria.all("gpu")
        if not slugs:
            return Q()
        asked = self.world.gpu_ids(slugs)
        named = Q(family__in=asked.families) | Q(gpu__in=asked.models)
        if self.least is Truth.MAYBE:
            named |= Q(gpu=None, family__in=asked.families_of_models)
        return named

    def _listings(self) -> Q:
        """Offerings × GPUs for which a listing stands that meets the rest; one that has gone, and
        so cannot be asked, may have."""
        kept = {name: self.criteria.all(name) for name in _OF_LISTINGS}
        if not any(kept.values()):
            return Q()
        best = ready(Criteria.of(kept), self.world, self.now).listings.of_gpus()
        pairs = {
            said: [pair_key(*gpu) for gpu, truth in best.items() if truth == said] for said in Truth
        }
        if self.least is Truth.YES:
            return Q(pair__in=pairs[Truth.YES])
        return ~Q(pair__in=pairs[Truth.NO])

    def _digests(self) -> Q:
        """Of refreshes; the catalog's are told one by one to whoever asks for something."""
        if self.by_gpu:
            return Q(pk__in=[])
        members = Change.objects.filter(
            digest=OuterRef("pk"),
            offering__in=self._of_offering,
            spot=self.criteria.spot_only,
        )
        return Q(what=What.DIGEST, why=Why.REFRESH) & Q(Exists(members))


def pair_key(offering: int, family: int | None, gpu: int | None) -> str:
    return f"{offering} {family or 0} {gpu or 0}"


def _pair_of_row() -> Concat:
    """`pair_key` in SQL."""

    def text(name: str) -> Coalesce:
        return Coalesce(Cast(F(name), CharField()), Value("0"))

    return Concat(text("offering_id"), Value(" "), text("family_id"), Value(" "), text("gpu_id"))


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


def place_of(change: Change) -> str:
    """Where a page goes on behind `change`, in the spelling of the criterion `after`."""
    return f"0_0_{(change.at - _EPOCH) // _TICK}_{change.pk}"


def behind(place: str) -> Q:
    """The changes behind a place; all of them where there is none."""
    if not place:
        return Q()
    ticks, pk = place.split("_")[2:]
    try:
        at = _EPOCH + int(Decimal(ticks)) * _TICK
    except OverflowError:  # a place that no change ever had
        return Q(pk__in=[])
    return Q(at__lt=at) | Q(at=at, pk__lt=int(pk))


def page_of(selection: Selection, place: str, size: int) -> tuple[Sequence[Change], bool]:
    """The changes behind `place`, and whether more follow."""
    rows = list(selection.changes().filter(behind(place))[: size + 1])
    return rows[:size], len(rows) > size

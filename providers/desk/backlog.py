"""What of the catalog and of the refreshes waits for a curator: counts, and what is next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Case, Count, F, IntegerField, Min, OuterRef, Q, Subquery, Sum, When
from django.db.models.functions import Coalesce
from django.urls import reverse

from gpucompare.roles import SETTLE_BATCHES
from providers.catalog.faults import CatalogFaults
from providers.desk.filters import last_judged, read_in, unknown_main
from providers.desk.records import CATALOG, Records
from providers.desk.work import Pile, Task, Work, register
from providers.dimensions import DIMENSIONS, MAIN
from providers.freshness import ReviewBand
from providers.models import (
    Claim,
    Correction,
    CorrectionState,
    Listing,
    Offering,
    QuarantinedRow,
    RejectedBatch,
    SourceReview,
    UnknownGpuName,
    rented,
)

_MAIN: Final = tuple(d.key for d in MAIN)
# Those with most prices first: most readers meet them.
_LISTINGS = Coalesce(
    Subquery(
        Listing.objects.filter(offering=OuterRef("pk"), withdrawn_at=None)
        .order_by()
        .values("offering")
        .annotate(number=Count("pk"))
        .values("number"),
        output_field=IntegerField(),
    ),
    0,
)


def _list(model: str, **filters: str) -> str:
    url = reverse(f"admin:providers_{model}_changelist")
    return f"{url}?{urlencode(filters)}" if filters else url


# --- Claims ------------------------------------------------------------------------------

_BANDS: Final = (
    (ReviewBand.DUE, "Claims due for review", "read more than 180 days ago"),
    (ReviewBand.AGEING, "Claims that age", "read 91 to 180 days ago"),
    (ReviewBand.CURRENT, "Claims that are current", "read within 90 days"),
)


def _claims(now: datetime) -> Iterator[Pile]:
    today = now.date()
    wanted: dict[str, Any] = {"dayless": Count("pk", filter=Q(read_on=None))}
    for band, _label, _note in _BANDS:
        within = read_in(band, today)
        wanted[band] = Count("pk", filter=within)
        wanted[f"{band}_since"] = Min("read_on", filter=within)
    found = Claim.objects.order_by().filter(rented("offering__")).aggregate(**wanted)
    for band, label, meaning in _BANDS:
        due = band is ReviewBand.DUE
        note = f"{meaning}, or on a day not recorded: {found['dayless']}" if due else meaning
        url = _list("claim", review=band, rented="yes")
        since = found[f"{band}_since"]
        yield Pile(f"claims-{band}", label, found[band], url, since, note, waits=due)


def _due_tasks(now: datetime, most: int) -> list[Task]:
    main = Q(claims__dimension__in=_MAIN, claims__retired_at=None)
    due = main & read_in(ReviewBand.DUE, now.date(), "claims__")
    found = (
        Offering.objects.order_by()
        .filter(rented())
        .annotate(due=Count("claims", filter=due), oldest=Min("claims__read_on", filter=due))
        .filter(due__gt=0)
        .annotate(priced=_LISTINGS)
        .select_related("provider")
        .order_by("-priced", F("oldest").asc(nulls_first=True), "pk")[:most]
    )
    return [
        Task(
            f"{each}: read {_number(each.due, 'claim')} on main questions again"
            f" ({_number(each.priced, 'listing')})",
            reverse("desk-answers", args=[each.pk]),
            each.oldest,
        )
        for each in found
    ]


# --- Answers -----------------------------------------------------------------------------


def _contradictions(_now: datetime) -> Iterator[Pile]:
    found = (
        Offering.objects.order_by()
        .filter(rented())
        .exclude(contradicted=[])
        .aggregate(offerings=Count("pk"), answers=Sum("contradicted__len"))
    )
    disagree = Claim.objects.filter(
        rented("offering__"), offering__contradicted__contains=[F("dimension")]
    )
    since = disagree.order_by().aggregate(since=Min("read_on"))["since"]
    note = f"{_number(found['answers'] or 0, 'answer')} on which sources of equal weight disagree"
    url = _list("offering", contradicted="yes", rented="yes")
    label = "Offerings with a contradiction"
    yield Pile("contradictions", label, found["offerings"], url, since, note)


def _contradiction_tasks(_now: datetime, most: int) -> list[Task]:
    found = Offering.objects.filter(rented()).exclude(contradicted=[]).select_related("provider")
    ordered = found.annotate(priced=_LISTINGS).order_by("-priced", "pk")[:most]
    return [
        Task(
            f"{each}: sources disagree about {_labels(each.contradicted)}",
            f"{reverse('desk-answers', args=[each.pk])}#contradicted",
        )
        for each in ordered
    ]


def _labels(keys: Sequence[str]) -> str:
    return ", ".join(str(DIMENSIONS[key].label) for key in keys if key in DIMENSIONS)


def _unknown(_now: datetime) -> Iterator[Pile]:
    gaps = [
        Case(
            When(
                Q(**{f"{key}__isnull": True}) & ~Q(contradicted__contains=[key]),
                then=1,
            ),
            default=0,
        )
        for key in _MAIN
    ]
    found = (
        Offering.objects.order_by()
        .filter(rented(), unknown_main())
        .aggregate(offerings=Count("pk"), cells=Sum(sum(gaps[1:], gaps[0])))
    )
    note = f"{_number(found['cells'] or 0, 'answer')} unknown"
    url = _list("offering", unknown_main="yes", rented="yes")
    label = "Offerings with an unknown main answer"
    yield Pile("unknown-main", label, found["offerings"], url, None, note)


# --- Refreshes ---------------------------------------------------------------------------


def _gpu_names(_now: datetime) -> Iterator[Pile]:
    found = UnknownGpuName.objects.aggregate(number=Count("pk"), since=Min("first_seen"))
    url = _list("unknowngpuname")
    note = "to be added to fixtures/gpus.csv"
    yield Pile("gpu-names", "GPU names unknown", found["number"], url, found["since"], note)


def _quarantined(_now: datetime) -> Iterator[Pile]:
    rows = QuarantinedRow.objects.order_by().filter(run__in=last_judged())
    found = rows.aggregate(number=Count("pk"), since=Min("run__started_at"))
    url = _list("quarantinedrow", last="yes")
    note = "of each source's last batch"
    yield Pile("quarantined", "Rows in quarantine", found["number"], url, found["since"], note)


def _batches(_now: datetime) -> Iterator[Pile]:
    waiting = RejectedBatch.objects.order_by().filter(accepted_at=None, kept_out_at=None)
    found = waiting.aggregate(number=Count("pk"), since=Min("run__started_at"))
    url = _list("rejectedbatch", waiting="yes")
    note = "until then the last good prices stand"
    yield Pile("batches", "Batches rejected", found["number"], url, found["since"], note)


def _batch_tasks(_now: datetime, most: int) -> list[Task]:
    waiting = RejectedBatch.objects.filter(accepted_at=None, kept_out_at=None)
    found = waiting.select_related("run").defer("rows").order_by("run__started_at")[:most]
    return [
        Task(
            f"{each.run.source}: accept the batch, or keep it out (guard: {each.run.guard})",
            reverse("admin:providers_rejectedbatch_change", args=[each.pk]),
            each.run.started_at,
        )
        for each in found
    ]


# --- What comes from outside ---------------------------------------------------------------


def _corrections(_now: datetime) -> Iterator[Pile]:
    waiting = Correction.objects.order_by().filter(state=CorrectionState.OPEN)
    found = waiting.aggregate(number=Count("pk"), since=Min("made_at"))
    url = _list("correction")
    label = "Corrections from readers"
    yield Pile("corrections", label, found["number"], url, found["since"])


def _correction_tasks(_now: datetime, most: int) -> list[Task]:
    waiting = Correction.objects.filter(state=CorrectionState.OPEN)
    found = waiting.select_related("offering__provider").order_by("made_at", "pk")[:most]
    return [
        Task(
            f"{each.offering}: a reader corrects {_labels([each.dimension])}",
            reverse("admin:providers_correction_change", args=[each.pk]),
            each.made_at,
        )
        for each in found
    ]


def _reviews(_now: datetime) -> Iterator[Pile]:
    waiting = SourceReview.objects.order_by().filter(settled_at=None, claim__retired_at=None)
    found = waiting.aggregate(number=Count("pk"), since=Min("found_at"))
    url = _list("sourcereview")
    label = "Source pages that changed"
    yield Pile("source-pages", label, found["number"], url, found["since"])


def _review_tasks(_now: datetime, most: int) -> list[Task]:
    waiting = SourceReview.objects.filter(settled_at=None, claim__retired_at=None)
    found = waiting.select_related("claim__offering__provider").order_by("found_at", "pk")[:most]
    return [
        Task(
            f"{each.claim.offering}: the source of {_labels([each.claim.dimension])} changed",
            reverse("admin:providers_sourcereview_change", args=[each.pk]),
            each.found_at,
        )
        for each in found
    ]


# --- Files ---------------------------------------------------------------------------------


def conflict_piles(records: Records) -> Iterator[Pile]:
    """What stops a load of these files; a file that is wrong stops it, too."""
    url, key = reverse("desk-conflicts"), f"conflicts-{records.setting.lower()}"
    try:
        waiting = records.waiting(records.directory)
    except CatalogFaults as wrong:
        label = f"{records.title}: faults in files"
        yield Pile(key, label, len(wrong.faults), url, None, "the files cannot be loaded")
        return
    number = sum(map(len, waiting.conflicts.values()))
    note = f"{_number(len(waiting.files), 'file')} changed since the last load"
    label = f"{records.title}: conflicts of files and desk"
    yield Pile(key, label, number, url, _changed_at(records, waiting.conflicts), note)


def _changed_at(records: Records, names: Iterable[str]) -> datetime | None:
    """When the first of these files was changed on this machine."""
    files = [records.directory / f"{name}.yaml" for name in names]
    times = [file.stat().st_mtime for file in files if file.exists()]
    return datetime.fromtimestamp(min(times), UTC) if times else None


_WORK: Final = (
    Work(
        key="claims",
        place=1,
        look=("providers.view_claim",),
        piles=_claims,
        turn=5,
        do="providers.change_claim",
        why="claims on main questions that are due, where an offering has most listings",
        tasks=_due_tasks,
    ),
    Work(
        key="contradictions",
        place=2,
        look=("providers.view_offering",),
        piles=_contradictions,
        turn=1,
        do="providers.change_claim",
        why="contradictions, for there readers are told nothing",
        tasks=_contradiction_tasks,
    ),
    Work(key="unknown", place=3, look=("providers.view_offering",), piles=_unknown),
    Work(
        key="corrections",
        place=4,
        look=("providers.view_correction",),
        piles=_corrections,
        turn=2,
        do="providers.change_correction",
        why="corrections, for a reader waits",
        tasks=_correction_tasks,
    ),
    Work(
        key="reviews",
        place=5,
        look=("providers.view_sourcereview",),
        piles=_reviews,
        turn=4,
        do="providers.change_sourcereview",
        why="source pages that changed",
        tasks=_review_tasks,
    ),
    Work(
        key="batches",
        place=6,
        look=("providers.view_rejectedbatch",),
        piles=_batches,
        turn=3,
        do=SETTLE_BATCHES,
        why="rejected batches, for their prices stand still",
        tasks=_batch_tasks,
    ),
    Work(
        key="quarantined",
        place=7,
        look=("providers.view_quarantinedrow",),
        piles=_quarantined,
    ),
    Work(key="gpus", place=8, look=("providers.view_unknowngpuname",), piles=_gpu_names),
    Work(
        key="conflicts",
        place=10,
        look=CATALOG.look,
        piles=lambda _now: conflict_piles(CATALOG),
    ),
)


def register_backlog() -> None:
    for work in _WORK:
        register(work)


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""Vultr: plans of Cloud GPU and of Bare Metal, with their regions and a stock for each region.

https://www.vultr.com/api/#tag/plans: no key. Shares of a card ("1/4") are left out: they are no
GPU that an image is checked against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from providers.sources.base import (
    BadRow,
    Http,
    ListingRecord,
    MalformedError,
    Page,
    Rows,
    Source,
    SourceError,
    StockLevel,
    price,
    read_rows,
)
from providers.sources.reading import figures
from providers.sources.vultr_plans import Plan

PER_PAGE = 500
MOST_PAGES = 20
OFFERINGS = {"plans": "vultr/cloud-gpu", "plans_metal": "vultr/bare-metal-gpu"}


class Vultr(Source):
    slug = "vultr"
    base_url = "https://api.vultr.com"
    offerings = tuple(OFFERINGS.values())

    def fetch(self, http: Http) -> Iterator[Page]:
        regions: set[str] = set()
        for kind, path in (("plans", "/v2/plans"), ("plans_metal", "/v2/plans-metal")):
            for page in _pages(http, kind, path):
                yield page
                for _at, row in read_rows(Plan, page.at(kind), kind):
                    if isinstance(row, Plan) and row.has_gpu:
                        regions.update(row.regions)
        for region in sorted(regions):
            try:
                body = http.get(f"/v2/regions/{region}/availability")
                page = Page(f"availability:{region}", body)
                _free(page)
            except SourceError:
                return  # unknown from here on; the rest is not worth the wait
            yield page

    def parse(self, pages: Iterable[Page]) -> Rows:
        plans: dict[str, tuple[str, Plan]] = {}
        free: dict[str, set[str]] = {}
        for page in pages:
            kind, _colon, place = page.name.partition(":")
            if kind == "availability":
                free[place] = _free(page)
                continue
            for at, row in read_rows(Plan, page.at(kind), page.name):
                if isinstance(row, BadRow):
                    yield row
                elif row.has_gpu:
                    plans.setdefault(f"{kind} {row.id}", (at, row))
        for name, (at, plan) in plans.items():
            yield from _rows(OFFERINGS[name.split()[0]], at, plan, free)


def _pages(http: Http, kind: str, path: str) -> Iterator[Page]:
    params: dict[str, str | int] = {"per_page": PER_PAGE}
    seen: set[str] = set()
    for number in range(1, MOST_PAGES + 1):
        page = Page(f"{kind}:{number}", http.get(path, params=params))
        fresh = {str(row.get("id")) for row in page.list_at(kind) if isinstance(row, dict)} - seen
        if number > 1 and not fresh:
            return
        yield page
        seen |= fresh
        cursor = _next(page.json())
        if not cursor:
            return
        params = {**params, "cursor": cursor}
    raise MalformedError(f"{kind}: more than {MOST_PAGES} pages")


def _free(page: Page) -> set[str]:
    """The ids of plans that a region has. Raises MalformedError."""
    return {plan for plan in page.list_at("available_plans") if isinstance(plan, str)}


def _next(body: Any) -> str:
    meta = body.get("meta")
    links = meta.get("links") if isinstance(meta, dict) else None
    return str(links.get("next") or "") if isinstance(links, dict) else ""


def _rows(offering: str, at: str, plan: Plan, free: Mapping[str, set[str]]) -> Rows:
    """One row a region; a plan that is nowhere to be had is one row without stock."""
    gpu = plan.gpu()
    if gpu is None:
        yield BadRow(at, f"{plan.id}: neither the plan nor its id tells how many GPUs it has")
        return
    name, count, vram = gpu
    for region in plan.regions or [""]:
        costs = plan.location_cost if isinstance(plan.location_cost, Mapping) else {}
        cost = costs.get(region, plan)
        yield ListingRecord(
            offering=offering,
            key=f"{plan.id}/{region}",
            gpu_name=name,
            gpu_count=count,
            price=price(cost.hourly_cost) if plan.deploy_ondemand else None,
            spot_price=price(cost.hourly_cost_preemptible) if plan.deploy_preemptible else None,
            spot=plan.deploy_preemptible,
            vram_gb=vram,
            region=region,
            stock=_stock(plan.id, region, free),
            extras=figures(
                disk_gb=plan.disk * (plan.disk_count or 1) if plan.disk else None,
                transfer_gb_month=plan.bandwidth,
            ),
        )


def _stock(plan: str, region: str, free: Mapping[str, set[str]]) -> StockLevel:
    if not region:
        return StockLevel.NONE
    if region not in free:
        return StockLevel.UNKNOWN
    return StockLevel.AVAILABLE if plan in free[region] else StockLevel.NONE

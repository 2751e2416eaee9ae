"""RunPod's GraphQL API, which needs no key: https://graphql-spec.runpod.io.

Errors come as HTTP 200, and one unknown field fails the whole query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pydantic import Field

from providers.sources.base import (
    BadRow,
    Http,
    MalformedError,
    Page,
    Row,
    Rows,
    SourceError,
    StockLevel,
    read_rows,
)
from providers.sources.reading import Amount, CamelAnswer, level, needed
from providers.sources.runpod_pods import (
    COMMUNITY,
    COUNTS,
    SECURE,
    Card,
    Stock,
    Terms,
    highest,
    pods,
)

PATH = "/graphql"
GPU_TYPES = """query ($in: GpuLowestPriceInput) { gpuTypes { id displayName memoryInGb
  secureCloud communityCloud minPodGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud
  securePrice communityPrice secureSpotPrice communitySpotPrice lowestPrice(input: $in) {
    stockStatus availableGpuCounts gpuTypeCudaVersions { cudaVersion availability } } } }"""
DATA_CENTERS = "query { dataCenters { id listed gpuAvailability { gpuTypeId stockStatus } } }"


class CudaVersion(CamelAnswer):
    cuda_version: str
    availability: str


class Lowest(CamelAnswer):
    stock_status: str | None = None
    available_gpu_counts: list[int] | None = None
    gpu_type_cuda_versions: list[CudaVersion] | None = None

    def stock(self, count: int) -> StockLevel:
        """A cloud that has none answers with a null status and an empty list of counts."""
        counts = self.available_gpu_counts
        if counts:
            return level(self.stock_status) if count in counts else StockLevel.NONE
        if counts == [] or self.stock_status is None:
            return StockLevel.NONE
        return level(self.stock_status) if count == 1 else StockLevel.UNKNOWN


class GpuType(CamelAnswer):
    id: str
    display_name: str
    memory_in_gb: int | None = Field(ge=0)
    secure_cloud: bool
    community_cloud: bool
    min_pod_gpu_count: int | None = None
    max_gpu_count_secure_cloud: int | None = None
    max_gpu_count_community_cloud: int | None = None
    secure_price: Amount
    community_price: Amount
    secure_spot_price: Amount = None
    community_spot_price: Amount = None
    lowest_price: Lowest | None = None


class Availability(CamelAnswer):
    gpu_type_id: str
    stock_status: str | None = None  # null: the card is not offered there


class DataCenter(CamelAnswer):
    id: str
    listed: bool
    gpu_availability: list[Availability]


@dataclass
class Places:
    """Who has which card."""

    levels: dict[str, dict[str, StockLevel]] = field(default_factory=dict)  # by card and place
    whole: bool = True

    def add(self, center: DataCenter) -> None:
        for card in center.gpu_availability:
            if center.listed and card.stock_status is not None:
                level_at = self.levels.setdefault(card.gpu_type_id, {})
                level_at[center.id] = level(card.stock_status)


def fetch(http: Http) -> Iterator[Page]:
    """All prices stand in the first answer; the others add stock by cloud and data centre."""
    yield Page("gpus-secure", http.post(PATH, json=_cloud(secure=True)))
    with suppress(SourceError):
        yield Page("gpus-community", http.post(PATH, json=_cloud(secure=False)))
    with suppress(SourceError):
        yield Page("data-centers", http.post(PATH, json={"query": DATA_CENTERS}))


def _cloud(*, secure: bool) -> dict[str, object]:
    return {"query": GPU_TYPES, "variables": {"in": {"gpuCount": 1, "secureCloud": secure}}}


def parse(pages: Mapping[str, Page]) -> Rows:
    community, places = _community(pages), _places(pages)
    for _at, row in _rows(GpuType, pages, "gpus-secure", "gpuTypes"):
        if isinstance(row, BadRow):
            yield row
            continue
        versions = row.lowest_price.gpu_type_cuda_versions or [] if row.lowest_price else []
        cuda = highest(v.cuda_version for v in versions if v.availability == "AVAILABLE")
        card = Card(row.id, row.display_name, row.memory_in_gb or None, cuda)
        for terms in _terms(row, community.get(row.id), places):
            yield from pods(card, terms)


def _rows(
    model: type[Row], pages: Mapping[str, Page], page_name: str, name: str
) -> Iterator[tuple[str, Row | BadRow]]:
    """Rows of `data.<name>`. Raises MalformedError with what the answer says of a fault."""
    page = needed(pages, page_name)
    body = page.json()
    if isinstance(body, dict) and body.get("errors") and not body.get("data"):
        raise MalformedError(f"{page.name}: {str(body['errors'])[:300]}")
    return read_rows(model, page.at("data", name), name)


def _community(pages: Mapping[str, Page]) -> dict[str, Lowest | None]:
    """The Community Cloud's stock by card; nothing where that answer is missing."""
    with suppress(MalformedError):
        rows = _rows(GpuType, pages, "gpus-community", "gpuTypes")
        return {row.id: row.lowest_price for _at, row in rows if isinstance(row, GpuType)}
    return {}


def _places(pages: Mapping[str, Page]) -> Places:
    """The data centres that have a card; not the whole of them where one cannot be read."""
    found = Places()
    try:
        rows = [row for _at, row in _rows(DataCenter, pages, "data-centers", "dataCenters")]
    except MalformedError:
        rows = []
    for row in rows:
        if isinstance(row, DataCenter):
            found.add(row)
    found.whole = bool(rows) and not any(isinstance(row, BadRow) for row in rows)
    return found


def _terms(row: GpuType, community: Lowest | None, places: Places) -> Iterator[Terms]:
    least = row.min_pod_gpu_count
    if row.secure_cloud:
        stock = _stock(row.lowest_price)
        # Data centres tell of one GPU; where two or more of them stand together is never told.
        stock[1] = replace(stock[1], places=places.levels.get(row.id, {}), whole=places.whole)
        most = row.max_gpu_count_secure_cloud
        yield Terms(SECURE, row.secure_price, row.secure_spot_price, most, least, stock)
    if row.community_cloud:
        most, stock = row.max_gpu_count_community_cloud, _stock(community)
        yield Terms(COMMUNITY, row.community_price, row.community_spot_price, most, least, stock)


def _stock(lowest: Lowest | None) -> dict[int, Stock]:
    return {count: Stock(lowest.stock(count)) if lowest else Stock() for count in COUNTS}

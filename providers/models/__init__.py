"""The tables: who rents out what, on what terms, at what price."""

from providers.models.claim import Basis, Claim, SourceKind
from providers.models.gpu import Gpu, GpuFamily, UnknownGpuName
from providers.models.listing import Listing, Origin, PricePoint, Stock
from providers.models.offering import Offering
from providers.models.provider import CatalogFile, MadeAt, Provider, ProviderKind, Status
from providers.models.refresh import (
    ExchangeRate,
    Outcome,
    QuarantinedRow,
    RefreshRun,
    RejectedBatch,
    SourceState,
)

__all__ = [
    "Basis",
    "CatalogFile",
    "Claim",
    "ExchangeRate",
    "Gpu",
    "GpuFamily",
    "Listing",
    "MadeAt",
    "Offering",
    "Origin",
    "Outcome",
    "PricePoint",
    "Provider",
    "ProviderKind",
    "QuarantinedRow",
    "RefreshRun",
    "RejectedBatch",
    "SourceKind",
    "SourceState",
    "Status",
    "Stock",
    "UnknownGpuName",
]

"""The tables: who rents out what, on what terms, at what price."""

from providers.models.change import PRICED, Change, GpuStanding, What, Why
from providers.models.claim import Basis, Claim, SourceKind
from providers.models.correction import Correction, CorrectionState
from providers.models.gpu import Gpu, GpuFamily, UnknownGpuName
from providers.models.listing import Listing, Origin, PricePoint, Stock
from providers.models.offering import Offering, rented
from providers.models.provider import CatalogFile, MadeAt, Provider, ProviderKind, Status
from providers.models.refresh import (
    ExchangeRate,
    Outcome,
    QuarantinedRow,
    RefreshRun,
    RejectedBatch,
    SourceState,
)
from providers.models.share import FormerKey, Share
from providers.models.watched import (
    Look,
    Passage,
    ReviewKind,
    ReviewOutcome,
    SourcePage,
    SourceReview,
)

__all__ = [
    "PRICED",
    "Basis",
    "CatalogFile",
    "Change",
    "Claim",
    "Correction",
    "CorrectionState",
    "ExchangeRate",
    "FormerKey",
    "Gpu",
    "GpuFamily",
    "GpuStanding",
    "Listing",
    "Look",
    "MadeAt",
    "Offering",
    "Origin",
    "Outcome",
    "Passage",
    "PricePoint",
    "Provider",
    "ProviderKind",
    "QuarantinedRow",
    "RefreshRun",
    "RejectedBatch",
    "ReviewKind",
    "ReviewOutcome",
    "Share",
    "SourceKind",
    "SourcePage",
    "SourceReview",
    "SourceState",
    "Status",
    "Stock",
    "UnknownGpuName",
    "What",
    "Why",
    "rented",
]

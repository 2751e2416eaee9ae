"""The part of the API about who rents out what, on what terms and at what price."""

from ninja import Router

from providers.api import (
    changes,
    claims,
    companies,
    compare,
    coverage,
    dimensions,
    gpus,
    listings,
    offerings,
    status,
)

PARTS = (
    *(companies, offerings, claims, listings, gpus),
    *(dimensions, compare, changes, status, coverage),
)

router = Router()
for part in PARTS:
    router.add_router("", part.router)

__all__ = ["router"]

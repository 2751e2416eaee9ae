"""The part of the API about one image: will it run, and what does the first start cost."""

from ninja import Router

from checks.api.check import router as check
from checks.api.cold_start import router as cold_start

router = Router()
router.add_router("", check)
router.add_router("", cold_start)

__all__ = ["router"]

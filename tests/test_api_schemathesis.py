"""schemathesis asks a running server for all that the document allows, and for what it does not."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.utils import timezone
from hypothesis import HealthCheck
from pytest_django.live_server_helper import LiveServer
from schemathesis.specs.openapi.checks import positive_data_acceptance

from gpucompare.api import api
from providers.models import PricePoint
from tests import registry_images as images
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know


@pytest.fixture
def document(live_server: LiveServer) -> Any:
    """The document of a server with a few rows of everything."""
    fill()
    return schemathesis.openapi.from_url(f"{live_server.url}/api/v1/openapi.json")


def fill() -> None:
    know("acme/trainer:1", images.image())
    gpu = make_gpu("h100-sxm", "h100", compute_capability="9.0")
    offering = make_offering("pods", make_provider("acme"), custom_image="any")
    make_claim(offering, "custom_image", "any")
    now = timezone.now()
    row = make_listing(offering, gpu, usd_per_hour=Decimal("2.5"), seen_at=now)
    PricePoint.objects.create(listing=row, at=now - timedelta(days=1), usd_per_hour=Decimal(3))


OPERATIONS = [
    (method, path)
    for path, way in api.get_openapi_schema(path_prefix="api/v1/")["paths"].items()
    for method in way
]
MODES = list(schemathesis.GenerationMode)


def fuzz(document: Any, operation: tuple[str, str], mode: Any, examples: int) -> None:
    method, path = operation
    found = document[path][method.upper()]

    @hypothesis.settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @hypothesis.given(case=found.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        response = case.call()
        # No registry is read in tests.
        if response.status_code == 503:
            assert response.json()["reason"] == "reading_is_off"
            return
        # Names that only the database knows are refused.
        case.validate_response(response, excluded_checks=[positive_data_acceptance])

    ask()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_server_keeps_to_its_document(
    document: Any, operation: tuple[str, str], mode: Any
) -> None:
    fuzz(document, operation, mode, 10)


@pytest.mark.soak
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_server_keeps_to_its_document_for_long(
    document: Any, operation: tuple[str, str], mode: Any
) -> None:
    fuzz(document, operation, mode, 150)

"""Every GET of the document: it answers as it says, for what is there and for what is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.test import Client
from django.utils import timezone
from jsonschema_rs import Draft202012Validator

from gpucompare.api import api
from providers.models import Listing, Offering, PricePoint, SourceState
from tests import registry_images as images
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know
from tests.query_counts import queries_of

pytestmark = pytest.mark.django_db

IMAGE = "acme/trainer:1"
# What an operation needs besides its path.
NEEDED: dict[str, dict[str, Any]] = {
    "check": {"image": IMAGE},
    "cold_start": {"compressed_gb": "16.3"},
    "compare": {"o": ["acme/pods", "other/vms"]},
}
# What stands for a part of a path: something that is there, and something that is not.
THERE = {"provider": "acme", "offering": "pods", "gpu": "h100-sxm"}
ABSENT = {"provider": "nobody", "offering": "nothing", "gpu": "voodoo", "listing": "987654321"}


@cache
def as_sent() -> dict[str, Any]:
    """The document as it goes out."""
    schema = api.get_openapi_schema(path_prefix="api/v1/")
    found: dict[str, Any] = json.loads(json.dumps(schema, cls=DjangoJSONEncoder))
    return found


def gets() -> list[tuple[str, str]]:
    """Path and id of every GET."""
    document = as_sent()
    return [
        (path, way["get"]["operationId"]) for path, way in document["paths"].items() if "get" in way
    ]


@cache
def validator(operation_id: str) -> Draft202012Validator:
    """Of the answer that the document promises."""
    document = as_sent()
    (operation,) = [
        way["get"]
        for way in document["paths"].values()
        if way.get("get", {}).get("operationId") == operation_id
    ]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": document["components"]})


@pytest.fixture
def listing() -> Listing:
    """A world with something of everything."""
    know(IMAGE, images.index(("linux/amd64", images.image())))
    now = timezone.now()
    SourceState.objects.create(slug="vast", good_at=now)
    gpu = make_gpu("h100-sxm", "h100", compute_capability="9.0", vram_gb=80)
    pods = make_offering("pods", make_provider("acme"), **known_answers())
    for key, value in (("custom_image", "any"), ("ssh", True), ("max_image_gb", 20)):
        make_claim(pods, key, value)
    vms = make_offering("vms", make_provider("other", headquarters="DE"), contradicted=["ssh"])
    make_claim(vms, "registries", ["ghcr.io", "docker.io"], decides=False, read_on=None)
    make_listing(vms, gpu.family, usd_per_hour=Decimal(4), origin="snapshot")
    row = make_listing(pods, gpu, usd_per_hour=Decimal("2.5"), seen_at=now, extras={"disk_gb": 9})
    for days, usd in ((2, "3"), (1, "2.5")):
        PricePoint.objects.create(listing=row, at=now - timedelta(days=days), usd_per_hour=usd)
    return row


def known_answers() -> dict[str, Any]:
    return {
        "custom_image": "any",
        "ssh": True,
        "max_image_gb": Decimal("20.000"),
        "gpu_names": ["H100 SXM"],
    }


def test_the_listing_covers_every_operation() -> None:
    assert {name for _, name in gets()} >= {
        *("providers", "provider", "offerings", "offering", "claims", "listings", "listing"),
        *("gpus", "gpu", "gpu_prices", "dimensions", "compare", "status", "check", "cold_start"),
    }


@pytest.mark.parametrize(("path", "name"), gets())
def test_it_answers_what_the_document_promises(
    client: Client, listing: Listing, path: str, name: str
) -> None:
    address = path.format(**THERE, listing=listing.pk)
    response = client.get(address, NEEDED.get(name, {}))
    assert response.status_code == 200, response.content
    faults = [error.message for error in validator(name).iter_errors(response.json())]
    assert faults == []
    assert response["ETag"]
    again = client.get(address, NEEDED.get(name, {}), headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(("path", "name"), [(p, n) for p, n in gets() if "{" in p])
def test_what_is_not_there_is_a_problem(
    client: Client, listing: Listing, path: str, name: str
) -> None:
    response = client.get(path.format(**ABSENT), NEEDED.get(name, {}))
    assert (response.status_code, response.json()["type"]) == (404, "/api/v1/docs#not_found")


@pytest.mark.parametrize(("path", "name"), gets())
def test_it_answers_without_any_data(client: Client, path: str, name: str) -> None:
    know(IMAGE, images.image())
    response = client.get(path.format(**ABSENT), NEEDED.get(name, {}))
    assert response.status_code in (200, 404, 422)


@pytest.mark.parametrize(("path", "name"), gets())
def test_an_unknown_parameter_is_refused(client: Client, path: str, name: str) -> None:
    response = client.get(path.format(**ABSENT), {**NEEDED.get(name, {}), "colour": "red"})
    assert response.status_code == 422
    assert [error["parameter"] for error in response.json()["errors"]] == ["colour"]


# The parameters of a list are mostly dimensions, read alike: each has a third of the values.
# What is typed freely has all.
STRIDE = 3
FREE = {"q", "region", "after", "max_price", "min_vram", "min_driver", "min_cuda", "image"}
HOSTILE = ["\0", "'", "%", "../..", "9" * 400, "-1", "nan", "١٢", "a\nb", "\ud800"]


def parameters() -> Iterator[tuple[str, str, str]]:
    document = as_sent()
    for path, name in gets():
        for parameter in document["paths"][path]["get"]["parameters"]:
            if parameter["in"] == "query":
                yield path, name, parameter["name"]


def hostile(name: str, stride: int) -> Iterator[tuple[str, str]]:
    """Parameters with values; where they are many, each has one in so many, in turn."""
    own = [parameter for _, operation, parameter in parameters() if operation == name]
    stride = stride if len(own) > 2 * stride else 1
    for n, parameter in enumerate(own):
        values = HOSTILE if parameter in FREE else HOSTILE[n % stride :: stride]
        yield from ((parameter, value) for value in values)


@pytest.mark.parametrize("name", [name for _, name in gets()])
def test_every_parameter_meets_what_is_hostile_and_every_such_value_is_sent(name: str) -> None:
    sent = list(hostile(name, STRIDE))
    own = {parameter for _, operation, parameter in parameters() if operation == name}
    assert {parameter for parameter, _ in sent} == own
    assert {value for _, value in sent} == (set(HOSTILE) if own else set())


@pytest.mark.parametrize("stride", [STRIDE, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("path", "name"), gets())
def test_a_hostile_value_is_no_fault_of_ours(
    client: Client, listing: Listing, path: str, name: str, stride: int
) -> None:
    address = path.format(**THERE, listing=listing.pk)
    for parameter, value in hostile(name, stride):
        query = {**NEEDED.get(name, {}), parameter: value.encode("utf-8", "surrogatepass")}
        response = client.get(address, query)
        # 503: no registry is asked in tests.
        assert response.status_code in (200, 422, 503), (parameter, value, response.content)


@pytest.mark.parametrize("path", [path for path, _ in gets() if "{" in path])
def test_a_hostile_path_is_no_fault_of_ours(client: Client, path: str) -> None:
    for value in ("%00", "'", "A", "9" * 40, "-1", "%F0%9F%92%A9", "x" * 65):
        address = path
        for part in ABSENT:
            address = address.replace(f"{{{part}}}", value)
        assert client.get(address).status_code in (404, 422), address


def more(n: int) -> None:
    gpu = make_gpu(f"gpu-{n}", f"family-{n}")
    for _ in range(n):
        offering = make_offering(custom_image="any")
        make_claim(offering, "custom_image", "any")
        make_listing(offering, gpu, usd_per_hour=Decimal(1))


LISTS = [(path, name) for path, name in gets() if "{" not in path and name not in NEEDED]


@pytest.mark.parametrize(("path", "name"), LISTS)
def test_more_rows_cost_no_more_queries(client: Client, path: str, name: str) -> None:
    def ask() -> None:
        assert client.get(path).status_code == 200

    more(2)
    few = queries_of(ask)
    more(15)
    assert queries_of(ask) == few
    # Four of them read all listings anew, as each request does that may see rows of its own.
    assert few <= 12


def test_one_provider_costs_few_queries(client: Client, listing: Listing) -> None:
    asks: list[Callable[[], object]] = [lambda: client.get("/api/v1/providers/acme")]
    few = queries_of(asks[0])
    for _ in range(5):
        make_offering(provider=Offering.objects.get(slug="pods").provider)
    assert queries_of(asks[0]) == few <= 4

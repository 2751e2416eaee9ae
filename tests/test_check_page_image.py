"""The page /check/ when it is asked for an image by its name, and why a download is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from checks import views
from checks.image.reading import Reading
from checks.image.reasons import Reason
from checks.image.record import Config, ImageRecord, Layer, Platform
from checks.image.reference import Reference
from checks.image.registry import Phase
from checks.image.texts import REASONS
from tests.check_pages import BY_HAND, market
from tests.factories import make_offering
from tests.page_text import text

pytestmark = pytest.mark.django_db

ENV = ("CUDA_VERSION=12.4.1", "NVIDIA_REQUIRE_CUDA=cuda>=12.4", "TOKEN=hunter2")
DIGEST = "sha256:" + "a" * 64


def record(reference: Reference) -> ImageRecord:
    return ImageRecord(
        reference=str(reference),
        digest=DIGEST,
        index_digest="",
        platform=Platform("linux", "amd64"),
        platforms=(Platform("linux", "amd64"),),
        config=Config(env=ENV, architecture="amd64", os="linux"),
        layers=(Layer(DIGEST, 9_000_000_000, "application/vnd.oci.image.layer.v1.tar+gzip"),),
        read_at=timezone.now(),
    )


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes every registry say the same."""

    def says(state: Any = "ready", known: bool | None = None, **fields: Any) -> None:
        def look(reference: Reference, client: str = "") -> Reading:
            found = record(reference) if known or (known is None and state == "ready") else None
            return Reading(reference, state, timezone.now(), found, **fields)

        monkeypatch.setattr(views, "look", look)

    return says


# --- By name -----------------------------------------------------------------------------------


def test_an_image_that_is_known_is_answered_with_its_facts(
    client: Client, registry: Callable[..., None]
) -> None:
    registry()
    market()
    response = client.get("/check/?image=nvidia/cuda:12.4.1-base")
    page = text(response)
    assert "Where will nvidia/cuda:12.4.1-base run?" in page
    assert "CUDA toolkit 12.4.1 environment (CUDA_VERSION)" in page
    assert "To download 9.0 GB sizes of the layers" in page
    assert f"Rent with nvidia/cuda@{DIGEST}" in page
    assert "hunter2" not in response.content.decode()


def test_a_public_image_needs_no_credentials(client: Client, registry: Callable[..., None]) -> None:
    registry()
    make_offering(custom_image="any", gpu_passthrough="automatic", registry_auth=["no"])
    assert "private" not in text(client.get("/check/?image=a/b")).partition("Runs")[2]
    assert "If the image is private: it cannot be pulled" in text(client.get(BY_HAND))


def test_an_image_larger_than_an_offering_takes_fails_there(
    client: Client, registry: Callable[..., None]
) -> None:
    registry()
    make_offering(custom_image="any", gpu_passthrough="automatic", max_image_gb=Decimal(5))
    assert "The image is larger than what is taken." in text(client.get("/check/?image=a/b"))


def test_while_an_image_is_read_the_page_says_so_and_asks_again(
    client: Client, registry: Callable[..., None]
) -> None:
    registry("pending", phase=Phase.MANIFEST)
    response = client.get("/check/?image=a/b:1&gpu=h100")
    page = unescape(response.content.decode())
    assert response.status_code == 200
    assert "Reading what the image consists of" in page
    assert 'hx-get="/check/?image=a/b:1" hx-trigger="load delay:1s"' in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page


def test_a_reading_that_failed_gives_its_reason_and_leaves_the_other_ways_open(
    client: Client, registry: Callable[..., None]
) -> None:
    retry = timezone.now() + timedelta(minutes=2)
    registry("failed", reason=Reason.THROTTLED, retry_at=retry)
    response = client.get("/check/?image=a/b")
    page = response.content.decode()
    assert "The registry asks us to wait" in page
    assert "It is not asked again before" in page
    assert re.findall(r'<details class="way" id="([\w-]+)" open>', page) == ["by-hand", "by-paste"]
    assert 'id="matrix"' not in page


def test_what_an_earlier_reading_found_is_better_than_nothing(
    client: Client, registry: Callable[..., None]
) -> None:
    registry("failed", known=True, reason=Reason.TIMEOUT)
    market()
    page = text(client.get("/check/?image=a/b"))
    assert "This is what an earlier reading found" in page
    assert "CUDA 12.4.1" in page
    assert "offering of 1 provider" in page or "Acme" in page


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Ubuntu", "Image names are lower case."),
        ("docker pull ubuntu", "An image name holds no spaces."),
        ("https://ghcr.io/a/b", "An image name is no web address."),
    ],
)
def test_a_name_that_cannot_be_one_says_what_is_wrong(client: Client, name: str, why: str) -> None:
    response = client.get("/check/", {"image": name})
    assert why in text(response)
    assert 'id="by-hand" open' in response.content.decode()


# --- Why a download is none --------------------------------------------------------------------


def refused(client: Client, query: str, **headers: str) -> tuple[int, str, Any]:
    response = client.get(f"/check/?{query}", headers=headers)
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    return response.status_code, response.content.decode(), response


@pytest.mark.parametrize("wanted", ["csv", "json", "md"])
def test_a_download_of_a_name_that_cannot_be_one_is_refused_with_its_reason(
    client: Client, wanted: str
) -> None:
    status, said, _response = refused(client, f"image=Ubuntu&format={wanted}")
    assert status == 422
    assert said.startswith("Image names are lower case.")
    assert "Ubuntu" in said


def test_whoever_likes_markdown_gets_the_reason_in_text_too(client: Client) -> None:
    status, _said, response = refused(client, "image=Ubuntu", Accept="text/markdown")
    assert (status, "Accept" in response["Vary"]) == (422, True)


def test_a_download_of_an_image_that_is_being_read_says_when_to_ask_again(
    client: Client, registry: Callable[..., None]
) -> None:
    registry("pending", phase=Phase.MANIFEST)
    status, said, response = refused(client, "image=a/b:1&format=csv")
    assert (status, response["Retry-After"]) == (202, "2")
    assert response["Cache-Control"] == "no-store"
    assert said == "Reading what the image consists of\n"


@pytest.mark.parametrize(
    ("reason", "status", "retry"),
    [
        (Reason.UNREACHABLE, 502, None),
        (Reason.THROTTLED, 503, "120"),
        (Reason.BUSY, 503, "120"),
        (Reason.TOO_MANY_READS, 429, "120"),
        (Reason.READING_IS_OFF, 503, None),
        (Reason.NO_SUCH_TAG, 422, None),
        (Reason.OUR_FAULT, 500, None),
    ],
)
def test_a_download_of_an_image_that_could_not_be_read_fails_as_the_api_does(
    client: Client,
    registry: Callable[..., None],
    reason: Reason,
    status: int,
    retry: str | None,
) -> None:
    registry("failed", reason=reason, retry_at=timezone.now() + timedelta(seconds=120.4))
    found, said, response = refused(client, "image=a/b&format=csv")
    assert (found, response.get("Retry-After")) == (status, retry)
    assert said == f"{REASONS[reason]}\n"


def test_a_download_of_what_an_earlier_reading_found_is_one(
    client: Client, registry: Callable[..., None]
) -> None:
    registry("failed", known=True, reason=Reason.TIMEOUT)
    response = client.get("/check/?image=a/b&format=csv")
    assert (response.status_code, response["Content-Type"]) == (200, "text/csv; charset=utf-8")


def test_a_name_goes_before_what_is_typed_beside_it(
    client: Client, registry: Callable[..., None]
) -> None:
    registry()
    page = text(client.get("/check/?image=a/b&cuda=11.8"))
    assert "CUDA 12.4.1" in page
    assert "ignored: cuda=11.8" in page

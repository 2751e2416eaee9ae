"""A check as a share: the image as it was, the verdicts of that day, and those of today."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from checks.image.cache import evict
from checks.models import ImageReading, RegistryDocument
from checks.wording import REASONS
from gpucompare.cuda.reasons import Reason
from providers.models import Listing, Share
from providers.shares.content import thaw
from providers.shares.wording import REFUSALS
from tests import registry_images
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know, know_reading
from tests.query_counts import queries_of
from tests.sharing import FROM_HERE, changed, lines, make_share, opened, rows

TOLD = "/check/?cuda=12.4&framework=torch&release=2.6.0"
NAME = "nvidia/cuda:12.8.1-base-ubuntu22.04"


@pytest.fixture
def hosts(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Listing]:
    """One host that runs CUDA 12.4, and one whose driver is too old."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)
    h100 = make_gpu("h100-sxm", "h100")
    return {
        slug: make_listing(
            make_offering(
                slug, make_provider(slug), custom_image="any", gpu_passthrough="automatic"
            ),
            h100,
            usd_per_hour=2,
            driver=driver,
        )
        for slug, driver in (("new", "580.65.06"), ("old", "470.82.01"))
    }


def drive(listing: Listing, driver: str) -> None:
    listing.driver, listing.driver_key = driver, [int(part) for part in driver.split(".")]
    listing.save()


def test_it_shows_the_image_and_the_verdicts_of_that_day(
    client: Client, hosts: dict[str, Listing]
) -> None:
    page = opened(client, make_share(client, "check", TOLD))
    facts = {str(fact.label): str(fact.value) for fact in page.facts}
    assert "torch 2.6.0" in facts["Image"].lower()
    assert "12.4" in facts["Known of it"]
    verdicts = {str(row.head.text): row.cells[0] for row in rows(page)}
    assert (verdicts["New"].said.state, verdicts["New"].said.text) == ("yes", "Runs")
    assert verdicts["New"].details[0] == "1 of 1 listing"
    assert verdicts["Old"].said.text != "Runs"
    said = Share.objects.get()
    old = next(r for r in thaw(bytes(said.content)).rows if r.name == "Old")
    assert old.verdict
    assert str(REASONS[Reason(old.verdict.reasons[0])]) in list(map(str, verdicts["Old"].details))
    assert page.live_url == TOLD
    assert page.changes == ()


def test_a_verdict_that_changes_is_told_beside_the_old_one(
    client: Client, hosts: dict[str, Listing]
) -> None:
    path = make_share(client, "check", TOLD)
    drive(hosts["new"], "470.82.01")
    page = opened(client, path)
    (line,) = changed(page, "New New").lines
    assert line.before
    assert line.after
    assert (line.before.text, str(line.how)) == ("Runs", "worse")
    row = next(row for row in rows(page) if row.head.text == "New")
    assert row.cells[0].said.text == "Runs"
    assert row.cells[0].now
    assert row.cells[0].now.text == line.after.text
    now = next(r for r in rows(opened(client, f"{path}?now=1")) if r.head.text == "New")
    assert now.cells[0].said.text == line.after.text


def test_a_filter_by_verdict_that_is_met_no_longer_says_so(
    client: Client, hosts: dict[str, Listing]
) -> None:
    path = make_share(client, "check", f"{TOLD}&verdict=runs")
    assert [row.head.text for row in rows(opened(client, path))] == ["New"]
    drive(hosts["new"], "470.82.01")
    drive(hosts["old"], "580.65.06")
    assert [(who, what) for who, what, *_ in lines(opened(client, path))] == [
        ("New New", "The filters"),
        ("Old Old", "Matches now, and did not then."),
    ]


def test_an_image_that_was_read_is_frozen_as_it_was(
    client: Client, hosts: dict[str, Listing]
) -> None:
    know(NAME, registry_images.image("amd64"))
    path = make_share(client, "check", f"/check/?image={NAME}")
    ImageReading.objects.all().delete()
    RegistryDocument.objects.all().delete()
    evict()
    page = opened(client, path)
    assert {str(fact.label): fact.value for fact in page.facts}["Image"] == NAME
    assert page.changes == ()
    assert page.live_url == f"/check/?image={NAME}"
    assert str(page.title).startswith(f"Where will {NAME} run? · ")


@pytest.mark.parametrize(
    ("address", "status", "reason"),
    [
        ("/check/?image=never/read", 409, "unread"),
        ("/check/", 422, "nothing"),
        ("/check/?image=Not+A+Name", 422, "nothing"),
    ],
)
def test_what_has_no_verdicts_yet_is_not_shared_and_nothing_is_read_for_it(
    client: Client, hosts: dict[str, Listing], address: str, status: int, reason: str
) -> None:
    response = client.post("/s/", {"kind": "check", "address": address}, headers=FROM_HERE)
    assert response.status_code == status
    assert str(REFUSALS[reason]) in response.content.decode()
    assert not ImageReading.objects.exists()


def test_an_image_that_is_being_read_is_not_shared(
    client: Client, hosts: dict[str, Listing]
) -> None:
    know_reading("someone/something")
    form = {"kind": "check", "address": "/check/?image=someone/something"}
    assert client.post("/s/", form, headers=FROM_HERE).status_code == 409


def test_the_button_stands_beside_verdicts_only(client: Client, hosts: dict[str, Listing]) -> None:
    assert '<form class="share"' in client.get(TOLD).content.decode()
    assert '<form class="share"' not in client.get("/check/").content.decode()


def test_an_order_by_the_first_start_is_no_part_of_a_share(
    client: Client, hosts: dict[str, Listing]
) -> None:
    plain = make_share(client, "check", TOLD)
    assert make_share(client, "check", f"{TOLD}&sort=total") == plain
    assert make_share(client, "check", f"{TOLD}&hours=3") == plain


def test_a_share_of_a_check_has_a_picture_with_its_verdicts(
    client: Client, hosts: dict[str, Listing], settings: Any
) -> None:
    locmem = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": locmem}, "pictures": {"BACKEND": locmem}}
    path = make_share(client, "check", TOLD)
    assert client.get(f"{path}picture.png").content.startswith(b"\x89PNG")


def test_a_page_costs_the_same_with_more_hosts(client: Client, hosts: dict[str, Listing]) -> None:
    def cost() -> int:
        path = make_share(client, "check", TOLD)
        return queries_of(lambda: client.get(path))

    few = cost()
    for _one in range(12):
        offering = make_offering(custom_image="any", gpu_passthrough="automatic")
        make_listing(offering, hosts["new"].gpu, usd_per_hour=3, driver="580.65.06")
    assert cost() == few <= 14

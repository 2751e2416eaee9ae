"""manage.py check_image: what was learnt, the verdicts, and how it ends."""

from __future__ import annotations

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from checks.image.reasons import Reason
from tests import registry_images as images
from tests.factories import make_gpu, make_listing, make_offering, make_provider
from tests.known_images import know, know_failure

pytestmark = pytest.mark.django_db

NAME = "acme/trainer:1"
NEW, OLD = "570.124.06", "470.82.01"


@pytest.fixture(autouse=True)
def _known() -> None:
    know(NAME, images.index(("linux/amd64", images.image())))
    make_gpu("h100-sxm", "h100", compute_capability="9.0")


def offer(slug: str, driver: str) -> None:
    offering = make_offering(
        slug, make_provider(f"{slug}-cloud"), custom_image="any", gpu_passthrough="automatic"
    )
    gpu = make_gpu(f"{slug}-gpu", "h100", compute_capability="9.0")
    price = Decimal("2.5")
    make_listing(offering, gpu, driver=driver, usd_per_hour=price, seen_at=timezone.now())


def run(*args: str) -> tuple[str, int]:
    """What it prints, and how it ends."""
    out = StringIO()
    try:
        call_command("check_image", *args, stdout=out)
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


def refusal(*args: str) -> str:
    with pytest.raises(CommandError) as error:
        call_command("check_image", *args)
    assert error.value.returncode == 2
    return str(error.value)


# --- How it ends -------------------------------------------------------------------------


def test_it_ends_well_where_one_offering_runs_it() -> None:
    offer("new", NEW)
    offer("old", OLD)
    assert run(NAME)[1] == 0


def test_it_says_no_where_all_offerings_fail() -> None:
    offer("old", OLD)
    assert run(NAME)[1] == 1


def test_what_is_not_known_is_not_a_no() -> None:
    offer("old", OLD)
    offer("open", "")
    assert run(NAME)[1] == 3


def test_without_any_offering_nothing_is_known() -> None:
    assert run(NAME)[1] == 3


@pytest.mark.parametrize(
    ("driver", "end"), [(("--driver", NEW), 0), (("--driver", OLD), 1), (("--cuda", "12.8"), 0)]
)
def test_a_host_decides_alone(driver: tuple[str, str], end: int) -> None:
    offer("old", OLD)
    assert run(NAME, "--gpu", "H100-SXM", *driver)[1] == end


def test_a_host_of_which_too_little_is_known_is_unknown() -> None:
    offer("new", NEW)
    text, end = run(NAME, "--gpu", "h100-sxm")
    assert end == 3
    assert "Not known: the driver of the host" in text


# --- What it prints ------------------------------------------------------------------------


def test_it_prints_facts_with_their_source_advice_and_verdicts() -> None:
    offer("new", NEW)
    offer("old", OLD)
    text = run(NAME)[0]
    assert text.startswith("docker.io/acme/trainer:1\n  sha256:")
    assert "  CUDA toolkit: 12.8.1  (env:CUDA_VERSION)\n" in text
    assert "\nAdvice\n  - It is built for amd64 only." in text
    assert "\nRuns unchanged at 1 offering of 1 provider\n" in text
    runs, fails = text.index("new-cloud/new  $2.50/h/GPU"), text.index("old-cloud/old")
    assert runs < text.index("\nFails (1)\n") < fails
    assert "    Driver too old\n" in text
    assert "    → Choose a host with a newer driver\n" in text


def test_it_prints_the_verdict_on_the_host_and_no_offerings() -> None:
    offer("new", NEW)
    text = run(NAME, "--driver", OLD)[0]
    assert "On that host: Fails\n  Driver too old\n" in text
    assert "new-cloud" not in text


def test_json_is_what_the_api_answers(client: Client) -> None:
    offer("new", NEW)
    printed = json.loads(run(NAME, "--json", "--driver", NEW)[0])
    api = client.get("/api/v1/check", {"image": NAME, "host_driver": NEW}).json()
    for answer in (printed, api):
        del answer["computed_at"]
    assert printed == api


def test_a_pasted_file_needs_no_registry(tmp_path: Path) -> None:
    offer("new", NEW)
    path = tmp_path / "Dockerfile"
    path.write_text("FROM ubuntu:24.04\nENV CUDA_VERSION=12.8.1\n")
    text, _end = run("--offline", str(path), "--driver", NEW)
    assert text.startswith("The pasted image\n")
    assert "CUDA toolkit: 12.8.1" in text


# --- What cannot be read ---------------------------------------------------------------------


@pytest.mark.parametrize("reason", [Reason.NO_SUCH_TAG, Reason.UNREACHABLE])
def test_a_registry_that_fails_is_told_in_words(reason: Reason, settings: Any) -> None:
    settings.REGISTRY_READS = 4
    know_failure("acme/other:1", reason)
    told = refusal("acme/other:1")
    assert told.startswith("acme/other:1: The registry")
    assert reason not in told


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), "name an image"),
        (("acme/X",), "Image names are lower case"),
        (("acme/unread:1",), "This site reads no images"),
        (("--offline", "/nowhere/x"), "/nowhere/x: No such file"),
        (("--offline", "/"), "Is a directory"),
        ((NAME, "--driver", "new"), "--driver: 'new' is not such as 550.54.15"),
        ((NAME, "--cuda", "12"), "--cuda: '12' is not such as 12.4"),
        ((NAME, "--gpu", "Voodoo"), "--gpu: no GPU is called 'Voodoo'; known: h100, h100-sxm"),
    ],
)
def test_every_fault_is_one_line_that_says_what_to_do(args: tuple[str, ...], told: str) -> None:
    line = refusal(*args)
    assert told in line
    assert "\n" not in line


def test_a_file_that_is_no_image_says_what_to_paste(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("{}")
    assert "docker image inspect" in refusal("--offline", str(path))

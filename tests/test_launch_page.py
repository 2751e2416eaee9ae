"""The page /launch/: texts to paste at one offering, and the checks before."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checks import launch as launching
from checks.coldstart import Place, Terms
from checks.launch import Options
from checks.start.asked import read_start
from checks.start.launch_asked import LaunchAsked, OfferingLinks
from checks.start.launched import answered
from checks.start.places import Here, Rented
from checks.start.world import read_world
from checks.verdicts import Checked, Stand
from providers.browse.judge import Truth
from providers.browse.query import Judged
from providers.models import Offering
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.page_text import text
from tests.query_counts import queries_of
from tests.starting import IMAGE, known_image, notices

pytestmark = pytest.mark.django_db

MACHINE = {
    "access_modes": ["docker_daemon"],
    "custom_image": "any",
    "docker_daemon": "root",
    "docker_preinstalled": "yes",
    "gpu_passthrough": "preinstalled",
    "multi_container": "compose",
    "registry_auth": ["docker_login"],
}
ASKED = f"/launch/?image={IMAGE}&o=acme/vms"


def machine(**changed: Any) -> Offering:
    """A virtual machine with Docker, each answer with its claim."""
    told = {key: value for key, value in (MACHINE | changed).items() if value is not None}
    offering = make_offering("vms", make_provider("acme", name="Acme"), **told)
    for key, value in told.items():
        if key != "access_modes":
            make_claim(offering, key, value)
    return offering


def recipe_ids(response: Any) -> list[str]:
    found = re.findall(r'class="part recipe" id="([^"]+)"', response.content.decode())
    return [str(one) for one in found]


def blocks(response: Any) -> dict[str, str]:
    """Texts by the id that their button names."""
    html = response.content.decode()
    found = re.findall(r'<pre class="ltr" id="([^"]+)"[^>]*><code>(.*?)</code></pre>', html, re.S)
    return {name: unescape(told) for name, told in found}


# --- Recipes -----------------------------------------------------------------------------------


def test_the_texts_are_those_of_the_recipes(client: Client) -> None:
    offering = machine()
    response = client.get(f"{ASKED}&count=2&private=1")
    found = launching.recipes(IMAGE, answered(offering), "", 2, Options(private=True))
    assert found
    assert recipe_ids(response) == [recipe.key for recipe in found]
    told = blocks(response)
    for recipe in found:
        parts = {"first": recipe.first, "text": recipe.text, "then": recipe.then}
        for name, expected in parts.items():
            assert told.get(f"{name}-{recipe.key}", "") == expected


def test_each_text_has_a_button_that_copies_it(client: Client) -> None:
    machine()
    response = client.get(f"{ASKED}&private=1")
    buttons = re.findall(r'data-copy="([^"]+)"', response.content.decode())
    assert sorted(buttons) == sorted(blocks(response))
    assert len(set(buttons)) == len(buttons) > 2
    assert "js/copy.js" in response.content.decode()


def test_each_recipe_names_its_source_and_day(client: Client) -> None:
    offering = machine()
    page = client.get(ASKED)
    html = unescape(page.content.decode())
    for recipe in launching.recipes(IMAGE, answered(offering)):
        assert f'href="{recipe.source}"' in html
    assert "Documented: docs.docker.com read: day not recorded" in text(page)


def test_warnings_and_open_answers_are_said_in_words(client: Client) -> None:
    machine(docker_preinstalled="no", gpu_passthrough=None)
    page = text(client.get(ASKED))
    assert "Install Docker on the machine first." in page
    assert "It may fail; not known there: GPU passthrough" in page


def test_a_private_credential_is_a_variable_and_has_its_place(client: Client) -> None:
    machine()
    page = client.get(f"{ASKED}&private=1")
    assert "Log in on the machine, before the run." in text(page)
    assert "REGISTRY_TOKEN" in blocks(page)["first-docker-run"]
    assert "First, once" not in text(client.get(ASKED))


def test_the_gpu_and_its_number_reach_the_text(client: Client) -> None:
    machine()
    make_gpu("h100-sxm", "h100")
    page = client.get(f"{ASKED}&gpu=h100-sxm&count=4")
    assert "count: 4" in blocks(page)["text-compose"]


def test_a_command_takes_the_place_of_the_image_s_own(client: Client) -> None:
    machine()
    page = client.get(ASKED, {"image": IMAGE, "o": "acme/vms", "command": "python -c 'a b'"})
    assert blocks(page)["text-docker-run"].endswith("\n  python -c 'a b'")


def test_podman_is_another_way(client: Client) -> None:
    machine()
    assert recipe_ids(client.get(f"{ASKED}&runtime=podman"))[0] == "podman-run"


hostile = st.text(min_size=1, max_size=40)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostile, hostile)
def test_no_text_of_the_address_breaks_the_page(client: Client, image: str, command: str) -> None:
    if not Offering.objects.exists():
        machine()
    response = client.get("/launch/", {"image": image, "o": "acme/vms", "command": command})
    assert response.status_code == 200
    html = response.content.decode()
    assert html.count("<script") == client.get(ASKED).content.decode().count("<script")


def test_an_offering_without_a_way_says_so(client: Client) -> None:
    machine(custom_image="curated_only", docker_daemon="none", gpu_passthrough="none")
    page = text(client.get(ASKED))
    assert "No documented way to start an image of your own fits" in page


def test_a_closed_offering_has_no_texts_and_says_why(client: Client) -> None:
    machine()
    Offering.objects.update(status="closed")
    response = client.get(ASKED)
    assert recipe_ids(response) == []
    assert "can no longer be rented" in text(response)


# --- Checks before -----------------------------------------------------------------------------


def test_the_seven_checks_say_what_is_known_and_by_whom(client: Client) -> None:
    machine()
    page = client.get(ASKED)
    assert "Before you pay 2 of 7 are open" in text(page)
    assert "Documented, read: 1 November 2026: docs.example" in text(page)
    assert len(re.findall(r"<h3>", page.content.decode())) == 7


def test_what_is_open_has_the_command_that_settles_it(client: Client) -> None:
    machine()
    page = client.get(ASKED)
    assert blocks(page)["settle-driver_kind"].startswith("nvidia-smi")
    assert "settle-docker_daemon" not in blocks(page)


def test_a_contradiction_is_no_answer(client: Client) -> None:
    machine(docker_daemon=None)
    Offering.objects.update(contradicted=["docker_daemon"])
    page = client.get(ASKED)
    assert "Sources contradict each other" in text(page)
    assert blocks(page)["settle-docker_daemon"] == "docker info"


def test_without_an_image_the_checks_are_there_already(client: Client) -> None:
    machine()
    page = client.get("/launch/?o=acme/vms")
    assert "A launch needs the name of an image." in text(page)
    assert "Before you pay" in text(page)
    assert recipe_ids(page) == []


# --- The question --------------------------------------------------------------------------------


def test_without_an_offering_it_leads_to_where_the_image_runs(client: Client) -> None:
    html = client.get(f"/launch/?image={IMAGE}&kind=marketplace").content.decode()
    assert f'href="/check/?image={IMAGE}&amp;kind=marketplace">check the image</a>' in html


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("count=0", "ignored: count=0; allowed: a number from 1 to 1024"),
        ("count=many", "ignored: count=many; allowed: a number from 1 to 1024"),
        ("private=yes", "ignored: private=yes; allowed: 1"),
        ("runtime=rkt", "ignored: runtime=rkt; allowed: docker, podman"),
        ("command='open", "ignored: command; a quotation in it does not end"),
        ("command=a%0ab", ""),
        ("command=a%1bb", "ignored: command; it holds a character that a terminal would obey"),
        ("o=acme/other", "ignored: acme/other; there is no such offering"),
        ("nonsense=1", "ignored: nonsense=1; there is no such filter"),
    ],
)
def test_what_is_not_taken_is_named(client: Client, query: str, said: str) -> None:
    machine()
    assert notices(client.get(f"{ASKED}&{query}")) == ([said] if said else [])


def test_only_the_first_of_several_offerings_counts(client: Client) -> None:
    machine()
    make_offering("other", make_provider("zeta"))
    response = client.get(f"{ASKED}&o=zeta/other")
    assert notices(response) == ["ignored: o=zeta/other; a launch is at one offering, the first"]


def test_one_state_has_one_address(client: Client) -> None:
    machine()
    given = f"{ASKED}&count=1&runtime=docker&private=&command=&ready_s=3&hours=2&kind=vm_cloud"
    html = client.get(given).content.decode()
    found = re.search(r'rel="canonical" href="http://testserver([^"]*)"', html)
    assert found
    assert unescape(found[1]) == f"{ASKED}&hours=2&ready_s=3&kind=vm_cloud"


def test_the_ways_back_keep_the_question(client: Client) -> None:
    machine()
    html = client.get(f"{ASKED}&hours=3&kind=vm_cloud&count=2").content.decode()
    links = dict(re.findall(r'id="(to-[a-z-]+)" href="([^"]*)"', html))
    asked = {("image", IMAGE), ("hours", "3"), ("kind", "vm_cloud")}
    cold = urlsplit(unescape(links["to-cold-start"]))
    assert cold.path == "/cold-start/"
    assert set(parse_qsl(cold.query)) == asked | {("o", "acme/vms")}
    assert set(parse_qsl(urlsplit(unescape(links["to-check"])).query)) == asked


def test_the_first_start_leads_here_with_its_gpu(client: Client) -> None:
    known_image()
    offering = machine()
    make_listing(
        offering, make_gpu("h100-sxm", "h100"), usd_per_hour=2, gpu_count=4, driver="580.65.06"
    )
    html = client.get(f"/cold-start/?image={IMAGE}").content.decode()
    found = re.search(r'id="to-launch" href="([^"]*)"', html)
    assert found
    query = dict(parse_qsl(urlsplit(unescape(found[1])).query))
    assert query == {"image": IMAGE, "o": "acme/vms", "count": "4", "gpu": "h100-sxm"}


def test_the_gpus_of_the_offering_can_be_chosen(client: Client) -> None:
    offering = machine()
    make_listing(offering, make_gpu("h100-sxm", "h100"))
    make_gpu("t4")
    html = client.get(ASKED).content.decode()
    assert re.findall(r'<option value="([^"]*)"', html)[:2] == ["", "h100-sxm"]
    assert 'value="t4"' not in html


def test_it_takes_few_queries_however_many_offerings_there_are(client: Client) -> None:
    machine()
    few = queries_of(lambda: client.get(ASKED))
    for n in range(10):
        make_listing(make_offering(f"more-{n}"), usd_per_hour=1)
    assert queries_of(lambda: client.get(ASKED)) == few <= 15


@pytest.mark.parametrize(
    "more", ["", "&q=KEY/KEY", "&gpu_count=1025", "&gpu=h100&gpu=t4", "&q=GPU"]
)
def test_an_address_that_is_filled_is_the_one_put_together(client: Client, more: str) -> None:
    """However the texts of the question look, what is filled in is the offering's own."""
    known_image()
    offering = machine()
    make_gpu("t4")
    make_listing(
        offering, make_gpu("h100-sxm", "h100"), usd_per_hour=2, gpu_count=4, driver="580.65.06"
    )
    start, _ignored = read_start(
        QueryDict(f"image={IMAGE}{more}"), {"acme/vms"}, read_world().vocabulary
    )
    rented = Rented(1, None, None, 4, "H100", "h100-sxm", "h100", {}, "")
    checked = Checked(Judged(offering, Truth.YES), Stand(None))  # type: ignore[arg-type]
    here = Here(checked, Place(), Terms(), on_spot=True, listing=rented)
    there = start.at("acme/vms")
    expected = replace(there, criteria=there.criteria.put("gpu", "h100-sxm"))
    links = OfferingLinks(start)
    assert links.launch(here) == LaunchAsked(expected, count=4, on_spot=True).url("/launch/")
    assert links.cold("acme/vms") == there.url("/cold-start/")

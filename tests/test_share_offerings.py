"""What becomes of the offerings of a share: renamed, replaced, gone, asked about no more."""

from __future__ import annotations

import zlib

import pytest
from django.test import Client

from providers.models import Claim, FormerKey, Listing, Offering, Provider, Share
from providers.resolve import resolve_offerings
from tests.factories import make_offering
from tests.sharing import changed, lines, make_share, opened, rows, words
from tests.sharing_market import COMPARE, make_pods, make_vms, stopped_clock

pytestmark = pytest.mark.django_db
clock = pytest.fixture(autouse=True)(stopped_clock)
pods = pytest.fixture(make_pods)
vms = pytest.fixture(make_vms)


def test_a_renamed_offering_is_still_the_same_one(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", f"{COMPARE}&base=beta/vms")
    Offering.objects.filter(pk=pods.pk).update(slug="cloud", name="Cloud")
    Provider.objects.filter(pk=vms.provider_id).update(slug="gamma")
    page = opened(client, path)
    assert lines(page) == [("Alpha Pods", "Name", "Alpha Pods", "Alpha Cloud")]
    assert page.table.columns[0].text == "Pods"
    assert page.table.columns[0].url == "/providers/alpha/#cloud"
    assert page.live_url == "/compare/?o=alpha/cloud&o=gamma/vms&base=gamma/vms"
    assert client.get(page.live_url).context["page"].columns[1].is_base


def test_every_way_of_renaming_leaves_a_trace(pods: Offering) -> None:
    pods.slug = "second"
    pods.save()
    Offering.objects.update(slug="third")
    Provider.objects.update(slug="omega")
    found = dict(FormerKey.objects.values_list("key", "offering_id"))
    assert found == dict.fromkeys(("alpha/pods", "alpha/second", "alpha/third"), pods.pk)
    Offering.objects.update(name="A name alone is no address")
    assert FormerKey.objects.count() == 3


def test_a_name_that_another_offering_had_later_leads_to_the_later_one(pods: Offering) -> None:
    other = make_offering("other", pods.provider)
    for offering in (pods, other):
        Offering.objects.filter(pk=offering.pk).update(slug="taken")
        Offering.objects.filter(pk=offering.pk).update(slug=f"free-{offering.pk}")
    assert FormerKey.objects.get(key="alpha/taken").offering_id == other.pk


def test_old_names_lead_on_in_a_catalog_that_was_loaded_anew(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", COMPARE)
    for offering in (pods, vms):
        offering.listings.all().delete()
        offering.delete()
    again = make_offering("pods", Provider.objects.get(slug="alpha"), name="Pods")
    renamed = make_offering("vms", Provider.objects.get(slug="beta"), name="VMs")
    Offering.objects.filter(pk=renamed.pk).update(slug="machines")
    page = opened(client, path)
    assert again.pk != pods.pk
    assert page.live_url == "/compare/?o=alpha/pods&o=beta/machines"
    assert not [line for line in lines(page) if "No longer in the catalog" in line[1]]


def test_a_number_of_another_database_is_not_taken_for_the_offering(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", COMPARE)
    for offering in (pods, vms):
        offering.listings.all().delete()
        offering.delete()
    # Loaded anew in another order: each number is that of the other offering.
    for pk, slug, provider in ((pods.pk, "vms", "beta"), (vms.pk, "pods", "alpha")):
        make_offering(slug, Provider.objects.get(slug=provider), pk=pk, name=slug.title())
    assert opened(client, path).live_url == COMPARE


def test_a_key_that_a_newer_offering_took_over_leads_to_the_older_one(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "compare", COMPARE)
    Offering.objects.filter(pk=pods.pk).update(slug="classic")
    make_offering("pods", pods.provider, name="Pods")
    assert opened(client, path).live_url == "/compare/?o=alpha/classic&o=beta/vms"


def test_what_is_gone_stays_readable(client: Client, pods: Offering, vms: Offering) -> None:
    path = make_share(client, "compare", COMPARE)
    before = words(opened(client, path))
    pods.listings.all().delete()
    pods.delete()
    page = opened(client, path)
    assert words(page) == before
    gone = changed(page, "Alpha Pods")
    assert gone.url == ""
    assert "No longer in the catalog" in str(gone.lines[0].how)
    assert page.table.columns[0].notes == ("now: no longer in the catalog",)
    assert page.live_url == "/compare/?o=beta/vms"
    assert client.get(f"{path}?now=1").status_code == 200


@pytest.mark.parametrize(("kind", "address"), [("browse", "/"), ("compare", COMPARE)])
def test_a_share_outlives_the_whole_catalog(
    client: Client, pods: Offering, vms: Offering, kind: str, address: str
) -> None:
    path = make_share(client, kind, address)
    before = words(opened(client, path))
    Listing.objects.all().delete()
    Offering.objects.all().delete()
    Provider.objects.all().delete()
    assert words(opened(client, path)) == before
    assert opened(client, f"{path}?now=1").rows == 0
    html = client.get(f"{path}?now=1").content.decode()
    assert "None of these offerings is in the catalog any more." in html


def test_what_matches_no_longer_and_what_joined_are_told(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "browse", "/?docker_daemon=root")
    Claim.objects.filter(offering=vms, dimension="docker_daemon").update(value="none")
    Claim.objects.filter(offering=pods, dimension="docker_daemon").update(value="root")
    resolve_offerings()
    page = opened(client, path)
    assert lines(page) == [
        ("Beta VMs", "The filters", "Matches", "Does not match"),
        ("Beta VMs", "Docker daemon", "Root", "None"),
        ("Alpha Pods", "Matches now, and did not then.", "", ""),
    ]
    assert changed(page, "Alpha Pods").url == "/providers/alpha/#pods"
    assert [row.head.text for row in rows(page)] == ["VMs"]
    assert [row.head.text for row in rows(opened(client, f"{path}?now=1"))] == ["Pods", "VMs"]


def test_criteria_that_mean_nothing_any_more_are_still_readable(
    client: Client, pods: Offering, vms: Offering
) -> None:
    path = make_share(client, "browse", "/?provider=alpha")
    Provider.objects.filter(slug="alpha").update(slug="omega")
    page = opened(client, path)
    assert [str(fact.value) for fact in page.facts][:2] == ["alpha", "$ / GPU / hour"]
    assert lines(page) == []


def test_a_question_that_is_no_longer_asked_stays_readable(client: Client, pods: Offering) -> None:
    make_share(client, "browse", "/?docker_daemon=none&columns=docker_daemon")
    share = Share.objects.get()
    text = zlib.decompress(share.content).decode().replace("docker_daemon", "rocket_daemon")
    share.content = zlib.compress(text.encode())
    share.save()
    page = opened(client, f"/s/{share.pk}/")
    assert (page.facts[0].label, page.facts[0].value) == ("rocket_daemon", "none")
    assert page.table.columns[0].text == "rocket_daemon"
    assert rows(page)[0].cells[0].said.text == "none"
    assert page.changes == ()
    assert client.get(f"/s/{share.pk}/?now=1").status_code == 200

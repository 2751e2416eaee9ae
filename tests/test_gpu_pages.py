"""GPUs: what the hardware is, who rents it, what it is called, and what is like it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from providers import queries
from providers.browse.criteria import Criteria
from providers.browse.query import browse
from providers.browse.world import World
from providers.gpu_index import GpuIndex, gpu_index
from providers.gpu_pages import GpuPage, Subject, gpu_page, rented_criteria
from providers.models import Gpu, GpuFamily, Offering, Origin
from providers.prices import by_family
from tests.factories import NOW, make_gpu, make_listing, make_offering, make_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def sxm() -> Gpu:
    return make_gpu(
        "h100-sxm", "h100", name="H100 SXM", vram_gb=80, variant="SXM5", compute_capability="9.0"
    )


@pytest.fixture
def nvl(sxm: Gpu) -> Gpu:
    return make_gpu("h100-nvl", "h100", name="H100 NVL", vram_gb=94, compute_capability="9.0")


def page_of(slug: str, units: Criteria = Criteria()) -> GpuPage:  # noqa: B008
    world = World.read()
    subject = Subject.find(slug, world)
    assert subject
    result = browse(rented_criteria(subject, units), world, NOW)
    return gpu_page(subject, result, queries.form_open_at(subject.family), world, NOW)


def index(units: Criteria = Criteria()) -> GpuIndex:  # noqa: B008
    world = World.read()
    cheapest = by_family(units, [o.pk for o in world.offerings], NOW)
    return gpu_index(browse(units, world, NOW), cheapest, world, NOW)


def rows(page: GpuPage) -> dict[str, list[str]]:
    """The offerings by the section they stand in."""
    return {
        section.key: [row.key for group in section.groups for row in group.rows]
        for section in page.sections
    }


def facts(page: GpuPage) -> dict[str, tuple[str, ...]]:
    return {str(line.label): tuple(map(str, line.values)) for line in page.facts}


def offering(slug: str) -> Offering:
    return make_offering(slug, make_provider(f"at-{slug}"))


def vendor(gpu: Gpu, name: str) -> None:
    GpuFamily.objects.filter(pk=gpu.family_id).update(vendor=name)


# --- What a slug stands for --------------------------------------------------------------


@pytest.mark.usefixtures("sxm", "nvl")
def test_a_family_shows_all_of_its_models_the_largest_first() -> None:
    page = page_of("h100")
    assert (page.name, page.family) == ("H100", None)
    assert [model.url for model in page.models] == ["/gpus/h100-nvl/", "/gpus/h100-sxm/"]
    assert facts(page)["Memory"] == ("94 GB", "80 GB")
    assert facts(page)["Compute capability"] == ("9.0",)
    assert page.siblings == ()


@pytest.mark.usefixtures("nvl")
def test_a_model_leads_to_its_family_and_its_siblings() -> None:
    page = page_of("h100-sxm")
    assert page.name == "H100 SXM"
    assert page.family
    assert page.family.url == "/gpus/h100/"
    assert [sibling.name for sibling in page.siblings] == ["H100 NVL"]


def test_a_family_of_one_is_one_page() -> None:
    make_gpu("gh200", name="GH200")
    page = page_of("gh200")
    assert (page.family, page.siblings, len(page.models)) == (None, (), 1)


@pytest.mark.parametrize("slug", ["nope", "H100-SXM", "a" * 300, "-", "h100-sxm-"])
@pytest.mark.usefixtures("sxm")
def test_a_slug_of_no_gpu_is_not_found_in_the_sites_look(client: Client, slug: str) -> None:
    response = client.get(f"/gpus/{slug}/")
    assert response.status_code == 404
    assert b"There is nothing at this address" in response.content


@pytest.mark.usefixtures("sxm")
@pytest.mark.parametrize("path", ["/gpus/", "/gpus/h100/"])
@pytest.mark.parametrize("query", ["?per=%00&period=%F0%9F%92%A9", "?gpu=zzz&sort=--", "?x=1" * 99])
def test_a_hostile_query_changes_nothing(client: Client, path: str, query: str) -> None:
    assert client.get(path + query).status_code == 200


# --- Hardware ------------------------------------------------------------------------------


def test_cuda_is_from_the_table_of_architectures(sxm: Gpu) -> None:
    known = facts(page_of("h100-sxm"))
    assert known["First CUDA toolkit"] == ("11.8",)
    assert known["Last CUDA toolkit"] == ("still built for, as of 13.5",)
    assert known["Last driver branch"] == ("still supported",)
    assert known["Form"] == ("SXM5",)
    assert known["Lowest driver"] == ("525 (not confirmed)",)
    assert "Software" not in known


def test_a_card_without_a_row_has_an_architecture_all_the_same() -> None:
    make_gpu("h800", compute_capability="9.0")
    known = facts(page_of("h800"))
    assert known["First CUDA toolkit"] == ("11.8",)
    assert "Lowest driver" not in known


def test_the_sources_of_facts_are_named_with_their_basis(sxm: Gpu) -> None:
    sources = {str(s.label): s for s in page_of("h100-sxm").sources}
    assert sources["CUDA toolkits"].url.startswith("https://docs.nvidia.com/")
    assert sources["CUDA toolkits"].basis == "Documented"
    assert sources["Lowest driver"].basis == "Not confirmed"
    assert sources["Lowest driver"].url == ""


def test_an_arm_host_is_warned_of() -> None:
    make_gpu("gh200", compute_capability="9.0")
    (caveat,) = page_of("gh200").caveats
    assert "linux/arm64" in str(caveat.text)
    assert caveat.command == "docker buildx imagetools inspect IMAGE"
    assert caveat.source
    assert caveat.source.url.startswith("https://docs.nvidia.com/")


def test_other_hosts_are_not_warned_of(sxm: Gpu) -> None:
    assert page_of("h100-sxm").caveats == ()


def test_an_architecture_that_toolkits_have_left_is_warned_of_once() -> None:
    make_gpu("v100-sxm2-16gb", "v100", compute_capability="7.0")
    make_gpu("v100-32gb", "v100", compute_capability="7.0")
    (caveat,) = page_of("v100").caveats
    assert "CUDA 12.x is the last" in str(caveat.text)
    assert "580" in str(caveat.text)


@pytest.mark.parametrize(("made_by", "software"), [("AMD", "ROCm"), ("Intel", "SynapseAI")])
def test_other_vendors_have_no_cuda(made_by: str, software: str) -> None:
    vendor(make_gpu("mi300x", compute_capability="gfx942" if made_by == "AMD" else ""), made_by)
    page = page_of("mi300x")
    assert f"{made_by} GPUs run images built for {software}" in str(page.caveats[0].text)
    known = facts(page)
    assert known["Software"] == (software,)
    assert ("ROCm target" in known) is (made_by == "AMD")
    assert not [label for label in known if "CUDA" in label or "Compute" in label]


def test_an_unknown_vendor_is_said_nothing_of() -> None:
    vendor(make_gpu("x1"), "Moore Threads")
    page = page_of("x1")
    assert page.caveats == ()
    assert "Software" not in facts(page)


# --- Who rents it --------------------------------------------------------------------------


def test_who_rents_it_stands_by_how_much_is_known(sxm: Gpu, nvl: Gpu) -> None:
    dear, cheap, named, family, other, silent = map(
        offering, ("dear", "cheap", "named", "family", "other", "silent")
    )
    make_listing(dear, sxm, usd_per_hour=Decimal(3))
    make_listing(cheap, sxm, usd_per_hour=Decimal(2))
    make_listing(named, sxm, origin=Origin.CATALOG, gpu_count=None)
    make_listing(family, sxm.family, usd_per_hour=Decimal(1))
    make_listing(other, nvl, usd_per_hour=Decimal(1))
    page = page_of("h100-sxm")
    assert rows(page) == {
        "match": ["at-cheap/cheap", "at-dear/dear"],
        "named": ["at-named/named"],
        "may": ["at-family/family"],
    }
    assert (page.match, page.unnamed) == (3, 1)
    assert silent.slug == "silent"


def test_a_family_is_rented_by_whoever_rents_any_of_it(sxm: Gpu, nvl: Gpu) -> None:
    make_listing(offering("one"), sxm, usd_per_hour=Decimal(3))
    make_listing(offering("two"), nvl, usd_per_hour=Decimal(2))
    make_listing(offering("three"), sxm.family, usd_per_hour=Decimal(1))
    assert rows(page_of("h100")) == {"match": ["at-three/three", "at-two/two", "at-one/one"]}


def test_closed_offerings_stay_readable(sxm: Gpu) -> None:
    gone = make_offering("gone", make_provider("acme"), status="closed")
    make_listing(gone, sxm, origin=Origin.SNAPSHOT, usd_per_hour=Decimal(1))
    page = page_of("h100-sxm")
    assert (rows(page), page.match) == ({"closed": ["acme/gone"]}, 0)


def test_rows_bear_the_seven_main_answers_and_a_price_in_the_unit(sxm: Gpu) -> None:
    make_listing(offering("one"), sxm, usd_per_hour=Decimal(16), gpu_count=8)
    page = page_of("h100-sxm", Criteria.of({"per": ["instance"], "period": ["day"]}))
    (row,) = page.sections[0].groups[0].rows
    assert [cell.dimension for cell in row.cells] == [
        "custom_image",
        "docker_daemon",
        "registry_auth",
        "gpu_passthrough",
        "driver_kind",
        "persistent_volume",
        "multi_container",
    ]
    assert (row.price.amount, page.price_unit) == ("384.00", "$ / instance / day")


@pytest.mark.usefixtures("sxm")
def test_it_leads_to_browse_and_listings_in_the_same_unit() -> None:
    page = page_of("h100-sxm", Criteria.of({"period": ["month"]}))
    assert page.browse_url == "/?gpu=h100-sxm&period=month"
    assert page.listings_url == "/listings/?gpu=h100-sxm&period=month&sort=price"
    urls = {choice.key: choice.url for choice in page.units}
    assert urls["per-instance"] == "/gpus/h100-sxm/?per=instance&period=month"


# --- Names and neighbours --------------------------------------------------------------------


def test_names_stand_by_who_uses_them() -> None:
    make_offering("pods", make_provider("runpod", name="RunPod"))
    aliases = ["skypilot:H100", "runpod:H100 SXM", "runpod:NVIDIA H100", "any:HGX H100"]
    make_gpu("h100", aliases=aliases)
    names = page_of("h100").names
    assert [(n.source, n.url, n.names) for n in names] == [
        ("Anywhere", "", ("HGX H100",)),
        ("RunPod", "/providers/runpod/", ("H100 SXM", "NVIDIA H100")),
        ("skypilot", "", ("H100",)),
    ]


def test_neighbours_have_the_same_compute_capability(sxm: Gpu, nvl: Gpu) -> None:
    make_gpu("h20", compute_capability="9.0", name="H20")
    make_gpu("h200", compute_capability="9.0", vram_gb=141, name="H200")
    make_gpu("b200", compute_capability="10.0")
    page = page_of("h100-sxm")
    assert [n.name for n in page.neighbours] == ["H200", "H20"]
    assert page.neighbours_label == "Of the same compute capability, 9.0"


def test_neighbours_without_cuda_have_the_same_architecture() -> None:
    for slug in ("mi300x", "mi325x"):
        vendor(make_gpu(slug, compute_capability="gfx942"), "AMD")
    page = page_of("mi300x")
    assert [n.name for n in page.neighbours] == ["MI325X"]
    assert page.neighbours_label == "Of the same architecture, gfx942"


def test_without_a_capability_nothing_is_like_it() -> None:
    make_gpu("gaudi")
    make_gpu("gaudi-2")
    assert page_of("gaudi").neighbours == ()


# --- The list ------------------------------------------------------------------------------


def test_the_list_groups_families_by_vendor_and_kind(sxm: Gpu, nvl: Gpu) -> None:
    make_gpu("rtx-4090", segment="consumer", name="RTX 4090")
    vendor(make_gpu("mi300x", compute_capability="gfx942"), "AMD")
    page = index()
    assert [(g.vendor, str(g.segment), [r.url for r in g.rows]) for g in page.groups] == [
        ("NVIDIA", "Data centre", ["/gpus/h100/"]),
        ("NVIDIA", "Consumer", ["/gpus/rtx-4090/"]),
        ("AMD", "Data centre", ["/gpus/mi300x/"]),
    ]
    assert (page.families, page.models) == (3, 4)
    h100 = page.groups[0].rows[0]
    assert [model.name for model in h100.models] == ["H100 NVL", "H100 SXM"]
    assert (h100.memory, h100.capability, h100.cuda) == ("80–94 GB", "9.0", "from 11.8")
    assert page.groups[2].rows[0].cuda == "ROCm"


def test_the_list_tells_who_rents_and_from_what_price(sxm: Gpu) -> None:
    make_gpu("h20", name="H20", vram_gb=1)
    make_listing(offering("one"), sxm, usd_per_hour=Decimal(16), gpu_count=8)
    make_listing(offering("two"), sxm, origin=Origin.CATALOG, gpu_count=None)
    h100, h20 = index().groups[0].rows
    assert (h100.rented, h100.rented_url) == (2, "/?gpu=h100")
    assert (h100.price.amount, h100.price.divisor) == ("2.00", "$16.00 ÷ 8")
    assert h100.listings_url == "/listings/?gpu=h100&sort=price"
    assert (h20.rented, h20.price.amount) == (0, "")


def test_the_price_of_what_is_closed_is_no_offer(client: Client, sxm: Gpu) -> None:
    gone = make_offering("gone", status="closed")
    make_listing(gone, sxm, usd_per_hour=Decimal(1))
    (row,) = client.get("/gpus/").context["page"].groups[0].rows
    assert (row.rented, row.price.amount) == (0, "")


@pytest.mark.parametrize("path", ["/gpus/", "/gpus/h100/", "/gpus/h100-sxm/"])
def test_pages_cost_the_same_with_more_of_everything(client: Client, sxm: Gpu, path: str) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path).status_code == 200
        return len(captured)

    make_listing(offering("first"), sxm, usd_per_hour=Decimal(1))
    few = cost()
    for n in range(5):
        make_listing(offering(f"more-{n}"), sxm, usd_per_hour=Decimal(n + 1))
        make_gpu(f"h100-{n}", "h100")
    assert cost() == few <= 15

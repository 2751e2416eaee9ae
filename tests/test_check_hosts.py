"""What a GPU and an offering's claims tell of a host. Unknown stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from checks.hosts import Claimed, Hardware, machines, shared
from gpucompare.cuda.host import Host, Hosts
from providers.browse.ranks import HostKey
from providers.browse.world import World
from providers.models import GpuFamily, Offering
from tests.factories import make_gpu, make_offering


def claimed(**fields: Any) -> Claimed:
    return Claimed.of(Offering(**fields))


# --- GPUs ------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_model_tells_what_the_tables_know_of_it() -> None:
    h100 = make_gpu("h100-sxm", "h100")
    host = Hardware(World.read().families).of(h100.family_id, h100.pk)
    assert (host.compute_capability, host.platform, host.cpu) == ("9.0", "cuda", "amd64")


@pytest.mark.django_db
def test_a_family_tells_what_its_models_share() -> None:
    a100 = make_gpu("a100-sxm-80gb", "mixed")
    make_gpu("gh200", "mixed")
    host = Hardware(World.read().families).of(a100.family_id, None)
    assert (host.platform, host.compute_capability, host.cpu) == ("cuda", "", "")


@pytest.mark.django_db
def test_a_card_without_a_row_speaks_by_its_compute_capability_and_vendor() -> None:
    strange = make_gpu("strange", compute_capability="8.6")
    amd = make_gpu("strange-amd")
    GpuFamily.objects.filter(pk=amd.family_id).update(vendor="AMD")
    hardware = Hardware(World.read().families)
    assert hardware.of(strange.family_id, strange.pk).compute_capability == "8.6"
    assert hardware.of(amd.family_id, amd.pk).platform == "rocm"
    assert hardware.of(strange.family_id, strange.pk).cpu == ""


@pytest.mark.django_db
def test_an_unknown_gpu_tells_nothing() -> None:
    assert Hardware(World.read().families).of(None, None) == Host()


def test_of_no_models_only_the_vendor_is_known() -> None:
    assert shared([], "NVIDIA") == Host(platform="cuda")
    assert shared([], "Nobody") == Host()


# --- Claims ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "driver", "bounds"),
    [
        ("exact", "535.129.03", ("535.129.3", "535.129.3")),
        ("branches", "535-580", ("535", "580")),
        ("minimum", "570", ("570", "")),
        # One version of a platform that changes them was seen on some host: it bounds nothing.
        ("managed", "570.195.03", ("", "")),
        (None, "570.195.03", ("", "")),
        ("managed", "550-575", ("550", "575")),
        ("branches", None, ("", "")),
        ("renter_installs", "535-590", ("", "")),
    ],
)
def test_the_kind_of_claim_says_what_a_driver_bounds(
    kind: str | None, driver: str | None, bounds: tuple[str, str]
) -> None:
    found = claimed(driver_kind=kind, driver=driver)
    assert (found.lowest_driver, found.highest_driver) == bounds


@pytest.mark.parametrize(
    ("fields", "replaceable"),
    [
        ({}, False),
        ({"driver_changeable": False}, False),
        ({"driver_changeable": True}, True),
        ({"driver_kind": "renter_installs"}, True),
    ],
)
def test_who_may_replace_the_driver(fields: dict[str, Any], replaceable: bool) -> None:
    assert claimed(**fields).replaceable is replaceable


def test_cuda_is_bounded_by_its_own_claims() -> None:
    found = claimed(cuda_min="12.4", cuda_max="13.0")
    assert (found.lowest_cuda, found.highest_cuda) == ("12.4", "13.0")


# --- Machines --------------------------------------------------------------------------------

GPU = Host(compute_capability="9.0", platform="cuda")


def key(driver: str = "", cuda: str = "") -> HostKey:
    return HostKey(1, 2, 3, driver, cuda)


def test_a_listing_that_states_its_driver_is_one_machine() -> None:
    machine = machines(key("550.54.15", "12.4"), GPU, claimed(driver="470", driver_kind="exact"))
    assert machine == Host("550.54.15", "12.4", "9.0", platform="cuda")


def test_one_that_does_not_is_any_that_the_claims_leave_open() -> None:
    machine = machines(key(), GPU, claimed(driver="535-580", driver_kind="branches"))
    assert machine == Hosts(GPU, "535", "580")


def test_a_stated_driver_that_may_be_replaced_is_where_one_begins() -> None:
    machine = machines(key("470.82.01"), GPU, claimed(driver_changeable=True))
    assert machine == Hosts(GPU, "470.82.01", "470.82.01", replaceable=True)


@pytest.mark.django_db
def test_claims_are_read_from_what_offerings_resolved_to() -> None:
    offering = make_offering(driver="580", driver_kind="exact", cuda_max="13.0")
    found = Claimed.of(Offering.objects.get(pk=offering.pk))
    assert found == Claimed("580", "580", "", "13.0", False)

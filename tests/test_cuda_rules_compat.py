"""What a compat library does, on GeForce and on boards for data centres."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpucompare.cuda.answer import Run, Standing, Start
from gpucompare.cuda.gpus import is_lifted
from gpucompare.cuda.host import Host
from gpucompare.cuda.image import Image
from gpucompare.cuda.reasons import Fix, Missing, Reason
from gpucompare.cuda.verdict import standing, verdict
from tests.cuda_hosts import CDI, LEGACY, nvidia, on

# --- Rules 2 and 3: GeForce, and what a compat library does -----------------------------


@pytest.mark.parametrize("mode", [LEGACY, CDI])
def test_a_compat_library_on_geforce_is_error_804(mode: Host) -> None:
    found = verdict(nvidia("12.4"), on("rtx-4090", "535.183.01", mode))
    assert found.start is (Start.PASSES if mode is LEGACY else Start.NOT_CHECKED)
    assert found.run is Run.FAILS_COMPAT_LIBRARY
    assert found.reasons[1] is Reason.COMPAT_ON_GEFORCE_804
    assert found.fixes == (Fix.NEWER_DRIVER, Fix.NO_COMPAT_LIBRARY)


def test_images_from_12_5_on_refuse_geforce_on_an_older_branch() -> None:
    """Minor compatibility would hold: both the check and the library are to be switched off."""
    found = verdict(nvidia("12.8"), on("rtx-4090", "535.183.01"))
    assert (found.start, found.run) == (Start.REFUSED, Run.FAILS_COMPAT_LIBRARY)
    assert {Fix.DISABLE_REQUIRE, Fix.NO_COMPAT_LIBRARY} <= set(found.fixes)
    assert standing(found) is Standing.CONDITION


def test_leaving_the_library_out_helps_only_where_the_driver_would_do() -> None:
    found = verdict(nvidia("13.0"), on("rtx-4090", "535.183.01"))
    assert found.run is Run.FAILS_COMPAT_LIBRARY
    assert found.fixes == (Fix.NEWER_DRIVER, Fix.OLDER_IMAGE, Fix.OLDER_BUILD)
    assert standing(found) is Standing.FAILS


def test_a_newer_driver_does_without_the_library() -> None:
    found = verdict(nvidia("12.4"), on("rtx-4090", "550.54.15"))
    assert (found.start, found.run) == (Start.PASSES, Run.RUNS)


def test_a_library_that_is_forced_on_a_newer_driver_is_error_803() -> None:
    forced = replace(nvidia("12.8"), compat_forced=True)
    found = verdict(forced, on("h100-sxm", "580.95.05"))
    assert found.run is Run.FAILS_COMPAT_LIBRARY
    assert found.reasons == (Reason.COMPAT_FORCED_ON_NEWER_DRIVER_803,)
    assert found.fixes[0] is Fix.UNFORCE_COMPAT_LIBRARY
    assert verdict(forced, on("h100-sxm", "570.211.01")).run is Run.RUNS


def test_the_library_lifts_a_data_centre_board_over_a_family() -> None:
    found = verdict(nvidia("13.0"), on("h100-sxm", "535.183.01"))
    assert (found.start, found.run) == (Start.PASSES, Run.RUNS_WITH_COMPAT_PACKAGE)
    assert verdict(nvidia("13.0"), on("h100-sxm", "545.29.06")).run is Run.FAILS_DRIVER_TOO_OLD


def test_on_some_boards_it_hangs_on_the_board() -> None:
    found = verdict(nvidia("13.0"), on("rtx-a6000", "535.183.01"))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.HOST_BRAND,))


def test_a_library_that_was_seen_is_used_where_its_own_list_names_the_branch() -> None:
    image = Image(cuda="12.9", requirements=(), compat_driver="575.57.08")
    runs = {
        driver: verdict(image, on("h100-sxm", driver, CDI)).run
        for driver in ("535.183.01", "545.29.06", "570.211.01", "575.99.99", "590.44.01")
    }
    assert runs == {
        "535.183.01": Run.RUNS_WITH_COMPAT_PACKAGE,
        "545.29.06": Run.RUNS_MINOR_COMPAT,
        "570.211.01": Run.RUNS_WITH_COMPAT_PACKAGE,
        "575.99.99": Run.RUNS,
        "590.44.01": Run.RUNS,
    }


def test_there_is_no_hook_on_tegra() -> None:
    image = Image(cuda="12.9", requirements=(), compat_driver="575.57.08")
    found = verdict(image, on("h100-sxm", "570.211.01", Host(mode="csv")))
    assert found.run is Run.RUNS_MINOR_COMPAT
    assert Reason.COMPAT_NOT_USED in found.reasons


def test_whether_an_unread_image_holds_a_library_is_an_open_question() -> None:
    unread, read = Image(cuda="13.0"), Image(cuda="13.0", requirements=())
    host = on("h100-sxm", "535.183.01")
    assert verdict(unread, host).run is Run.UNKNOWN
    assert Missing.IMAGE_COMPAT_DRIVER in verdict(unread, host).missing
    assert verdict(read, host).run is Run.FAILS_DRIVER_TOO_OLD
    assert Fix.COMPAT_PACKAGE in verdict(read, host).fixes
    assert verdict(unread, on("rtx-4090", "535.1")).run is Run.FAILS_DRIVER_TOO_OLD


def test_a_requirement_that_asks_for_less_than_the_cuda_leaves_it_open_too() -> None:
    host = on("h100-sxm", "535.183.01")
    for text, run in (("cuda>=9.0", Run.UNKNOWN), ("cuda>=13.0", Run.FAILS_DRIVER_TOO_OLD)):
        assert verdict(Image(cuda="13.0", requirements=(text,)), host).run is run


def test_sources_that_argue_about_a_branch_leave_it_open() -> None:
    image = Image(cuda="12.8", requirements=(), compat_driver="570.124.06")
    found = verdict(image, on("h100-sxm", "560.35.03"))
    assert (found.run, found.missing) == (Run.UNKNOWN, (Missing.TOOLKIT_FACTS,))
    assert Reason.COMPAT_BRANCH_DISPUTED in found.reasons


# --- What GPUs say ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "lifted"),
    [
        (Host(forward_compat="yes"), True),
        (Host(forward_compat="no"), False),
        (Host(forward_compat="some_boards"), None),
        (Host(brand="geforce"), False),
        (Host(brand="TITAN"), False),
        (Host(brand="Tesla"), True),
        (Host(compute_capability="9.0"), True),
        (Host(compute_capability="8.6"), None),
        (Host(compute_capability="8.6", brand="Unknown"), None),
        (Host(compute_capability="10.0", brand="Unknown"), True),
        (Host(), None),
    ],
)
def test_which_boards_a_compat_library_lifts(host: Host, lifted: bool | None) -> None:
    assert is_lifted(host) is lifted

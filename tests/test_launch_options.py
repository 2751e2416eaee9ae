"""Options that cannot be taken are refused before anything is written, with their name."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import launch
from checks.launch import BadOptionError, OptionFault, Options
from checks.launch.options import MOST_DISK_GB, MOST_GPUS, check
from tests.launching import IMAGE, MACHINE, offering

GOOD = Options(
    command=("python", "-c", "print('𝄞 سلام')"),
    name="my-job-1",
    region="europe/de-1",
    instance_type="1H100.80S.30V",
    cloud="massedcompute",
    offer="384826",
    min_cuda="12.8",
    disk_gb=80,
)


def refused(options: Options, gpu: str = "", count: int = 1) -> BadOptionError:
    with pytest.raises(BadOptionError) as caught:
        check(options, gpu, count)
    return caught.value


def test_what_people_write_is_taken() -> None:
    check(GOOD, "h100-sxm", 8)
    check(Options(), "", 1)


@pytest.mark.parametrize(
    "name", ["gpu_1x_h100_pcie", "A100_80Gx8", "VM.GPU.A10.1", "a10g-small", "g5.xlarge", "1x A100"]
)
def test_the_names_that_listings_bear_are_taken(name: str) -> None:
    check(replace(GOOD, instance_type=name), "", 1)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("name", ""),
        ("name", "Train"),
        ("name", "a b"),
        ("name", "-a"),
        ("name", "a-"),
        ("name", "a" * 41),
        ("name", "1st"),
        ("min_cuda", "12"),
        ("min_cuda", "12.8.1"),
        ("min_cuda", "twelve"),
        ("region", "us;id"),
        ("region", "--region"),
        ("region", "a" * 81),
        ("instance_type", "-x"),
        ("instance_type", "$(id)"),
        ("cloud", "a b"),
        ("offer", "1 2"),
        ("offer", "-1"),
    ],
)
def test_what_has_not_the_form_is_named(option: str, value: str) -> None:
    changed: dict[str, Any] = {option: value}
    error = refused(replace(GOOD, **changed))
    assert (error.option, error.fault, error.part) == (option, OptionFault.FORM, value)


@pytest.mark.parametrize("gpu", ["H100 SXM", "h100;id", "h" * 65, "--gpu"])
def test_a_gpu_is_a_slug(gpu: str) -> None:
    assert refused(GOOD, gpu).option == "gpu"


@pytest.mark.parametrize(
    "letter",
    [
        "\0",
        "\n",
        "\t",
        "\r",
        "\x1b",
        "\x7f",
        "\x85",
        "\u2028",
        "\u2029",
        "\u202e",
        "\u2066",
        "\ud800",
    ],
)
def test_what_a_terminal_would_obey_is_refused_wherever_it_stands(letter: str) -> None:
    for changed in (
        replace(GOOD, command=("echo", f"a{letter}b")),
        replace(GOOD, region=f"a{letter}"),
        replace(GOOD, name=f"a{letter}"),
    ):
        error = refused(changed)
        assert (error.fault, error.part) == (OptionFault.CHARACTER, letter)


@pytest.mark.parametrize("letter", ["é", "ا", "ন", "💥", "\u200c", "\u200d", "\u00a0"])
def test_letters_of_any_language_are_taken_in_a_command(letter: str) -> None:
    """Persian and Bengali need the joiners that look like nothing."""
    check(replace(GOOD, command=(f"a{letter}b",)), "", 1)


@pytest.mark.parametrize("count", [0, -1, MOST_GPUS + 1])
def test_a_count_has_bounds(count: int) -> None:
    error = refused(GOOD, count=count)
    assert (error.option, error.fault, error.part) == ("count", OptionFault.RANGE, count)


@pytest.mark.parametrize("disk_gb", [0, -5, MOST_DISK_GB + 1])
def test_a_disk_has_bounds(disk_gb: int) -> None:
    assert refused(replace(GOOD, disk_gb=disk_gb)).option == "disk_gb"


def test_an_error_says_which_option_and_what() -> None:
    assert str(refused(replace(GOOD, min_cuda="12"))) == "min_cuda: form: '12'"


def test_recipes_refuse_before_they_write() -> None:
    with pytest.raises(BadOptionError):
        launch.recipes(IMAGE, offering("some/where", MACHINE), "t4", 0)
    with pytest.raises(BadOptionError):
        launch.recipes(IMAGE, offering("some/where", MACHINE), "t4", 1, Options(name="A"))


@given(
    st.sampled_from(["name", "region", "instance_type", "cloud", "offer", "min_cuda"]), st.text()
)
def test_what_is_taken_cannot_be_an_option_of_a_command(option: str, text: str) -> None:
    changed: dict[str, Any] = {option: text}
    with suppress(BadOptionError):
        check(replace(GOOD, **changed), "", 1)
        assert not text.startswith("-")
        assert not set(text) & set("\"'`$\\;&|<>(){}*?!#\n\t")

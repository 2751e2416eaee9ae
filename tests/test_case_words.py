"""What people write about images and hosts, read as they mean it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.cases.hosts import hosts_of
from checks.cases.images import image_of
from checks.cases.judge import COLUMNS, case_verdict
from checks.cases.words import is_not_stated, just_below
from gpucompare.cuda.host import Host, Hosts
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.known_images import require_strings


def host(driver: str = "", gpu: str = "", capability: str = "", mode: str = "") -> Hosts:
    return hosts_of(driver, gpu, capability, mode)


def image(name: str = "", cuda: str = "", requirement: str = "", build: str = "") -> Image:
    return image_of(name, cuda, requirement, build)


@pytest.mark.parametrize("text", ["", " ", "not stated", "Not given", "unknown", "n/a", "-", "?"])
def test_what_is_not_stated(text: str) -> None:
    assert is_not_stated(text)


def test_what_comes_just_before_a_version() -> None:
    assert [just_below(one) for one in ("550", "12.6", "13.0", "580.65.06")] == [
        "549",
        "12.5",
        "12.99",
        "580.65",
    ]


# Drivers


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("535.104.12", Host(driver="535.104.12")),
        ("551.78 (Windows/WSL)", Host(driver="551.78")),
        ("R535", Host(driver="535")),
        ("515 branch", Host(driver="515")),
        ("535.x", Host(driver="535")),
        ("535 (12.2)", Host(driver="535", cuda="12.2")),
        ("450 (11.0)", Host(driver="450", cuda="11.0")),
        ("CUDA 12.4", Host(cuda="12.4")),
        ("not stated", Host()),
        ("Debian 12 packaged driver", Host()),
        ("amdgpu", Host(platform="rocm")),
    ],
)
def test_a_driver_as_people_name_it(text: str, known: Host) -> None:
    assert host(text) == Hosts(known)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("570+", {"lowest_driver": "570"}),
        ("580 or newer", {"lowest_driver": "580"}),
        (">= 535", {"lowest_driver": "535"}),
        ("at least 535.54.03", {"lowest_driver": "535.54.03"}),
        ("below 384", {"highest_driver": "383"}),
        ("older than 550", {"highest_driver": "549"}),
        ("up to 550", {"highest_driver": "550"}),
        ("535-550", {"lowest_driver": "535", "highest_driver": "550"}),
        ("R550 or R560", {"lowest_driver": "550", "highest_driver": "560"}),
        ("535 to 550", {"lowest_driver": "535", "highest_driver": "550"}),
        ("host CUDA < 12.6", {"highest_cuda": "12.5"}),
        ("host CUDA < 12.8 (Vast.ai)", {"highest_cuda": "12.7"}),
        ("CUDA 12.2+", {"lowest_cuda": "12.2"}),
    ],
)
def test_a_range_of_drivers_or_of_cuda(text: str, ends: dict[str, Any]) -> None:
    assert host(text) == Hosts(Host(), **ends)


# GPUs


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("H100", {"compute_capability": "9.0", "brand": "Unknown", "forward_compat": "yes"}),
        ("NVIDIA A100-SXM4-80GB", {"compute_capability": "8.0", "forward_compat": "yes"}),
        ("Tesla V100", {"compute_capability": "7.0", "brand": "Tesla"}),
        ("GeForce RTX 4090", {"compute_capability": "8.9", "forward_compat": "no"}),
        ("GeForce RTX 4050 Laptop", {"compute_capability": "", "brand": "GeForce"}),
        ("RTX 3060", {"brand": "GeForce", "forward_compat": "no"}),
        ("GTX 1080 Ti", {"brand": "GeForce"}),
        ("GeForce (not stated)", {"brand": "GeForce"}),
        ("TITAN V", {"brand": "TITAN", "forward_compat": "no"}),
        ("data-centre (CI runner)", {"brand": "", "forward_compat": "yes"}),
        ("data center", {"forward_compat": "yes"}),
        ("not data centre", {"brand": "GeForce", "forward_compat": "no"}),
        ("RTX A4000", {"compute_capability": "8.6", "forward_compat": "some_boards"}),
        ("RTX 5000 Ada", {"brand": "Unknown", "forward_compat": "some_boards"}),
        ("A100 / H100", {"compute_capability": "", "brand": "Unknown", "forward_compat": "yes"}),
        ("data-centre or GeForce", {"brand": "", "forward_compat": ""}),
        ("GeForce RTX 50-class or other", {"brand": "", "forward_compat": ""}),
        ("GH200", {"cpu": "arm64", "compute_capability": "9.0"}),
        ("Jetson / arm64 host", {"cpu": "arm64"}),
        ("AMD (any)", {"platform": "rocm"}),
        ("AMD Instinct MI300X", {"platform": "rocm", "compute_capability": ""}),
        ("Gaudi 3", {"platform": "synapse"}),
        ("Blackwell sm_120", {"compute_capability": "12.0"}),
        ("Volta", {"compute_capability": "7.0"}),
        ("not stated", {"brand": "", "platform": "", "cpu": ""}),
    ],
)
def test_a_gpu_as_people_name_it(text: str, facts: dict[str, str]) -> None:
    known = host(gpu=text).known
    assert {name: getattr(known, name) for name in facts} == facts


@pytest.mark.parametrize(
    ("text", "capability"), [("8.6", "8.6"), ("sm_90", "9.0"), ("12.0a", "12.0"), ("gfx942", "")]
)
def test_a_compute_capability(text: str, capability: str) -> None:
    assert host(gpu="GeForce", capability=text).known.compute_capability == capability


@pytest.mark.parametrize(
    ("text", "mode"), [("legacy", "legacy"), ("jit-cdi", "cdi"), ("CSV", "csv"), ("", "")]
)
def test_a_container_mode(text: str, mode: str) -> None:
    assert host(mode=text).known.mode == mode


# Images


@pytest.mark.parametrize(
    ("text", "cuda"),
    [("12.8", "12.8"), ("12.3+", "12.3"), ("12.x", "12"), ("CUDA 11.8.0", "11.8.0"), ("", "")],
)
def test_the_cuda_of_an_image(text: str, cuda: str) -> None:
    assert image(cuda=text).cuda == cuda


def test_the_tag_of_nvidias_own_image_is_told_in_full() -> None:
    assert image("nvidia/cuda:12.8.1-base", "12.8").cuda == "12.8.1"
    assert image("nvidia/cuda:12.8.1-base", "12.6").cuda == "12.6"


@pytest.mark.parametrize(
    ("text", "cuda", "requirements", "disabled"),
    [
        ("", "12.8", None, False),
        ("none", "12.8", (), False),
        ("disabled", "12.8", None, True),
        ("cuda>=12.8", "12.8", ("cuda>=12.8",), False),
        ("cuda>=9.0 style", "11.0", ("cuda>=9.0",), False),
        ("12.4", "12.4", (require_strings()["12.4"].text,), False),
        ("12.4 (disabled)", "12.4", (require_strings()["12.4"].text,), True),
        ("13.2-style", "13.2", (require_strings()["13.2"].text,), False),
        ("12.4-style", "12.5", (require_strings()["12.5"].text,), False),
    ],
)
def test_a_requirement_by_its_name_or_its_text(
    text: str, cuda: str, requirements: tuple[str, ...] | None, disabled: bool
) -> None:
    found = image(cuda=cuda, requirement=text)
    assert (found.requirements, found.check_disabled) == (requirements, disabled)


def test_a_requirement_in_the_style_of_another_asks_for_its_own_cuda() -> None:
    (text,) = image(cuda="11.7.1", requirement="11.8-c-style").requirements or ()
    assert text == require_strings()["11.8-c"].text.replace("cuda>=11.8", "cuda>=11.7")


@pytest.mark.parametrize(
    ("text", "builds"),
    [
        ("2.7.0+cu128", (Build("torch", "2.7.0", "12.8"),)),
        ("1.13+cu117", (Build("torch", "1.13", "11.7"),)),
        ("cu130", (Build("torch", "", "13.0"),)),
        ("cu92", (Build("torch", "", "9.2"),)),
        ("2.6.0", (Build("torch", "2.6.0"),)),
        ("1.7.x+cu102", (Build("torch", "1.7.x", "10.2"),)),
        ("1.7.1+cu10x", (Build("torch", "1.7.1", "10"),)),
        ("2.8-2.10 +cu128", (Build("torch", "2.8-2.10", "12.8"),)),
        ("cu12x before 2.7", (Build("torch", "<2.7", "12"),)),
        ("2.7 or later", (Build("torch", ">=2.7"),)),
        ("older torch", (Build("torch"),)),
        (
            "2.5.1+cu124; flash-attn 2.7.4",
            (Build("flash-attn", "2.7.4"), Build("torch", "2.5.1", "12.4")),
        ),
        ("vllm v0.9.0", (Build("vllm", "0.9.0"),)),
        ("ROCm", ()),
        ("2.4.0+cpu", ()),
        ("", ()),
    ],
)
def test_a_build_as_people_name_it(text: str, builds: tuple[Build, ...]) -> None:
    assert image(build=text).builds == builds


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("dexbotic image, amd64 only", {"platforms": frozenset({"amd64"})}),
        ("pytorch/pytorch (amd64 only tags)", {"platforms": frozenset({"amd64"})}),
        ("nvidia/cuda (x86 only at the time)", {"platforms": frozenset({"amd64"})}),
        ("built for amd64 and arm64", {"platforms": frozenset({"amd64", "arm64"})}),
        ("rocm/pytorch", {"software": "rocm"}),
        ("image with compat 575.57.08", {"compat_driver": "575.57.08"}),
        ("CUDA 13 image + cuda-compat-13-0", {"compat_driver": "580"}),
        ("NGC pytorch built for 545.23", {"compat_driver": "545.23"}),
        ("image that forces its compat library", {"compat_forced": True}),
        ("gpustack/vllm with NVIDIA_DISABLE_REQUIRE=true", {"check_disabled": True}),
        ("gpustack/vllm with NVIDIA_DISABLE_REQUIRE=yes", {"check_disabled": False}),
        ("vllm/vllm-openai:v0.7.3", {"builds": (Build("vllm", "0.7.3"),), "compat_forced": False}),
        ("vllm/vllm-openai >=0.15.0", {"builds": (Build("vllm", ">=0.15.0"),)}),
        (
            "own kernels with SASS 8.0/8.6 only",
            {"kernels": Kernels(frozenset({"8.0", "8.6"}), frozenset())},
        ),
        (
            "own kernels with SASS 8.0 and PTX 9.0",
            {"kernels": Kernels(frozenset({"8.0"}), frozenset({"9.0"}))},
        ),
        ("PTX for compute_80 only", {"kernels": Kernels(frozenset(), frozenset({"8.0"}))}),
        ("SASS sm_80 only", {"kernels": Kernels(frozenset({"8.0"}), frozenset())}),
        ("own kernels with SASS 8.0", {"kernels": None}),
    ],
)
def test_an_image_as_people_describe_it(name: str, facts: dict[str, Any]) -> None:
    found = image(name)
    assert {fact: getattr(found, fact) for fact in facts} == facts


def test_sass_up_to_a_capability_is_all_that_come_before() -> None:
    kernels = image("own kernels with SASS up to 9.0, no PTX").kernels
    assert kernels
    assert {"3.7", "7.0", "9.0"} <= kernels.cubins
    assert not kernels.cubins & {"10.0", "12.0"}


def test_an_image_that_is_known_to_force_its_library_holds_that_of_its_cuda() -> None:
    found = image("vllm/vllm-openai >=0.15.0", "12.9")
    assert (found.compat_forced, found.compat_driver) == (True, "575")


def test_a_libcuda_in_the_image_is_a_compat_library() -> None:
    assert image("Fooocus", "12.3 libcuda").compat_driver == "545"


@given(st.fixed_dictionaries({column: st.text(max_size=30) for column in COLUMNS}))
def test_any_cells_get_an_answer_or_a_word_about_the_cell(cells: dict[str, str]) -> None:
    try:
        found = case_verdict(cells)
    except ValueError as error:
        assert str(error).split(" ")[0] in COLUMNS  # noqa: PT017 -- either is right
    else:
        assert found.run

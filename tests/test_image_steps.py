"""What a step of a build tells, and what of it is kept."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.expand import LONGEST, expand
from checks.image.steps import FRAMEWORKS, LONGEST_STEP, MOST_READ, Package, Step, StepReader
from tests.images import NAMES, record


def read(line: str, **values: str) -> Step:
    return StepReader().read(line, values)


# --- Frameworks ------------------------------------------------------------------------

INDEX = "https://download.pytorch.org/whl"


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("pip install torch==2.8.0", ("torch", "2.8.0", "")),
        (f"pip install torch==2.8.0 --index-url {INDEX}/cu128", ("torch", "2.8.0", "cu128")),
        (f"pip3 install --index-url {INDEX}/nightly/cu130 torch", ("torch", "", "cu130")),
        (
            f"uv pip install 'torch==2.7.1' --extra-index-url={INDEX}/cu126",
            ("torch", "2.7.1", "cu126"),
        ),
        ("uv pip install torch==2.8.0 --torch-backend=cu129", ("torch", "2.8.0", "cu129")),
        ("uv add torch==2.8.*", ("torch", "2.8", "")),
        ('pip install "torch==2.6.0+cu124"', ("torch", "2.6.0", "cu124")),
        (f"pip install torch==2.4.0 --index-url {INDEX}/cpu", ("torch", "2.4.0", "cpu")),
        (
            f"pip install torch==2.6.0 --index-url {INDEX}/rocm6.2.4",
            ("torch", "2.6.0", "rocm6.2.4"),
        ),
        ("pip install tensorflow[and-cuda]==2.15.0", ("tensorflow", "2.15.0", "")),
        ("pip install tensorflow-gpu==2.10.1", ("tensorflow", "2.10.1", "")),
        ("pip install vllm==0.9.0", ("vllm", "0.9.0", "")),
        ("pip install flash_attn==2.8.3 --no-build-isolation", ("flash-attn", "2.8.3", "")),
        ("pip install bitsandbytes", ("bitsandbytes", "", "")),
        (
            f"pip install xformers==0.0.31 --index-url {INDEX}/cu128",
            ("xformers", "0.0.31", "cu128"),
        ),
        (
            f"pip install {INDEX}/cu128/torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl",
            ("torch", "2.8.0", "cu128"),
        ),
        (
            "conda install -y pytorch==2.3.0 pytorch-cuda=12.1 -c nvidia",
            ("torch", "2.3.0", "cu121"),
        ),
        ("mamba install pytorch=1.13.1 cudatoolkit=11.7", ("torch", "1.13.1", "cu117")),
    ],
)
def test_an_installation_names_a_framework_its_release_and_its_build(
    line: str, package: tuple[str, str, str]
) -> None:
    assert read(f"RUN /bin/sh -c {line} # buildkit").packages == (Package(*package),)


@pytest.mark.parametrize(
    "line",
    [
        "pip uninstall -y torch",
        "pip install torchvision torch-geometric pytorch-lightning",
        "pip install -r requirements-torch.txt",
        "echo torch==2.8.0 >> constraints.txt",
        "apt-get install -y python3-torch torch",
        "git clone https://github.com/pytorch/torch",
        "pip install /opt/transfer/torch*.whl",
    ],
)
def test_what_only_looks_like_an_installation_is_none(line: str) -> None:
    assert read(line).packages == ()


def test_a_range_is_no_release() -> None:
    assert read("pip install torch>=2.0").packages == ()


def test_an_index_of_another_command_says_nothing_of_this_one() -> None:
    step = read(f"pip install torch==2.8.0 && pip install x --index-url {INDEX}/cu128")
    assert step.packages == (Package("torch", "2.8.0", ""),)


def test_a_setting_holds_for_the_commands_behind_it() -> None:
    line = f"pip config set global.index-url {INDEX}/cu126 && pip install torch==2.7.0"
    assert read(line).packages == (Package("torch", "2.7.0", "cu126"),)
    assert read("uv pip install torch", UV_TORCH_BACKEND="cu128").packages == (
        Package("torch", "", "cu128"),
    )
    assert read("uv pip install torch", UV_TORCH_BACKEND="auto").packages == (Package("torch"),)


def test_two_indexes_in_one_command_settle_nothing() -> None:
    line = f"pip install torch --index-url {INDEX}/cu126 --extra-index-url {INDEX}/cu128"
    assert read(line).packages == (Package("torch"),)


def test_vllm_takes_its_torch_from_the_index_that_it_is_given() -> None:
    step = read(f"pip install vllm==0.9.0 --extra-index-url {INDEX}/cu128")
    assert step.packages == (Package("vllm", "0.9.0"), Package("torch", "", "cu128"))


# --- Arguments -------------------------------------------------------------------------


def test_build_arguments_in_front_of_a_line_are_filled_in() -> None:
    arguments = "|2 CUDA_ARCH_LIST=8.0 9.0 TORCH=2.7.1"
    line = f"RUN {arguments} /bin/bash -o pipefail -c pip install torch==$TORCH"
    assert read(line).packages == (Package("torch", "2.7.1"),)


def test_the_cuda_of_a_variable_is_shortened_as_a_shell_would() -> None:
    line = (
        f"pip install torch --index-url {INDEX}/cu$(echo $CUDA_VERSION | cut -d. -f1,2 | tr -d '.')"
    )
    assert read(line, CUDA_VERSION="12.8.1").packages == (Package("torch", "", "cu128"),)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("$A-${A}-${B:-c}", "1-1-c"),
        ("${A:+yes}${B:+no}", "yes"),
        (r"\$A $B.", "$A ."),
        ("${A-x}${B-y}", "1y"),
        ("$", "$"),
        ("${A", "${A"),
        ("cu$(echo 12.8.1 | cut -d '.' -f 1-2 | sed 's/\\.//')", "cu128"),
        ("$(echo 12.8.1 | cut -d. -f1,2)", "12.8"),
    ],
)
def test_places_are_filled_as_docker_and_a_shell_do(text: str, filled: str) -> None:
    assert expand(text, {"A": "1"}) == filled


def test_values_that_double_themselves_are_cut() -> None:
    value = "x" * 3000
    assert expand("$A$A$A", {"A": value}) == "x" * LONGEST
    assert len(expand("$A" * 100_000, {"A": value}, 10)) == 10


@given(st.text(), st.dictionaries(st.sampled_from("AB"), st.text(max_size=5)))
def test_any_text_can_be_filled_in(text: str, values: dict[str, str]) -> None:
    assert len(expand(text, values)) <= LONGEST


# --- CUDA, compat, driver, models ------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("apt-get install -y cuda-toolkit-12-8", Step(toolkits=("12.8",), compiler=True)),
        ("apt-get install -y cuda-cudart-12-8=12.8.90-1", Step(toolkits=("12.8",))),
        ("dnf install cuda-nvcc-11-8", Step(toolkits=("11.8",), compiler=True)),
        ("apt-get install cuda-compat-12-8", Step(compat=("12.8",))),
        (
            "apt-get install cuda-compat-12-9=575.57.08-0ubuntu1",
            Step(compat=("12.9",), compat_drivers=("575.57.08",)),
        ),
        ("ldconfig /usr/local/cuda-12.8/compat/", Step(compat_forced=True)),
        (
            "echo /usr/local/cuda/compat > /etc/ld.so.conf.d/00-cuda-compat.conf && ldconfig",
            Step(compat_forced=True),
        ),
        ("apt-get install -y cuda", Step(driver_packages=("cuda",))),
        (
            "apt install nvidia-driver-550-server",
            Step(driver_packages=("nvidia-driver-550-server",)),
        ),
        ("apt-get install -y libcuda1", Step(driver_packages=("libcuda1",))),
        ("yum install cuda-drivers", Step(driver_packages=("cuda-drivers",))),
        (
            "sh NVIDIA-Linux-x86_64-550.54.14.run --silent",
            Step(driver_packages=("NVIDIA-Linux-x86_64-550.54.14.run",)),
        ),
        ("huggingface-cli download meta/llama", Step(weights=("huggingface",))),
        ("hf download a/b", Step(weights=("huggingface",))),
        ("python -c 'AutoModel.from_pretrained(\"x\")'", Step(weights=("from_pretrained",))),
        ("wget https://x/y.gguf", Step(weights=("files",))),
        ("ollama pull llama3", Step(weights=("ollama",))),
    ],
)
def test_a_command_tells_what_it_brings(line: str, found: Step) -> None:
    assert read(f"/bin/sh -c {line}") == found


@pytest.mark.parametrize(
    "line",
    [
        "apt-get install -y nvidia-container-toolkit cuda-keyring libcudnn9-cuda-12",
        "pip install nvidia-cuda-runtime-cu12",
        "ls /usr/local/cuda",
        "ldconfig",
        "ls /usr/local/cuda/compat",
        "echo site > lib/site-packages/x.pth",
        "curl -O https://x/y.sh",
    ],
)
def test_other_commands_bring_nothing_of_note(line: str) -> None:
    assert read(f"RUN /bin/sh -c {line}") == Step()


@pytest.mark.parametrize(
    "line",
    ["COPY a /b", "add x.tar /", "/bin/sh -c #(nop) COPY file:1 in /", "  COPY --from=b / /"],
)
def test_copies_are_known_from_commands(line: str) -> None:
    assert read(line).copies
    assert not read("RUN cp a b").copies


# --- What is kept ----------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_step_written_down_again_reads_the_same(name: str) -> None:
    config = record(name).config
    steps = [read(line.created_by, **config.environment) for line in config.history]
    assert [read(step.text) for step in steps] == steps
    assert any(step != Step() for step in steps)


VERSIONS = st.from_regex(r"[0-9]\.[0-9]{1,2}\.[0-9]", fullmatch=True)
PIECES = st.one_of(
    st.builds("pip install {}=={}".format, st.sampled_from(FRAMEWORKS), VERSIONS),
    st.builds("pip install torch --index-url x/whl/{}".format, st.sampled_from(["cu128", "cpu"])),
    st.sampled_from(
        [
            "apt-get install cuda-compat-12-8=570.86.10 cuda-nvcc-12-8 libcuda1",
            "ldconfig /usr/local/cuda/compat",
            "curl x.safetensors",
            "COPY a.gguf /",
            "from_pretrained(",
            "export TOKEN=hunter2",
            "pip config set global.index-url x/whl/cu126",
        ]
    ),
    st.text(max_size=30),
)


@given(
    st.lists(PIECES, max_size=6),
    st.sampled_from(["RUN ", "COPY ", "", "RUN |1 A=hunter2 /bin/sh -c "]),
)
def test_whatever_is_recognised_is_kept_and_nothing_else(pieces: list[str], start: str) -> None:
    step = read(start + " && ".join(pieces))
    assert read(step.text) == step
    assert "hunter2" not in step.text


def test_a_hostile_history_is_read_in_bounded_time() -> None:
    reader = StepReader()
    values = {"A": "pip install torch==2.8.0 && cuda && " * 100}
    start = time.thread_time()
    for _line in range(3000):
        reader.read("RUN " + "$A" * 5000, values)
    assert time.thread_time() - start < 10
    # Once the room is used up, lines are no longer read.
    assert reader.read("pip install torch==2.8.0", {}) == Step()


@pytest.mark.parametrize(
    "line",
    ["curl " * 6000, "ldconfig " * 3000, "/bin/sh " + "-a " * 9000, "cuda;" * 6000, "|1 A=" * 6000],
)
def test_no_line_takes_long(line: str) -> None:
    start = time.thread_time()
    read(line[:LONGEST_STEP])
    assert time.thread_time() - start < 2


def test_the_steps_of_real_images_fit_in_the_room_there_is() -> None:
    """NGC's PyTorch images have about a hundred steps of a few hundred letters each."""
    reader = StepReader()
    line = "RUN /bin/sh -c apt-get update && apt-get install -y " + "package-name " * 60
    for _step in range(MOST_READ // len(line) - 10):
        reader.read(line, {})
    assert reader.read("pip install torch==2.8.0", {}).packages

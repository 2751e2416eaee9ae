"""The steps of a build: what a line of history or of a Dockerfile put into the image.

Only what is recognised is kept. `Step.text` writes it down again in a form that reads the same,
so that a pasted line can be forgotten without losing what it told.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TypeVar, cast

from checks.image.expand import expand

LONGEST_STEP = 32_768  # letters
MOST_READ = 400_000  # letters in all steps of an image, values filled in

FRAMEWORKS = ("torch", "tensorflow", "vllm", "flash-attn", "bitsandbytes", "xformers")

_NAMES = "torch|tensorflow|tensorflow-gpu|vllm|flash[-_]attn|bitsandbytes|xformers"
_RELEASE = r"\d[\w.!]{0,40}"
_BACKEND = r"(?:cu\d{2,4}|cpu|rocm\d[\d.]{0,7})"
_NOT_BEFORE = r"(?<![\w./=-])"

_IS_BACKEND = re.compile(_BACKEND)
_INSTALLS = re.compile(r"\b(?:install|add|sync|create)\b")
_EXACT = re.compile(
    rf"{_NOT_BEFORE}({_NAMES})(?:\[[\w,-]{{1,40}}\])?==({_RELEASE})(?:\+({_BACKEND})\b)?"
)
_NAKED = re.compile(rf"{_NOT_BEFORE}({_NAMES})(?=[\s\"']|$)")
_WHEEL = re.compile(rf"\b({_NAMES})-({_RELEASE})(?:(?:\+|%2[Bb])({_BACKEND})?[\w.]{{0,40}})?-cp3")
_INDEX = re.compile(
    rf"(?:/whl/(?:nightly/|test/)?|--torch-backend[= ]|\bUV_TORCH_BACKEND=)({_BACKEND})(?!\w)"
)
_CONDA = re.compile(rf"{_NOT_BEFORE}pytorch={{1,2}}({_RELEASE})")
_CONDA_CUDA = re.compile(
    rf"{_NOT_BEFORE}(?:pytorch-cuda|cudatoolkit)={{1,2}}(\d{{1,2}}\.\d{{1,2}})"
)
_TOOLKIT = re.compile(
    r"\bcuda-(?:toolkit|cudart|libraries|nvcc|minimal-build|command-line-tools|compiler)"
    r"(?:-dev)?-(\d{1,2})-(\d{1,2})\b"
)
_COMPILER = re.compile(r"\bcuda-(?:toolkit|nvcc|minimal-build|compiler)-\d{1,2}-\d{1,2}\b")
_COMPAT = re.compile(r"\bcuda-compat-(\d{1,2})-(\d{1,2})\b(?:=(\d{3}\.\d{1,3}(?:\.\d{1,3})?))?")
_COMPAT_PATH = re.compile(r"/usr/local/cuda(?:-[\d.]{1,8})?/compat\b")
_LOADER = re.compile(r"\bldconfig\b[^&|;]{0,200}/compat\b|ld\.so\.conf")
_DRIVER = re.compile(
    rf"{_NOT_BEFORE}("
    r"nvidia-(?:driver|headless|utils|dkms|compute-utils|kernel-source)-\d{3}(?:-[a-z]{1,12})*"
    r"|nvidia-(?:driver|smi|kernel-dkms)"
    r"|libnvidia-(?:compute|gl|encode|decode|cfg1|extra|fbc1)-\d{3}(?:-[a-z]{1,12})*"
    r"|cuda-drivers(?:-\d{3})?|libcuda1"
    # The metapackages bring the driver along; cuda-toolkit does not.
    r"|cuda(?:-runtime)?(?:-\d{1,2}-\d{1,2})?"
    r")(?=[\s\"'=]|$)"
)
_RUN_FILE = re.compile(r"\b(NVIDIA-Linux-(?:x86_64|aarch64)-[\d.]{1,16}\.run)\b")
_SYSTEM = re.compile(r"\b(?:apt|apt-get|dnf|yum|microdnf|zypper|aptitude)\b")
_WEIGHTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("huggingface", re.compile(r"\bhuggingface-cli\s+download\b|\bhf\s+download\b")),
    ("huggingface", re.compile(r"\bsnapshot_download\b|\bhf_hub_download\b|/resolve/main/")),
    ("from_pretrained", re.compile(r"\bfrom_pretrained\s*\(")),
    ("ollama", re.compile(r"\bollama\s+pull\b")),
    (
        "files",
        re.compile(
            r"\b(?:COPY|ADD|curl|wget|aria2c|s5cmd|gsutil|azcopy|rclone|aws\s+s3)\b"
            r"[^\n]{0,300}\.(?:safetensors|gguf|ggml|ckpt|pth|onnx)\b"
        ),
    ),
)
_AS_WRITTEN = {
    "huggingface": "hf download",
    "from_pretrained": "from_pretrained(",
    "ollama": "ollama pull",
    "files": "curl .safetensors",
}
_OF_INTEREST = re.compile(
    f"{_NAMES}|/whl/|TORCH_BACKEND|torch-backend|cuda|nvidia|NVIDIA|libcuda1"
    r"|download|/resolve/main/|from_pretrained|ollama|\.(?:safetensors|gguf|ggml|ckpt|pth|onnx)"
)
_COMMANDS = re.compile(r"&&|\|\||;|\n")
_ARGUMENTS = re.compile(r"(?:^|\s)([A-Za-z_]\w{0,99})=")
_COPIES = re.compile(r"\s*(?:/bin/sh -c #\(nop\)\s+)?(?:COPY|ADD)\s", re.IGNORECASE)
_SHELL = re.compile(r"(?:^|\s)/bin/(?:ba|da|z)?sh(?:\s+-?[a-z]{1,12}){0,8}?\s+-[a-z]{0,5}c\s")


Thing = TypeVar("Thing", str, "Package")


@dataclass(frozen=True)
class Package:
    """A framework as it was installed. "" is what the line does not say."""

    name: str  # one of FRAMEWORKS
    release: str = ""
    backend: str = ""  # cu128, cpu, rocm6.2


@dataclass(frozen=True)
class Step:
    """What one step put into the image."""

    packages: tuple[Package, ...] = ()
    toolkits: tuple[str, ...] = ()  # "12.8"
    compiler: bool = False  # nvcc came with it
    compat: tuple[str, ...] = ()  # CUDA of a compat package, "12.8"
    compat_drivers: tuple[str, ...] = ()  # its own version, "575.57.08"
    compat_forced: bool = False
    driver_packages: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()  # keys of _AS_WRITTEN
    copies: bool = False  # COPY or ADD

    @property
    def text(self) -> str:
        """A line that reads as this step, and holds nothing but what was recognised."""
        return " && ".join(["COPY ."] * self.copies + list(_written(self)))

    def __add__(self, other: Step) -> Step:
        """Both, each thing once and where it stood last: the last installation counts."""
        return Step(
            packages=_last(self.packages + other.packages),
            toolkits=_last(self.toolkits + other.toolkits),
            compiler=self.compiler or other.compiler,
            compat=_last(self.compat + other.compat),
            compat_drivers=_last(self.compat_drivers + other.compat_drivers),
            compat_forced=self.compat_forced or other.compat_forced,
            driver_packages=_last(self.driver_packages + other.driver_packages),
            weights=_last(self.weights + other.weights),
            copies=self.copies or other.copies,
        )


def _last(things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    return tuple(reversed(dict.fromkeys(reversed(things))))


class StepReader:
    """Reads the steps of one image, and of a hostile one no more than can be read in good time."""

    def __init__(self) -> None:
        self._room = MOST_READ

    def read(self, line: str, values: Mapping[str, str]) -> Step:
        """What a line of history (or `RUN …`, `COPY …` of a Dockerfile) did, `values` filled in."""
        if self._room <= 0:
            return Step()
        arguments, command = _split(line[:LONGEST_STEP])
        known = ChainMap(arguments, cast("MutableMapping[str, str]", values))
        text = expand(command, known, min(LONGEST_STEP, self._room))
        self._room -= len(text)
        step = Step(copies=_COPIES.match(line) is not None)
        backend = known.get("UV_TORCH_BACKEND", "")
        for part in filter(_OF_INTEREST.search, _COMMANDS.split(text)):
            # `pip config set …` and `export …` hold for the commands behind them.
            if not _INSTALLS.search(part):
                backend = _index(part) or backend
            step += _command(part, backend if _IS_BACKEND.fullmatch(backend) else "")
        return step


def _split(line: str) -> tuple[dict[str, str], str]:
    """The build arguments before a line of history, `|2 A=1 B=2 /bin/sh -c …`, and the rest."""
    text = line.strip().removeprefix("RUN ").lstrip()
    shell = _SHELL.search(text)
    if not text.startswith("|") or not shell:
        return {}, text
    before = text[: shell.start()]
    names = list(_ARGUMENTS.finditer(before))
    ends = [name.start() for name in names[1:]] + [len(before)]
    values = {n[1]: before[n.end() : end].strip() for n, end in zip(names, ends, strict=True)}
    return values, text[shell.end() :]


def _index(text: str) -> str:
    """The backend that `text` asks for; "" where it asks for none, or for several."""
    found = set(_INDEX.findall(text))
    return found.pop() if len(found) == 1 else ""


def _command(text: str, backend: str) -> Step:
    installs = _INSTALLS.search(text) is not None
    own = _index(text) if _INDEX.search(text) else backend
    system = installs and _SYSTEM.search(text) is not None
    compat = list(_COMPAT.finditer(text))
    return Step(
        packages=tuple(_packages(text, own)) if installs else (),
        toolkits=_each(f"{major}.{minor}" for major, minor in _TOOLKIT.findall(text)),
        compiler=_COMPILER.search(text) is not None,
        compat=_each(f"{match[1]}.{match[2]}" for match in compat),
        compat_drivers=_each(match[3] for match in compat if match[3]),
        compat_forced=bool(_COMPAT_PATH.search(text) and _LOADER.search(text)),
        driver_packages=_each(
            [*(_DRIVER.findall(text) if system else ()), *_RUN_FILE.findall(text)]
        ),
        weights=_each(name for name, pattern in _WEIGHTS if pattern.search(text)),
    )


def _packages(text: str, backend: str) -> Iterator[Package]:
    exact = [*_EXACT.findall(text), *_WHEEL.findall(text)]
    for name, release, own in exact:
        yield Package(_canonical(name), release.rstrip("."), own or _for(name, backend))
    for release in _CONDA.findall(text):
        yield Package("torch", release.rstrip("."), _conda(text) or backend)
    named = {name for name, *_rest in exact} | ({"torch"} if _CONDA.search(text) else set())
    naked = [] if _SYSTEM.search(text) else list(dict.fromkeys(_NAKED.findall(text)))
    for name in naked:
        if name not in named:
            yield Package(_canonical(name), "", _for(name, backend))
    # vLLM is not on PyTorch's index, but the torch that it asks for is taken from there.
    if backend and "vllm" in {*named, *naked} and "torch" not in {*named, *naked}:
        yield Package("torch", "", backend)


def _for(name: str, backend: str) -> str:
    """An index of PyTorch's wheels says nothing of packages that do not come from it."""
    return backend if name in ("torch", "xformers") else ""


def _conda(text: str) -> str:
    found = _CONDA_CUDA.search(text)
    return f"cu{found[1].replace('.', '')}" if found else ""


def _canonical(name: str) -> str:
    return name.replace("_", "-").removesuffix("-gpu")


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _written(step: Step) -> Iterator[str]:
    for package in step.packages:
        version = f"=={package.release}" if package.release else ""
        local = f"+{package.backend}" if version and package.backend else ""
        index = f" --torch-backend {package.backend}" if package.backend and not version else ""
        yield f"pip install {package.name}{version}{local}{index}"
    for cuda in step.toolkits:
        part = "nvcc" if step.compiler else "cudart"
        yield f"cuda-{part}-{cuda.replace('.', '-')}"
    for cuda in step.compat:
        yield f"cuda-compat-{cuda.replace('.', '-')}"
    for driver in step.compat_drivers:
        yield f"cuda-compat-{step.compat[0].replace('.', '-')}={driver}"
    if step.compat_forced:
        yield "ldconfig /usr/local/cuda/compat"
    for package_name in step.driver_packages:
        yield f"apt-get install {package_name}"
    yield from (_AS_WRITTEN[how] for how in step.weights)

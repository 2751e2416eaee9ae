"""The image of a case, from what people write about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from checks.cases.words import is_not_stated
from gpucompare.cuda.gpus import branch_reporting
from gpucompare.cuda.image import Build, Image, Kernels, Software
from gpucompare.cuda.known_images import KnownImage, known_images, require_strings
from gpucompare.cuda.requirement import is_check_disabled
from gpucompare.cuda.tables import gpu_arch
from gpucompare.cuda.toolkits import toolkits
from gpucompare.cuda.versions import numbers, releases_span

_CUDA = re.compile(r"(\d{1,2}(?:\.\d+)*)(?:\.x)?\b")
_OWN_TAG = re.compile(r"nvidia/cuda:(\d+\.\d+\.\d+)")
_CU = re.compile(r"\+?\s*\bcu(?:da)?[-_ ]?(\d{1,2})(?:\.?(\d|x))?\b")
_NAMED = re.compile(
    r"\b(tensorflow|flash[-_ ]?attn|bitsandbytes|vllm|xformers)\b[^\d<>=]{0,12}([<>=]*\s*v?[\d.]+)?"
)
_RELEASE = re.compile(r"\d+(?:\.\d+)+(?:\.x)?")
_TAG = re.compile(r"(?::|\s)(>=|<)?\s*v?(\d+(?:\.\d+)+)")
_COMPAT_PACKAGE = re.compile(r"cuda-compat-(\d+)-(\d+)")
_COMPAT_DRIVER = re.compile(
    r"(?:compat(?:ibility)?(?: library| libcuda)?|built for)\s+(\d{3}[\d.]*)"
)
_FORCED = re.compile(
    r"ldconfig\s+\S*compat|compat\w*\s+(?:is\s+)?forced|forces? (?:its|the) compat"
)
_DISABLE = re.compile(r"NVIDIA_DISABLE_REQUIRE=(\w+)")
_SASS = re.compile(r"\bsass\b(?P<upto>\s+up to)?(?P<list>[\s:/,\d.]+)")
_PTX = re.compile(r"ptx\s*(?:for|of|=|:)?\s*(?:compute_)?(\d+\.\d)|(\d+\.\d)\s*\+\s*ptx")
_NUMBERED = re.compile(r"\b(?:compute|sm)_?(\d{1,2})(\d)\b")
_ONLY = {"amd64": r"(amd64|x86(_64)?|x64)", "arm64": r"(arm64|aarch64|sbsa)"}


@lru_cache(maxsize=4096)
def image_of(image: str, image_cuda: str, requirement: str, torch_build: str) -> Image:
    """Raises ValueError, with what to write instead, for what cannot be read."""
    cuda = _in_full(_cuda(image_cuda), image)
    texts, disabled = _requirements(requirement, cuda)
    builds = tuple(_builds(torch_build))
    known = Image(
        software=_software(image, torch_build, cuda, builds),
        cuda=cuda,
        builds=builds,
        kernels=_kernels(image),
        requirements=texts,
        check_disabled=disabled or _is_disabled(image),
        compat_driver=_compat_driver(image, image_cuda, cuda),
        compat_forced=bool(_FORCED.search(image.casefold())),
        platforms=_platforms(image),
    )
    for row in _by_name(image):
        known = _with_known(known, row, image)
    return known


def _cuda(text: str) -> str:
    """12.8 of "12.8", "12.8+", "12.8 libcuda" and "CUDA 12.8"; 12 of "12.x"."""
    found = _CUDA.search(text)
    if found is None and not is_not_stated(text):
        raise ValueError(f"image_cuda {text!r}: write a version, 12.8, or leave it empty")
    return found[1] if found else ""


def _in_full(cuda: str, image: str) -> str:
    """12.8.1 where the image is nvidia/cuda:12.8.1 and its CUDA is told as 12.8."""
    tag = _OWN_TAG.search(image)
    return tag[1] if tag and cuda and tag[1].startswith(f"{cuda}.") else cuda


def _requirements(text: str, cuda: str) -> tuple[tuple[str, ...] | None, bool]:
    """The requirements and whether the check is off. None: nobody said what they are."""
    rest = re.sub(r"[(,;]?\s*\bdisabled\b\s*[),;]?", "", text, flags=re.IGNORECASE).strip()
    if rest.casefold() == "none":
        return (), False
    disabled = rest != text.strip()
    if is_not_stated(rest):
        return None, disabled
    return (_requirement(rest, cuda),), disabled


def _requirement(text: str, cuda: str) -> str:
    plain = re.sub(r"[- ]style$", "", text)
    known = require_strings()
    if text in known:
        return known[text].text
    if any(operator in plain for operator in "<>="):
        return plain
    if plain != text:
        return _in_style(plain, cuda)
    raise ValueError(
        f"require_id_or_text {text!r}: write an id ({', '.join(known)}), none, disabled "
        "or the text of NVIDIA_REQUIRE_CUDA"
    )


def _in_style(plain: str, cuda: str) -> str:
    """NVIDIA's own text for that CUDA, else the one it is likened to with the CUDA put in."""
    known, minor = require_strings(), ".".join(cuda.split(".")[:2])
    if minor in known:
        return known[minor].text
    if plain not in known:
        raise ValueError(f"require_id_or_text {plain!r}: no requirement of that name is known")
    first, _, branches = known[plain].text.partition(" ")
    return f"{f'cuda>={minor}' if minor else first} {branches}".strip()


def _builds(text: str) -> Iterator[Build]:
    text = text.strip().casefold()
    if is_not_stated(text) or "rocm" in text or re.search(r"(^|\+|\s)cpu$", text):
        return
    named = list(_NAMED.finditer(text))
    for found in named:
        name = re.sub(r"flash[-_ ]?attn", "flash-attn", found[1])
        yield Build(name, (found[2] or "").replace(" ", "").replace("v", ""))
    rest = _NAMED.sub(" ", text)
    cuda, release = _cu(rest), _release(_CU.sub(" ", rest))
    if cuda or release or not named:
        yield Build("torch", release, cuda)


def _cu(text: str) -> str:
    """12.8 of cu128, 9.2 of cu92, 12 of cu12x."""
    found = _CU.search(text)
    if found is None:
        return ""
    digits = found[1] + (found[2] or "")
    if digits.endswith("x"):
        return digits[:-1]
    return (
        f"{digits[:-1]}.{digits[-1]}"
        if (len(digits) > 1 and int(digits[:2]) > 20) or len(digits) > 2
        else digits
    )


def _release(text: str) -> str:
    """As releases_span reads it; "" for a text without a release."""
    found = _RELEASE.findall(text)
    if not found:
        return ""
    if re.search(r"before|older than|below|<", text):
        return f"<{found[0]}"
    if re.search(r">=|or (newer|later)|at least|\d\s*\+\s*$", text):
        return f">={found[0]}"
    return "-".join(found[:2]) if re.search(r"\d\s*(-|to)\s*\d", text) else found[0]


def _software(image: str, torch_build: str, cuda: str, builds: tuple[Build, ...]) -> Software:
    if "rocm" in f"{image} {torch_build}".casefold():
        return "rocm"
    if "+cpu" in torch_build.casefold() and not cuda:
        return "cpu"
    return "cuda" if cuda or builds else ""


def _is_disabled(image: str) -> bool:
    found = _DISABLE.search(image)
    return bool(found) and is_check_disabled({"NVIDIA_DISABLE_REQUIRE": found[1] if found else ""})


def _compat_driver(image: str, image_cuda: str, cuda: str) -> str:
    """The driver whose libcuda the image is said to hold; a branch where no more is said."""
    text = image.casefold()
    if package := _COMPAT_PACKAGE.search(text):
        row = toolkits().find(f"{package[1]}.{package[2]}")
        return row.branch if row else ""
    if named := _COMPAT_DRIVER.search(text):
        return named[1].strip(".")
    if "libcuda" in image_cuda.casefold():
        return str(branch_reporting(cuda) or "")
    return ""


def _platforms(image: str) -> frozenset[str]:
    text = image.casefold()
    if re.search(r"multi-?arch|amd64\s*(,|/|and|\+)\s*arm64", text):
        return frozenset(_ONLY)
    found = {
        cpu
        for cpu, names in _ONLY.items()
        if re.search(rf"\b{names}\b[ -]*only|only (for )?{names}\b", text)
    }
    return frozenset(found) if len(found) == 1 else frozenset()


def _kernels(image: str) -> Kernels | None:
    """Only where the text leaves nothing open: "SASS 8.0/8.6 only", "SASS up to 9.0, no PTX"."""
    text = _NUMBERED.sub(r"\1.\2", image.casefold())
    sass = _SASS.search(text)
    ptx = frozenset(one or other for one, other in _PTX.findall(text))
    if sass is None and ptx and re.search(r"\bptx\b.*\bonly\b|\bonly ptx\b", text):
        return Kernels(frozenset(), ptx)
    if sass is None or not (ptx or "no ptx" in text or "only" in text):
        return None
    named = re.findall(r"\d+\.\d", sass["list"])
    return Kernels(frozenset(_up_to(named) if sass["upto"] else named), ptx)


def _up_to(named: Iterable[str]) -> Iterator[str]:
    highest = max(filter(None, map(numbers, named)), default=())
    for capability in gpu_arch().architectures:
        if (numbers(capability) or ()) <= highest:
            yield capability


def _by_name(image: str) -> Iterator[KnownImage]:
    text = f"{image.casefold()} "
    tag = _TAG.search(text)
    releases = releases_span(f"{tag[1] or ''}{tag[2]}") if tag else None
    for row in known_images():
        mine = releases_span(row.releases)
        if row.name in text and mine and (not row.releases or (releases and releases.within(mine))):
            yield row


def _with_known(known: Image, row: KnownImage, image: str) -> Image:
    tag = _TAG.search(f"{image.casefold()} ")
    release = f"{tag[1] or ''}{tag[2]}" if tag else ""
    have = {build.name for build in known.builds}
    more = tuple(Build(name, release) for name in row.builds if name not in have)
    compat = known.compat_driver or (_own_driver(known) if row.compat else "")
    return replace(
        known,
        software=row.software or known.software,
        platforms=known.platforms or frozenset(row.platforms),
        builds=known.builds + more,
        compat_driver=compat,
        compat_forced=known.compat_forced or row.compat == "forced",
    )


def _own_driver(known: Image) -> str:
    row = toolkits().find(known.cuda) if known.cuda else None
    return row.branch if row else ""

"""The host of a case, from what people write about its driver and its GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache, lru_cache

from checks.cases.words import Bounds, bounds, is_not_stated
from gpucompare.cuda.gpus import host_of
from gpucompare.cuda.host import Host, Hosts, Mode
from gpucompare.cuda.tables import gpu_arch

_DRIVER = re.compile(r"(?<![\d.])r?([3-9]\d\d(?:\.\d+){0,3})(?:\.x)?(?![\d.]*\d)")
_CUDA = re.compile(r"(?<![\d.])(\d{1,2}\.\d)(?![\d.])")
_CAPABILITY = re.compile(r"(?:sm_?|compute_)?(\d{1,2})\.?(\d)[a-z]?")
_SM = re.compile(r"\bsm_?(\d{1,2})(\d)\b")
_ALTERNATIVES = re.compile(r"\s+/\s+|\s+or\s+|\s*,\s*")
_KINDS: tuple[tuple[str, Host], ...] = (
    (r"\bnot (a )?data.?cent", Host(brand="GeForce", forward_compat="no", platform="cuda")),
    (r"\bdata.?cent", Host(forward_compat="yes", platform="cuda")),
    (r"\btitan\b", Host(brand="TITAN", forward_compat="no", platform="cuda")),
    (
        r"\bgeforce\b|\bgtx\b|\brtx[ -]?[2345]0[5-9]0",
        Host(brand="GeForce", forward_compat="no", platform="cuda"),
    ),
    (r"\bquadro\b", Host(brand="Quadro", forward_compat="some_boards", platform="cuda")),
    (r"\btesla\b", Host(brand="Tesla", forward_compat="yes", platform="cuda")),
    (
        r"\brtx[ -]?(a\d000|\d000 ada|pro)\b",
        Host(brand="Unknown", forward_compat="some_boards", platform="cuda"),
    ),
    (r"\bamd\b|\bradeon\b|\binstinct\b|\bmi\d{3}x?\b", Host(platform="rocm")),
    (r"\bgaudi\b|\bhabana\b", Host(platform="synapse")),
    (r"\bjetson\b|\barm64\b|\baarch64\b|\bgrace\b", Host(cpu="arm64")),
)


@lru_cache(maxsize=4096)
def hosts_of(host_driver: str, gpu: str, compute_capability: str, container_mode: str) -> Hosts:
    """Raises ValueError, with what to write instead, for what cannot be read."""
    known = _gpu(gpu)
    capability = _capability(compute_capability)
    if capability:
        known = replace(known, compute_capability=capability)
    if re.search(r"amdgpu|rocm|radeon", host_driver.casefold()):
        known = replace(known, platform="rocm")
        host_driver = ""
    return _driver(host_driver, replace(known, mode=_mode(container_mode)))


def _driver(text: str, known: Host) -> Hosts:
    """A text without a driver in it says nothing: "Debian 12 packaged driver"."""
    text = text.casefold()
    if "cuda" in text and not _DRIVER.search(text):
        cuda = bounds(text, _CUDA)
        return Hosts(replace(known, cuda=cuda.exact), lowest_cuda=cuda.low, highest_cuda=cuda.high)
    driver = bounds(text, _DRIVER)
    shown = _CUDA.search(_DRIVER.sub(" ", text)) if driver != Bounds() else None
    known = replace(known, driver=driver.exact, cuda=shown[1] if shown else "")
    return Hosts(known, lowest_driver=driver.low, highest_driver=driver.high)


def _mode(text: str) -> Mode:
    word = text.strip().casefold()
    if is_not_stated(word):
        return ""
    modes: tuple[Mode, ...] = ("legacy", "cdi", "csv")
    for mode in modes:
        if mode in word:
            return mode
    raise ValueError(f"container_mode {text!r}: write legacy, cdi or csv, or leave it empty")


def _capability(text: str) -> str:
    text = text.strip().casefold()
    found = _CAPABILITY.fullmatch(text)
    if found:
        return f"{found[1]}.{found[2]}"
    if is_not_stated(text) or text.startswith("gfx"):
        return ""
    raise ValueError(f"compute_capability {text!r}: write it as 8.6, or leave it empty")


def _gpu(text: str) -> Host:
    """What all the boards that a text names have in common."""
    text = text.strip().casefold()
    if is_not_stated(text):
        return Host()
    found = [_one_gpu(part) for part in _ALTERNATIVES.split(text)]
    return _common(found)


def _common(hosts: list[Host]) -> Host:
    first, *others = hosts
    apart = {
        field.name: ""
        for field in fields(Host)
        if any(getattr(other, field.name) != getattr(first, field.name) for other in others)
    }
    return replace(first, **apart) if apart else first  # type: ignore[arg-type]


def _one_gpu(text: str) -> Host:
    cards = _cards(text)
    if cards:
        known = _common(cards)
    else:
        known = next((kind for words, kind in _KINDS if re.search(words, text)), Host())
    sm = _SM.search(text)
    if sm and not known.compute_capability:
        known = replace(known, compute_capability=f"{sm[1]}.{sm[2]}")
    if not known.compute_capability:
        known = replace(known, compute_capability=_by_architecture(text))
    arm = _KINDS[-1][0]
    return replace(known, cpu="arm64") if re.search(arm, text) else known


def _cards(text: str) -> list[Host]:
    """The cards of the GPU table that a text names: all H100s for "H100"."""
    dashed = f"-{re.sub(r'[^a-z0-9]+', '-', text)}-"
    for name in _names():
        if f"-{name}-" in dashed:
            return [host_of(slug) for slug in gpu_arch().cards if _is_named(slug, name)]
    return []


@cache
def _names() -> list[str]:
    """Slugs and all their beginnings that name a model, the longest first."""
    found = {name for slug in gpu_arch().cards for name in _beginnings(slug)}
    return sorted(found, key=len, reverse=True)


def _beginnings(slug: str) -> Iterator[str]:
    parts = slug.split("-")
    for length in range(1, len(parts) + 1):
        name = "-".join(parts[:length])
        if re.search(r"\d", name):
            yield name


def _is_named(slug: str, name: str) -> bool:
    return f"{slug}-".startswith(f"{name}-")


def _by_architecture(text: str) -> str:
    """7.0 of "Volta"; nothing where an architecture has several capabilities."""
    found = {
        one.compute_capability
        for one in gpu_arch().architectures.values()
        if re.search(rf"\b{re.escape(one.name.casefold())}\b", text)
    }
    return found.pop() if len(found) == 1 else ""

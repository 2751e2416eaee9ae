"""Images and hosts of all kinds, for properties that hold whatever they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from hypothesis import strategies as st

from gpucompare.cuda.drivers import branches
from gpucompare.cuda.frameworks import TorchBuild, limits, torch_builds
from gpucompare.cuda.gpus import BRANDS, host_of
from gpucompare.cuda.host import Host, Mode
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.known_images import require_strings
from gpucompare.cuda.tables import gpu_arch
from gpucompare.cuda.toolkits import toolkits

CAPABILITIES = sorted(gpu_arch().architectures, key=float)
CARDS = sorted(slug for slug, card in gpu_arch().cards.items() if card.platform == "cuda")
CUDA = [*toolkits().minors, *toolkits().rows]
REQUIREMENTS = [row.text for row in require_strings().values()]

capabilities = st.sampled_from(CAPABILITIES)
modes: st.SearchStrategy[Mode] = st.sampled_from(["legacy", "cdi", "csv"])
Lifted = Literal["yes", "no", "some_boards"]
lifted: st.SearchStrategy[Lifted] = st.sampled_from(["yes", "no", "some_boards"])
BY_BRAND: dict[str, Lifted] = {"GeForce": "no", "TITAN": "no", "Tesla": "yes"}


@st.composite
def drivers(draw: st.DrawFn) -> str:
    """Of a branch of the table, of one between, or of one older or newer than all."""
    branch = draw(st.sampled_from(branches()) | st.integers(380, 640))
    patch = draw(st.sampled_from(["", ".01", ".60.13", ".80.02", ".104.05", ".9"]))
    return f"{branch}{patch}"


@st.composite
def hosts(draw: st.DrawFn) -> Host:
    """A host of which everything is known."""
    known = Host(driver=draw(drivers()), mode=draw(modes))
    if draw(st.booleans()):
        found = host_of(draw(st.sampled_from(CARDS)), known)
        return replace(found, brand=found.brand or draw(st.sampled_from(BRANDS)))
    brand = draw(st.sampled_from(BRANDS))
    return replace(
        known,
        platform="cuda",
        cpu=draw(st.sampled_from(["amd64", "arm64"])),
        compute_capability=draw(capabilities),
        brand=brand,
        forward_compat=BY_BRAND[brand] if brand in BY_BRAND else draw(lifted),
    )


def _named(row: TorchBuild) -> list[tuple[str, str]]:
    return [(row.torch, row.cuda), ("", row.cuda), (row.torch, "")]


torch = st.sampled_from(torch_builds()).flatmap(
    lambda row: st.sampled_from(
        [
            Build("torch", row.torch, row.cuda),
            Build("torch", "", row.cuda),
            Build("torch", row.torch),
        ]
    )
)
others = st.sampled_from(sorted(limits())).flatmap(
    lambda name: st.sampled_from(limits()[name]).map(
        lambda row: Build(name, "" if row.releases.startswith(">") else row.releases, row.cuda_min)
    )
)
kernels = st.builds(
    Kernels,
    st.frozensets(capabilities, min_size=1, max_size=5),
    st.frozensets(capabilities, max_size=1),
)
platforms = st.sampled_from(
    [frozenset(), frozenset({"amd64"}), frozenset({"arm64"}), frozenset({"amd64", "arm64"})]
)
images = st.builds(
    Image,
    software=st.sampled_from(["cuda", ""]),
    cuda=st.sampled_from(["", "12", *CUDA]),
    builds=st.lists(torch | others, max_size=2).map(tuple),
    kernels=st.none() | kernels,
    requirements=st.none() | st.lists(st.sampled_from(REQUIREMENTS), max_size=2).map(tuple),
    check_disabled=st.booleans(),
    compat_driver=st.just("") | drivers(),
    compat_forced=st.booleans(),
    platforms=platforms,
)

"""A host that the reader describes: its GPU, its driver, the CUDA that it reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from ninja import Schema
from pydantic import BaseModel, Field

from checks.hosts import Claimed, Hardware, machines
from checks.judgement import judge
from gpucompare.cuda.answer import HostsVerdict
from gpucompare.cuda.image import Image
from gpucompare.rest.problem import fault, unfit
from providers.browse.ranks import HostKey
from providers.browse.world import World
from providers.gpus import resolve

# As the engine compares them; the form that nvidia-smi prints.
DRIVER = r"[0-9]{3,4}(\.[0-9]{1,4}){0,3}"
CUDA = r"[0-9]{1,2}\.[0-9]{1,2}"


class GivenHost(BaseModel, extra="forbid"):
    """What is not given is not known, which is never "no"."""

    gpu: str = Field("", max_length=80, description="A GPU by its slug or any of its names")
    driver: Annotated[str, Field(pattern=f"^({DRIVER})?$")] = Field(
        "", description="NVIDIA driver, such as 550.54.15"
    )
    cuda: Annotated[str, Field(pattern=f"^({CUDA})?$")] = Field(
        "", description="The highest CUDA that nvidia-smi shows; the driver goes before it"
    )

    def __bool__(self) -> bool:
        return bool(self.gpu or self.driver or self.cuda)


class HostQuery(Schema):
    """The same as parameters of an address."""

    host_gpu: str | None = Field(
        None, min_length=1, max_length=80, description="GPU of a host to judge, by slug or name"
    )
    host_driver: Annotated[str, Field(pattern=f"^{DRIVER}$")] | None = Field(
        None, description="Driver of that host, such as 550.54.15"
    )
    host_cuda: Annotated[str, Field(pattern=f"^{CUDA}$")] | None = Field(
        None, description="The highest CUDA that nvidia-smi shows on that host"
    )

    @property
    def host(self) -> GivenHost:
        return GivenHost(
            gpu=self.host_gpu or "", driver=self.host_driver or "", cuda=self.host_cuda or ""
        )


Gpu = tuple[int | None, int | None]  # family and model


def host_verdict(image: Image, host: GivenHost, world: World, names: str) -> HostsVerdict | None:
    """None without a host. Raises ProblemError for a GPU that no table knows.

    `names` is how the parameter is called, with {} in place of gpu.
    """
    if not host:
        return None
    family, model = _gpu(host.gpu, world, names) if host.gpu else (None, None)
    key = HostKey(0, family, model, host.driver, host.cuda)
    known = Hardware(world.families).of(family, model)
    return judge(image, machines(key, known, Claimed()))


def _gpu(told: str, world: World, names: str) -> Gpu:
    models = {g.slug: (f.pk, g.pk) for f in world.families for g in f.models.all()}
    families: dict[str, Gpu] = {f.slug: (f.pk, None) for f in world.families}
    # A family of one and its model are one thing.
    slugs = families | models
    slug = told.strip().casefold()
    for candidate in (slug, *_meanings(told)):
        if candidate in slugs:
            return slugs[candidate]
    raise unfit([fault(names.format("gpu"), told, "value", sorted(slugs))])


def _meanings(told: str) -> Iterator[str]:
    found = resolve(told)
    yield from filter(None, (found.gpu, found.family))

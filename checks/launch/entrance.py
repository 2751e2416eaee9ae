"""From an image and an offering to recipes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from checks.image.reference import parse
from checks.launch import options
from checks.launch.fit import Fit, fit
from checks.launch.shelf import CloudRow, GpuNameRow, Shelf, TemplateRow, shelf
from checks.launch.words import Device, Kind, Offering, Options, Recipe
from checks.launch.write import Order, write
from gpucompare.cuda.tables import Platform, gpu_arch
from providers.gpus import gpu_rows

_ENGINES = frozenset({Kind.SKYPILOT, Kind.DSTACK})
_BY_PLATFORM: dict[Platform, Device | None] = {"cuda": "gpus", "rocm": "rocm", "synapse": None}


def recipes(
    image_reference: str,
    offering: Offering,
    gpu: str = "",
    count: int = 1,
    chosen: Options = Options(),  # noqa: B008 - it cannot be changed
) -> tuple[Recipe, ...]:
    """Every documented way to start the image at the offering, the provider's own first.

    `gpu` is a slug of the GPU table or of a family of it, empty where none is chosen. An engine
    that has no name for the GPU gets no file: it would start another. Raises BadReferenceError
    for what is no reference of an image and BadOptionError for an option that cannot be taken.
    """
    options.check(chosen, gpu, count)
    order = Order(parse(image_reference), gpu, count, chosen)
    found = shelf()
    return tuple(_recipes(found, order, offering))


@dataclass(frozen=True)
class _Match:
    """A template that fits, with what its engine calls the place and the GPU."""

    row: TemplateRow
    fits: Fit
    name: GpuNameRow | None
    cloud: CloudRow | None


def _recipes(found: Shelf, order: Order, offering: Offering) -> Iterator[Recipe]:
    device = _device(found, order, offering)
    for row in found.templates:
        if not _for_device(row, device, order.options):
            continue
        fits = fit(row, offering, order.options.private)
        cloud = found.clouds.get((row.kind, offering.key))
        name = _name(found, row, order, cloud)
        if fits is not None and _engine_takes(row, cloud, name):
            yield _recipe(found, order, _Match(row, fits, name, cloud))


def _device(found: Shelf, order: Order, offering: Offering) -> Device | None:
    """How the container gets the GPU; None: no syntax for this GPU is documented here."""
    own = order.options.device or found.devices.get(offering.key)
    platform = _platform(order.gpu)
    return own or (_BY_PLATFORM[platform] if platform else "gpus")


def _platform(gpu: str) -> Platform | None:
    """What the GPU, or every GPU of the family, is driven with; None: it is not in our table."""
    vendor = next((row.vendor for row in gpu_rows() if gpu in (row.slug, row.family)), "")
    return gpu_arch().platforms.get(vendor)


def _for_device(row: TemplateRow, device: Device | None, chosen: Options) -> bool:
    if row.runtime and row.runtime != chosen.runtime:
        return False
    return not row.device or device in row.device


def _name(
    found: Shelf, row: TemplateRow, order: Order, cloud: CloudRow | None
) -> GpuNameRow | None:
    if row.names is None:
        return None
    return found.gpu_name(row.names, cloud.name if cloud else "", order.gpu)


def _engine_takes(row: TemplateRow, cloud: CloudRow | None, name: GpuNameRow | None) -> bool:
    if row.kind not in _ENGINES:
        return True
    if cloud is None or name is None:
        return False
    return (cloud.takes_image == "yes") == (row.starts == "image")


def _recipe(found: Shelf, order: Order, match: _Match) -> Recipe:
    row = match.row
    machine = _on_machine(found, order) if row.kind is Kind.SKYPILOT else {}
    texts = write(row, order, match.name, match.cloud, machine)
    doubt = ("gpu",) if row.device and _platform(order.gpu) is None else ()
    return Recipe(
        key=row.key,
        kind=row.kind,
        language=row.language,
        text=texts.text,
        first=texts.first,
        then=texts.then,
        source=row.source,
        read_on=row.read_on,
        basis=row.basis,
        warnings=tuple(dict.fromkeys((*match.fits.warnings, *texts.warnings))),
        unknown=tuple(dict.fromkeys((*match.fits.unknown, *doubt))),
        to_set=texts.to_set,
        credential=texts.credential,
    )


def _on_machine(found: Shelf, order: Order) -> dict[str, str]:
    """The commands that an engine runs on a machine which cannot take the image itself."""
    row = next(row for row in found.templates if row.key == "docker-run")
    texts = write(row, replace(order, options=replace(order.options, runtime="docker")))
    return {"docker_run": texts.text, "docker_login": texts.first}

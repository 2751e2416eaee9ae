"""The texts of one recipe, from its template and the values that go into it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from checks.image.reference import Reference
from checks.launch import fill
from checks.launch.shelf import CloudRow, GpuNameRow, TemplateRow
from checks.launch.words import Caution, Credential, Kind, Language, Options

# The names that stand for the credential, in every text of ours.
_CREDENTIALS = re.compile(r"(?:SKYPILOT_DOCKER|REGISTRY)_(?:USERNAME|USER|TOKEN|PASSWORD)")
# Kinds that start what is paid for, so that what they do not pass on is lost.
_STARTERS = frozenset({Kind.PROVIDER_CLI, Kind.PROVIDER_API, Kind.SKYPILOT, Kind.DSTACK})
_PULL_SECRET = "registry"  # noqa: S105 - the name of one
_HUB_SERVER = "https://index.docker.io/v1/"  # what Kubernetes calls docker.io


@dataclass(frozen=True)
class Order:
    """What is to be started: a checked image, and how much of which GPU."""

    image: Reference
    gpu: str  # slug of the GPU table; empty: not chosen
    count: int
    options: Options


@dataclass(frozen=True)
class Texts:
    """The parts of a recipe that its template decides."""

    text: str
    first: str
    then: str
    to_set: tuple[str, ...]
    credential: Credential | None
    warnings: tuple[Caution, ...]


def write(
    row: TemplateRow,
    order: Order,
    name: GpuNameRow | None = None,
    cloud: CloudRow | None = None,
    machine: Mapping[str, str] = MappingProxyType({}),
) -> Texts:
    """The texts of a recipe. `machine` holds the commands for one that an engine starts."""
    values = {**_values(order), **_engine_values(order, name, cloud), **machine}
    if row.body:
        values["body"] = fill.fill_json(row.body, values)
    names = tuple(dict.fromkeys(_names_in(row, values)))
    secret = tuple(each for each in names if _CREDENTIALS.fullmatch(each))
    way = row.credential if order.options.private else None
    return Texts(
        text=_filled(row, values),
        first=fill.fill_shell(row.text_of("first"), values) if order.options.private else "",
        then=fill.fill_shell(row.text_of("then"), values),
        to_set=tuple(each for each in names if each not in secret),
        credential=Credential(way, secret) if way else None,
        warnings=tuple(_cautions(row, order, name)),
    )


def _filled(row: TemplateRow, values: fill.Values) -> str:
    template = row.text_of("template")
    if row.language is Language.SHELL:
        return fill.fill_shell(template, values)
    if row.language is Language.DOCKERFILE:
        return fill.fill_dockerfile(template, values)
    doubled = row.kind in (Kind.COMPOSE, Kind.KUBERNETES)
    return fill.fill_yaml(template, values, fill.doubled_dollars if doubled else str)


def _values(order: Order) -> dict[str, Any]:
    """What every template may ask for."""
    options, image = order.options, order.image
    private = options.private
    return {
        "image": image.familiar,
        "full_image": str(image),
        "registry": image.host,
        "registry_server": _HUB_SERVER if image.host == "docker.io" else image.host,
        "private_registry": image.host if private else None,
        "pull_secret": _PULL_SECRET if private else None,
        "private": private or None,
        "command": options.command,
        "command_line": shlex.join(options.command),
        "name": options.name,
        "count": order.count,
        "region": options.region,
        "instance_type": options.instance_type,
        "cloud": options.cloud,
        "offer": options.offer,
        "min_cuda": options.min_cuda,
        "disk_gb": options.disk_gb,
        "spot_flag": options.spot or None,
    }


def _engine_values(order: Order, name: GpuNameRow | None, cloud: CloudRow | None) -> dict[str, Any]:
    """What the job files of engines and the command lines with names of GPUs ask for."""
    values: dict[str, Any] = {
        "gpu_name": name.name if name else None,
        "gpu_memory": f"{name.memory_gb}GB" if name and name.memory_gb else None,
        **_query_values(order, name),
    }
    if cloud is None:
        return values
    options = order.options
    return {
        **values,
        "cloud": cloud.name,
        "clouds": (cloud.name,),
        "accelerators": {name.name: order.count} if name else None,
        "docker_image": f"docker:{order.image.familiar}",
        "spot": options.spot or None,
        "spot_policy": "spot" if options.spot else "on-demand",
        "command_lines": (shlex.join(options.command),) if options.command else (),
    }


def _query_values(order: Order, name: GpuNameRow | None) -> dict[str, Any]:
    """What finds an offer at a marketplace, where none is chosen yet."""
    if name is None or order.options.offer:
        return {}
    parts = [f"gpu_name={name.name}", f"num_gpus={order.count}"]
    if order.options.min_cuda:
        parts.append(f"cuda_vers>={order.options.min_cuda}")
    return {"query": " ".join(parts), "query_spot": order.options.spot or None}


def _names_in(row: TemplateRow, values: fill.Values) -> Iterator[str]:
    """The names that the reader has to set, in the order in which they are met.

    They are looked for in the templates, never in the texts: a value may hold a dollar, too.
    """
    parts = [row.text_of("first")] if values["private"] else []
    parts += [row.text_of("template"), row.body, row.text_of("then")]
    for part in parts:
        for line in fill.kept(part, values):
            yield from _CREDENTIALS.findall(line)
        if row.language is Language.SHELL or part != row.text_of("template"):
            yield from fill.to_set(part, values)


def _cautions(row: TemplateRow, order: Order, name: GpuNameRow | None) -> list[Caution]:
    options = order.options
    asked = fill.places(row.text_of("template") + row.body)
    searched = "query" in asked and bool(_query_values(order, name))
    wants = {
        Caution.COMMAND_NOT_PASSED: bool(options.command)
        and not asked & {"command", "command_line", "command_lines", "docker_run"},
        Caution.MIN_CUDA_NOT_PASSED: bool(options.min_cuda)
        and not searched
        and "min_cuda" not in asked,
        Caution.DISK_NOT_PASSED: options.disk_gb is not None and "disk_gb" not in asked,
        Caution.SPOT_NOT_PASSED: options.spot and not asked & {"spot", "spot_policy", "spot_flag"},
    }
    # What starts a machine only, leaves the rest to the container that is run on it.
    only_machine = row.starts == "machine" and row.kind is Kind.PROVIDER_API
    heard = {Caution.SPOT_NOT_PASSED} if only_machine else set(wants)
    found = [*row.warnings, *([Caution.STARTS_MACHINE] if only_machine else [])]
    if row.kind in _STARTERS:
        found += [caution for caution, lost in wants.items() if lost and caution in heard]
    if name is not None and name.names_the_form == "no":
        found.append(Caution.GPU_FORM_OPEN)
    if options.private and row.credential is None and not only_machine:
        found.append(Caution.CREDENTIAL_NOT_SHOWN)
    return found

"""Which recipes fit an offering, by its answers. An open answer is a doubt, never a no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from checks.launch.shelf import TemplateRow
from checks.launch.words import Caution, Kind, Offering


@dataclass(frozen=True)
class Need:
    """A question that decides, and the answers that will do; a set needs one member that does."""

    dimension: str
    enough: Mapping[str, Caution | None]  # with what to know about each
    doubt: bool = True  # whether an open answer is one to be told

    def met_by(self, value: Any) -> tuple[bool, Caution | None]:
        members = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        found = [self.enough[member] for member in members if member in self.enough]
        return bool(found), None if None in found or not found else found[0]


@dataclass(frozen=True)
class Fit:
    """A recipe fits; what is to know about it, and which open answers may make it fail."""

    warnings: tuple[Caution, ...] = ()
    unknown: tuple[str, ...] = ()


_DAEMON = Need(
    "docker_daemon",
    {"root": None, "rootless": Caution.DAEMON_ROOTLESS, "nested": Caution.DAEMON_NESTED},
)
_INSTALLED = Need(
    "docker_preinstalled",
    {
        "yes": None,
        "some_images": Caution.DOCKER_ON_SOME_IMAGES,
        "no": Caution.INSTALL_DOCKER,
    },
    doubt=False,
)
_GPU = Need(
    "gpu_passthrough",
    {"automatic": None, "preinstalled": None, "manual": Caution.INSTALL_TOOLKIT},
)
_IMAGE = Need(
    "custom_image",
    {
        "any": None,
        "contract": Caution.IMAGE_CONTRACT,
        "own_registry": Caution.OWN_REGISTRY_ONLY,
    },
)
_USER = Need(
    "container_user", {"any": None, "root": Caution.USER_ROOT, "forced": Caution.USER_FORCED}
)
_WAY_IN = Need("access_modes", {"bring_your_own_image": None, "docker_daemon": None})
_ON_A_MACHINE = (_DAEMON, _INSTALLED, _GPU)
_AS_AN_IMAGE = (_WAY_IN, _IMAGE, _GPU, _USER)
_NEEDS: Mapping[Kind, tuple[Need, ...]] = {
    Kind.COMPOSE: (*_ON_A_MACHINE, Need("multi_container", {"compose": None})),
    Kind.KUBERNETES: (
        Need("multi_container", {"kubernetes": None}),
        # A machine with a daemon is no cluster, whatever it can hold.
        Need("docker_daemon", {"none": None, "nested": None}, doubt=False),
        _IMAGE,
        _GPU,
        _USER,
    ),
    Kind.DOCKERFILE: (Need("custom_image", {"contract": None, "own_registry": None}), _USER),
}
_BY_START: Mapping[str, tuple[Need, ...]] = {
    "container": _ON_A_MACHINE,
    "image": _AS_AN_IMAGE,
    "machine": _ON_A_MACHINE,
}
_PRIVATE = Need(
    "registry_auth", {"docker_login": None, "stored_credentials": None, "cloud_role": None}
)


def fit(row: TemplateRow, offering: Offering, private: bool) -> Fit | None:
    """How a template fits the offering; None where its answers say that it does not."""
    if row.offerings and offering.key not in row.offerings:
        return None
    needs = _NEEDS.get(row.kind, _BY_START[row.starts])
    met = [_met(need, offering) for need in (*needs, *([_PRIVATE] if private else []))]
    if None in met:
        return None
    fits = [each for each in met if each is not None]
    return Fit(
        tuple(caution for each in fits for caution in each.warnings),
        tuple(key for each in fits for key in each.unknown),
    )


def _met(need: Need, offering: Offering) -> Fit | None:
    value = _known(offering, need.dimension)
    if value is None:
        return Fit(unknown=(need.dimension,) if need.doubt else ())
    enough, caution = need.met_by(value)
    if not enough:
        return None
    return Fit((caution,)) if caution else Fit()


def _known(offering: Offering, dimension: str) -> Any:
    """The answer; where the ways in are told and none is a daemon, there is no daemon."""
    value = offering.value(dimension)
    if value is None and dimension == "docker_daemon":
        ways = offering.value("access_modes")
        return "none" if ways and "docker_daemon" not in ways else None
    return value

"""The words of launching: what is asked for, and what a recipe tells. Texts are for the pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Literal

Device = Literal["gpus", "cdi", "rocm"]  # how a container is given the GPU
Runtime = Literal["docker", "podman"]


class Kind(StrEnum):
    """What a recipe is, in the order in which they are shown."""

    PROVIDER_CLI = "provider_cli"
    PROVIDER_API = "provider_api"
    DOCKER_RUN = "docker_run"
    COMPOSE = "compose"
    KUBERNETES = "kubernetes"
    DOCKERFILE = "dockerfile"
    SKYPILOT = "skypilot"
    DSTACK = "dstack"


class Language(StrEnum):
    """In which language the text of a recipe is written."""

    SHELL = "shell"
    YAML = "yaml"
    DOCKERFILE = "dockerfile"


class Way(StrEnum):
    """Where the credential of a private registry goes."""

    DOCKER_LOGIN = "docker_login"  # on the machine, before the run
    OPTION = "option"  # into the command itself
    STORED_FIRST = "stored_first"  # at the provider, by the command before
    CONSOLE = "console"  # at the provider, on its own pages
    PULL_SECRET = "pull_secret"  # into the cluster, by the command before  # noqa: S105
    ENGINE_SECRET = "engine_secret"  # handed over when the job is started  # noqa: S105


class Caution(StrEnum):
    """What to know before a recipe is used; the rows of `tables/launch.csv` name some, too."""

    # The offering's answers.
    DAEMON_ROOTLESS = "daemon_rootless"
    DAEMON_NESTED = "daemon_nested"
    INSTALL_TOOLKIT = "install_toolkit"
    INSTALL_DOCKER = "install_docker"
    DOCKER_ON_SOME_IMAGES = "docker_on_some_images"
    IMAGE_CONTRACT = "image_contract"
    OWN_REGISTRY_ONLY = "own_registry_only"
    USER_ROOT = "user_root"
    USER_FORCED = "user_forced"
    # What was asked for and is not in the text.
    CREDENTIAL_NOT_SHOWN = "credential_not_shown"
    COMMAND_NOT_PASSED = "command_not_passed"
    MIN_CUDA_NOT_PASSED = "min_cuda_not_passed"
    DISK_NOT_PASSED = "disk_not_passed"
    SPOT_NOT_PASSED = "spot_not_passed"
    # How the text behaves.
    GPU_FORM_OPEN = "gpu_form_open"  # the name stands for more than one form of the card
    GPU_MODEL_OPEN = "gpu_model_open"  # the number of GPUs is asked for, not the model
    STARTS_MACHINE = "starts_machine"  # the container is started on the machine afterwards
    NEEDS_CDI = "needs_cdi"
    NEEDS_PYTHON = "needs_python"
    NEEDS_USERADD = "needs_useradd"
    PORT_7860 = "port_7860"
    ENDS_AFTER_30_MIN = "ends_after_30_min"
    DEBIAN_IMAGES_ONLY = "debian_images_only"
    IMAGE_COMMAND_IGNORED = "image_command_ignored"


class OptionFault(StrEnum):
    """What is wrong with an option."""

    CHARACTER = "character"  # a control or direction character, which a terminal would obey
    FORM = "form"
    RANGE = "range"


class BadOptionError(ValueError):
    """An option that cannot be taken. `option` names it; `part` is the piece at fault."""

    def __init__(self, option: str, fault: OptionFault, part: object) -> None:
        super().__init__(f"{option}: {fault}: {part!r}")
        self.option = option
        self.fault = fault
        self.part = part


@dataclass(frozen=True)
class Answer:
    """What is known of one dimension, and the claim that it stands on. None: not known."""

    value: Any = None
    source: str = ""
    basis: str = ""
    read_on: date | None = None
    contradicted: bool = False  # the claims disagree: then `value` is None


@dataclass(frozen=True)
class Offering:
    """An offering as plain data; `answers` by dimension, one that is left out is not known."""

    provider: str
    slug: str
    answers: Mapping[str, Answer] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.provider}/{self.slug}"

    def value(self, dimension: str) -> Any:
        found = self.answers.get(dimension)
        return None if found is None else found.value


@dataclass(frozen=True)
class Options:
    """What the reader may choose. Empty fields are left to the provider or to a variable."""

    command: tuple[str, ...] = ()  # instead of the image's own
    name: str = "gpu-job"
    private: bool = False  # the image's registry asks who pulls
    spot: bool = False
    region: str = ""
    instance_type: str = ""  # the provider's own name of it, as its listing has it
    cloud: str = ""  # where the provider is a broker: the cloud behind the listing
    offer: str = ""  # the id of one offer of a marketplace
    min_cuda: str = ""  # "12.8"
    disk_gb: int | None = None
    device: Device | None = None  # None: by the offering and the GPU
    runtime: Runtime = "docker"


@dataclass(frozen=True)
class Credential:
    """Where a credential goes; `variables` are the names that stand for it in the texts."""

    way: Way
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Recipe:
    """One way to start the image there, ready to paste."""

    key: str
    kind: Kind
    language: Language
    text: str
    first: str  # shell, once before; empty: nothing
    then: str  # shell that makes use of the text when that is a file; empty: nothing
    source: str  # what the template follows
    read_on: date | None  # the day of it; None: not recorded
    basis: str
    warnings: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()  # dimensions (or "gpu") that may make it fail: nobody knows
    to_set: tuple[str, ...] = ()  # variables and words in capitals that are the reader's own
    credential: Credential | None = None

    @property
    def may_not_work(self) -> bool:
        return bool(self.unknown)

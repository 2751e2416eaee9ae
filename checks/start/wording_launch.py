"""Launching in words: every key that a recipe or an option may give."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from checks.launch import Caution, Kind, Language, OptionFault, Way
from checks.start import wording
from providers.answers import Text
from providers.browse.criteria import Ignored

KINDS: Mapping[Kind, Text] = {
    Kind.PROVIDER_CLI: _("The provider's own command line"),
    Kind.PROVIDER_API: _("The provider's own API"),
    Kind.DOCKER_RUN: _("On the machine, by hand"),
    Kind.COMPOSE: _("On the machine, with a Compose file"),
    Kind.KUBERNETES: _("In a cluster"),
    Kind.DOCKERFILE: _("What the image has to bring for this platform"),
    Kind.SKYPILOT: _("An engine that rents for you: SkyPilot"),
    Kind.DSTACK: _("An engine that rents for you: dstack"),
}

# The names of programs and services are the same in every language.
TITLES: Mapping[str, Text] = {
    "docker-run": "docker run",
    "docker-run-cdi": "docker run, CDI",
    "docker-run-rocm": "docker run, ROCm",
    "podman-run": "podman run",
    "compose": "compose.yaml",
    "compose-rocm": "compose.yaml, ROCm",
    "kubernetes": "Kubernetes Pod",
    "kubernetes-amd": "Kubernetes Pod, AMD",
    "runpod-pod": "runpodctl",
    "vast-instance": "vastai",
    "shadeform-instance": "Shadeform API",
    "cloudrift-container": "rift",
    "koyeb-service": "koyeb",
    "hf-job": "hf jobs",
    "nebius-job": "nebius ai job",
    "ovhai-job": "ovhai job",
    "lium-pod": "lium",
    "lambda-machine": "Lambda API",
    "verda-machine": "Verda API",
    "runpod-serverless-dockerfile": "Dockerfile, RunPod Serverless",
    "hf-space-dockerfile": "Dockerfile, Hugging Face Space",
    "ovhai-dockerfile": "Dockerfile, OVHcloud AI",
    "skypilot": "SkyPilot task",
    "skypilot-docker-run": "SkyPilot task, docker run",
    "dstack": "dstack task",
}

LANGUAGES: Mapping[Language, Text] = {
    Language.SHELL: _("Command"),
    Language.YAML: _("File (YAML)"),
    Language.DOCKERFILE: _("Dockerfile"),
}

CAUTIONS: Mapping[Caution, Text] = {
    Caution.DAEMON_ROOTLESS: _(
        "The daemon runs without root rights there: what needs them, such as ports below 1024, "
        "does not work."
    ),
    Caution.DAEMON_NESTED: _("You start the daemon yourself, inside a container or a sandbox."),
    Caution.INSTALL_TOOLKIT: _("Install the NVIDIA Container Toolkit on the machine first."),
    Caution.INSTALL_DOCKER: _("Install Docker on the machine first."),
    Caution.DOCKER_ON_SOME_IMAGES: _(
        "Docker is there on some system images only: choose one of those."
    ),
    Caution.IMAGE_CONTRACT: _(
        "The image has to follow the platform's rules, such as a handler or a port."
    ),
    Caution.OWN_REGISTRY_ONLY: _("Push the image to the provider's own registry first."),
    Caution.USER_ROOT: _("The container runs as root, whatever the image says."),
    Caution.USER_FORCED: _("The container runs as a user that is not root."),
    Caution.CREDENTIAL_NOT_SHOWN: _(
        "Where the credential of a private registry goes is not documented for this way."
    ),
    Caution.COMMAND_NOT_PASSED: _("Your command is not in this text: the image's own runs."),
    Caution.MIN_CUDA_NOT_PASSED: _(
        "The CUDA version you ask for is not in this text: check the host that you get."
    ),
    Caution.DISK_NOT_PASSED: _("The disk size you ask for is not in this text."),
    Caution.SPOT_NOT_PASSED: _("This text does not ask for spot: it rents on demand."),
    Caution.GPU_FORM_OPEN: _("This name stands for more than one form of the card."),
    Caution.GPU_MODEL_OPEN: _(
        "It asks for a number of GPUs, not for the model: choose the nodes that have it."
    ),
    Caution.STARTS_MACHINE: _(
        "It starts the machine alone. The container is started on it afterwards."
    ),
    Caution.NEEDS_CDI: _("The host needs a CDI description of its GPUs (nvidia-ctk cdi generate)."),
    Caution.NEEDS_PYTHON: _("The image needs Python with pip."),
    Caution.NEEDS_USERADD: _("The image needs the program useradd."),
    Caution.PORT_7860: _("The program has to listen on port 7860."),
    Caution.ENDS_AFTER_30_MIN: _("It ends after 30 minutes unless a longer time is asked for."),
    Caution.DEBIAN_IMAGES_ONLY: _("It works with images built on Debian or Ubuntu."),
    Caution.IMAGE_COMMAND_IGNORED: _(
        "The image's own command does not run: give yours, or nothing is started."
    ),
}

CREDENTIALS: Mapping[Way, Text] = {
    Way.DOCKER_LOGIN: _("Log in on the machine, before the run. The token is read from its input."),
    Way.OPTION: _("The credential goes into the command itself, from your own variables."),
    Way.STORED_FIRST: _("Store the credential at the provider once, by the command before."),
    Way.CONSOLE: _("Store the credential on the provider's own pages; no command does it."),
    Way.PULL_SECRET: _("Store the credential in the cluster once, by the command before."),
    Way.ENGINE_SECRET: _("The credential is handed over when the job is started."),
}

OPTION_FAULTS: Mapping[str, Text] = {
    OptionFault.CHARACTER: _("it holds a character that a terminal would obey"),
    OptionFault.FORM: _("it has not the form of such a value"),
    OptionFault.RANGE: _("it is not in the range of such a value"),
    "quotes": _("a quotation in it does not end"),
}

STATES: Mapping[str, Text] = {
    "known": _("Known"),
    "unknown": _("Not known"),
    "contradicted": _("Sources contradict each other"),
}


def notice(ignored: Ignored) -> Text:
    """What of an address was not taken, and why."""
    if (ignored.name, ignored.reason) == ("o", "repeated"):
        return gettext("ignored: o=%(key)s; a launch is at one offering, the first") % {
            "key": ignored.value
        }
    if ignored.reason != "option":
        return wording.notice(ignored)
    words = {"name": ignored.name, "why": OPTION_FAULTS[ignored.allowed[0]]}
    return gettext("ignored: %(name)s; %(why)s") % words

"""Where the FAQ explains what other pages say: one table from their keys to its anchors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from checks.conditions import Condition
from checks.page import NamedLink
from gpucompare.cuda.reasons import Missing, Reason
from providers.answers import Text

ANCHORS: Mapping[str, str] = {
    Reason.REQUIRE_GATE: "driver-i-cannot-change",
    Reason.BELOW_MINOR_FLOOR: "driver-i-cannot-change",
    Reason.NO_MINOR_COMPAT_BEFORE_11: "driver-i-cannot-change",
    Reason.DEPENDS_ON_HOST: "driver-i-cannot-change",
    Missing.HOST_DRIVER: "driver-i-cannot-change",
    Reason.FRAMEWORK_CUDA_NEWER_THAN_BASE: "cpu-fallback",
    Reason.ARCH_DROPPED_BY_CUDA: "cuda-13-old-gpus",
    Reason.FRAMEWORK_ARCH_LIST: "new-gpus",
    Reason.EXTENSION_ARCH_LIST: "new-gpus",
    Reason.OWN_KERNELS: "new-gpus",
    Reason.CUBIN_MAJOR_DIFFERS: "new-gpus",
    Reason.GPU_NEWER_THAN_TOOLKIT: "new-gpus",
    Reason.PLATFORM_MISMATCH: "arm64-hosts",
    Condition.CURATED_ONLY: "same-image-everywhere",
    Condition.IMAGE_CONTRACT: "same-image-everywhere",
    Condition.OWN_REGISTRY: "same-image-everywhere",
    Condition.NO_CREDENTIALS: "private-registry-login",
    Condition.CREDENTIALS_UNKNOWN: "private-registry-login",
    Condition.CREDENTIALS_NEEDED: "private-registry-login",
    Condition.REFUSED_IF_PRIVATE: "private-registry-login",
    Condition.GPU_BY_HAND: "driver-in-image",
    Condition.NOT_ROOT: "user-in-the-container",
    Condition.AS_ROOT: "user-in-the-container",
    Condition.ENTRYPOINT_REPLACED: "ssh-and-entrypoint",
    # The parts of the page of a first start.
    "cold.phases": "running-is-not-ready",
    "cold.bill": "who-pays-for-the-pull",
    "cold.ways": "weights-in-image-or-volume",
    "cold.spot": "interrupted-capacity",
}
# What links to an answer are called. They stand in hundreds of rows: short.
NAMES: Mapping[str, Text] = {
    "driver-i-cannot-change": _("The driver you cannot change"),
    "cpu-fallback": _("When it falls back to the CPU"),
    "cuda-13-old-gpus": _("CUDA 13 and older GPUs"),
    "new-gpus": _("Images and GPUs of another generation"),
    "arm64-hosts": _("Hosts with an Arm CPU"),
    "same-image-everywhere": _("One image at several providers"),
    "private-registry-login": _("Logins for private images"),
    "driver-in-image": _("Driver and toolkit"),
    "user-in-the-container": _("The user in the container"),
    "ssh-and-entrypoint": _("SSH and the entrypoint"),
    "running-is-not-ready": _("Running is not ready"),
    "who-pays-for-the-pull": _("Who pays for the pull"),
    "weights-in-image-or-volume": _("Weights in the image or on a volume"),
    "interrupted-capacity": _("When capacity is taken back"),
}


def explained(keys: Iterable[str]) -> tuple[NamedLink, ...]:
    """Links to the answers that explain these keys, each answer once, in the keys' order."""
    anchors = dict.fromkeys(ANCHORS[key] for key in keys if key in ANCHORS)
    faq = reverse("faq")
    return tuple(NamedLink(str(NAMES[anchor]), f"{faq}#{anchor}") for anchor in anchors)

"""Questions that renters come with, as ready-made Criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext_lazy as _

from providers.answers import Text
from providers.browse.criteria import Criteria, place


@dataclass(frozen=True)
class PresetQuestion:
    key: str
    label: Text
    help: Text
    asks: Mapping[str, tuple[str, ...]]

    def applied(self, criteria: Criteria) -> Criteria:
        """This question in place of the filters in use; the view stays as it is."""
        view = criteria.unfiltered()
        values = sorted((*view.values, *self.asked.values), key=lambda one: place(one[0]))
        return Criteria(tuple(values), criteria.usd_per_unit, criteria.beside)

    def is_asked(self, criteria: Criteria) -> bool:
        return tuple(criteria.filters()) == self.asked.values

    @cached_property
    def asked(self) -> Criteria:
        """The filters that it stands for, and nothing else."""
        return Criteria.of(self.asks)


_CREDENTIALS = ("docker_login", "stored_credentials", "cloud_role")

PRESETS = (
    PresetQuestion(
        "own_image",
        _("Bring my own image"),
        _("Any image from a registry, unchanged."),
        {"custom_image": ("any",)},
    ),
    PresetQuestion(
        "build",
        _("Build images on the box"),
        _("A real daemon: root, rootless or nested."),
        {"docker_daemon": ("root", "rootless", "nested")},
    ),
    PresetQuestion(
        "private",
        _("Private code and weights"),
        _("Own images from a private registry, with credentials."),
        {"custom_image": ("any", "contract"), "registry_auth": _CREDENTIALS},
    ),
    PresetQuestion(
        "compose",
        _("Model server plus database (Compose)"),
        _("Several containers together with Docker Compose."),
        {"multi_container": ("compose",)},
    ),
    PresetQuestion(
        "train",
        _("Train and fine-tune"),
        _("Own image, the GPU in the container, and storage that outlives the instance."),
        {
            "custom_image": ("any", "contract"),
            "gpu_passthrough": ("automatic", "preinstalled"),
            "persistent_volume": ("network", "object_mount"),
        },
    ),
    PresetQuestion(
        "interruption",
        _("Survives interruption"),
        _("Interruptible capacity, with data kept apart from the instance."),
        {
            "custom_image": ("any", "contract"),
            "persistent_volume": ("network", "object_mount"),
            "spot": ("yes",),
        },
    ),
    PresetQuestion(
        "by_second",
        _("Paid by the second"),
        _("Time is billed in steps of one second."),
        {"billing_increment_s": ("1",)},
    ),
    PresetQuestion(
        "ci",
        _("CI on real GPUs"),
        _("Own image from a private registry, billed by the second or the minute."),
        {
            "custom_image": ("any",),
            "registry_auth": _CREDENTIALS,
            "billing_increment_s": ("1", "60"),
        },
    ),
    PresetQuestion(
        "serve",
        _("Serve what I tested"),
        _("The very image that was tested, pulled with credentials, the GPU without work."),
        {
            "custom_image": ("any",),
            "registry_auth": _CREDENTIALS,
            "gpu_passthrough": ("automatic", "preinstalled"),
        },
    ),
    PresetQuestion(
        "notebook",
        _("Just a notebook"),
        _("A Jupyter session is offered."),
        {"jupyter": ("yes",)},
    ),
)

"""Every question the program asks about an offering, declared once.

The form, the facets, the columns, the admin, the catalog's validation and the
exports all read :data:`DIMENSIONS`. Adding a dimension touches this file, a
migration and the catalog, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from providers.answers import Dimension, Grade, Kind, Look, Text, Value

YES, PARTLY, NO = Grade.YES, Grade.PARTLY, Grade.NO

GROUPS: dict[str, Text] = {
    "image": _("Image"),
    "daemon": _("Docker and containers"),
    "gpu": _("GPU, driver and CUDA"),
    "storage": _("Storage"),
    "billing": _("Billing and interruption"),
    "access": _("Access and start"),
}


def yes_no(yes: Grade = YES, no: Grade = NO) -> tuple[Value, ...]:
    """The two answers of a yes/no question; the grades say which one helps a renter."""
    return (
        Value("yes", pgettext_lazy("answer", "Yes"), yes),
        Value("no", pgettext_lazy("answer", "No"), no),
    )


# A table: one value a line or two reads better than the formatter's six.
# fmt: off
_DECLARED = (
    Dimension(
        "custom_image", Kind.CHOICE, "image",
        label=_("Own image"),
        question=_("Can you run any image of your own, or only the provider's selection?"),
        settled_by=Look(_("Start your own image: does the form take any registry address?")),
        main=True,
        values=(
            Value("any", _("Any image"), YES, _("Any image from a registry starts as it is.")),
            Value("contract", _("By contract"), PARTLY,
                  _("Any image, if it follows the platform's rules or lets itself be rebuilt.")),
            Value("own_registry", _("Own registry"), PARTLY,
                  _("Only images pushed to the provider's own registry.")),
            Value("curated_only", _("Curated only"), NO,
                  _("Only images from the provider's own selection.")),
        ),
    ),
    Dimension(
        "docker_daemon", Kind.CHOICE, "daemon",
        label=_("Docker daemon"),
        question=_("Do you get a real Docker daemon, and with which rights?"),
        settled_by=Look(_("Ask a running instance for the server; an error means there is none."),
                        "docker info"),
        main=True,
        values=(
            Value("root", _("Root"), YES, _("A real daemon that you control as root.")),
            Value("rootless", _("Rootless"), PARTLY, _("A real daemon without root rights.")),
            Value("nested", _("Nested"), PARTLY,
                  _("A daemon of your own inside a privileged container or a sandbox.")),
            Value("none", pgettext_lazy("docker daemon", "None"), NO,
                  _("No daemon: a container runs for you, and you cannot build or start others.")),
        ),
    ),
    Dimension(
        "registry_auth", Kind.SET, "image",
        label=_("Private registry"),
        short=_("Private registry"),
        question=_("Can you pull from a private registry with credentials?"),
        settled_by=Look(_("Try to start from a private image of yours; else log in and pull."),
                        "docker login && docker pull REGISTRY/IMAGE"),
        main=True,
        values=(
            Value("docker_login", _("docker login"), YES,
                  _("You log in on your own machine, as anywhere.")),
            Value("stored_credentials", _("Stored login"), YES,
                  _("The platform keeps a user name and a token for the pull.")),
            Value("cloud_role", _("Cloud role"), YES,
                  _("An identity of the cloud may pull; no secret is stored.")),
            Value("no", pgettext_lazy("private registry", "No"), NO, _("Public images only.")),
        ),
    ),
    Dimension(
        "gpu_passthrough", Kind.CHOICE, "gpu",
        label=_("GPU passthrough"),
        short=_("GPU in container"),
        question=_("Does the container see the GPU without work of yours?"),
        settled_by=Look(_("Start a small container with the GPU on a fresh instance."),
                        "docker run --rm --gpus all ubuntu nvidia-smi"),
        main=True,
        values=(
            Value("automatic", _("Automatic"), YES,
                  _("The platform puts the GPU in the container.")),
            Value("preinstalled", _("Preinstalled"), YES,
                  _("The NVIDIA Container Toolkit is on the machine; you pass --gpus.")),
            Value("manual", _("By hand"), PARTLY,
                  _("You install the NVIDIA Container Toolkit yourself.")),
            Value("none", pgettext_lazy("gpu passthrough", "None"), NO,
                  _("Containers cannot reach the GPU.")),
        ),
    ),
    Dimension(
        "driver_kind", Kind.CHOICE, "gpu",
        label=_("Host driver and CUDA"),
        short=_("Driver and CUDA"),
        question=_("Which host driver will the container meet, and who decides?"),
        settled_by=Look(_("Compare the drivers of two instances that were started apart."),
                        "nvidia-smi --query-gpu=driver_version --format=csv"),
        main=True,
        details=("driver", "cuda_max"),
        values=(
            Value("exact", _("Exact"), YES, _("One driver version is stated.")),
            Value("branches", _("Branches"), YES,
                  _("One of several driver branches, by image or setting.")),
            Value("minimum", _("At least"), PARTLY, _("A lowest version is guaranteed.")),
            Value("managed", _("Managed"), PARTLY, _("The platform decides and may change it.")),
            Value("renter_installs", _("You install"), PARTLY,
                  _("The machine comes without a driver; you install the one you want.")),
        ),
    ),
    Dimension(
        "persistent_volume", Kind.CHOICE, "storage",
        label=_("Persistent volume"),
        short=_("Volume"),
        question=_("Is there storage that outlives the instance?"),
        settled_by=Look(_("Write a file, delete the instance, start another: is it there?"),
                        "df -h; findmnt"),
        main=True,
        values=(
            Value("network", pgettext_lazy("volume", "Network"), YES,
                  _("Outlives the instance and attaches to another one.")),
            Value("object_mount", _("Bucket mount"), PARTLY,
                  _("A bucket of object storage, mounted as files.")),
            Value("host_pinned", _("Host-pinned"), PARTLY,
                  _("Outlives the instance but is tied to one machine.")),
            Value("instance", pgettext_lazy("volume", "Instance"), PARTLY,
                  _("Survives a stop, not a deletion.")),
            Value("no", pgettext_lazy("volume", "No"), NO, _("Nothing survives.")),
        ),
    ),
    Dimension(
        "multi_container", Kind.CHOICE, "daemon",
        label=_("Several containers, Compose"),
        short=_("Containers"),
        question=_("Can several containers run together, with Compose or otherwise?"),
        settled_by=Look(_("Bring two services up together."),
                        "docker compose version && docker compose up"),
        main=True,
        values=(
            Value("compose", _("Compose"), YES, _("Docker Compose works.")),
            Value("kubernetes", _("Kubernetes"), YES, _("Several containers, as pods.")),
            Value("sidecars", _("Sidecars"), PARTLY,
                  _("Extra containers beside the main one, in the platform's own form.")),
            Value("single", _("Single"), NO, _("One container an instance.")),
        ),
    ),
    Dimension(
        "access_modes", Kind.SET, "image",
        label=_("Ways in"),
        question=_("In which of the three ways is Docker support given?"),
        settled_by=Look(_("Read the last step of the order form: image, template or machine?")),
        on_offering=True,
        values=(
            Value("docker_daemon", _("Docker daemon"), YES,
                  _("A real daemon, with several containers of your own.")),
            Value("bring_your_own_image", _("Bring your own image"), YES,
                  _("A registry address becomes the environment of the instance.")),
            Value("base_image", _("Base image"), PARTLY,
                  _("A session inside a container that the provider maintains.")),
        ),
    ),
    Dimension(
        "registries", Kind.HOSTS, "image",
        label=_("Registries"),
        question=_("From which registries can images come?"),
        settled_by=Look(_("Start from an image in each registry that matters to you."),
                        "docker pull ghcr.io/OWNER/IMAGE"),
    ),
    Dimension(
        "max_image_gb", Kind.NUMBER, "image",
        label=_("Largest image"),
        question=_("How large may an image be?"),
        settled_by=Look(_("Read the size of the root disk, then start an image that fills it."),
                        "df -h /"),
        unit=_("GB"),
    ),
    Dimension(
        "image_cache", Kind.YES_NO, "image",
        label=_("Image cache"),
        question=_("Are layers kept between starts, so that the next pull is shorter?"),
        settled_by=Look(_("Start the same image twice and compare how long each pull took."),
                        "time docker pull IMAGE"),
        values=yes_no(),
    ),
    Dimension(
        "container_user", Kind.CHOICE, "image",
        label=_("User in the container"),
        question=_("As which user does the container run?"),
        settled_by=Look(_("Ask inside an image that sets a USER of its own."), "id"),
        values=(
            Value("any", _("Any user"), YES, _("The image's own user, whichever it is.")),
            Value("root", pgettext_lazy("container user", "Root"), PARTLY, _("Always root.")),
            Value("forced", _("Forced"), NO, _("The platform sets a user that is not root.")),
        ),
    ),
    Dimension(
        "docker_preinstalled", Kind.CHOICE, "daemon",
        label=_("Docker preinstalled"),
        question=_("Is Docker on the machine when it starts?"),
        settled_by=Look(_("Ask on a fresh machine, before you install anything."),
                        "docker --version"),
        values=(
            Value("yes", pgettext_lazy("answer", "Yes"), YES),
            Value("some_images", _("Some images"), PARTLY, _("On some system images only.")),
            Value("no", pgettext_lazy("answer", "No"), NO),
        ),
    ),
    Dimension(
        "privileged", Kind.YES_NO, "daemon",
        label=_("Privileged containers"),
        question=_("May containers run privileged, for Docker inside Docker?"),
        settled_by=Look(_("Try to mount something in a privileged container."),
                        "docker run --rm --privileged alpine mount -t tmpfs none /mnt"),
        values=yes_no(),
    ),
    Dimension(
        "isolation", Kind.CHOICE, "daemon",
        label=_("Isolation"),
        question=_("What separates you from other renters?"),
        settled_by=Look(_("See what the machine says it runs on."),
                        "systemd-detect-virt; cat /proc/1/cgroup"),
        values=(
            Value("bare_metal", _("Bare metal"), YES, _("A whole machine of your own.")),
            Value("vm", _("VM"), YES, _("A virtual machine of your own.")),
            Value("microvm", _("microVM"), YES, _("A small virtual machine for each container.")),
            Value("gvisor", _("gVisor"), PARTLY, _("A kernel in user space stands between.")),
            Value("container", pgettext_lazy("isolation", "Container"), PARTLY,
                  _("A container on a kernel shared with others.")),
        ),
    ),
    Dimension(
        "driver", Kind.VERSIONS, "gpu",
        label=_("Driver version"),
        question=_("Which NVIDIA driver versions do hosts have?"),
        settled_by=Look(_("Read the version on a running instance."),
                        "nvidia-smi --query-gpu=driver_version --format=csv"),
    ),
    Dimension(
        "cuda_max", Kind.VERSION, "gpu",
        label=_("Highest CUDA"),
        question=_("Which is the highest CUDA version that the host driver reports?"),
        settled_by=Look(_("Read the heading of its table: the driver names the highest CUDA."),
                        "nvidia-smi"),
    ),
    Dimension(
        "cuda_min", Kind.VERSION, "gpu",
        label=_("Guaranteed CUDA"),
        question=_("Which CUDA version is a renter sure to get at least?"),
        settled_by=Look(_("Ask support which version every host has; one host shows its own."),
                        "nvidia-smi"),
    ),
    Dimension(
        "driver_selectable", Kind.YES_NO, "gpu",
        label=_("Choose the driver"),
        question=_("Can you choose a driver or CUDA version before the start?"),
        settled_by=Look(_("Look for a driver or CUDA version in the order form and in the API.")),
        values=yes_no(),
    ),
    Dimension(
        "driver_changeable", Kind.YES_NO, "gpu",
        label=_("Replace the driver"),
        question=_("Can you replace the driver on the machine?"),
        settled_by=Look(_("See whether the kernel module can be taken out."),
                        "sudo modprobe -r nvidia"),
        values=yes_no(),
    ),
    Dimension(
        "billed_during_pull", Kind.YES_NO, "billing",
        label=_("Billed during the pull"),
        question=_("Does the meter run while the image downloads?"),
        settled_by=Look(_("Start an image of 20 GB; compare the bill with the time it was up.")),
        values=yes_no(yes=NO, no=YES)[::-1],
    ),
    Dimension(
        "billing_increment_s", Kind.NUMBER, "billing",
        label=_("Billing increment"),
        question=_("In which steps is time billed?"),
        settled_by=Look(_("Run an instance for 70 seconds and read the bill.")),
        unit=pgettext_lazy("unit", "s"),
    ),
    Dimension(
        "stop_stops_billing", Kind.CHOICE, "billing",
        label=_("Stop ends billing"),
        question=_("Does stopping the instance stop the bill?"),
        settled_by=Look(_("Stop an instance for an hour and read the bill.")),
        values=(
            Value("yes", pgettext_lazy("answer", "Yes"), YES),
            Value("storage_only", _("Except storage"), PARTLY,
                  _("Compute stops, the disk goes on.")),
            Value("no", pgettext_lazy("answer", "No"), NO),
            Value("cannot_stop", _("Cannot stop"), NO, _("It can only be deleted.")),
        ),
    ),
    Dimension(
        "spot", Kind.YES_NO, "billing",
        label=_("Spot"),
        question=_("Is interruptible capacity offered?"),
        settled_by=Look(_("Look for spot, interruptible or preemptible in the price list.")),
        values=yes_no(),
    ),
    Dimension(
        "spot_notice_s", Kind.NUMBER, "billing",
        label=_("Spot notice"),
        question=_("How long before an interruption are you warned?"),
        settled_by=Look(_("Ask support, or catch the signal and note the time until the end."),
                        "trap date TERM; sleep infinity & wait; date; sleep infinity"),
        unit=pgettext_lazy("unit", "s"),
    ),
    Dimension(
        "ssh", Kind.YES_NO, "access",
        label=_("SSH"),
        question=_("Can you log in over SSH?"),
        settled_by=Look(_("Look for a key in the order form; then log in."), "ssh USER@HOST"),
        values=yes_no(),
    ),
    Dimension(
        "jupyter", Kind.YES_NO, "access",
        label=_("Jupyter"),
        question=_("Is a Jupyter session offered?"),
        settled_by=Look(_("Look for a notebook link beside a running instance."),
                        "jupyter --version"),
        values=yes_no(),
    ),
    Dimension(
        "cold_start", Kind.TEXT, "access",
        label=_("Cold start"),
        question=_("What does the provider say about the time of a first start?"),
        settled_by=Look(_("Start your image three times and note the times until it answers."),
                        "time curl --retry 99 --retry-all-errors URL"),
    ),
)
# fmt: on

DIMENSIONS: Mapping[str, Dimension] = MappingProxyType({d.key: d for d in _DECLARED})
MAIN: tuple[Dimension, ...] = tuple(d for d in _DECLARED if d.main)
CLAIMED: tuple[Dimension, ...] = tuple(d for d in _DECLARED if not d.on_offering)

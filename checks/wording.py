"""Verdicts in words: every key that the engine and the conditions of offerings may give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from checks.conditions import Condition
from gpucompare.cuda.answer import Run, Standing, Start
from gpucompare.cuda.reasons import Fix, Missing, Reason
from providers.answers import Text

# Headings of the table's parts, and what each means.
HEADINGS: Mapping[Standing, Text] = {
    Standing.RUNS: pgettext_lazy("verdict", "Runs unchanged"),
    Standing.CONDITION: pgettext_lazy("verdict", "Runs with a condition"),
    Standing.UNKNOWN: pgettext_lazy("verdict", "Not known"),
    Standing.FAILS: pgettext_lazy("verdict", "Fails"),
}
MEANINGS: Mapping[Standing, Text] = {
    Standing.RUNS: _("On at least one GPU there, as the image is. Least to do first, then price."),
    Standing.CONDITION: _("It runs if something is done, or on some of the hosts one may get."),
    Standing.UNKNOWN: _(
        "A fact is missing that would settle it. Ask the provider, or start the smallest instance "
        "and look."
    ),
    Standing.FAILS: _("On none of its GPUs, for the reason that stands beside it."),
}

STARTS: Mapping[Start, Text] = {
    Start.PASSES: _("The check of the driver before the start lets it in."),
    Start.REFUSED: _("It is refused before it starts: the image asks for another host."),
    Start.NOT_CHECKED: _("Nothing checks the driver before the start."),
    Start.UNKNOWN: _("It is not known whether the check before the start lets it in."),
}

RUNS: Mapping[Run, Text] = {
    Run.RUNS: _("CUDA works"),
    Run.RUNS_MINOR_COMPAT: _("Works by minor-version compatibility"),
    Run.RUNS_WITH_COMPAT_PACKAGE: _("Works with the compat package"),
    Run.UNKNOWN: _("Not known"),
    Run.FAILS_COMPAT_LIBRARY: _("The compat library breaks it"),
    Run.FAILS_DRIVER_TOO_OLD: _("Driver too old"),
    Run.FAILS_ARCH_TOO_NEW: _("GPU too new for this build"),
    Run.FAILS_ARCH_DROPPED: _("GPU no longer supported by this build"),
    Run.FAILS_PLATFORM: _("Built for another CPU"),
    Run.NOT_CUDA: _("Another kind of accelerator"),
}

REASONS: Mapping[Reason, Text] = {
    # start
    Reason.REQUIRE_GATE: _(
        "NVIDIA_REQUIRE_CUDA in the image asks for a newer driver than the host has."
    ),
    Reason.REQUIRE_GATE_BRANCH_TERM: _(
        "The image names this driver branch as an exception, so the check before the start lets "
        "it in."
    ),
    Reason.REQUIRE_DISABLED: _("The image turns the check before the start off."),
    Reason.REQUIRE_INVALID: _(
        "What the image asks of the host cannot be read, and then the container is refused."
    ),
    Reason.REQUIRE_NOT_READ: _("What the image asks of the host was not read."),
    Reason.MODE_DOES_NOT_CHECK: _("The host hands GPUs over by CDI, which checks nothing."),
    Reason.REFUSED_IN_LEGACY_MODE: _(
        "Where the host's container runtime works in legacy mode, the container is refused; "
        "under CDI it starts."
    ),
    # software and hardware of another kind
    Reason.AMD_HOST: _("The GPU is AMD's: CUDA does not run there."),
    Reason.OTHER_ACCELERATOR_HOST: _("The accelerator is no NVIDIA GPU: CUDA does not run there."),
    Reason.ROCM_IMAGE: _("The image is built for ROCm, which needs an AMD GPU."),
    Reason.ROCM_NOT_JUDGED: _("ROCm images are not judged here yet."),
    Reason.NEEDS_NO_GPU: _("The image computes on the CPU: no driver is asked for."),
    Reason.PLATFORM_MISMATCH: _("The image is not built for the CPU of this host."),
    # kernels
    Reason.ARCH_DROPPED_BY_CUDA: _("The image's CUDA no longer builds for this GPU."),
    Reason.FRAMEWORK_ARCH_LIST: _("The framework's build holds no code for this GPU."),
    Reason.EXTENSION_ARCH_LIST: _("An extension in the image holds no code for this GPU."),
    Reason.OWN_KERNELS: _("The image's own code is compiled for other GPUs."),
    Reason.CUBIN_SAME_MAJOR: _(
        "Its code was compiled for an older GPU of the same generation, which runs on this one."
    ),
    Reason.CUBIN_MAJOR_DIFFERS: _(
        "Its code was compiled for another generation of GPUs, and nothing in it can be "
        "translated for this one."
    ),
    Reason.COMPILED_FROM_PTX: _("Its code is translated for this GPU at the first start."),
    Reason.GPU_NEWER_THAN_TOOLKIT: _("The GPU came after the image's CUDA, which knows no such."),
    Reason.BUILD_DEFAULT_ARCH: _(
        "Who compiles with this CUDA and names no GPU gets no code for one as old as this."
    ),
    Reason.BUILD_NOT_IN_TABLE: _("For which GPUs this build was compiled is not in our tables."),
    Reason.EXTENSION_CUDA_NOT_COVERED: _(
        "An extension is not known to exist for the CUDA of this build."
    ),
    Reason.GPU_NOT_IN_TABLE: _("The GPU is not in our tables."),
    # driver
    Reason.BACKWARD_COMPATIBLE: _("The driver is as new as the image's CUDA, or newer."),
    Reason.MINOR_COMPAT: _(
        "The driver is older than the image's CUDA, but new enough for its major version."
    ),
    Reason.PTX_NEWER_THAN_DRIVER: _(
        "Code that is translated at the start (PTX, JIT) fails on a driver older than the "
        "image's CUDA, with error 222."
    ),
    Reason.BELOW_MINOR_FLOOR: _(
        "The driver is older than the lowest that the image's CUDA major version works with."
    ),
    Reason.NO_MINOR_COMPAT_BEFORE_11: _("Before CUDA 11 the driver has to be as new as CUDA."),
    Reason.FRAMEWORK_CUDA_NEWER_THAN_BASE: _(
        "The framework brings a newer CUDA than the base image: that one has to fit the driver."
    ),
    Reason.FRAMEWORK_CUDA_OLDER_THAN_BASE: _(
        "The framework brings an older CUDA than the base image: that one has to fit the driver."
    ),
    Reason.DRIVER_NOT_KNOWN: _("The driver of the host is not known."),
    Reason.DRIVER_FLOOR_NOT_CONFIRMED: _(
        "With which driver this GPU began to work is not confirmed."
    ),
    Reason.DRIVER_PATCH_NOT_KNOWN: _("Only the branch of the driver is known, not its release."),
    Reason.CUDA_AS_REPORTED: _(
        "Judged by the CUDA version that the host reports; its driver is not known."
    ),
    Reason.CUDA_NOT_EXACT: _("Only a part of the image's CUDA version is known."),
    Reason.CUDA_NOT_IN_TABLE: _("The image's CUDA version is not in our tables."),
    # the compat library
    Reason.COMPAT_PACKAGE: _("The compat package in the image makes up for the older driver."),
    Reason.COMPAT_NOT_USED: _("The compat package in the image is not used on this host."),
    Reason.COMPAT_NOT_KNOWN: _("Whether the image holds the compat package is not known."),
    Reason.COMPAT_NOT_ELIGIBLE: _("The compat package does not work on this kind of GPU."),
    Reason.COMPAT_BRANCH_NOT_LISTED: _(
        "NVIDIA does not list this driver branch for the compat package in the image."
    ),
    Reason.COMPAT_BRANCH_DISPUTED: _(
        "Sources disagree on whether the compat package works with this driver branch."
    ),
    Reason.COMPAT_ON_GEFORCE_804: _(
        "The compat library in the image does not work on GeForce: error 804."
    ),
    Reason.COMPAT_FORCED_ON_NEWER_DRIVER_803: _(
        "The image forces its compat library on a newer driver: error 803."
    ),
    # several hosts
    Reason.DEPENDS_ON_HOST: _("It depends on which host one gets."),
}

FIXES: Mapping[Fix, Text] = {
    Fix.NEWER_DRIVER: _("Choose a host with a newer driver"),
    Fix.INSTALL_DRIVER: _("Install a newer driver, which you may do here"),
    Fix.OLDER_IMAGE: _("Use an image with an older CUDA"),
    Fix.DISABLE_REQUIRE: _("Set NVIDIA_DISABLE_REQUIRE=1 for the container"),
    Fix.CORRECT_REQUIREMENT: _("Correct NVIDIA_REQUIRE_CUDA in the image"),
    Fix.NEWER_BUILD: _("Use a build with a newer CUDA"),
    Fix.OLDER_BUILD: _("Use a build with an older CUDA"),
    Fix.USE_CU126_BUILD: _("Use the build for CUDA 12.6, which still holds code for this GPU"),
    Fix.OTHER_GPU: _("Choose another GPU"),
    Fix.SHIP_SASS: _("Compile for this GPU in the build, not at the start"),
    Fix.ARM64_IMAGE: _("Build the image for arm64 too"),
    Fix.AMD64_IMAGE: _("Build the image for amd64 too"),
    Fix.ROCM_IMAGE: _("Use an image for ROCm"),
    Fix.CUDA_IMAGE: _("Use an image for CUDA"),
    Fix.COMPAT_PACKAGE: _("Add the cuda-compat package to the image"),
    Fix.NO_COMPAT_LIBRARY: _("Remove the compat library from the image"),
    Fix.UNFORCE_COMPAT_LIBRARY: _("Take the compat directory off the image's library path"),
}

MISSING: Mapping[Missing, Text] = {
    Missing.IMAGE_SOFTWARE: _("whether the image computes with CUDA"),
    Missing.IMAGE_CUDA: _("the image's CUDA version"),
    Missing.IMAGE_KERNELS: _("for which GPUs the image's code was compiled"),
    Missing.IMAGE_REQUIREMENTS: _("what the image asks of the host"),
    Missing.IMAGE_COMPAT_DRIVER: _("the compat library in the image"),
    Missing.IMAGE_PLATFORMS: _("for which CPUs the image is built"),
    Missing.HOST_GPU: _("whether its GPU is NVIDIA's"),
    Missing.HOST_DRIVER: _("the driver of the host"),
    Missing.HOST_CAPABILITY: _("which GPU it is"),
    Missing.HOST_BRAND: _("what kind of board the GPU is"),
    Missing.HOST_CPU: _("the CPU of the host"),
    Missing.HOST_MODE: _("how the host hands GPUs to containers"),
    Missing.TOOLKIT_FACTS: _("which driver the image's CUDA needs"),
}

CONDITIONS: Mapping[Condition, Text] = {
    Condition.CURATED_ONLY: _("Only images from the provider's own selection can be started."),
    Condition.IMAGE_CONTRACT: _(
        "The image has to follow the platform's rules, such as a handler or a port."
    ),
    Condition.OWN_REGISTRY: _("The image has to be pushed to the provider's own registry first."),
    Condition.OWN_IMAGE_UNKNOWN: _("It is not known whether images of your own can be started."),
    Condition.REGISTRY_NOT_TAKEN: _(
        "Images do not come from that registry there: copy it to one that is taken."
    ),
    Condition.NO_CREDENTIALS: _("The image is private, and no credentials are taken."),
    Condition.CREDENTIALS_UNKNOWN: _(
        "The image is private, and it is not known whether credentials are taken."
    ),
    Condition.CREDENTIALS_NEEDED: _("The image is private: give credentials for its registry."),
    Condition.TAKEN_IF_PRIVATE: _("If the image is private: credentials for a registry are taken."),
    Condition.REFUSED_IF_PRIVATE: _(
        "If the image is private: it cannot be pulled, for no credentials are taken."
    ),
    Condition.NO_GPU: _("Containers cannot reach the GPU."),
    Condition.GPU_BY_HAND: _("You install the NVIDIA Container Toolkit yourself."),
    Condition.GPU_UNKNOWN: _("It is not known whether the container sees the GPU."),
    Condition.TOO_LARGE: _("The image is larger than what is taken."),
    Condition.MAYBE_TOO_LARGE: _("Unpacked, the image is larger than the stated limit."),
    Condition.NOT_ROOT: _(
        "The platform forces a user that is not root, and the image starts as root."
    ),
    Condition.AS_ROOT: _("The container is started as root, whatever the image says."),
    Condition.ENTRYPOINT_REPLACED: _(
        "To bring SSH in, the platform may start something else than the image's entrypoint."
    ),
}


def texts(words: Mapping[Any, Text], keys: tuple[str, ...]) -> tuple[Text, ...]:
    """The texts of keys in their order. A key without a text shows itself: it is never lost."""
    return tuple(words.get(key, key) for key in keys)

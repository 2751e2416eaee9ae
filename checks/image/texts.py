"""In words: what is wrong with a reference, what a reading is at, and why it failed.

Each says what happened and what to do about it.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from checks.image.reasons import Reason
from checks.image.reference import Fault
from checks.image.registry import Phase

FAULTS = {
    Fault.EMPTY: _("There is no image name. Enter one, such as pytorch/pytorch:latest."),
    Fault.TOO_LONG: _("This is longer than the name of any image. Shorten it."),
    Fault.SPACE: _(
        "An image name holds no spaces. Enter the name alone, without docker pull or options."
    ),
    Fault.SCHEME: _(
        "An image name is no web address. Leave out what stands before the registry, such as "
        "https:// or docker://."
    ),
    Fault.IDENTIFIER: _(
        "This is the ID of an image on one machine, or a digest without a name. Enter the name "
        "that it is pulled by, such as name@sha256:…."
    ),
    Fault.NO_NAME: _("The name of the image is missing after the registry. Add it."),
    Fault.UPPER_CASE: _("Image names are lower case. Write this one without capitals."),
    Fault.BAD_HOST: _(
        "What stands before the first slash is no name of a registry. Check it, for instance "
        "ghcr.io or registry.example:5000."
    ),
    Fault.BAD_PORT: _("The port of a registry is a number from 1 to 65535. Correct it."),
    Fault.BAD_NAME: _(
        "Parts of an image name are lower-case letters and digits, joined by single dots, "
        "underscores or dashes, with slashes between. Correct this one."
    ),
    Fault.BAD_TAG: _(
        "A tag, after the colon, is up to 128 letters, digits, dots, underscores and dashes, and "
        "begins with a letter, a digit or an underscore. Correct it."
    ),
    Fault.BAD_DIGEST: _(
        "A digest, after the @, is sha256: and 64 hexadecimal digits in lower case. Copy it whole."
    ),
}

PHASES = {
    Phase.ASKING: _("Asking the registry which image the name means"),
    Phase.TOKEN: _("Getting a token that anybody is given"),
    Phase.MANIFEST: _("Reading what the image consists of"),
    Phase.CONFIG: _("Reading how the image is configured"),
}

REASONS = {
    Reason.UNREACHABLE: _(
        "The registry did not answer. Check its name, or try again in a few minutes."
    ),
    Reason.TIMEOUT: _("The registry did not answer in time. Try again in a few minutes."),
    Reason.BAD_TLS: _(
        "The registry offered no secure connection that can be trusted. Its operator has to "
        "repair its certificate."
    ),
    Reason.ADDRESS_NOT_PUBLIC: _(
        "The registry, or a place it sends us to, has no public address. It cannot be read from "
        "here: paste what docker image inspect says instead."
    ),
    Reason.NOT_HTTPS: _(
        "The registry sends us to a place without https. It cannot be read from here: paste what "
        "docker image inspect says instead."
    ),
    Reason.TOO_MANY_REDIRECTS: _(
        "The registry sends us from place to place without end. Its operator has to repair that."
    ),
    Reason.HOST_IS_A_WORD: _(
        "With capitals, the first part of a name means a registry of that name. Image names are "
        "lower case: write it without capitals."
    ),
    Reason.NOT_PUBLIC_OR_MISSING: _(
        "The image is not public, or it does not exist; the registry does not say which. Check "
        "the name. For a private image, paste what docker image inspect says."
    ),
    Reason.NO_SUCH_TAG: _(
        "The registry has no such tag or digest of this image. Check it on the image's page."
    ),
    Reason.LOGIN_NEEDED: _(
        "The registry lets nobody read without a password, and we never ask for one. Paste what "
        "docker image inspect says instead."
    ),
    Reason.THROTTLED: _(
        "The registry asks us to wait: too many images were read there. Try again later, or paste "
        "what docker image inspect says."
    ),
    Reason.REFUSED: _(
        "The registry refused to answer. Check the name, or paste what docker image inspect says."
    ),
    Reason.MALFORMED: _(
        "The registry's answer is not what an image looks like. Check that the name means a "
        "container registry."
    ),
    Reason.TOO_LARGE: _(
        "The description of this image is larger than any that we read. Paste what docker image "
        "inspect says instead."
    ),
    Reason.TOO_DEEP: _(
        "The image is an index of indexes, nested deeper than we read. Enter the digest of the "
        "image itself."
    ),
    Reason.INCOMPLETE: _(
        "The registry names a part of this image that it does not hand out. Push the image again, "
        "or choose another tag."
    ),
    Reason.DIGEST_MISMATCH: _(
        "The registry sent something else than the digest stands for. Do not trust this image "
        "until its owner explains it."
    ),
    Reason.OLD_FORMAT: _(
        "The image is stored in an old format (schema 1) that says nothing of its environment. "
        "Push it again with a current Docker."
    ),
    Reason.NOT_AN_IMAGE: _(
        "The name means something else than a container image, such as a chart or a signature. "
        "Enter the name of an image."
    ),
    Reason.NO_PLATFORM: _(
        "The image is built for no Linux platform, so it runs at none of these providers. Build "
        "it for linux/amd64."
    ),
    Reason.BUSY: _("Other images are being read just now. Try again in a few seconds."),
    Reason.TOO_MANY_READS: _(
        "You have asked for many images in a short time. Wait a minute, and try again."
    ),
    Reason.READING_IS_OFF: _(
        "This site reads no images at registries. Paste what docker image inspect says, or enter "
        "the CUDA version by hand."
    ),
    Reason.OUR_FAULT: _(
        "Something went wrong on our side, and it was noted. Try again in a few minutes, or paste "
        "what docker image inspect says."
    ),
}

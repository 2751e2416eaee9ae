"""In words: the facts of an image, where they come from, what to do, and what cannot be read."""

from __future__ import annotations

from django.utils.text import format_lazy
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from checks.image.advice import Advice, AdviceKey
from checks.image.fact import Fact, Key, Origin
from checks.image.manual import Notice, NoticeKey
from checks.image.paste import LARGEST
from checks.image.paste_fault import PasteError, PasteFault
from gpucompare import spoken
from providers.answers import Text

FACTS: dict[Key, Text] = {
    Key.SOFTWARE: _("Computes with"),
    Key.PLATFORM: _("Built for"),
    Key.CUDA: _("CUDA toolkit"),
    Key.FRAMEWORK: _("Framework"),
    Key.FRAMEWORK_CUDA: _("Framework built with"),
    Key.NGC_RELEASE: _("NGC release"),
    Key.ROCM: _("ROCm"),
    Key.ARCHITECTURES: _("Compiled for compute capability"),
    Key.REQUIRE: _("Asks of the host"),
    Key.CHECK_DISABLED: _("Check of the driver turned off"),
    Key.CUDNN: _("cuDNN"),
    Key.NCCL: _("NCCL"),
    Key.COMPAT: _("Compat library for CUDA"),
    Key.COMPAT_DRIVER: _("Compat library of driver"),
    Key.COMPAT_FORCED: _("Compat library used on every host"),
    Key.BASE: _("Kind of base image"),
    Key.SIZE: _("To download"),
    Key.UNCOMPRESSED_SIZE: _("Unpacked"),
    Key.LAYERS: _("Layers"),
    Key.LARGEST_LAYER: _("Largest layer"),
    Key.USER: _("Starts as"),
    Key.ENTRYPOINT: _("Entrypoint"),
    Key.CMD: _("Command"),
    Key.DRIVER_PACKAGE: _("Driver package inside"),
    Key.WEIGHTS: _("Model inside"),
}

# What is left unsaid when no fact of that key was told.
NOT_KNOWN = _("Not known")

ORIGINS: dict[Origin, Text] = {
    Origin.ENV: _("environment"),
    Origin.LABEL: _("label"),
    Origin.HISTORY: _("build history"),
    Origin.CONFIG: _("configuration"),
    Origin.INDEX: _("list of platforms"),
    Origin.LAYERS: _("sizes of the layers"),
    Origin.INSPECT: _("counted by the container engine"),
    Origin.TAG: _("its tag"),
    Origin.FROM: _("the tag behind FROM"),
    Origin.TABLE: _("our table of known images"),
    Origin.HAND: _("entered by you"),
}

VALUES: dict[Key, dict[str, Text]] = {
    Key.SOFTWARE: {
        "cuda": _("CUDA"),
        "rocm": _("ROCm"),
        "cpu": _("The CPU alone"),
    },
    Key.FRAMEWORK_CUDA: {"cpu": _("No CUDA: a build for the CPU")},
    Key.CHECK_DISABLED: {"yes": _("Yes"), "no": _("No")},
    Key.COMPAT_FORCED: {"yes": _("Yes")},
    Key.BASE: {
        "base": pgettext_lazy("image", "Base: the CUDA runtime alone"),
        "runtime": pgettext_lazy("image", "Runtime: with CUDA's libraries"),
        "devel": pgettext_lazy("image", "Devel: with the compiler"),
    },
    Key.WEIGHTS: {
        "huggingface": _("Downloaded from Hugging Face by the build"),
        "from_pretrained": _("Loaded by from_pretrained in the build"),
        "ollama": _("Pulled by Ollama in the build"),
        "files": _("Weight files copied or downloaded by the build"),
        "large_copy": _("A copied layer as large as a model"),
    },
}

_BYTES = frozenset({Key.SIZE, Key.UNCOMPRESSED_SIZE, Key.LARGEST_LAYER})

ADVICE: dict[AdviceKey, Text] = {
    AdviceKey.MOVING_TAG: _(
        "The tag %(tag)s can mean another image tomorrow, and such tags have been rebuilt with "
        "other requirements. Rent with %(pin)s to get the image that was checked."
    ),
    AdviceKey.DEVEL_BASE: _(
        "It is built on a devel image, which holds the compiler. If nothing is compiled at the "
        "start, build on the runtime image: there is much less to pull."
    ),
    AdviceKey.DRIVER_PACKAGES: _(
        "Packages of the driver were installed in the image: %(packages)s. The driver belongs to "
        "the host, and a copy of another version breaks the GPU with a version mismatch. Remove "
        "them; of CUDA's packages, install cuda-toolkit and not cuda."
    ),
    AdviceKey.WEIGHTS: _(
        "A model lies in the image: %(how)s. It is pulled again on every new host. Keep it on a "
        "volume or in a bucket where the offering has one."
    ),
    AdviceKey.GIANT_LAYER: _(
        "One layer of %(size)s is %(share)s %% of the download. Layers are pulled side by side, "
        "one alone is not: split it."
    ),
    AdviceKey.AMD64_ONLY: _(
        "It is built for amd64 only. Hosts with an ARM CPU, such as GH200 and GB200, cannot start "
        "it; build it for arm64 too if you want those."
    ),
    AdviceKey.ARM64_ONLY: _(
        "It is built for arm64 only. Most hosts have an amd64 CPU and cannot start it; build it "
        "for amd64 too."
    ),
    AdviceKey.COMPAT_FORCED: _(
        "It makes every host use the CUDA compat library inside. That fails with error 803 where "
        "the driver is newer, and with 804 on GeForce. Take the compat directory off the library "
        "path."
    ),
    AdviceKey.CUDA_DIFFERS: _(
        "Its base holds CUDA %(base)s, while %(framework)s was built with CUDA %(built)s and "
        "brings its own. The build decides what runs; a base of the same CUDA, or a plain one, "
        "saves the difference."
    ),
    AdviceKey.RUNS_AS_ROOT_THERE: _(
        "The image starts as %(user)s, but this offering starts it as root: files that it writes "
        "belong to root, and programs that refuse root stop."
    ),
    AdviceKey.NOT_ROOT_THERE: _(
        "The image starts as root, but this offering forces another user: what needs root, such "
        "as apt or a port below 1024, fails. Prepare it in the build and set USER."
    ),
    AdviceKey.ENTRYPOINT_REPLACED: _(
        "Where a platform brings SSH into the container, it may start that instead of the image's "
        "entrypoint (%(entrypoint)s). Check how it is launched, or start your program yourself."
    ),
    AdviceKey.TOO_LARGE: _(
        "There are %(size)s to download and this offering takes %(limit)s at most."
    ),
    AdviceKey.MAYBE_TOO_LARGE: _(
        "Unpacked it has %(size)s and this offering takes %(limit)s at most. It fits only if the "
        "limit counts what is downloaded."
    ),
}

NOTICES: dict[NoticeKey, Text] = {
    NoticeKey.CUDA_MALFORMED: _(
        "“%(value)s” is no CUDA version and was left out. Enter it with its minor, such as 12.8."
    ),
    NoticeKey.FRAMEWORK_UNKNOWN: _(
        "“%(value)s” is no framework that we know and was left out. Choose one from the list, or "
        "enter its CUDA version alone."
    ),
    NoticeKey.RELEASE_MALFORMED: _(
        "“%(value)s” is no release and was left out. Enter it in numbers, such as 2.8.0."
    ),
    NoticeKey.RELEASE_WITHOUT_FRAMEWORK: _(
        "The release %(value)s was left out: choose the framework that it is a release of."
    ),
}

EXPECTED = _(
    "Paste all that one of these prints: docker image inspect NAME · docker buildx imagetools "
    "inspect NAME --format '{{json .}}' · skopeo inspect --config docker://NAME. Or paste a "
    "Dockerfile, at least its FROM and ENV lines."
)

PASTE_FAULTS: dict[PasteFault, Text] = {
    PasteFault.EMPTY: _("Nothing was pasted."),
    PasteFault.TOO_LARGE: _(
        "This is more than %(part)s kB. Paste what was printed for one image, or a Dockerfile's "
        "FROM and ENV lines."
    ),
    PasteFault.TOO_DEEP: _(
        "Brackets stand in each other more than %(part)s deep, which no tool prints of an image."
    ),
    PasteFault.NOT_JSON: _(
        "It begins like JSON and is none. Copy all of it, from the first bracket to the last."
    ),
    PasteFault.UNKNOWN_JSON: _("This is JSON, but nothing that is known of an image."),
    PasteFault.NO_IMAGE: _(
        "The list is empty: your container engine does not know that image. Pull it first, or use "
        "skopeo or buildx, which ask the registry."
    ),
    PasteFault.SEVERAL_IMAGES: _("These are several images. Paste one of them."),
    PasteFault.CONTAINER: _(
        "This describes a container. Use docker image inspect with the name of its image."
    ),
    PasteFault.SCHEMA_1: _(
        "This is a manifest in the old format, schema 1, which registries have given up. Pull the "
        "image and paste docker image inspect."
    ),
    PasteFault.REFERENCE: _("This is an image's name. Enter it in the box for the image."),
    PasteFault.NO_BASE: _(
        "FROM names its image by an argument without a value, and nothing else tells what is in "
        "it. Paste it again with the value in its place."
    ),
    PasteFault.TOO_MANY_STAGES: _("This Dockerfile has more than a hundred stages."),
    PasteFault.UNRECOGNISED: _("This is neither JSON nor a Dockerfile."),
}
_SPEAK_FOR_THEMSELVES = frozenset(
    {PasteFault.REFERENCE, PasteFault.CONTAINER, PasteFault.NO_IMAGE, PasteFault.NO_BASE}
)


def value_text(fact: Fact) -> Text:
    """A fact's value in words: a size with its unit, a key's text, or the value as it is."""
    if fact.key in _BYTES:
        return size_text(int(fact.value))
    known = VALUES.get(fact.key, {}).get(str(fact.value))
    text = known if known is not None else str(fact.value)
    return format_lazy("{} {}", fact.about, text) if fact.key in _NAMED else text


_NAMED = frozenset({Key.FRAMEWORK, Key.FRAMEWORK_CUDA})


def source_text(fact: Fact) -> Text:
    """Where a fact was read: `environment (CUDA_VERSION)`."""
    origin = ORIGINS[fact.origin]
    return format_lazy("{} ({})", origin, fact.detail) if fact.detail else origin


def size_text(size: int) -> str:
    """Bytes as registries and disks count them: 3.2 GB, 29 MB."""
    if size >= 1_000_000_000:
        return gettext("%(n)s GB") % {"n": spoken.number(size / 1_000_000_000, 1)}
    return gettext("%(n)s MB") % {"n": spoken.number(-(-size // 1_000_000))}


def advice_text(given: Advice) -> str:
    about = dict(given.about)
    for name in ("size", "limit"):
        if name in about:
            about[name] = size_text(int(about[name]))
    if "how" in about:
        about["how"] = str(VALUES[Key.WEIGHTS][str(about["how"])])
    return str(ADVICE[given.key]) % about


def notice_text(notice: Notice) -> str:
    return str(NOTICES[notice.key]) % {"value": notice.value}


def paste_text(error: PasteError) -> str:
    """What is wrong with a pasted text, and what to paste instead."""
    text = str(PASTE_FAULTS[error.fault])
    text = text % {"part": error.part} if "%(part)s" in text else text
    return text if error.fault in _SPEAK_FOR_THEMSELVES else f"{text} {EXPECTED}"


PASTE_LIMIT_KB = LARGEST // 1024

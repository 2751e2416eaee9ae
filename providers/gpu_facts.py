"""What is known of a GPU as hardware: memory and form, architecture, CUDA, the host beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gpucompare.cuda.tables import Architecture, Basis, CardRow, Platform, gpu_arch
from providers.answers import Text
from providers.models import Gpu

# What a container needs instead of CUDA.
PLATFORMS: dict[Platform, Text] = {"cuda": "CUDA", "rocm": "ROCm", "synapse": "SynapseAI"}
_KERNEL_MODULES: dict[str, Text] = {
    "either": gettext_lazy("Either; NVIDIA recommends the open one"),
    "open": gettext_lazy("Open only"),
    "proprietary": gettext_lazy("Proprietary only"),
}
_BASES: dict[Basis, Text] = {
    "documented": gettext_lazy("Documented"),
    "derived": gettext_lazy("Derived"),
    "memory": gettext_lazy("Not confirmed"),
}


@dataclass(frozen=True)
class Hardware:
    """A model with what the CUDA tables say of it."""

    gpu: Gpu
    card: CardRow | None  # None: the tables name the architecture only
    architecture: Architecture | None  # None: not of CUDA
    platform: Platform | None  # None: a vendor that the tables do not know

    @classmethod
    def of(cls, gpu: Gpu) -> Hardware:
        tables = gpu_arch()
        return cls(
            gpu,
            tables.cards.get(gpu.slug),
            tables.architectures.get(gpu.compute_capability),
            tables.platforms.get(gpu.family.vendor),
        )


@dataclass(frozen=True)
class FactLine:
    """One fact of several models: a value each, or a single one that all share."""

    label: Text
    values: tuple[Text, ...]


@dataclass(frozen=True)
class FactSource:
    """Where a fact is from; `url` is empty when that is no page."""

    label: Text
    basis: Text
    text: str
    url: str = ""


@dataclass(frozen=True)
class Caveat:
    """What goes wrong on this GPU with an image that runs on others."""

    text: Text
    command: str = ""
    source: FactSource | None = None


def memory_text(gpus: Sequence[Gpu]) -> Text:
    """`80 GB`, or from the smallest to the largest: `40–80 GB`."""
    sizes = sorted({gpu.vram_gb for gpu in gpus if gpu.vram_gb})
    if not sizes:
        return ""
    span = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]}–{sizes[-1]}"
    return _("%(size)s GB") % {"size": span}


def fact_lines(models: Sequence[Hardware]) -> tuple[FactLine, ...]:
    """The facts that at least one of the models has, each as one line."""
    lines = (
        FactLine(label, _shared([read(one) or "–" for one in models]))
        for label, read in _facts().items()
        if any(read(one) for one in models)
    )
    return tuple(lines)


def _shared(values: Sequence[Text]) -> tuple[Text, ...]:
    return (values[0],) if len(set(values)) == 1 else tuple(values)


def _facts() -> dict[Text, Callable[[Hardware], Text]]:
    return {
        _("Form"): lambda one: one.gpu.variant,
        _("Memory"): lambda one: memory_text([one.gpu]),
        _("Architecture"): lambda one: one.gpu.architecture,
        _("Compute capability"): _capability,
        _("ROCm target"): _target,
        _("Software"): _software,
        _("First CUDA toolkit"): _first_cuda,
        _("Last CUDA toolkit"): _last_cuda,
        _("Lowest driver"): _lowest_driver,
        _("Last driver branch"): _last_driver,
        _("Kernel module"): _kernel_module,
        _("Processor of the host"): _host,
    }


def _capability(one: Hardware) -> Text:
    return "" if one.platform == "rocm" else one.gpu.compute_capability


def _target(one: Hardware) -> Text:
    return one.gpu.compute_capability if one.platform == "rocm" else ""


def _software(one: Hardware) -> Text:
    return PLATFORMS[one.platform] if one.platform and one.platform != "cuda" else ""


def _lowest_driver(one: Hardware) -> Text:
    if one.card is None or not one.card.min_driver:
        return ""
    version = one.card.min_driver
    if version.startswith("<"):
        version = _("older than %(version)s") % {"version": version[1:]}
    if one.card.min_driver_basis == "memory":
        return _("%(version)s (not confirmed)") % {"version": version}
    return version


def _first_cuda(one: Hardware) -> Text:
    return one.architecture.first_cuda if one.architecture else ""


def _last_cuda(one: Hardware) -> Text:
    if one.architecture is None:
        return ""
    newest = {"newest": one.architecture.newest_cuda}
    return one.architecture.last_cuda or _("still built for, as of %(newest)s") % newest


def _last_driver(one: Hardware) -> Text:
    if one.architecture is None:
        return ""
    return one.architecture.last_driver or _("still supported")


def _kernel_module(one: Hardware) -> Text:
    module = one.card.kernel_module if one.card else ""
    return _KERNEL_MODULES.get(module, module)


def _host(one: Hardware) -> Text:
    return _("Arm (arm64)") if one.card and one.card.host_arch == "arm64" else ""


# --- Caveats ---------------------------------------------------------------------


def caveats(models: Sequence[Hardware]) -> tuple[Caveat, ...]:
    """Each once, however many of the models it holds for."""
    found: dict[Text, Caveat] = {}
    for one in models:
        for caveat in _caveats(one):
            found.setdefault(caveat.text, caveat)
    return tuple(found.values())


def _caveats(one: Hardware) -> Iterator[Caveat]:
    if one.platform and one.platform != "cuda":
        yield _no_cuda(one.gpu.family.vendor, one.platform)
    if one.card and one.card.host_arch == "arm64":
        yield Caveat(
            _(
                "The host has an Arm processor: an image starts there only if it has a variant for "
                "linux/arm64. One that was built for x86 alone does not."
            ),
            "docker buildx imagetools inspect IMAGE",
            _source(_("Host"), one.card.host_basis, one.card.host_source),
        )
    if one.architecture and one.architecture.last_cuda:
        yield Caveat(
            _(
                "CUDA %(cuda)s is the last toolkit that builds for compute capability "
                "%(capability)s, and %(driver)s the last driver branch: no driver cures an image "
                "with a later CUDA."
            )
            % {
                "cuda": one.architecture.last_cuda,
                "capability": one.architecture.compute_capability,
                "driver": one.architecture.last_driver,
            }
        )


def _no_cuda(vendor: str, platform: Platform) -> Caveat:
    return Caveat(
        _(
            "CUDA does not apply: %(vendor)s GPUs run images built for %(software)s. What an "
            "offering answers about NVIDIA's driver and CUDA says nothing of them."
        )
        % {"vendor": vendor, "software": PLATFORMS[platform]}
    )


# --- Sources ---------------------------------------------------------------------


def fact_sources(models: Sequence[Hardware]) -> tuple[FactSource, ...]:
    """Where the lines are from, each source of a fact once."""
    found = (source for one in models for source in _sources(one))
    return tuple(dict.fromkeys(found))


def _sources(one: Hardware) -> Iterator[FactSource]:
    card, architecture = one.card, one.architecture
    if card and card.capability_source:
        yield _source(_("Compute capability"), "documented", card.capability_source)
    if architecture:
        yield _source(_("CUDA toolkits"), architecture.basis, architecture.source)
    if card and card.min_driver_basis:
        yield _source(_("Lowest driver"), card.min_driver_basis, card.min_driver_source)
    if card and card.kernel_module_source:
        yield _source(_("Kernel module"), "documented", card.kernel_module_source)
    if card and card.host_basis:
        yield _source(_("Host"), card.host_basis, card.host_source)


def _source(label: Text, basis: Basis | None, text: str) -> FactSource:
    """A source may quote the sentence that it says behind its address."""
    url, _space, quoted = text.partition(" ")
    said = _BASES[basis] if basis else ""
    if not url.startswith("https://"):
        return FactSource(label, said, text)
    host = urlsplit(url).hostname or url
    return FactSource(label, said, f"{host} {quoted}".strip(), url)

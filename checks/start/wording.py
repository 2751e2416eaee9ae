"""The cold start in words: every key that the model may give."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from checks.coldstart import Basis, Weights
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Ignored

PHASES: Mapping[str, Text] = {
    "provision": _("Machine is made ready"),
    "pull": _("Image is pulled"),
    "unpack": _("Image is unpacked"),
    "start": _("Container starts"),
    "weights": _("Weights are loaded"),
    "ready": _("Program answers"),
}

# What decides the likely length of a phase.
LIMITS: Mapping[str, Text] = {
    "link": _("the line of the host decides"),
    "registry": _("the registry's connections decide"),
    "largest_layer": _("the largest layer decides: it comes over one connection"),
    "inflate": _("decompressing decides"),
    "disk": _("the disk decides"),
    "hub": _("the model hub decides"),
    "volume": _("the volume decides"),
}

BASES: Mapping[Basis, Text] = {
    Basis.MEASURED: _("Measured on this listing"),
    Basis.DOCUMENTED: _("Documented"),
    Basis.ASSUMED: _("Assumed"),
    Basis.GIVEN: _("Your figure"),
}

# How the table of assumptions knows a row.
ASSUMED_ON: Mapping[str, Text] = {
    "measured": _("Measured by others"),
    "documented": pgettext_lazy("assumption", "Documented"),
    "calibrated": _("Fitted to measured starts"),
    "judged": _("Our judgement: nobody measured it"),
}

ASSUMPTIONS: Mapping[str, Text] = {
    "provision_s": _("Until the machine is ready"),
    "link_mbps": _("Line of the host"),
    "link_used_share": _("Share of a stated line that one pull gets"),
    "registry_mb_s": _("Registry, one connection"),
    "parallel_layers": _("Layers that download at once"),
    "largest_layer_share": _("Largest layer, share of the image"),
    "shared_share": _("Share of the image that is there already"),
    "inflate_mb_s": _("Decompressing"),
    "unpacked_ratio": _("Unpacked size for one compressed byte"),
    "disk_write_mb_s": _("Writing to disk"),
    "hidden_unpack_share": _("Share of unpacking during the download"),
    "container_start_s": _("Until the first process"),
    "ready_s": _("From the first process to the first answer"),
    "hub_mb_s": _("Weights from a hub"),
    "volume_read_mb_s": _("Weights from a volume"),
    "local_read_mb_s": _("Weights from the image's disk"),
    "weights_packed_share": _("Weights once compressed, share of their size"),
    "provision_billed_share": _("Share of making ready that is billed"),
    "billing_increment_s": _("Step in which time is billed"),
    "minimum_s": _("Shortest time that is billed"),
    "lost_work_s": _("Work lost by an interruption"),
}

UNITS: Mapping[str, Text] = {
    "s": pgettext_lazy("unit", "s"),
    "MB/s": _("MB/s"),
    "Mbit/s": _("Mbit/s"),
    "count": pgettext_lazy("unit of a count", "at once"),
    "share": _("share, 0 to 1"),
    "ratio": pgettext_lazy("unit of a ratio", "times"),
}

WAYS: Mapping[str, Text] = {
    "cold": _("Cold: the host has nothing of it"),
    "cached": _("Cached: the host has the image"),
    "runtime_base": _("On the runtime base instead of devel"),
    "weights_on_volume": _("Weights on a volume"),
}

# Why nothing can be said of a way, or on what footing something is.
WAY_REASONS: Mapping[str, Text] = {
    "layers_not_known": _("Not known: the build steps of its layers were not read."),
    "no_devel_layers": _("None of its layers is marked as one that a devel image adds."),
    "weights_not_in_image": _("The weights are not in the image already."),
    "weights_not_known": _("No layer shows weights. Give their size above to see this."),
    "weights_by_size": _("By the size that you gave: no layer shows them."),
}

BREAK_EVENS: Mapping[str, Text] = {
    "prices_not_known": _("Not both prices are known here, so there is nothing to compare."),
    "spot_not_cheaper": _("Spot is not cheaper here."),
    "no_work": _("Without hours of work there is nothing to compare."),
    "restarts_cost_nothing": _("A restart costs nothing here: spot stays cheaper."),
}

PARTS: Mapping[str, Text] = {
    "compute": _("work"),
    "start": pgettext_lazy("part of a bill", "start"),
    "restarts": _("restarts"),
    "rounding": _("rounding"),
    "disk": _("disk"),
    "traffic": _("traffic"),
}

WEIGHTS: Mapping[Weights, Text] = {
    Weights.IMAGE: _("In the image"),
    Weights.VOLUME: _("On a volume"),
    Weights.HUB: _("From a model hub"),
}


def notice(ignored: Ignored) -> Text:
    """What of an address was not taken, and what would have been."""
    match ignored.name, ignored.reason:
        case "o", "missing":
            return gettext("ignored: %(key)s; there is no such offering") % {"key": ignored.value}
        case "compressed_gb", "beside":
            return gettext("ignored: compressed_gb; the image's own size is read at its registry")
    if ignored.reason == "range":
        least, most = ignored.allowed
        words = {"given": f"{ignored.name}={ignored.value}", "least": least, "most": most}
        return gettext("ignored: %(given)s; allowed: a number from %(least)s to %(most)s") % words
    return links.notice(ignored)

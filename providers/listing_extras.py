"""Figures that some sources tell beside a price, in words; the unit is in the figure's name."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from gpucompare import spoken
from providers.answers import Text

# By name: what it is, and the unit behind its figure.
_EXTRAS: dict[str, tuple[Text, Text]] = {
    "disk_gb": (_("Disk"), _("GB")),
    "local_disk_gb": (_("Local disk"), _("GB")),
    "disk_usd_gb_month": (_("Disk space costs"), _("$ / GB / month")),
    "inet_mbps": (_("Network"), _("Mbit/s")),
    "inet_down_mbps": (_("Download"), _("Mbit/s")),
    "inet_up_mbps": (_("Upload"), _("Mbit/s")),
    "inet_down_usd_gb": (_("Download costs"), _("$ / GB")),
    "inet_up_usd_gb": (_("Upload costs"), _("$ / GB")),
    "transfer_gb_month": (_("Traffic included"), _("GB / month")),
    "transfer_tb_month": (_("Traffic included"), _("TB / month")),
    "median_usd_gpu_hour": (_("Median bid"), _("$ / GPU / hour")),
    "highest_usd_gpu_hour": (_("Highest bid"), _("$ / GPU / hour")),
}


def extra_facts(extras: Mapping[str, str]) -> tuple[tuple[Text, str], ...]:
    """Labels with figures and units, in the order above; a name that is not known stands last,
    as its source spells it."""
    known = [name for name in _EXTRAS if name in extras]
    spelled = sorted(extras.keys() - _EXTRAS.keys())
    return tuple(_fact(name, extras[name]) for name in [*known, *spelled])


def is_named(name: str) -> bool:
    return name in _EXTRAS


def _fact(name: str, figure: str) -> tuple[Text, str]:
    label, unit = _EXTRAS.get(name, (name.replace("_", " "), ""))
    # A price keeps its dot in every language, and so does what is not known to be none.
    is_price = "usd" in name or name not in _EXTRAS
    rounded = _rounded(figure)
    text = f"{rounded:f}" if is_price else spoken.number(rounded)
    return label, f"{text} {unit}".strip()


def _rounded(figure: str) -> Decimal:
    """Three digits of a fraction say enough: 0.0153, 12.5, 1843."""
    number = Decimal(figure)
    digits = max(0, 2 - number.adjusted()) if number else 0
    return round(number, digits).normalize() if digits else Decimal(round(number))

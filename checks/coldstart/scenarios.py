"""One image started in several ways, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

from checks.coldstart.assumptions import assume
from checks.coldstart.estimate import NO_TERMS, Estimate, Given, estimated
from checks.coldstart.inputs import Image, Place, Role, Terms, Weights


@dataclass(frozen=True)
class Scenario:
    """A way to start. Without `estimate`, `reason` is the key of why nothing can be said.

    A scenario that has both is an estimate on a footing that the reason names.
    """

    key: str
    estimate: Estimate | None
    reason: str = ""


def side_by_side(
    image: Image, place: Place | None = None, terms: Terms = NO_TERMS, given: Given | None = None
) -> tuple[Scenario, ...]:
    """cold, cached, runtime_base, weights_on_volume: all four, in this order."""
    place, assumed = place or Place(), assume(given)
    cold = replace(place, cached=False)
    smaller, why_runtime = runtime_base(image)
    mounted, why_mounted = weights_on_volume(image)
    ways = (
        ("cold", image, cold, ""),
        ("cached", image, replace(place, cached=True), ""),
        ("runtime_base", smaller, cold, why_runtime),
        ("weights_on_volume", mounted, cold, why_mounted),
    )
    return tuple(
        Scenario(key, estimated(what, where, terms, assumed) if what else None, reason)
        for key, what, where, reason in ways
    )


def runtime_base(image: Image) -> tuple[Image | None, str]:
    """`image` without the layers that a devel base adds to the runtime base of its version.

    Only layers whose build step was read can be told apart; from a total nothing follows.
    """
    if not image.layers or any(layer.role is None for layer in image.layers):
        return None, "layers_not_known"
    if not _bytes_of(image, "devel"):
        return None, "no_devel_layers"
    return _without(image, "devel"), ""


def weights_on_volume(image: Image) -> tuple[Image | None, str]:
    """`image` with its weights read from a volume. Layers that show weights leave it whole.

    Where no layer shows them, the size that the reader gave leaves the total.
    """
    if image.weights in (Weights.VOLUME, Weights.HUB):
        return None, "weights_not_in_image"
    shown = _bytes_of(image, "weights")
    if shown:
        size = image.weights_gb or Decimal(shown) / 10**9
        mounted = replace(_without(image, "weights"), weights_gb=size, weights=Weights.VOLUME)
        return mounted, ""
    if not image.weights_gb:
        return None, "weights_not_known"
    return replace(image, weights=Weights.VOLUME, without_gb=image.weights_gb), "weights_by_size"


def _bytes_of(image: Image, role: Role) -> int:
    return sum(layer.bytes for layer in image.layers if layer.role == role)


def _without(image: Image, role: Role) -> Image:
    kept = tuple(layer for layer in image.layers if layer.role != role)
    return replace(image, layers=kept, compressed_gb=None if kept else 0)

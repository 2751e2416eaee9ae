"""What was told of an image, by a registry or by someone who pasted a part of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from checks.image.record import Config, ImageRecord, Layer, Platform


@dataclass(frozen=True)
class Told:
    """As much of an image's record as there is. None and "" mean that it was not told."""

    reference: str = ""
    pinned: str = ""
    platforms: tuple[Platform, ...] = ()
    config: Config | None = None
    whole: bool = True  # False: the configuration of the base image is missing from `config`
    names_user: bool = True  # False: who starts was not told, and "" is not root
    layers: tuple[Layer, ...] | None = None
    layer_count: int | None = None  # where no sizes were told
    uncompressed: int | None = None  # bytes on disk, as a daemon counted them
    base: str = ""  # the image that a Dockerfile builds on

    @classmethod
    def of(cls, record: ImageRecord) -> Told:
        return cls(
            reference=record.reference,
            pinned=record.pinned,
            platforms=record.platforms or (record.platform,),
            config=record.config,
            layers=record.layers,
        )

    @property
    def name(self) -> str:
        """The name whose tag says something: its own, or that of the image it builds on."""
        return self.reference or self.base

    @property
    def size(self) -> int | None:
        """Bytes to pull; layers from elsewhere are left out, a repeated one counts once."""
        if not self.layers:
            return None
        return sum({lay.digest: lay.size for lay in self.layers if not lay.is_foreign}.values())

    @property
    def on_disk(self) -> int | None:
        """Bytes once unpacked, where that follows from what was told."""
        if self.uncompressed is not None or not self.layers:
            return self.uncompressed
        plain = all(layer.compression == "none" for layer in self.layers)
        return self.size if plain else None


def on_base(told: Told, base: ImageRecord) -> Told:
    """A Dockerfile's image with what its base brings: the base's settings first, then its own."""
    own, below = told.config or Config(), base.config
    config = replace(
        below,
        env=below.env + own.env,
        labels={**below.labels, **own.labels},
        user=own.user or below.user,
        # A new entrypoint resets the command that it would have been given.
        entrypoint=own.entrypoint or below.entrypoint,
        cmd=own.cmd or (() if own.entrypoint else below.cmd),
        history=below.history + own.history,
    )
    platforms = told.platforms or base.platforms
    return replace(told, config=config, whole=True, platforms=platforms)

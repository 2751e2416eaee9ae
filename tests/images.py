"""Images of our own in the shape of well-known ones: `samples/images/*.json` as records."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from checks.image.documents import Document, config_in
from checks.image.fact import ImageFacts, Key
from checks.image.record import Config, HistoryLine, ImageRecord, Layer, Platform
from checks.image.told import Told

SAMPLES = Path(__file__).resolve().parent / "samples" / "images"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.json"))
AMD, ARM = Platform("linux", "amd64"), Platform("linux", "arm64", "v8")
GZIP = "application/vnd.oci.image.layer.v1.tar+gzip"


def sample(name: str) -> dict[str, Any]:
    """The file as it is: reference, digest, platforms, sizes of the layers, OCI configuration."""
    found: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text())
    return found


def record(name: str, **changes: Any) -> ImageRecord:
    """The image as a registry's client would hand it over."""
    told = sample(name)
    platforms = tuple(Platform(*text.split("/")) for text in told["platforms"])
    return replace(
        ImageRecord(
            reference=told["reference"],
            digest=told["digest"],
            index_digest="",
            platform=platforms[0],
            platforms=platforms,
            config=config_in(Document(told["digest"], json.dumps(told["config"]).encode())),
            layers=layers(*told["layers"]),
            read_at=datetime(2026, 11, 30, tzinfo=UTC),
        ),
        **changes,
    )


def layers(*sizes: int, media_type: str = GZIP) -> tuple[Layer, ...]:
    return tuple(Layer(f"sha256:{at:064x}", size, media_type) for at, size in enumerate(sizes))


def told(*env: str, history: tuple[str, ...] = (), reference: str = "", **rest: Any) -> Told:
    """An image of which only this is known: variables, steps of the build, a name."""
    lines = tuple(HistoryLine(line) for line in history)
    settings = {name: rest.pop(name) for name in ("labels", "user", "entrypoint") if name in rest}
    return Told(reference=reference, config=Config(env=env, history=lines, **settings), **rest)


def shown(facts: ImageFacts, key: Key, about: str = "") -> list[tuple[str | int, str]]:
    """(value, source) of every fact of that kind."""
    return [(fact.value, fact.source) for fact in facts.told(key, about)]

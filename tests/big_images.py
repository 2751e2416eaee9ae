"""Images of real sizes whose layers nobody has: registries are asked for their description only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.registry_images import GZIP, OCI_CONFIG, OCI_MANIFEST, Image, document

DEVEL = "RUN /bin/sh -c apt-get install -y cuda-libraries-dev-12-4 cuda-minimal-build-12-4"
WEIGHTS = "RUN /bin/sh -c hf download acme/model --local-dir /models"
ENV = (
    "CUDA_VERSION=12.4.1",
    "NVIDIA_REQUIRE_CUDA=cuda>=12.4",
    "NVIDIA_VISIBLE_DEVICES=all",
)
# 8.5 GB in all, of which a devel base adds 3 and weights take 4.
TRAINER = ((500_000_000, "RUN true"), (3_000_000_000, DEVEL), (4_000_000_000, WEIGHTS)) + (
    (200_000_000, "RUN pip install torch==2.6.0"),
) * 5


def big(layers: Sequence[tuple[int, str]] = TRAINER) -> Image:
    """An image of layers with these bytes and build steps."""
    config = document(
        OCI_CONFIG,
        architecture="amd64",
        os="linux",
        config={"Env": list(ENV)},
        history=[{"created_by": step} for _bytes, step in layers],
        rootfs={"type": "layers", "diff_ids": [_digest(n) for n in range(len(layers))]},
    )
    manifest: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": config.pointer(),
        "layers": [
            {"mediaType": GZIP, "digest": _digest(n), "size": size}
            for n, (size, _step) in enumerate(layers)
        ],
    }
    return Image(document(OCI_MANIFEST, **manifest), (config,))


def _digest(number: int) -> str:
    return f"sha256:{number:064x}"

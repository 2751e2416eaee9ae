"""A secret key for a checkout that was given none: made once, kept in `.local/`."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path


def local_key(folder: Path) -> str:
    """The key in `folder`, made on first use and readable by its owner only."""
    file = folder / "secret-key"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, prefix="secret-key-")
        with os.fdopen(descriptor, "w") as handle:
            handle.write(secrets.token_urlsafe(50))
        # A link is made whole or not at all: of two first starts, one wins and both read it.
        with suppress(FileExistsError):
            Path(file).hardlink_to(name)
        Path(name).unlink()
    return file.read_text()

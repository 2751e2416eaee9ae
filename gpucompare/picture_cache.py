"""Where drawn pictures are kept: files under LOCAL_DIR."""

from __future__ import annotations

from contextlib import suppress

from django.core.cache.backends.filebased import FileBasedCache


class PictureCache(FileBasedCache):
    def _createdir(self) -> None:
        """Django asks for the folder at every start: one that cannot be made is told when a picture
        is to be kept, and whoever may not write there learns that from what needs it first."""
        with suppress(OSError):
            super()._createdir()  # type: ignore[misc]

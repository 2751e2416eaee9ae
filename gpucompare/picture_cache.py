"""Where drawn pictures are kept: files under LOCAL_DIR."""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from django.core.cache.backends.filebased import FileBasedCache

_DIGEST: Final = hashlib.sha256
_DIGEST_BYTES: Final = _DIGEST().digest_size

logger = logging.getLogger(__name__)


class PictureCache(FileBasedCache):
    """Bytes behind their digest, for good.

    Django would unpickle whatever stands in a file, and a file that a crash cut short or filled
    with zeros would be an error at each look.
    """

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """The bytes; `default` where there are none, or where what stands there is not whole."""
        path = Path(self._key_to_file(key, version))  # type: ignore[attr-defined]
        try:
            found = path.read_bytes()
        except FileNotFoundError:
            return default
        digest, kept = found[:_DIGEST_BYTES], found[_DIGEST_BYTES:]
        if digest == _DIGEST(kept).digest():
            return kept
        logger.warning("%s is no whole picture and is made anew", path.name)
        path.unlink(missing_ok=True)
        return default

    def _write_content(self, file: Any, timeout: Any, value: bytes) -> None:
        file.write(_DIGEST(value).digest() + value)

    def _createdir(self) -> None:
        """Django asks for the folder at every start: one that cannot be made is told when a picture
        is to be kept, and whoever may not write there learns that from what needs it first."""
        with suppress(OSError):
            super()._createdir()  # type: ignore[misc]

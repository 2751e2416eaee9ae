"""What can be wrong with a pasted text. Texts for people stand in `checks.wording_image`."""

from __future__ import annotations

from enum import StrEnum


class PasteFault(StrEnum):
    EMPTY = "empty"
    TOO_LARGE = "too_large"  # `part`: the limit in kilobytes
    TOO_DEEP = "too_deep"  # `part`: the limit
    NOT_JSON = "not_json"  # `part`: the line, or ""
    UNKNOWN_JSON = "unknown_json"
    NO_IMAGE = "no_image"  # an empty list: docker did not know the name
    SEVERAL_IMAGES = "several_images"
    CONTAINER = "container"  # `docker inspect` of a container
    SCHEMA_1 = "schema_1"
    REFERENCE = "reference"  # the name of an image: that is for the other box
    NO_BASE = "no_base"  # a Dockerfile whose FROM cannot be filled in, and that tells nothing else
    TOO_MANY_STAGES = "too_many_stages"
    UNRECOGNISED = "unrecognised"


class PasteError(ValueError):
    """Nothing that we can read. `part` says where or how much; the text itself is never kept."""

    def __init__(self, fault: PasteFault, part: str = "") -> None:
        super().__init__(f"{fault} {part}".strip())
        self.fault = fault
        self.part = part

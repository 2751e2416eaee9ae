"""What the checks keep: readings of registries, and the texts of the guide and the FAQ."""

from checks.models.content import ContentEntry, ContentFile, ContentKind
from checks.models.registry import ImageReading, RegistryDocument, RegistryPause

__all__ = [
    "ContentEntry",
    "ContentFile",
    "ContentKind",
    "ImageReading",
    "RegistryDocument",
    "RegistryPause",
]

"""How to start an image at an offering: recipes to paste, and what to check before.

from checks import launch
launch.recipes("ghcr.io/me/train:1", offering, "h100-sxm", 1)
launch.preflight(offering.answers)
"""

from checks.launch.entrance import recipes
from checks.launch.preflight import Check, Detail, preflight
from checks.launch.words import (
    Answer,
    BadOptionError,
    Caution,
    Credential,
    Kind,
    Language,
    Offering,
    OptionFault,
    Options,
    Recipe,
    Way,
)

__all__ = [
    "Answer",
    "BadOptionError",
    "Caution",
    "Check",
    "Credential",
    "Detail",
    "Kind",
    "Language",
    "Offering",
    "OptionFault",
    "Options",
    "Recipe",
    "Way",
    "preflight",
    "recipes",
]

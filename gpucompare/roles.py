"""Who may do what at the curators' desk, declared once.

Each role holds all of the one before it. The groups are made by a migration; after a change here
a new migration has to call `make_groups` again. A screen or an action that is not one of Django's
own has its line here too, and tests hold every address of the desk to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from django.contrib.auth.management import create_permissions

# What the program writes, and what no one changes at the desk.
_PROGRAMS_OWN = (
    *("catalogfile", "change", "exchangerate", "formerkey", "gpu", "gpufamily", "gpustanding"),
    *("listing", "passage", "pricepoint", "quarantinedrow", "refreshrun", "rejectedbatch"),
    *("share", "sourcepage", "sourcestate", "unknowngpuname"),
)
_EDITED = ("claim", "correction", "offering", "provider", "sourcereview")

# Closing a provider or an offering, or opening it again: its status and the note on it.
CLOSE: Final = "providers.change_provider"
# Loading the catalog's files, and whose word stands where files and desk conflict.
LOAD_FILES: Final = "providers.change_catalogfile"
# Accepting a batch that a guard kept out, or keeping it out.
SETTLE_BATCHES: Final = "providers.settle_rejectedbatch"


def _may(action: str, app: str, *models: str) -> frozenset[str]:
    return frozenset(f"{app}.{action}_{model}" for model in models)


@dataclass(frozen=True)
class Role:
    name: str
    means: str
    permissions: frozenset[str]


VIEWER = Role(
    "viewer",
    "sees the desk and changes nothing",
    _may("view", "providers", *_PROGRAMS_OWN, *_EDITED) | _may("view", "checks", "contententry"),
)
CURATOR = Role(
    "curator",
    "keeps claims, offerings' texts, readers' corrections and reviews of sources",
    VIEWER.permissions
    | _may("add", "providers", "claim")
    | _may("change", "providers", "claim", "offering", "correction", "sourcereview"),
)
PUBLISHER = Role(
    "publisher",
    "also adds and closes providers and offerings, settles batches, edits texts, loads files",
    CURATOR.permissions
    | {CLOSE, LOAD_FILES, SETTLE_BATCHES}
    | _may("add", "providers", "provider", "offering")
    | _may("add", "checks", "contententry")
    | _may("change", "checks", "contententry"),
)
ADMIN = Role(
    "admin",
    "also lets people in and gives them their roles",
    PUBLISHER.permissions.union(
        *(_may(action, "auth", "user", "group") for action in ("view", "add", "change"))
    ),
)
ROLES: Final = (VIEWER, CURATOR, PUBLISHER, ADMIN)


@dataclass(frozen=True)
class Needs:
    """What a screen asks of whoever looks at it, and of whoever sends it; "": nobody may."""

    look: str
    send: str


# By the name of the address.
SCREENS: Final[Mapping[str, Needs]] = MappingProxyType(
    {
        "admin:auth_user_password_change": Needs("auth.change_user", "auth.change_user"),
        "admin:providers_claim_retire": Needs("providers.change_claim", "providers.change_claim"),
        # Files are loaded, never rewritten here.
        "admin:providers_catalogfile_change": Needs("providers.view_catalogfile", ""),
        # It is taken over or declined, never rewritten.
        "admin:providers_correction_change": Needs("providers.view_correction", ""),
        "admin:take_correction": Needs(
            "providers.change_correction", "providers.change_correction"
        ),
        "admin:decline_correction": Needs(
            "providers.change_correction", "providers.change_correction"
        ),
        "admin:providers_rejectedbatch_settle": Needs(SETTLE_BATCHES, SETTLE_BATCHES),
        "desk-patch": Needs("providers.view_catalogfile", ""),
        "desk-conflicts": Needs("providers.view_catalogfile", LOAD_FILES),
        "desk-answers": Needs("providers.view_claim", "providers.change_claim"),
        "desk-sources": Needs("providers.view_claim", ""),
        "desk-source": Needs("providers.view_claim", "providers.change_claim"),
    }
)
# By the model and the name of the action in its list.
ACTIONS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("claim", "retire"): "providers.change_claim",
        ("correction", "decline_chosen"): "providers.change_correction",
        ("rejectedbatch", "accept"): SETTLE_BATCHES,
        ("rejectedbatch", "keep_out"): SETTLE_BATCHES,
    }
)


def make_groups(apps: Any, installed: Iterable[Any]) -> None:
    """The roles as groups. `apps` are those of a migration; `installed`, where their configs are.

    Django makes permissions after all migrations; they are needed here already.
    """
    for config in installed:
        create_permissions(config, verbosity=0, apps=apps)
    group_model = apps.get_model("auth", "Group")
    permissions = {
        f"{each.content_type.app_label}.{each.codename}": each
        for each in apps.get_model("auth", "Permission").objects.select_related("content_type")
    }
    for role in ROLES:
        group, _made = group_model.objects.get_or_create(name=role.name)
        # One of a later model is given by the migration that comes with it.
        group.permissions.set(permissions[p] for p in role.permissions if p in permissions)

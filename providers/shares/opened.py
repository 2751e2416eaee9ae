"""A share with all that its page is made of: what was frozen, today, and the difference."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from providers.browse.world import World
from providers.models import Share
from providers.shares.changes import Change, changes
from providers.shares.content import Content, thaw
from providers.shares.kinds import Kind, Now, kind_of
from providers.shares.rows import standing


@dataclass(frozen=True)
class Opened:
    kind: Kind
    then: Content
    today: Content
    changes: tuple[Change, ...]
    now: Now


def open_share(share: Share, moment: datetime) -> Opened | None:
    """None when no app owns its kind any more."""
    kind = kind_of(share.kind)
    if kind is None:
        return None
    then, world = thaw(bytes(share.content)), World.read()
    now = Now(world, moment, standing(then, world.offerings))
    today = kind.again(then, now)
    numbers = {number: offering.pk for number, offering in now.offerings.items()}
    return Opened(kind, then, today, changes(then, today, numbers), now)

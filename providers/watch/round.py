"""A round: every page that standing claims cite is looked at, the one longest ago first.

What came of a page is kept before the next is called, so that a round that is killed goes on where
it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

from django.utils import timezone

from providers.models import Claim, Look, SourcePage
from providers.refresh.lock import held_alone, renew_connection
from providers.watch.fetch import Found, Known, Visitor
from providers.watch.keep import Reviews, cited, citing, holds, keep, settle_moot
from providers.watch.passage import near
from providers.watch.words import words_of

_LOCK = (0x6772, 1)
# A page that weekly rounds have not reached for so long was left out.
LEFT_OUT = timedelta(days=8)


class AlreadyWatchingError(Exception):
    """Another process looks at the sources right now."""


@dataclass(frozen=True)
class Chosen:
    """Which pages a round is about. A page is compared for all claims that cite it."""

    claims: tuple[int, ...] = ()  # only pages that these cite
    provider: str = ""  # only pages that claims about this one cite
    before: datetime | None = None  # only pages that were not looked at since
    failing: bool = False  # only pages that failed, and those that the last rounds left out
    limit: int | None = None
    within_s: float | None = None  # no page is begun after so many seconds


@dataclass
class Told:
    """What came of a round."""

    looks: Counter[str] = field(default_factory=Counter)
    reviews: Reviews = field(default_factory=Counter)
    left: int = 0  # pages that were chosen and not looked at


def watch(
    visitor: Visitor,
    chosen: Chosen = Chosen(),
    *,
    dry_run: bool = False,
    tell: Callable[[str, Found, Reviews], None] = lambda *_told: None,
) -> Told:
    """Look at the chosen pages; `tell` hears of each. Raises AlreadyWatchingError."""
    with held_alone(*_LOCK) as held:
        if not held:
            raise AlreadyWatchingError
        told, started = Told(), monotonic()
        if not dry_run:
            told.reviews["settled"] += settle_moot()
        pages = list(_in_turn(chosen))
        for address, claims in pages[: chosen.limit]:
            if chosen.within_s is not None and monotonic() - started > chosen.within_s:
                break
            found, reviews = _look_at(visitor, address, claims, dry_run=dry_run)
            told.looks[found.look.value] += 1
            told.reviews += reviews
            tell(address, found, reviews)
        told.left = len(pages) - told.looks.total()
        return told


def _in_turn(chosen: Chosen) -> Iterator[tuple[str, list[int]]]:
    """The chosen addresses, each with all claims that cite it; never looked at, longest ago …"""
    rows = Claim.objects.order_by("pk").values_list("pk", "source", "offering__provider__slug")
    citers: dict[str, list[int]] = {}
    asked: set[str] = set()
    for pk, source, provider in rows:
        citers.setdefault(cited(source), []).append(pk)
        if (not chosen.claims or pk in chosen.claims) and chosen.provider in ("", provider):
            asked.add(cited(source))
    seen = {page.address: page for page in SourcePage.objects.exclude(looked_at=None)}
    for address in sorted(asked, key=lambda each: _turn(seen.get(each), each)):
        page = seen.get(address)
        late = chosen.before is None or _looked_before(page, chosen.before)
        if late and (not chosen.failing or _failed_or_left_out(page)):
            yield address, citers[address]


def _turn(page: SourcePage | None, address: str) -> tuple[float, str]:
    return page.looked_at.timestamp() if page and page.looked_at else 0.0, address


def _looked_before(page: SourcePage | None, moment: datetime) -> bool:
    return page is None or page.looked_at is None or page.looked_at < moment


def _failed_or_left_out(page: SourcePage | None) -> bool:
    left_out = _looked_before(page, timezone.now() - LEFT_OUT)
    return left_out or (page is not None and bool(page.failed_on))


def _look_at(
    visitor: Visitor, address: str, pks: Iterable[int], *, dry_run: bool
) -> tuple[Found, Reviews]:
    """The network outside of any transaction, what came of it within one."""
    claims = citing(pks)
    found = visitor.look(address, _known(address, claims))
    nears = {claim.pk: near(found.blocks, words_of(claim)) for claim in claims}
    renew_connection()
    read = nears if found.look == Look.READ else {}
    return found, keep(address, found, claims, read, dry_run=dry_run)


def _known(address: str, claims: list[Claim]) -> Known:
    """What to ask with whether the page changed; nothing where a passage is still to be read."""
    page = SourcePage.objects.filter(address=address).first()
    if page is None or not claims or not all(holds(claim, address) for claim in claims):
        return Known()
    return Known(page.etag, page.last_modified)

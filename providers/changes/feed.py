"""Changes as an Atom feed (RFC 4287), for any criteria."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Max
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import format_html, format_html_join
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from providers.changes.asked import feed_url
from providers.changes.page import title_of
from providers.changes.present import Entry, Presenter
from providers.changes.select import Selection
from providers.models import Change

MAX_ENTRIES = 100
CONTENT_TYPE = "application/atom+xml; charset=utf-8"
# Of a feed in which nothing has happened yet.
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)

# A path → the address with scheme and host.
Absolute = Callable[[str], str]


class _Feed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        """Without an entry Django would say now, and each answer would be another."""
        dates = (item["updateddate"] for item in self.items)
        return max(dates, default=_NEVER)


@dataclass(frozen=True)
class Version:
    """What a reader holds: the last change of all when it asked, which entries it was shown, and
    at which address.

    While nothing has been written at all, the first part answers with one cheap query.
    """

    last: int
    shown: str
    address: str

    @classmethod
    def of(cls, changes: Sequence[Change], last: int, address: str) -> Version:
        ids = ",".join(str(change.pk) for change in changes)
        return cls(last, _digest(ids), _digest(address))

    @classmethod
    def held(cls, etags: str, address: str) -> Iterator[Version]:
        """Those of an If-None-Match header that are of the feed at `address`."""
        for found in _ETAG.finditer(etags):
            version = cls(int(found["last"]), found["shown"], found["address"])
            if version.address == _digest(address):
                yield version

    @property
    def etag(self) -> str:
        return f'"{self.last}.{self.shown}.{self.address}"'


_ETAG = re.compile(r'"(?P<last>\d{1,18})\.(?P<shown>[0-9a-f]{16})\.(?P<address>[0-9a-f]{16})"')


def last_change() -> int:
    return Change.objects.aggregate(last=Max("pk"))["last"] or 0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def entries_of(selection: Selection) -> list[Change]:
    return list(selection.changes()[:MAX_ENTRIES])


def atom(selection: Selection, changes: Sequence[Change], host: str, absolute: Absolute) -> str:
    """The document. `host` names the site in ids, which no address or language changes."""
    address = feed_url(selection.criteria)
    name = title_of(selection) or _("all changes")
    feed = _Feed(
        title=_printable(_("gpucompare: %(criteria)s") % {"criteria": name}),
        link=absolute(selection.criteria.put("after").url(reverse("changes"))),
        description=_printable(_subtitle(selection)),
        language=get_language(),
        author_name="gpucompare",
        feed_url=absolute(address),
        feed_guid=f"tag:{host},2026:{address.removeprefix(reverse('feed')) or 'all'}",
    )
    for entry in Presenter(selection).entries(changes):
        _add(feed, entry, host, absolute)
    return str(feed.writeString("utf-8"))


def _subtitle(selection: Selection) -> str:
    if not selection.filtered:
        return _("Answers, statuses, prices and stock of cloud GPU providers as they change.")
    return _("Offerings that start or stop matching, and what changes at those that match.")


def _add(feed: Atom1Feed, entry: Entry, host: str, absolute: Absolute) -> None:
    feed.add_item(
        title=_printable(_title(entry)),
        link=absolute(entry.url),
        description=_printable(_body(entry, absolute)),
        unique_id=f"tag:{host},{entry.at:%Y-%m-%d}:change/{entry.id}",
        pubdate=entry.at,
        updateddate=entry.at,
        categories=[key for key in (entry.what, entry.effect) if key],
    )


def _title(entry: Entry) -> str:
    return f"{entry.title} – {entry.effect_text}" if entry.effect_text else entry.title


def _body(entry: Entry, absolute: Absolute) -> str:
    """HTML, as Django's feeds say that a summary is."""
    why = _link(absolute(entry.why_url), entry.why) if entry.why_url else entry.why
    lines: list[object] = [*entry.lines, why]
    if entry.source_url:
        lines.append(_link(entry.source_url, entry.source_host))
    return format_html_join("", "<p>{}</p>", ((line,) for line in lines))


def _link(url: str, text: object) -> str:
    return format_html('<a href="{}">{}</a>', url, text)


def _printable(text: object) -> str:
    """Without control characters, which XML cannot hold at all."""
    return "".join(c if c.isprintable() else " " for c in str(text))

"""Changes in words, ready for a template, a feed or a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from gpucompare import spoken
from gpucompare.languages import step
from providers.answers import Text
from providers.browse import links
from providers.browse.criteria import Criteria
from providers.browse.judge import Truth
from providers.browse.present import amount
from providers.browse.world import World
from providers.changes.catalog import CONTRADICTED
from providers.changes.keep import change_ratio
from providers.changes.select import Selection
from providers.changes.words import Side, digest_words, percent_text, stock_side
from providers.claim_views import cell_url, offering_url
from providers.dimensions import DIMENSIONS
from providers.models import PRICED, Change, Offering, Provider, Status, What, Why
from providers.wording import CONTRADICTED as CONTRADICTED_TEXT
from providers.wording import UNKNOWN, answer_text, free_language


@dataclass(frozen=True)
class Entry:
    """One change. Without a provider it is a digest, whose `lines` tell it."""

    id: int
    what: str
    at: datetime
    subject: Text
    url: str  # where what changed is shown
    why: Text
    why_url: str
    provider: str = ""
    offering: str = ""
    owner_url: str = ""
    before: Side | None = None
    after: Side | None = None
    moved: str = ""  # "−12 %"
    effect: str = ""  # starts | stops; nothing where no criterion turns on it
    effect_text: Text = ""
    source_url: str = ""
    lines: tuple[Text, ...] = ()

    @property
    def source_host(self) -> str:
        return urlsplit(self.source_url).hostname or ""

    @property
    def clock(self) -> str:
        return spoken.clock(self.at)

    @property
    def iso(self) -> str:
        return self.at.isoformat(timespec="seconds")

    @property
    def who(self) -> str:
        return f"{self.provider} {self.offering}".strip()

    @property
    def title(self) -> str:
        """All of it in one line, for a feed."""
        if self.before is None or self.after is None:
            return f"{self.subject}: {self.lines[0]}" if self.lines else str(self.subject)
        change = step(str(self.before.text), str(self.after.text))
        moved = f" ({self.moved})" if self.moved else ""
        return f"{self.who}: {self.subject}: {change}{moved}"


class Presenter:
    """Puts changes into words: offerings, GPUs and criteria are known to it."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.criteria: Criteria = selection.criteria
        self.world: World = selection.world

    def entries(self, changes: Iterable[Change]) -> list[Entry]:
        return [self.entry(change) for change in changes if self.knows(change)]

    def knows(self, change: Change) -> bool:
        """Whether what it is about was there when the world was read, and is a question still."""
        return (
            (change.offering_id is None or change.offering_id in self.offerings)
            and (not change.dimension or change.dimension in DIMENSIONS)
            and (change.family_id is None or (change.family_id, change.gpu_id) in self._gpus)
        )

    def entry(self, change: Change) -> Entry:
        words = {
            What.CLAIM: self._claim,
            What.STATUS: self._status,
            What.DIGEST: self._digest,
        }.get(What(change.what), self._priced)
        about: dict[str, Any] = {**self._why(change), **self._owner(change), **words(change)}
        effect = self.effect(change)
        told = {"starts": _("starts to match"), "stops": _("no longer matches")}
        return Entry(
            id=change.pk,
            what=str(change.what),
            at=change.at,
            source_url=change.source_url,
            effect=effect,
            effect_text=told.get(effect, ""),
            **about,
        )

    def effect(self, change: Change) -> str:
        """Whether what changed starts to match the criteria by it, or stops."""
        before, after = self._met(change)
        if before == after:
            return ""
        return "starts" if after else "stops"

    def _met(self, change: Change) -> tuple[bool, bool]:
        selection = self.selection
        if change.what == What.CLAIM and self.criteria.all(change.dimension):
            said = [selection.says(change.dimension, x) for x in (change.before, change.after)]
            least: Truth = selection.least
            return said[0] >= least, said[1] >= least
        if change.what in PRICED and selection.limits:
            return selection.limits.keeps(change, "before"), selection.limits.keeps(change, "after")
        return False, False

    # --- Who and why ---------------------------------------------------------------------

    @cached_property
    def offerings(self) -> Mapping[int | None, Offering]:
        return {o.pk: o for o in self.world.offerings}

    @cached_property
    def _providers(self) -> Mapping[int | None, Provider]:
        return {provider.pk: provider for provider in Provider.objects.all()}

    def _owner(self, change: Change) -> dict[str, Any]:
        if change.offering_id is not None:
            offering = self.offerings[change.offering_id]
            url = offering_url(offering)
            return {
                "provider": offering.provider.name,
                "offering": offering.name,
                "owner_url": url,
                "url": url,
            }
        if change.provider_id is not None:
            provider = self._providers[change.provider_id]
            url = reverse("provider", args=[provider.slug])
            return {"provider": provider.name, "owner_url": url, "url": url}
        return {}

    def slugs(self, change: Change) -> tuple[str, str]:
        """Provider and offering as addresses name them; empty where there is none."""
        if change.offering_id is not None:
            offering = self.offerings[change.offering_id]
            return offering.provider.slug, offering.slug
        found = self._providers.get(change.provider_id)
        return (found.slug if found else ""), ""

    def _why(self, change: Change) -> dict[str, Any]:
        if change.why != Why.REFRESH:
            return {"why": Why(change.why).label, "why_url": ""}
        told = _("Refresh of %(source)s") % {"source": change.source}
        return {"why": told, "why_url": f"{reverse('status')}#{change.source}"}

    # --- What ---------------------------------------------------------------------------

    def _claim(self, change: Change) -> dict[str, Any]:
        dimension = DIMENSIONS[change.dimension]
        return {
            "subject": dimension.label,
            "url": cell_url(self.offerings[change.offering_id], dimension),
            "before": answer_side(change.dimension, change.before),
            "after": answer_side(change.dimension, change.after),
        }

    def _status(self, change: Change) -> dict[str, Any]:
        return {
            "subject": pgettext("of an offering", "Status"),
            "before": _status_side(change.before),
            "after": _status_side(change.after),
        }

    def _priced(self, change: Change) -> dict[str, Any]:
        gpu = self.gpu_name(change.family_id, change.gpu_id)
        subject = _("%(gpu)s, spot") % {"gpu": gpu} if change.spot else gpu
        found: dict[str, Any] = {"subject": subject, "url": self.listings_url(change)}
        if change.what == What.STOCK:
            return {
                **found,
                "before": stock_side(change.before),
                "after": stock_side(change.after),
            }
        ratio = change_ratio(change)
        told = change.usd_told if not self.selection.limits.max_usd else None
        return {
            **found,
            "before": self._price_side(change, told or change.usd_before, What.LISTED),
            "after": self._price_side(change, change.usd_after, What.WITHDRAWN),
            "moved": percent_text(ratio) if ratio is not None and told else "",
        }

    def _price_side(self, change: Change, usd: Decimal | None, gone: What) -> Side:
        if change.what == gone:
            return Side("no", _("not listed"))
        return Side("", self.price_text(usd)) if usd is not None else Side("unknown", UNKNOWN)

    def price_text(self, usd: Decimal) -> str:
        unit = f"{links.sign(self.criteria)}{amount(usd, self.criteria)}"
        return f"{unit}{links.divisors(self.criteria)}"

    def listings_url(self, change: Change) -> str:
        """The priced rows that a change is about."""
        slug = self.offerings[change.offering_id].provider.slug
        asked = {"provider": (slug,), "gpu": (self.gpu_slug(change.family_id, change.gpu_id),)}
        return Criteria.of(asked).url(reverse("listings"))

    def _digest(self, change: Change) -> dict[str, Any]:
        subject, lines = digest_words(change, self)
        url = f"{reverse('status')}#{change.source}" if change.source else reverse("changes")
        return {"subject": subject, "lines": lines, "url": url}

    # --- GPUs ---------------------------------------------------------------------------

    @cached_property
    def _gpus(self) -> Mapping[tuple[int | None, int | None], tuple[str, str]]:
        """(slug, name) of each family, with open form, and of each model."""
        found: dict[tuple[int | None, int | None], tuple[str, str]] = {}
        for family in self.world.families:
            found[family.pk, None] = (family.slug, family.name)
            found |= {(family.pk, g.pk): (g.slug, g.name) for g in family.models.all()}
        return found

    def gpu_slug(self, family: int | None, gpu: int | None) -> str:
        return self._gpus[family, gpu][0] if family is not None else ""

    def gpu_name(self, family: int | None, gpu: int | None) -> str:
        return self._gpus[family, gpu][1] if family is not None else ""


def answer_side(key: str, answer: Any) -> Side:
    dimension = DIMENSIONS[key]
    if answer == CONTRADICTED:
        return Side("contradicted", CONTRADICTED_TEXT)
    if answer is None:
        return Side("unknown", UNKNOWN)
    grade = dimension.grade_of(answer)
    # An answer of the past may be none any more.
    text = answer_text(dimension, answer) if dimension.fault(answer) is None else str(answer)
    return Side(grade.value if grade else "fact", text, free_language(dimension))


def _status_side(status: Any) -> Side:
    if status is None:
        return Side("no", _("not in the catalog"))
    state = {Status.ACTIVE: "yes", Status.ACQUIRED: "partly", Status.CLOSED: "no"}[Status(status)]
    return Side(state, Status(status).label)


def days(entries: Sequence[Entry]) -> list[tuple[Text, list[Entry]]]:
    """Entries under the day that they fall on."""
    found: list[tuple[Text, list[Entry]]] = []
    for entry in entries:
        day = spoken.weekday(entry.at)
        if not found or found[-1][0] != day:
            found.append((day, []))
        found[-1][1].append(entry)
    return found

"""The result of a check as a kind of share: the facts of the image, and the verdicts on that day.

A tag may name another image by now. What is judged again is the image as it was; the link to the
page itself asks for the tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from checks import present_page
from checks.conditions import Asked
from checks.image.fact import ImageFacts
from checks.image.facts import facts_of
from checks.image.reading import known
from checks.present import columns_of
from checks.present_verdict import listings_text
from checks.question import Question, read_question
from checks.start.beside import TOTAL
from checks.start.world import with_verdicts
from checks.told_address import pairs_of, told
from checks.verdicts import Checked, CheckResult, Stand, check
from checks.wording import CONDITIONS, FIXES, MISSING, REASONS, texts
from gpucompare.cuda.answer import Standing
from providers.answers import Text
from providers.browse.criteria import Criteria
from providers.browse.parameters import Vocabulary
from providers.browse.query import Cheapest
from providers.browse.world import World
from providers.shares.content import MOST_ROWS, Content, Pair, TooLargeError, Verdict
from providers.shares.kinds import Kind, NothingToShareError, Now
from providers.shares.of_pages import MATCHES, criteria_now, on_all_pages
from providers.shares.rows import PriceKind, Source, frozen_rows
from providers.wording import joined

# The facts of the image stand beside the question under their names with this before them.
_FACT = "fact."


def freeze_check(asked: QueryDict, world: World, moment: datetime) -> Content:
    world = with_verdicts(world)
    question, criteria, _ignored = read_question(asked, world.vocabulary)
    facts = _facts(question)
    if criteria.one("sort") == TOTAL:
        criteria = criteria.put("sort")
    result = check(_asked(question, facts), on_all_pages(criteria), world, moment)
    rows = _shown(result)
    if not rows:
        raise NothingToShareError
    if len(rows) > MOST_ROWS:
        raise TooLargeError
    known_of_it = tuple((f"{_FACT}{name}", value) for name, value in pairs_of(facts))
    return _content(result, rows, (*question.pairs, *known_of_it), moment)


def check_again(content: Content, now: Now) -> Content:
    """The image as it was, judged on the hosts of today."""
    world = with_verdicts(now.world)
    question, facts = _question(content), _facts_then(content)
    criteria = on_all_pages(criteria_now(content, world))
    result = check(_asked(question, facts), criteria, world, now.moment)
    rows = _shown(result)
    here = {one.row.offering.pk: one for one in (*result.rows, *result.closed)}
    names = {one.row.offering.pk for one in rows}
    left = [o for o in now.offerings.values() if o.pk not in names]
    rows += [here[o.pk] for o in left if o.pk in here]
    found = _content(result, rows[:MOST_ROWS], content.beside, now.moment)
    gone = [Source(o, match="no") for o in left if o.pk not in here]
    return found.model_copy(
        update={"rows": (*found.rows, *frozen_rows(gone, found.columns))[:MOST_ROWS]}
    )


# --- The image ---------------------------------------------------------------------------


def _facts(question: Question) -> ImageFacts:
    """What is known of the image; nothing is read for it."""
    if question.reference:
        record = known(question.reference)
        if record is None:
            raise NothingToShareError("unread")
        return facts_of(record)
    if question.facts is None:
        raise NothingToShareError
    return question.facts


def _asked(question: Question, facts: ImageFacts) -> Asked:
    """As the page asks: what anybody may read needs no credentials."""
    if question.reference:
        return Asked(facts, question.reference.host, private=False)
    return Asked(facts)


def _question(content: Content) -> Question:
    pairs = [pair for pair in content.beside if not pair[0].startswith(_FACT)]
    return read_question(QueryDict(urlencode(pairs)), Vocabulary())[0]


def _facts_then(content: Content) -> ImageFacts:
    kept: dict[str, list[str]] = {}
    for name, value in content.beside:
        if name.startswith(_FACT):
            kept.setdefault(name.removeprefix(_FACT), []).append(value)
    return told(kept).facts


# --- Rows --------------------------------------------------------------------------------


def _shown(result: CheckResult) -> list[Checked]:
    hidden = result.criteria.one("unknown") == "hide"
    return [*result.match, *(() if hidden else result.may), *result.closed]


def _content(
    result: CheckResult, rows: Sequence[Checked], beside: tuple[Pair, ...], moment: datetime
) -> Content:
    criteria, columns = result.criteria, columns_of(result.criteria)
    return Content(
        kind="check",
        day=moment.date(),
        values=criteria.values,
        beside=beside,
        usd_per_unit=criteria.usd_per_unit,
        columns=columns,
        match=len(result.match),
        may=len(result.may),
        rows=frozen_rows([_source(one) for one in rows], columns),
    )


def _source(one: Checked) -> Source:
    row = one.row
    prices: dict[PriceKind, Cheapest | None] = {"cheapest": row.cheapest}
    return Source(row.offering, prices, MATCHES[row.truth], row.unknown, _verdict(one.stand))


def _verdict(stand: Stand) -> Verdict:
    said = stand.said
    return Verdict(
        standing=said.standing,
        reasons=tuple(map(str, said.reasons)),
        fixes=tuple(map(str, said.fixes)),
        missing=tuple(map(str, said.missing)),
        conditions=tuple(found.key.value for found in said.conditions),
        listings_alike=stand.its_listings,
        listings=stand.listings,
    )


# --- Words ---------------------------------------------------------------------------------


def _words(verdict: Verdict) -> Iterator[Text]:
    """How many listings stand so, why, what helps, what is missing, what the offering asks for."""
    if counted := listings_text(verdict.listings_alike, verdict.listings):
        yield counted
    yield from texts(REASONS, verdict.reasons)
    if verdict.standing is not Standing.RUNS:
        yield from texts(FIXES, verdict.fixes[:1])
    if verdict.standing is Standing.UNKNOWN:
        yield from texts(MISSING, verdict.missing)
    yield from texts(CONDITIONS, verdict.conditions)


def _title(content: Content) -> Text:
    return _("Where will %(image)s run?") % {"image": _image(content)}


def _image(content: Content) -> str:
    return present_page.asking(_question(content), Criteria()).title


def _facts_in_words(content: Content) -> list[tuple[Text, Text]]:
    learnt = present_page.learnt(_facts_then(content), None, False, Criteria())
    return [(_("Image"), _image(content)), (_("Known of it"), joined(learnt.gist))]


def _address(content: Content, now: Now) -> str:
    criteria = criteria_now(content, with_verdicts(now.world))
    return replace(criteria, beside=_question(content).pairs).url(reverse("check"))


CHECK = Kind(
    "check",
    freeze_check,
    check_again,
    _address,
    _title,
    facts=_facts_in_words,
    words=lambda verdict: tuple(_words(verdict)),
)

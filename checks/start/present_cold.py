"""ColdResult → ColdFound: the sentence, the money, the ways side by side, the ranking."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checks.coldstart import BreakEven, Cases, Estimate, Job, Scenario
from checks.start.asked import USUAL_HOURS, StartAsked
from checks.start.cold_page import (
    BillRow,
    ColdFound,
    JobRow,
    RankedRow,
    Rests,
    SpotPart,
    WayRow,
)
from checks.start.figures import Span, costs, in_full, money, short, times
from checks.start.found import ColdResult, Place
from checks.start.launch_asked import OfferingLinks
from checks.start.places import Here
from checks.start.present_phases import Phases, saving
from checks.start.wording import BREAK_EVENS, PARTS, WAY_REASONS, WAYS
from gpucompare import spoken
from providers.answers import Text
from providers.browse.criteria import Criteria
from providers.browse.links import EXPORTS
from providers.browse.page import Choice
from providers.browse.present import price_cell
from providers.claim_views import cell_url, offering_url
from providers.dimensions import DIMENSIONS
from providers.models import Origin
from providers.wording import STANDINGS, cell_state, cell_text, joined

_RESTS_ON = ("billed_during_pull", "billing_increment_s", "image_cache", "isolation")
# Of the ranking; the others are folded away.
_SHOWN = 12


def cold_found(result: ColdResult, now: datetime) -> ColdFound:
    asked, first = result.asked, result.first
    start, here, phases = first.job.start, first.here, Phases(result)
    ranked = tuple(_ranked(result, now))
    return ColdFound(
        key=here.key,
        place=str(here.offering),
        place_url=offering_url(here.offering),
        lead=_lead(start, here, asked.criteria),
        range=_range(start, asked.criteria),
        price=_price(here, asked.criteria, now),
        data_day=_snapshot_day(result),
        phases=tuple(phases.rows()),
        total=times(start.total_s),
        bar=tuple(phases.bar()),
        bar_text=phases.bar_text(),
        bill=tuple(_bill(start, asked.criteria)),
        bill_unknown=start.pull_billing_unknown,
        rests=tuple(_rests(here)),
        ways=tuple(_ways(result)),
        job_title=_job_title(asked),
        spot=_spot(result),
        ranked=ranked[:_SHOWN],
        folded=ranked[_SHOWN:],
        exports=tuple(_exports(asked)),
        judged=result.judged,
        left_out=_left_out(result.fails),
        assumptions=tuple(phases.assumptions()),
        assumptions_open=bool(asked.given),
        all_url=asked.at().url(reverse("cold-start")) if asked.offerings else "",
        launch_url=OfferingLinks(asked).launch(here),
    )


# --- The sentence ------------------------------------


def _lead(start: Estimate, here: Here, criteria: Criteria) -> str:
    words = {"time": in_full(start.total_s.likely), "place": str(here.offering)}
    if start.usd is None:
        text = _("About %(time)s before it answers at %(place)s; what it costs is not known")
        return text % words
    words["usd"] = money(start.usd.likely, criteria)
    return _("About %(time)s and %(usd)s before it answers at %(place)s") % words


def _range(start: Estimate, criteria: Criteria) -> str:
    total, usd = start.total_s, start.usd
    words = {"low": short(total.low), "high": short(total.high)}
    if usd is None:
        return _("At best %(low)s, at worst %(high)s.") % words
    words |= {"least": money(usd.low, criteria), "most": money(usd.high, criteria)}
    return _("At best %(low)s and %(least)s, at worst %(high)s and %(most)s.") % words


def _price(here: Here, criteria: Criteria, now: datetime) -> str:
    """What is paid there, for which machine, and how old that is."""
    price, listing = here.rented.price, here.listing
    if price is None or listing is None:
        return _("No price is known there under these filters.")
    words = {
        "gpu": f"{listing.gpu_count or 1} × {listing.gpu_name}",
        "usd": money(price, criteria),
        "age": price_cell(here.checked.row.cheapest, criteria, now).age,
    }
    if here.on_spot:
        return _("For %(gpu)s at %(usd)s an hour as spot, price seen: %(age)s.") % words
    return _("For %(gpu)s at %(usd)s an hour, price seen: %(age)s.") % words


def _snapshot_day(result: ColdResult) -> Text:
    rows = [place.here.checked.row.cheapest for place in result.ranked]
    days = [row.seen_at for row in rows if row and row.origin == Origin.SNAPSHOT]
    return spoken.day(max(days)) if days else ""


def _left_out(fails: int) -> str:
    if not fails:
        return ""
    text = ngettext(
        "%(n)d offering is left out: the image fails there.",
        "%(n)d offerings are left out: the image fails there.",
        fails,
    )
    return text % {"n": fails}


# --- Money ---------------------------------------------------------------------------------------


def _bill(start: Estimate, criteria: Criteria) -> Iterator[BillRow]:
    yield BillRow(_("On the meter"), times(start.metered_s), None)
    if start.if_unbilled and start.if_billed:
        for label, bill in (
            (_("On the bill, if the pull is not paid"), start.if_unbilled),
            (_("On the bill, if the pull is paid"), start.if_billed),
        ):
            yield BillRow(label, times(bill.seconds), _costs(bill.usd, criteria))
    else:
        yield BillRow(_("On the bill"), times(start.billed_s), _costs(start.usd, criteria))


def _costs(usd: Cases | None, criteria: Criteria) -> Span | None:
    return None if usd is None else costs(usd, criteria)


def _rests(here: Here) -> Iterator[Rests]:
    for key in _RESTS_ON:
        dimension = DIMENSIONS[key]
        yield Rests(
            dimension.label,
            cell_state(here.offering, dimension),
            cell_text(here.offering, dimension),
            cell_url(here.offering, dimension),
        )


# --- Other ways -----------------------------------------------------------------------------


def _ways(result: ColdResult) -> Iterator[WayRow]:
    cold = next(one.estimate for one in result.scenarios if one.key == "cold")
    for one in result.scenarios:
        yield _way(one, cold, result.asked.criteria)


def _way(one: Scenario, cold: Estimate | None, criteria: Criteria) -> WayRow:
    reason = WAY_REASONS[one.reason] if one.reason else ""
    found = one.estimate
    if found is None:
        return WayRow(one.key, WAYS[one.key], None, None, "", reason)
    saves = _saves(cold, found) if cold and one.key != "cold" else ""
    total, usd = times(found.total_s), _costs(found.usd, criteria)
    return WayRow(one.key, WAYS[one.key], total, usd, saves, reason)


def _saves(cold: Estimate, other: Estimate) -> str:
    seconds = saving(cold.total_s, other.total_s)
    if not seconds:
        return _("as long as cold")
    if seconds < 0:
        return _("%(time)s longer than cold") % {"time": short(-seconds)}
    return _("%(time)s shorter than cold") % {"time": short(seconds)}


# --- The job --------------------------------------------------------------------------------


def hours_of(asked: StartAsked) -> Decimal:
    return USUAL_HOURS if asked.hours is None else asked.hours


def _job_title(asked: StartAsked) -> str:
    hours = hours_of(asked)
    text = ngettext("A job of %(n)s hour", "A job of %(n)s hours", max(1, int(hours.to_integral())))
    return text % {"n": spoken.number(hours)}


def _spot(result: ColdResult) -> SpotPart:
    found, criteria = result.interruptible, result.asked.criteria
    restarts = _("On spot, with %(n)s restarts") % {
        "n": spoken.number(round(found.spot.restarts, 2))
    }
    return SpotPart(
        (
            _job_row(_("On demand"), found.on_demand, criteria),
            _job_row(restarts, found.spot, criteria),
        ),
        _break_even(found.break_even),
    )


def _job_row(label: Text, job: Job, criteria: Criteria) -> JobRow:
    return JobRow(
        label, times(job.wall_s), _costs(job.usd, criteria), missing_text(job), job.stalls
    )


def missing_text(job: Job) -> Text:
    """What no price is known of; all of it, where the machine has none."""
    if job.usd is None:
        return _("no price is known")
    parts = [PARTS[key] for key in job.missing]
    return _("without %(parts)s") % {"parts": joined(parts)} if parts else ""


def _break_even(found: BreakEven) -> Text:
    if found.reason:
        return BREAK_EVENS[found.reason]
    if found.likely is None:
        return _("Spot stays cheaper however often it is interrupted.")
    words = {"low": found.low, "likely": found.likely, "high": found.high}
    if found.high is None:
        text = _(
            "Both cost the same at about %(likely)s interruptions a day of work (at least "
            "%(low)s; where a restart costs nothing, spot stays cheaper). With fewer, spot is "
            "cheaper."
        )
        return text % words
    text = _(
        "Both cost the same at about %(likely)s interruptions a day of work (%(low)s to "
        "%(high)s). With fewer, spot is cheaper."
    )
    return text % words


# --- The ranking ------------------------------------


def _ranked(result: ColdResult, now: datetime) -> Iterator[RankedRow]:
    asked, links = result.asked, OfferingLinks(result.asked)
    for one in result.ranked:
        offering, row = one.here.offering, one.here.checked.row
        price = price_cell(row.cheapest, asked.criteria, now)
        yield RankedRow(
            key=one.here.key,
            provider=offering.provider.name,
            name=offering.name,
            url=links.cold(one.here.key),
            launch_url=links.launch(one.here),
            state=one.standing.value if result.judged else "",
            word=STANDINGS[one.standing] if result.judged else "",
            gpu=price.gpu,
            price=_hourly(one, asked.criteria),
            age=price.age,
            band=price.band,
            spot=price.spot,
            start=times(one.job.start.total_s),
            start_usd=_costs(one.job.start.usd, asked.criteria),
            total=_costs(one.job.usd, asked.criteria),
            missing=missing_text(one.job),
            current=one is result.first,
        )


def _exports(asked: StartAsked) -> Iterator[Choice]:
    url = asked.canonical(reverse("cold-start"))
    for name in EXPORTS:
        yield Choice(name, name.upper(), f"{url}{'&' if '?' in url else '?'}format={name}", False)


def _hourly(one: Place, criteria: Criteria) -> str:
    price = one.here.rented.price
    return "" if price is None else money(price, criteria)

"""The page that checks an image. No queries and no rules here: they are fetched and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.core.exceptions import RequestDataTooBig
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseForbidden,
    HttpResponseRedirect,
    QueryDict,
)
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from checks import present_page, tables, wording_image
from checks.conditions import Asked
from checks.image.fact import ImageFacts
from checks.image.facts import facts_of
from checks.image.paste import PasteError, PasteFault, read_paste, too_large
from checks.image.reading import Reading, look
from checks.image.reasons import Reason
from checks.image.record import ImageRecord
from checks.page import Failure, Pending, WholePage
from checks.present import check_page
from checks.question import Question
from checks.start import wording
from checks.start.asked import StartAsked, read_start
from checks.start.beside import FirstStarts
from checks.start.found import image_of
from checks.start.world import read_world
from checks.told_address import pairs_of
from checks.unread import ASK_AGAIN_S, retry_headers, status_of
from checks.verdicts import check as checked
from gpucompare.clients import client_of
from gpucompare.same_origin import is_same_origin
from gpucompare.snapshot import one_snapshot
from providers.answers import Text
from providers.browse.asked_format import by_format, format_asked
from providers.browse.criteria import Criteria, Ignored
from providers.browse.export import export_response
from providers.browse.world import World
from providers.views import HtmxRequest, part_of, tell_address, unknown_format

PLAIN = "text/plain; charset=utf-8"


# Public forms set no cookie: see gpucompare.same_origin.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@by_format
def check(request: HtmxRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _Asked.of(request, request.GET, timezone.now()).answer()
    if not is_same_origin(request):
        text = _("This form was not sent from a page of this site. Open the page and send it.")
        return HttpResponseForbidden(text, content_type=PLAIN)
    form, paste = _form(request)
    return _Asked.of(request, form, timezone.now()).pasted(paste)


def _form(request: HttpRequest) -> tuple[QueryDict, str | None]:
    """The form without its paste, and the paste; None for one that is larger than Django reads."""
    try:
        form = request.POST.copy()
    except RequestDataTooBig:
        return QueryDict(), None
    return form, str((form.pop("paste", None) or [""])[-1])


@dataclass(frozen=True)
class _Asked:
    """One request: what it asks, under which criteria, of which world."""

    request: HtmxRequest
    start: StartAsked
    ignored: Sequence[Ignored]
    world: World
    now: datetime

    @classmethod
    def of(cls, request: HtmxRequest, query: QueryDict, now: datetime) -> _Asked:
        world = read_world()
        start, ignored = read_start(query, None, world.vocabulary)
        return cls(request, start, [*ignored, *unknown_format(request)], world, now)

    @property
    def question(self) -> Question:
        return self.start.question

    @property
    def criteria(self) -> Criteria:
        return self.start.criteria

    def answer(self) -> HttpResponseBase:
        question = self.question
        if question.fault:
            return self._failed(present_page.fault_of_name(question.fault), 422)
        if question.reference:
            return self._read(look(question.reference, client_of(self.request)))
        if question.facts:
            return self._result(question.facts)
        return self._page()

    def pasted(self, paste: str | None) -> HttpResponseBase:
        """The result of a paste stands at an address of its own, which holds the facts alone."""
        try:
            facts = facts_of(read_paste(paste) if paste is not None else too_large())
        except PasteError as fault:
            asking = present_page.asking(self.question, self.criteria, fault=fault)
            status = 413 if fault.fault is PasteFault.TOO_LARGE else 422
            return self._page(status=status, asking=asking)
        told = replace(self.criteria, beside=pairs_of(facts))
        return HttpResponseRedirect(told.url(reverse("check")), status=303)

    def _read(self, reading: Reading) -> HttpResponseBase:
        record = reading.record
        if record:
            facts = facts_of(record)
            return self._result(facts, reading)
        if reading.state == "pending":
            return self._pending(present_page.pending_of(reading, self.criteria))
        status = status_of(reading.reason or Reason.OUR_FAULT)
        return self._failed(present_page.failure_of(reading), status, retry_headers(reading))

    def _result(self, facts: ImageFacts, reading: Reading | None = None) -> HttpResponseBase:
        """All of it of one moment, which is not before that at which the image was looked up."""
        with one_snapshot():
            return replace(self, world=read_world())._judged(facts, reading)

    def _judged(self, facts: ImageFacts, reading: Reading | None) -> HttpResponseBase:
        reference = self.question.reference
        # What anybody may read needs no credentials.
        asked = Asked(facts, reference.host if reference else "", False if reading else None)
        result = checked(asked, self.criteria, self.world, self.now)
        record = reading.record if reading else None
        firsts = self._firsts(facts, record)
        if firsts:
            result = firsts.in_order(result)
        if wanted := format_asked(self.request):
            table = tables.check_table(result)
            return export_response(table, wanted, self.request.build_absolute_uri(), self.now)
        stale = reading is not None and reading.state == "failed"
        learnt = present_page.learnt(facts, record, stale, self.criteria)
        beside = firsts.beside if firsts else None
        page = check_page(result, self.ignored, self.now, beside)
        job, cold_url = firsts.form if firsts else None, self.start.url(reverse("cold-start"))
        return self._page(result=page, learnt=learnt, job=job, cold_url=cold_url)

    def _firsts(self, facts: ImageFacts, record: ImageRecord | None) -> FirstStarts | None:
        """What a first start takes at each offering, where the size of the image is known."""
        image = image_of(self.start, facts, record)
        return FirstStarts(self.start, image) if image else None

    def _pending(self, pending: Pending) -> HttpResponse:
        if format_asked(self.request):
            return _plain(pending.phase, 202, {"Retry-After": str(ASK_AGAIN_S)})
        return self._page(pending=pending)

    def _failed(
        self, failure: Failure, status: int, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        """The page leaves the other ways open; for whoever asked for a file there is its status."""
        if format_asked(self.request):
            return _plain(f"{failure.text} {failure.part}".strip(), status, headers)
        asking = present_page.asking(self.question, self.criteria, failed=True)
        return self._page(failure=failure, asking=asking)

    def _page(self, status: int = 200, **parts: object) -> HttpResponse:
        parts.setdefault("asking", present_page.asking(self.question, self.criteria))
        url = self.criteria.url(reverse("check"))
        whole = WholePage(canonical_url=url, notices=self._notices(), **parts)  # type: ignore[arg-type]
        part = part_of(self.request, "browse")
        context = {"check": whole, "page": whole.result}
        response = render(self.request, f"checks/check.html{part}", context, status=status)
        if part:
            tell_address(self.request, response, url)
        return response

    def _notices(self) -> tuple[str, ...]:
        by_hand = (wording_image.notice_text(notice) for notice in self.question.notices)
        return (*(str(wording.notice(part)) for part in self.ignored), *by_hand)


def _plain(text: Text, status: int, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Why there is no file, for programs and those who run them."""
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return HttpResponse(f"{text}\n", status=status, headers=kept, content_type=PLAIN)

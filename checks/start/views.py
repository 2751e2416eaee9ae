"""The pages of a first start and of a launch. No queries and no rules here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from checks import launch as launching
from checks import present_page, wording_image
from checks.conditions import Asked
from checks.image.fact import ImageFacts
from checks.image.facts import facts_of
from checks.image.reading import Reading, look
from checks.image.record import ImageRecord
from checks.start import present_launch, wording, wording_launch
from checks.start.asked import StartAsked, read_start
from checks.start.cold_page import ColdPage
from checks.start.found import cold, image_of
from checks.start.launch_asked import LaunchAsked, read_launch
from checks.start.launch_page import LaunchPage
from checks.start.launched import answered, gpus_of
from checks.start.present_cold import cold_found
from checks.start.present_form import pending_at, start_form, title_of
from checks.start.tables import cold_table
from checks.start.world import read_world
from gpucompare.clients import client_of
from gpucompare.snapshot import one_snapshot
from providers.answers import Text
from providers.browse.asked_format import by_format, format_asked
from providers.browse.export import export_response
from providers.browse.world import World, is_closed
from providers.claim_views import offering_url
from providers.models import Offering
from providers.views import HtmxRequest, part_of, tell_address, unknown_format


@require_safe
@by_format
def cold_start(request: HtmxRequest) -> HttpResponseBase:
    world = read_world()
    asked, ignored = read_start(request.GET, world.by_key, world.vocabulary)
    notices = tuple(wording.notice(part) for part in [*ignored, *unknown_format(request)])
    by_hand = tuple(wording_image.notice_text(told) for told in asked.question.notices)
    return _Cold(request, asked, (*notices, *by_hand), world, timezone.now()).answer()


@dataclass(frozen=True)
class _Cold:
    """One request for a first start."""

    request: HtmxRequest
    asked: StartAsked
    notices: tuple[Text, ...]
    world: World
    now: datetime

    def answer(self) -> HttpResponseBase:
        question = self.asked.question
        if question.fault:
            return self._page(failure=present_page.fault_of_name(question.fault))
        if question.reference:
            return self._read(look(question.reference, client_of(self.request)))
        return self._found(question.facts)

    def _read(self, reading: Reading) -> HttpResponseBase:
        if reading.record:
            return self._found(facts_of(reading.record), reading.record)
        if reading.state == "pending":
            return self._page(pending=pending_at(reading, self._url()))
        return self._page(failure=present_page.failure_of(reading))

    def _found(
        self, facts: ImageFacts | None, record: ImageRecord | None = None
    ) -> HttpResponseBase:
        """All of it of one moment, which is not before that at which the image was looked up."""
        with one_snapshot():
            return replace(self, world=read_world())._computed(facts, record)

    def _computed(self, facts: ImageFacts | None, record: ImageRecord | None) -> HttpResponseBase:
        image = image_of(self.asked, facts, record)
        if image is None:
            return self._page()
        reference = self.asked.question.reference
        host = reference.host if reference else ""
        about = Asked(facts, host, False if record else None) if facts else None
        result = cold(self.asked, image, about, self.world, self.now)
        if result is None:
            return self._page(nothing=True)
        if wanted := format_asked(self.request):
            address = self.request.build_absolute_uri()
            return export_response(cold_table(result), wanted, address, self.now)
        return self._page(found=cold_found(result, self.now))

    def _url(self) -> str:
        return self.asked.canonical(reverse("cold-start"))

    def _page(self, **parts: object) -> HttpResponse:
        page = ColdPage(
            title=title_of(self.asked),
            canonical_url=self._url(),
            check_url=check_url(self.asked),
            form=start_form(self.asked),
            notices=self.notices,
            **parts,  # type: ignore[arg-type]
        )
        part = part_of(self.request, "browse")
        response = render(self.request, f"checks/cold.html{part}", {"cold": page})
        if part:
            tell_address(self.request, response, page.canonical_url)
        return response


def check_url(asked: StartAsked) -> str:
    """The same image under the same criteria against every offering."""
    return asked.at().url(reverse("check"))


@require_safe
def launch(request: HttpRequest) -> HttpResponse:
    world = read_world()
    asked, ignored = read_launch(request.GET, world.by_key, world.vocabulary)
    notices = tuple(wording_launch.notice(part) for part in ignored)
    page = _launch_page(asked, notices, world)
    return render(request, "checks/launch.html", {"launch": page})


def _launch_page(asked: LaunchAsked, notices: tuple[Text, ...], world: World) -> LaunchPage:
    offering = world.by_key.get(asked.offering)
    fault = asked.start.question.fault
    page = LaunchPage(
        title=asked.image,
        image=asked.image,
        place=str(offering) if offering else "",
        place_url=offering_url(offering) if offering else "",
        canonical_url=asked.url(reverse("launch")),
        cold_url=asked.start.url(reverse("cold-start")),
        check_url=check_url(asked.start),
        form=present_launch.form(asked, gpus_of(offering, world) if offering else {}),
        notices=notices,
        failure=present_page.fault_of_name(fault) if fault else None,
        wants_image=not asked.image,
        wants_offering=offering is None,
        closed=offering is not None and is_closed(offering),
    )
    return _with_recipes(page, asked, offering) if offering else page


def _with_recipes(page: LaunchPage, asked: LaunchAsked, offering: Offering) -> LaunchPage:
    there = answered(offering)
    checks = launching.preflight(there.answers)
    page = replace(
        page,
        checks=present_launch.check_views(offering, checks),
        open_checks=sum(one.state != "known" for one in checks),
    )
    if not asked.image or page.closed:
        return page
    reference = str(asked.start.question.reference)
    found = launching.recipes(reference, there, asked.gpu, asked.count, asked.options())
    return replace(page, recipes=tuple(map(present_launch.recipe_view, found)))

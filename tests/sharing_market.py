"""A market of two offerings for tests of a share's page, and what changes in it later."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from providers.models import Claim, Listing, Offering
from providers.resolve import resolve_offerings
from tests.factories import NOW, make_claim, make_gpu, make_listing, make_offering, make_provider

COMPARE = "/compare/?o=alpha/pods&o=beta/vms"
LATER = NOW + timedelta(days=40)


def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Today; call it to go to another moment. For a module's own fixture, as are the offerings."""

    def go(moment: Any) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    go(NOW)
    return go


def make_pods() -> Offering:
    found = make_offering("pods", make_provider("alpha"), name="Pods")
    make_claim(found, "docker_daemon", "none", source="https://docs.alpha.example/daemon")
    make_claim(found, "custom_image", "any", source="https://docs.alpha.example/images")
    make_claim(found, "driver", "550-580")
    h100 = make_gpu("h100-sxm", "h100")
    make_listing(found, h100, usd_per_hour=Decimal("19.92"), gpu_count=8)
    resolve_offerings([found.pk])
    return found


def make_vms() -> Offering:
    found = make_offering("vms", make_provider("beta"), name="VMs")
    make_claim(found, "docker_daemon", "root", read_on=None, source_kind="integrator")
    make_listing(found, None, gpu_name="L4", usd_per_hour=1)
    resolve_offerings([found.pk])
    return found


def change_much(pods: Offering, vms: Offering) -> None:
    """One answer is another, one is known, a price goes up, one offering closes."""
    Claim.objects.filter(offering=pods, dimension="docker_daemon").update(value="root")
    make_claim(vms, "ssh", True)
    resolve_offerings()
    Listing.objects.filter(offering=pods).update(usd_per_hour=Decimal("23.92"), seen_at=LATER)
    vms.status = "closed"
    vms.save(update_fields=["status"])

"""What docs/operate.md says besides its commands: names that exist, and headers that are sent."""

from __future__ import annotations

import re

import pytest
import yaml
from django.test import Client

from gpucompare.caching.answers import MOST_BYTES
from gpucompare.caching.control import ANYBODY
from gpucompare.caching.middleware import _PART
from gpucompare.serve import THREADS_PER_WORKER, WORKERS
from tests.composed import compose
from tests.factories import make_offering
from tests.operating import GUIDE, blocks
from tests.processes import ROOT

TEXT = GUIDE.read_text()
SETTINGS = (ROOT / "gpucompare" / "settings.py").read_text()


def anchors(path: str) -> set[str]:
    """The headings of a document, as links spell them."""
    text = (GUIDE.parent / path).read_text()
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_document_and_a_heading_in_it() -> None:
    links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", TEXT)
    assert len(links) > 8
    for path, anchor in links:
        assert (GUIDE.parent / path).is_file(), path
        assert not anchor or anchor in anchors(path), (path, anchor)


def test_every_setting_and_file_that_is_named_exists() -> None:
    known = (ROOT / "docs" / "settings.md").read_text()
    assert not {name for name in re.findall(r"\bGPUCOMPARE_[A-Z_]+\b", TEXT) if name not in known}
    for path in re.findall(r"`((?:tests|docs|ops|deploy)/[\w./]+\.\w+)`", TEXT):
        assert (ROOT / path).is_file(), path


def test_the_alerts_worth_waking_somebody_are_rules_that_say_so() -> None:
    (line,) = [line for line in TEXT.splitlines() if "If you take only" in line]
    named = set(re.findall(r"`([A-Z]\w+)`", line))
    groups = yaml.safe_load((ROOT / "ops" / "alerts.yml").read_text())["groups"]
    severity = {r["alert"]: r["labels"]["severity"] for g in groups for r in g["rules"]}
    assert named == {alert for alert, how in severity.items() if how == "page"}


@pytest.mark.parametrize("heading", ["Restore with Compose", "Rollback"])
def test_all_that_writes_stops_before_a_database_changes_its_name_or_schema(heading: str) -> None:
    (stopped,) = re.findall(r"^docker compose stop (.+)$", "".join(blocks(heading)), re.M)
    services = compose()["services"]
    needing = {name for name, one in services.items() if "migrate" in one.get("depends_on", {})}
    assert needing == {"web", "worker", "beat"}
    assert needing <= set(stopped.split()) <= set(services)


def test_what_a_compose_installation_keeps_is_what_it_is_made_of() -> None:
    # Each thread, and each that reads an image.
    (reads,) = re.findall(r'"GPUCOMPARE_REGISTRY_READS", default=(\d+)', SETTINGS)
    assert f"`web` {WORKERS * (THREADS_PER_WORKER + int(reads))} each" in TEXT
    assert f"{MOST_BYTES // 1024**2} MB of answers" in TEXT
    (logging,) = {str(one["logging"]["options"]) for one in compose()["services"].values()}
    assert "10m" in logging
    assert "5 files of 10 MB" in TEXT


@pytest.mark.django_db(transaction=True)
def test_a_cdn_is_told_what_the_site_sends() -> None:
    make_offering()
    page, part = Client().get("/"), Client(headers={"HX-Request": "true"}).get("/")
    assert page["Cache-Control"] == ANYBODY
    assert f"`Cache-Control: {ANYBODY}`" in TEXT
    assert page["ETag"]
    assert Client().get("/", headers={"If-None-Match": page["ETag"]}).status_code == 304
    told = {*page["Vary"].split(", "), *part["Vary"].split(", ")}
    # Compression is every CDN's own matter.
    assert {*_PART, "Cookie"} == told - {"Accept-Encoding"}
    for header in _PART:
        assert f"`{header}`" in TEXT, header

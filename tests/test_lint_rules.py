"""Each rule about curated data: what it finds, and what it leaves in peace."""

from __future__ import annotations

from typing import Any

import pytest

from providers.catalog.lint import all_rules
from providers.catalog.rule import Finding, Rule, Severity
from providers.catalog.schema import ClaimDocument, OfferingDocument, ProviderDocument
from providers.dimensions import MAIN
from tests import catalog_texts as made
from tests.catalog_texts import TODAY, claim_document, document, offering_document

RULES = {rule.key: rule for rule in all_rules()}
ROOT = made.claim("root")
NONE = made.claim("none")


def claims(**by_dimension: Any) -> OfferingDocument:
    return offering_document(claims=by_dimension)


def provider(*offerings: dict[str, Any], **fields: Any) -> ProviderDocument:
    return document(made.provider("acme", *offerings, **fields))


def sourced(address: str) -> ClaimDocument:
    return claim_document("spot", True).model_copy(update={"source": address})


def noted(dimension: str, value: Any, note: str) -> ClaimDocument:
    return claim_document(dimension, value, note=note)


def read(day: str | None) -> ClaimDocument:
    return claim_document("spot", True, read_on=day)


STRONG = made.claim(True, basis="documented")
WEAK = made.claim(False, basis="reported")
ALL_MAIN = {
    dimension.key: made.claim(["no"] if dimension.key == "registry_auth" else dimension.allowed[0])
    for dimension in MAIN
}

# rule → subjects that it must find, with what it says of them and where.
GUILTY: dict[str, list[tuple[Any, dict[str, Any], tuple[Any, ...]]]] = {
    "source-missing": [
        (sourced(""), {"source": ""}, ("source",)),
        (sourced("ftp://docs.example"), {"source": "ftp://docs.example"}, ("source",)),
        (sourced("https:///page"), {"source": "https:///page"}, ("source",)),
    ],
    "day-in-future": [(read("2026-12-01"), {"day": TODAY.replace(month=12, day=1)}, ("read_on",))],
    "note-too-long": [
        (noted("spot", True, "word " * 30 + "more"), {"words": 31, "most": 30}, ("note",)),
    ],
    "note-against-value": [
        (noted("spot", True, "No such thing."), {"value": True, "words": "No"}, ("note",)),
        (
            noted("ssh", True, "Not supported yet."),
            {"value": True, "words": "Not supported"},
            ("note",),
        ),
        (noted("ssh", False, "Yes, with a key."), {"value": False, "words": "Yes"}, ("note",)),
        (
            noted("multi_container", "compose", "Alike, but not a Compose file."),
            {"value": "compose", "words": "not a Compose"},
            ("note",),
        ),
        (
            noted("multi_container", "single", "Plain Docker Compose works too."),
            {"value": "single", "words": "Compose works"},
            ("note",),
        ),
        (
            noted("docker_daemon", "none", "Install Docker yourself."),
            {"value": "none", "words": "Install Docker yourself"},
            ("note",),
        ),
        (
            noted("registry_auth", ["no"], "Takes user and token."),
            {"value": ["no"], "words": "user and token"},
            ("note",),
        ),
        (
            noted("docker_preinstalled", "yes", "Plain images come without."),
            {"value": "yes", "words": "images come without"},
            ("note",),
        ),
        (
            noted("billing_increment_s", 3600, "Billed by the second."),
            {"value": 3600, "words": "by the second"},
            ("note",),
        ),
        (
            noted("stop_stops_billing", "yes", "Volumes go on."),
            {"value": "yes", "words": "Volumes go on"},
            ("note",),
        ),
        (
            noted("spot_notice_s", 30, "Ends without warning."),
            {"value": 30, "words": "without warning"},
            ("note",),
        ),
    ],
    "root-daemon-single-container": [
        (
            claims(docker_daemon=ROOT, multi_container=made.claim("single")),
            {},
            ("claims", "multi_container", 0),
        )
    ],
    "weaker-contradicts-stronger": [
        (
            claims(spot=[STRONG, WEAK]),
            {
                "value": False,
                "stronger": True,
                "basis": "documented",
                "source_kind": "provider",
                "day": TODAY.replace(day=1),
            },
            ("claims", "spot", 1),
        ),
        (
            claims(spot=[WEAK | {"read_on": None}, STRONG | {"read_on": None}]),
            {
                "value": False,
                "stronger": True,
                "basis": "documented",
                "source_kind": "provider",
                "day": "day not recorded",
            },
            ("claims", "spot", 0),
        ),
    ],
    "contradicted": [
        (
            claims(spot=[made.claim(True), made.claim(False)]),
            {"values": "True / False"},
            ("claims", "spot"),
        )
    ],
    "overdue": [
        (read(None), {"age": "day not recorded"}, ("read_on",)),
        (read("2026-06-02"), {"age": "read 181 days ago"}, ("read_on",)),
    ],
    "main-dimension-unanswered": [
        (
            claims(**{key: claim for key, claim in ALL_MAIN.items() if key != "custom_image"}),
            {"dimension": "custom_image"},
            ("claims",),
        )
    ],
    "unknown-gpu": [
        (
            provider(made.offering(gpus=["L4", "Quantum 9000"])),
            {"name": "Quantum 9000"},
            ("offerings", 0, "gpus", 1),
        )
    ],
    "driver-without-kind": [(claims(driver=made.claim("570")), {}, ("claims", "driver"))],
    "cuda-min-above-max": [
        (
            claims(cuda_min=made.claim("12.10"), cuda_max=made.claim("12.9")),
            {"least": "12.10", "most": "12.9"},
            ("claims", "cuda_min"),
        )
    ],
    "spot-notice-without-spot": [
        (
            claims(spot_notice_s=made.claim(30)),
            {"spot": "no claim on spot"},
            ("claims", "spot_notice_s"),
        ),
        (
            claims(spot_notice_s=made.claim(30), spot=made.claim(False)),
            {"spot": "spot is not answered yes"},
            ("claims", "spot_notice_s"),
        ),
    ],
    "login-without-daemon": [
        (
            claims(docker_daemon=NONE, registry_auth=made.claim(["cloud_role", "docker_login"])),
            {},
            ("claims", "registry_auth"),
        )
    ],
    "compose-without-daemon": [
        (
            claims(docker_daemon=NONE, multi_container=made.claim("compose")),
            {},
            ("claims", "multi_container"),
        )
    ],
    "way-in-without-daemon": [
        (
            offering_document(access_modes=["docker_daemon"], claims={"docker_daemon": NONE}),
            {},
            ("access_modes",),
        )
    ],
    "ended-without-note": [
        (provider(status="acquired"), {"status": "acquired"}, ("status",)),
        (
            provider(made.offering("a"), made.offering("b", status="closed")),
            {"status": "closed"},
            ("offerings", 1, "status"),
        ),
    ],
}

# rule → subjects that it must leave in peace.
INNOCENT: dict[str, list[Any]] = {
    "source-missing": [sourced("http://docs.example")],
    "day-in-future": [read("2026-11-30"), read(None)],
    "note-too-long": [noted("spot", True, "word " * 29 + "more"), claim_document("spot", True)],
    "note-against-value": [
        claim_document("spot", True),
        noted("spot", True, "Not on every cloud behind it."),
        noted("jupyter", False, "No Jupyter launch mode; install it yourself."),
        noted("image_cache", True, "No longer in preview."),
        noted("multi_container", "compose", "Plain Docker Compose works on a node."),
        noted("billing_increment_s", 1, "Counted by the second, settled hourly."),
        noted("stop_stops_billing", "storage_only", "Volumes go on."),
        noted("spot_notice_s", 0, "Evicted without warning."),
        noted("registry_auth", ["stored_credentials"], "Takes user and token."),
    ],
    "root-daemon-single-container": [
        claims(docker_daemon=ROOT, multi_container=made.claim("single", note="By contract.")),
        claims(docker_daemon=ROOT, multi_container=made.claim("compose")),
        claims(docker_daemon=NONE, multi_container=made.claim("single")),
        claims(multi_container=made.claim("single")),
    ],
    "weaker-contradicts-stronger": [
        claims(spot=[STRONG, WEAK | {"value": True}]),
        claims(spot=[STRONG, STRONG | {"value": False}]),
        claims(
            registries=[
                made.claim(["any", "ghcr.io"]),
                made.claim(["ghcr.io", "any"], basis="derived"),
            ]
        ),
    ],
    "contradicted": [claims(spot=[STRONG, WEAK]), claims(spot=STRONG)],
    "overdue": [read("2026-06-03"), read("2026-11-30")],
    "main-dimension-unanswered": [claims(**ALL_MAIN)],
    "unknown-gpu": [
        provider(made.offering(gpus=["H100", "H100 SXM", "RTX 4090"])),
        provider(made.offering()),
        document(made.provider("google-cloud", made.offering(gpus=["v5p"]))),
    ],
    "driver-without-kind": [
        claims(driver=made.claim("570"), driver_kind=made.claim("exact")),
        claims(driver_kind=made.claim("managed")),
    ],
    "cuda-min-above-max": [
        claims(cuda_min=made.claim("12.9"), cuda_max=made.claim("12.10")),
        claims(cuda_min=made.claim("12.9"), cuda_max=made.claim("12.9")),
        claims(cuda_min=made.claim("12.9")),
    ],
    "spot-notice-without-spot": [
        claims(spot_notice_s=made.claim(30), spot=made.claim(True)),
        claims(spot=made.claim(False)),
    ],
    "login-without-daemon": [
        claims(docker_daemon=ROOT, registry_auth=made.claim(["docker_login"])),
        claims(docker_daemon=NONE, registry_auth=made.claim(["stored_credentials"])),
        claims(docker_daemon=NONE),
    ],
    "compose-without-daemon": [
        claims(docker_daemon=ROOT, multi_container=made.claim("compose")),
        claims(docker_daemon=NONE, multi_container=made.claim("kubernetes")),
        claims(multi_container=made.claim("compose")),
    ],
    "way-in-without-daemon": [
        offering_document(access_modes=["docker_daemon"], claims={"docker_daemon": ROOT}),
        offering_document(access_modes=["docker_daemon"]),
        offering_document(access_modes=["base_image"], claims={"docker_daemon": NONE}),
        offering_document(claims={"docker_daemon": NONE}),
    ],
    "ended-without-note": [
        provider(made.offering("a", status="closed", status_note="Since May.")),
        provider(made.offering("a", status="closed"), status="closed", status_note="Bankrupt."),
        provider(made.offering("a")),
    ],
}


def test_every_rule_is_tried_here() -> None:
    assert set(GUILTY) == set(INNOCENT) == set(RULES)


@pytest.mark.parametrize(
    ("rule", "subject", "parameters", "at"),
    [(RULES[key], *case) for key, cases in GUILTY.items() for case in cases],
    ids=lambda part: part.key if isinstance(part, Rule) else "",
)
def test_a_rule_finds_what_breaks_it(
    rule: Rule[Any], subject: Any, parameters: dict[str, Any], at: tuple[Any, ...]
) -> None:
    assert rule(subject, TODAY) == [Finding(parameters, at)]


@pytest.mark.parametrize(
    ("rule", "subject"),
    [(RULES[key], subject) for key, subjects in INNOCENT.items() for subject in subjects],
    ids=lambda part: part.key if isinstance(part, Rule) else "",
)
def test_a_rule_leaves_in_peace_what_keeps_it(rule: Rule[Any], subject: Any) -> None:
    assert rule(subject, TODAY) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_has_a_sentence_for_a_name_and_says_what_it_found(rule: Rule[Any]) -> None:
    [(_subject, parameters, _at), *_more] = GUILTY[rule.key]

    assert rule.check.__name__.count("_") >= 3
    assert "{" not in rule.message.format(**parameters)
    assert isinstance(rule.severity, Severity)


def test_age_and_contradiction_are_warnings() -> None:
    for key in ("overdue", "contradicted", "weaker-contradicts-stronger"):
        assert RULES[key].severity is Severity.WARNING

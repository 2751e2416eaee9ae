"""A value whose own note says otherwise: one of the two is wrong, or should be a second claim."""

import re
from collections.abc import Iterator
from datetime import date

from providers.answers import Kind, query_form
from providers.catalog.rule import Finding, Severity, about_claims, found
from providers.catalog.schema import ClaimDocument
from providers.dimensions import DIMENSIONS

_YES = r"\A(yes|supported|available|offered|allowed|possible)\b"
_NO = (
    r"\A(no|never)\b(?! longer)"
    r"|\A(it |this )?(is )?(not |un)(supported|available|offered|allowed|possible)\b"
)

# (dimension, value) → words that speak against it. A value written !x means any but x.
_AGAINST = {
    ("docker_daemon", "none"): r"\b(you have|gives?|with) sudo\b|\binstall docker yourself\b",
    ("docker_daemon", "root"): r"\brootless\b|\Ano daemon\b",
    ("custom_image", "curated_only"): r"\bany (docker |container |oci )?image\b",
    ("registry_auth", "no"): r"\b(user|username|login|credentials) and (token|password)\b",
    ("multi_container", "compose"): r"\b(not a|no) compose\b|\bcompose (is not|does not)\b",
    ("multi_container", "!compose"): r"\bcompose (also )?works\b",
    ("docker_preinstalled", "yes"): r"\bimages (come without|do not|have none)\b|\bnot in stock\b",
    ("docker_preinstalled", "no"): r"\b(is|comes) preinstalled\b",
    ("container_user", "any"): r"\balways (root|user)\b",
    ("persistent_volume", "network"): r"\btied to (one|the) (host|machine)\b",
    ("billing_increment_s", "!1"): r"\b(by|per) the second\b|\bper second\b",
    ("billing_increment_s", "!60"): r"\brounded up to the (full |next )?minute\b",
    ("billing_increment_s", "!3600"): r"\brounded up to the (full |next )?hour\b",
    ("stop_stops_billing", "yes"): (
        r"\b(disks?|storage|volumes?)\b[^.;]*\b(go on|goes on|charged apart|still billed)\b"
    ),
    ("spot_notice_s", "!0"): r"\bwithout (any )?(warning|notice)\b",
}


@about_claims("note-against-value", Severity.WARNING, "{value} stands, but the note says {words!r}")
def no_note_speaks_against_its_own_value(claim: ClaimDocument, today: date) -> Iterator[Finding]:
    for pattern in _against(claim):
        words = re.search(pattern, claim.note or "", re.IGNORECASE)
        if words:
            yield found("note", value=claim.value, words=words.group())


def _against(claim: ClaimDocument) -> Iterator[str]:
    if DIMENSIONS[claim.dimension].kind is Kind.YES_NO:
        yield _NO if claim.value else _YES
    values = claim.value if isinstance(claim.value, list) else [claim.value]
    stands = {query_form(value) for value in values}
    for (dimension, value), pattern in _AGAINST.items():
        if dimension != claim.dimension:
            continue
        if value in stands or (value.startswith("!") and value[1:] not in stands):
            yield pattern

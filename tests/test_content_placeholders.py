"""What may stand in braces and in links: only what the browse page would understand."""

from __future__ import annotations

import pytest

from checks.content.placeholders import Placeholder, TextError, address_fault, placeholder
from checks.content.rules import (
    FieldFault,
    anchor_faults,
    entry_faults,
    listing_counts,
    parts_of,
)
from checks.content.schema import EntryDocument
from providers.dimensions import DIMENSIONS
from tests.content_texts import LIVE, entry, question, source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("total", Placeholder("total")),
        ("providers", Placeholder("providers")),
        ("count:docker_daemon=root", Placeholder("count", "docker_daemon=root")),
        ("may:min_cuda=13.0&spot=yes", Placeholder("may", "min_cuda=13.0&spot=yes")),
        ("no:in_stock=1", Placeholder("no", "in_stock=1")),
        ("label:docker_daemon", Placeholder("label", "docker_daemon")),
        ("label:docker_daemon=root", Placeholder("label", "docker_daemon=root")),
    ],
)
def test_a_right_placeholder_is_read(text: str, found: Placeholder) -> None:
    assert placeholder(text) == found


@pytest.mark.parametrize("key", [d.key for d in DIMENSIONS.values() if d.values])
def test_every_answer_of_every_dimension_can_be_counted(key: str) -> None:
    for value in DIMENSIONS[key].values:
        assert placeholder(f"count:{key}={value.key}").query == f"{key}={value.key}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not one of"),
        ("totals", "is not one of"),
        ("total:spot=yes", "is not one of"),
        ("count", "is not one of"),
        ("count:", "is not one of"),
        ("count:dockerd=root", "'dockerd' is not a dimension or another filter"),
        (
            "count:docker_daemon=sudo",
            "'sudo' is not a value of docker_daemon; allowed: root, rootless, nested, none",
        ),
        ("count:min_cuda=new", "'new' is not a value of min_cuda"),
        ("count:min_cuda=12&min_cuda=13", "min_cuda takes one value"),
        ("count:sort=price", "asks for nothing"),
        ("count:provider=acme", "'acme' is not a value of provider"),
        ("count:gpu=h100", "'h100' is not a value of gpu"),
        ("label:dockerd", "'dockerd' is not a dimension"),
        ("label:docker_daemon=sudo", "'sudo' is not a value of docker_daemon"),
    ],
)
def test_a_wrong_placeholder_says_what_would_be_right(text: str, told: str) -> None:
    with pytest.raises(TextError, match=r"^\{") as raised:
        placeholder(text, 7)
    assert told in str(raised.value)
    assert raised.value.at == 7


@pytest.mark.parametrize(
    ("query", "asks"),
    [("spot=yes", False), ("min_cuda=12.8", True), ("in_stock=1", True), ("q=acme", True)],
)
def test_a_count_knows_whether_it_takes_a_query(query: str, asks: bool) -> None:
    assert placeholder(f"count:{query}").about_listings is asks
    assert not placeholder("label:spot").about_listings


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?docker_daemon=root",
        "/?custom_image=any&custom_image=contract",
        "/listings/?per=instance&sort=price",
        "/check/",
        "/faq/#moved-tags",
        "/status/",
        "https://docs.example/page?x=1",
    ],
)
def test_a_link_may_lead_to_the_site_and_to_the_secure_web(address: str) -> None:
    assert address_fault(address) == ""


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://docs.example/", "neither https:// nor"),
        ("javascript:alert(1)", "neither https:// nor"),
        ("//evil.example/", "not an address of the site"),
        ("faq", "neither https:// nor"),
        ("/nowhere/", "/nowhere/ is not an address of the site"),
        ("/ar/faq/", "not an address of the site"),
        ("/?docker_daemon=sudo", "'sudo' is not a value of docker_daemon"),
        ("/?dockerd=root", "'dockerd' is not a dimension"),
        ("/check/?image=x", "only lists take a query"),
    ],
)
def test_other_addresses_are_faults(address: str, told: str) -> None:
    assert told in address_fault(address)


# --- Entries -----------------------------------------------------------------------------------


def faults(kind: str, language: str, document: EntryDocument) -> list[tuple[str, str]]:
    return [(fault.field, fault.message) for fault in entry_faults(kind, language, document)]


@pytest.mark.parametrize(
    ("kind", "language", "document"),
    [
        ("faq", "en", question(sources=[source()])),
        ("guide", "en", entry(dimension="docker_daemon")),
        ("glossary", "en", entry(forms=["daemons"], avoid=["server"])),
        ("glossary", "ar", entry("خادم", None, of="0" * 16)),
        ("faq", "ar", question(of="0" * 16)),
    ],
)
def test_a_right_entry_has_no_fault(kind: str, language: str, document: EntryDocument) -> None:
    assert faults(kind, language, document) == []


@pytest.mark.parametrize(
    ("kind", "language", "document", "field", "told"),
    [
        ("faq", "en", entry(), "live", "is missing"),
        ("faq", "en", question(live="[See](/)."), "live", "counts nothing"),
        ("faq", "en", question(live="{count:spot=yes}"), "live", "leads nowhere"),
        (
            *("faq", "en", question(live="{count:spot=yes} [out](https://x.example/)")),
            *("live", "leads nowhere"),
        ),
        ("faq", "en", question(live="{count:x=y}"), "live", "'x' is not a dimension"),
        ("faq", "en", question(body="See [it](/nowhere/)."), "body", "/nowhere/ is not"),
        ("faq", "en", question(dimension="spot"), "dimension", "nothing that a text of the faq"),
        ("faq", "en", question(of="0" * 16), "of", "the English is the original"),
        ("faq", "tr", question(), "of", "is missing"),
        ("guide", "en", entry(body=None), "body", "is missing"),
        ("guide", "en", entry(dimension="spot"), "dimension", "'spot' is not one of"),
        ("guide", "en", entry(forms=["x"]), "forms", "nothing that a text of the guide"),
        ("glossary", "en", entry(body=None), "body", "is missing"),
        ("glossary", "en", entry(live=LIVE), "live", "nothing that a text of the glossary"),
    ],
)
def test_a_fault_of_an_entry_names_its_field(
    kind: str, language: str, document: EntryDocument, field: str, told: str
) -> None:
    found = [message for name, message in faults(kind, language, document) if name == field]
    assert any(told in message for message in found), faults(kind, language, document)


def test_a_link_to_an_entry_that_does_not_exist_is_a_fault_at_its_place() -> None:
    anchors = {"/faq/": {"there"}, "/guide/": set[str]()}
    body = "See [one](/faq/#there) and [another](/faq/#gone)."
    (fault,) = anchor_faults(entry(body=body), anchors)
    assert fault == FieldFault("body", "/faq/ has no entry 'gone'", body.index("(/faq/#gone)"))


def test_only_counts_about_listings_take_queries() -> None:
    texts = ["{count:spot=yes} {may:in_stock=1}", "{no:in_stock=1} {count:min_cuda=12.8}", ""]
    assert listing_counts(texts) == {"in_stock=1", "min_cuda=12.8"}
    assert len(parts_of(texts[0])) == 3

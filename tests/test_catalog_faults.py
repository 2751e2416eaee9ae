"""Every fault of every file at once, with file, line, what is wrong and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from providers.catalog.faults import CatalogFaults
from providers.catalog.files import parse
from providers.catalog.validate import document_of, documents
from tests import catalog_texts as made


def faults(data: Any, name: str = "acme.yaml") -> list[str]:
    """The faults of `data` as a file, without its name and the lines, which others test."""
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10_000)
    _document, found = document_of(parse(name, text))
    return [f"{fault.where}: {fault.message}" for fault in found]


def with_claim(dimension: str, claim: Any) -> dict[str, Any]:
    return made.provider("acme", made.offering(claims={dimension: claim}))


def with_offering(**fields: Any) -> dict[str, Any]:
    return made.provider("acme", made.offering(**fields))


def test_a_file_in_order_has_no_fault() -> None:
    assert faults(with_claim("custom_image", made.claim("any"))) == []


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("slug", "Acme", "slug: 'Acme' is not a slug: a-z, 0-9 and single hyphens, at most 64"),
        ("name", 12, "name: 12 is not a text (put numbers, true and false in quotes)"),
        ("name", " x", "name: ' x' is empty or has space around it; write the bare text"),
        ("name", "", "name: '' is empty or has space around it; write the bare text"),
        ("name", "x" * 121, "name: is 121 characters long; at most 120 are allowed"),
        ("name", "a\nb", "name: 'a\\nb' has a line break or a control character; write one line"),
        ("website", "acme.example", "website: 'acme.example' is not an http or https address"),
        (
            "website",
            "ftp://a.example",
            "website: 'ftp://a.example' is not an http or https address",
        ),
        ("headquarters", "usa", "'usa' is not an ISO 3166 code of two capitals, such as US"),
        ("status", "gone", "status: 'gone' is not one of active, acquired, closed"),
        ("pricing_api", {}, "pricing_api: says nothing; give public or docs, or leave it out"),
        ("pricing_api", {"public": "yes"}, "pricing_api.public: 'yes' is not true or false"),
        ("pricing_api", {"url": "x"}, "pricing_api.url: is not a known key; allowed: public, docs"),
        ("offerings", {}, "offerings: {} is not a list"),
        ("offerings", ["x"], "offerings[0]: 'x' is not a mapping of keys and values"),
    ],
)
def test_a_wrong_field_of_a_provider_says_what_is_allowed(
    field: str, value: Any, fault: str
) -> None:
    assert any(fault in found for found in faults(made.provider() | {field: value}))


def test_an_unknown_kind_names_those_that_exist() -> None:
    [fault] = faults(made.provider(kind="cloud"))

    assert fault.startswith("kind: 'cloud' is not one of container_cloud, vm_cloud, marketplace")


def test_an_unknown_key_names_those_that_exist() -> None:
    [fault] = faults(made.provider() | {"homepage": "x"})

    assert fault == (
        "homepage: is not a known key; allowed: slug, name, kind, website, headquarters,"
        " status, status_note, pricing_api, offerings"
    )


@pytest.mark.parametrize("key", ["slug", "name", "kind", "website", "offerings"])
def test_a_missing_key_of_a_provider_is_named(key: str) -> None:
    data = made.provider()
    del data[key]

    assert faults(data) == [f"{key}: is missing"]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"docs": "x"}, "offerings.pods.docs: 'x' is not an http or https address"),
        ({"gpus": []}, "offerings.pods.gpus: is empty; leave it out when nothing is known"),
        ({"gpus": ["L4", "L4"]}, "offerings.pods.gpus: names 'L4' twice; once is enough"),
        ({"gpus": [4090]}, "offerings.pods.gpus[0]: 4090 is not a text"),
        (
            {"access_modes": ["ssh"]},
            "offerings.pods.access_modes: 'ssh' is not one of docker_daemon",
        ),
        ({"claims": []}, "offerings.pods.claims: [] is not a mapping of keys and values"),
        ({"price": 1}, "offerings.pods.price: is not a known key; allowed: slug, name, status,"),
    ],
)
def test_a_wrong_field_of_an_offering_says_what_is_allowed(
    fields: dict[str, Any], fault: str
) -> None:
    [found] = faults(with_offering(**fields))

    assert found.startswith(fault)


@pytest.mark.parametrize(
    ("dimension", "value", "fault"),
    [
        ("custom_image", "some", "'some' is not one of any, contract, own_registry, curated_only"),
        ("docker_preinstalled", True, "True is not one of yes, some_images, no (put yes and no in"),
        ("registry_auth", ["no", "cloud_role"], "'no' stands alone: nothing else can be true"),
        ("spot", "yes", "'yes' is not true or false"),
        ("cuda_max", 12.8, "12.8 is not a version in quotes, such as '12.8'"),
        ("max_image_gb", "10", "'10' is not a number"),
        ("cold_start", "a\tb", "'a\\tb' has a line break or a control character"),
        ("cold_start", "x" * 501, "is 501 characters long; at most 500 are allowed"),
    ],
)
def test_a_value_outside_its_dimension_is_a_fault(dimension: str, value: Any, fault: str) -> None:
    [found] = faults(with_claim(dimension, made.claim(value)))

    assert found.startswith(f"offerings.pods.claims.{dimension}.value: {fault}")


@pytest.mark.parametrize("dimension", ["colour", "access_modes"])
def test_a_dimension_that_claims_do_not_answer_is_a_fault(dimension: str) -> None:
    [found] = faults(with_claim(dimension, made.claim("x")))

    assert found.startswith(
        f"offerings.pods.claims.{dimension}: is no dimension that claims answer; allowed:"
        " custom_image, docker_daemon,"
    )


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"source": ""}, "source: '' is not an http or https address"),
        ({"source": "docs"}, "source: 'docs' is not an http or https address"),
        ({"source": None}, "source: None is not a text"),
        (
            {"basis": "guessed"},
            "basis: 'guessed' is not one of probed, documented, derived, reported",
        ),
        (
            {"source_kind": "me"},
            "source_kind: 'me' is not one of provider, integrator, third_party",
        ),
        ({"read_on": "20 May"}, "read_on: '20 May' is not a day such as 2026-08-20, or null"),
        ({"read_on": "2026-02-30"}, "read_on: '2026-02-30' is not a day such as 2026-08-20"),
        ({"note": "x" * 501}, "note: is 501 characters long; at most 500 are allowed"),
        ({"dimension": "spot"}, "dimension: is not a known key; allowed: value, basis, source,"),
    ],
)
def test_a_wrong_field_of_a_claim_says_what_is_allowed(fields: dict[str, Any], fault: str) -> None:
    [found] = faults(with_claim("custom_image", made.claim("any", **fields)))

    assert found.startswith(f"offerings.pods.claims.custom_image.{fault}")


@pytest.mark.parametrize("key", ["value", "basis", "source", "source_kind", "read_on"])
def test_a_claim_has_all_its_keys(key: str) -> None:
    claim = made.claim()
    del claim[key]

    assert faults(with_claim("custom_image", claim)) == [
        f"offerings.pods.claims.custom_image.{key}: is missing"
    ]


def test_a_fault_in_a_list_of_claims_has_its_number() -> None:
    claims = [made.claim(True), made.claim("x")]

    assert faults(with_claim("spot", claims)) == [
        "offerings.pods.claims.spot[1].value: 'x' is not true or false"
    ]


@pytest.mark.parametrize(("claims", "fault"), [([], "is empty"), ("any", "is not a mapping")])
def test_a_dimension_without_claims_is_a_fault(claims: Any, fault: str) -> None:
    assert fault in faults(with_claim("custom_image", claims))[0]


def test_the_same_claim_twice_is_a_fault() -> None:
    assert faults(with_claim("spot", [made.claim(True), made.claim(True)])) == [
        "offerings.pods.claims.spot[1]: is the same claim again; once is enough"
    ]


def test_two_offerings_with_one_slug_are_a_fault() -> None:
    data = made.provider("acme", made.offering("pods"), made.offering("pods"))

    assert faults(data) == ["offerings.pods.slug: 'pods' is another offering's slug"]


def test_a_file_has_the_name_of_its_slug() -> None:
    assert faults(made.provider("acme"), "other.yaml") == [
        "slug: 'acme' is not the file's name; allowed: other"
    ]


@pytest.mark.parametrize("data", ["text", ["a"], 12, True])
def test_a_file_that_is_no_mapping_is_a_fault(data: Any) -> None:
    [found] = faults(data)

    assert "is not a mapping of keys and values" in found


def test_every_fault_of_every_file_is_reported_with_its_line() -> None:
    first = parse(
        "acme.yaml",
        "slug: acme\nname: Acme\nname: Again\nkind: cloud\nwebsite: acme\nofferings:\n"
        "  - slug: pods\n    name: Pods\n    summary: S.\n    docs: https://d.example\n"
        "    claims:\n      spot: {value: maybe, basis: documented, source: x,\n"
        "        source_kind: provider, read_on: null}\n      speed: {}\n",
    )
    second = parse("beta.yaml", "a: [\n")
    third = parse("gamma.yaml", made.text(made.provider("gamma")))

    with pytest.raises(CatalogFaults) as raised:
        documents([third, second, first])

    places = [str(fault).partition(" ")[0] for fault in raised.value.faults]
    wheres = [fault.where for fault in raised.value.faults]
    assert places == [
        "acme.yaml:3:",
        "acme.yaml:4:",
        "acme.yaml:5:",
        "acme.yaml:12:",
        "acme.yaml:12:",
        *["acme.yaml:14:"] * 6,
        "beta.yaml:2:",
    ]
    assert wheres[:5] == [
        "name",
        "kind",
        "website",
        "offerings.pods.claims.spot.source",
        "offerings.pods.claims.spot.value",
    ]
    assert str(raised.value).count("\n") == len(raised.value.faults) - 1


def test_the_schema_and_the_database_agree_on_lengths() -> None:
    long = made.provider(
        "a" * 64,
        made.offering(
            "b" * 64,
            name="n" * 120,
            docs="https://d.example/" + "d" * 482,
            summary="s" * 500,
            gpus=["g" * 120],
        ),
        name="p" * 120,
        status_note="t" * 500,
        website="https://acme.example/" + "w" * 479,
    )

    assert faults(long, f"{'a' * 64}.yaml") == []

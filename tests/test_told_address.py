"""A pasted image's facts as an address: all that decides comes back, and nothing else goes in."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from checks.image.fact import ImageFacts, Key
from checks.image.facts import facts_of
from checks.image.paste import read_paste
from checks.told_address import pairs_of, told
from gpucompare.cuda.image import Build, Image, Kernels
from gpucompare.cuda.known_images import require_strings

VERSIONS = st.sampled_from(["", "12.8", "12.8.1", "575.57.08"])
CAPABILITIES = st.frozensets(st.sampled_from(["7.0", "8.0", "9.0a", "12.0"]), max_size=3)
BUILDS = st.builds(
    Build,
    st.sampled_from(["torch", "flash-attn", "vllm"]),
    st.sampled_from(["", "2.8.0", "2.9.0a0+git1"]),
    st.sampled_from(["", "12.8", "11.8"]),
)
LONGEST = require_strings()["13.3"].text
IMAGES = st.builds(
    Image,
    software=st.sampled_from(["cuda", "rocm", "cpu", ""]),
    cuda=VERSIONS,
    builds=st.lists(BUILDS, max_size=3).map(tuple),
    kernels=st.none()
    | st.builds(Kernels, CAPABILITIES, CAPABILITIES).filter(lambda k: k.cubins or k.ptx),
    requirements=st.none()
    | st.lists(
        st.sampled_from(["cuda>=12.8", "cuda>=12.4 brand=tesla,driver>=470,driver<471", LONGEST]),
        max_size=2,
    ).map(tuple),
    check_disabled=st.booleans(),
    compat_driver=VERSIONS,
    compat_forced=st.booleans(),
    platforms=st.frozensets(st.sampled_from(["amd64", "arm64"])),
)


def again(facts: ImageFacts) -> ImageFacts:
    """What comes back from the address that the facts make."""
    query = QueryDict(urlencode(pairs_of(facts)))
    found = told(dict(query.lists()))
    assert found.ignored == ()
    return found.facts


@given(IMAGES)
def test_all_that_decides_a_verdict_comes_back(image: Image) -> None:
    assert again(ImageFacts(image, ())).image == image


@given(IMAGES)
def test_one_image_has_one_address(image: Image) -> None:
    facts = ImageFacts(image, ())
    assert pairs_of(again(facts)) == pairs_of(facts)


SECRET = "hunter2"
INSPECTED = json.dumps(
    [
        {
            "Id": "sha256:" + "a" * 64,
            "RepoTags": ["registry.corp.example/team/secret-project:1"],
            "Architecture": "amd64",
            "Os": "linux",
            "Size": 5_000_000_000,
            "GraphDriver": {"Name": "overlay2", "Data": {}},
            "Config": {
                "User": "deploy",
                "Env": [
                    "CUDA_VERSION=12.4.1",
                    "NVIDIA_REQUIRE_CUDA=cuda>=12.4",
                    f"API_TOKEN={SECRET}",
                ],
                "Entrypoint": ["/opt/secret/run.sh"],
                "Labels": {"owner": SECRET},
            },
        }
    ]
)


def test_what_was_pasted_leaves_nothing_but_facts_in_the_address() -> None:
    pairs = pairs_of(facts_of(read_paste(INSPECTED)))
    text = urlencode(pairs)
    for private in (SECRET, "corp", "secret", "deploy", "API_TOKEN", "run.sh"):
        assert private not in text
    assert ("toolkit", "12.4.1") in pairs
    assert ("require", "cuda>=12.4") in pairs
    assert ("user", "other") in pairs


def test_sizes_and_the_user_come_back_as_facts() -> None:
    facts = again(facts_of(read_paste(INSPECTED)))
    assert facts.values(Key.UNCOMPRESSED_SIZE) == (5_000_000_000,)
    assert facts.values(Key.USER) == ("other",)


def test_a_dockerfile_names_its_base() -> None:
    pasted = facts_of(read_paste("FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime\nENV A=b\n"))
    assert again(pasted).base.endswith("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("toolkit", "twelve"),
        ("build", "torch"),
        ("build", "torch:2:12:8"),
        ("require", "cuda>=12\n"),
        ("cpu", "../../etc"),
        ("size", "-1"),
        ("check", "on"),
        ("user", "alice"),
        ("software", "x" * 5000),
    ],
)
def test_what_does_not_fit_is_named_and_left_out(name: str, value: str) -> None:
    found = told({"software": ["cuda"], name: [value]})
    assert found.ignored == ((name, value[:40]),)


LONG = require_strings()["12.8"].text


def asking(*texts: str) -> ImageFacts:
    return ImageFacts(Image(software="cuda", requirements=texts), ())


def test_what_nvidia_asks_stands_in_the_address_by_its_id() -> None:
    own = "cuda>=12.8 brand=tesla"
    pairs = pairs_of(asking(own, LONG, "cuda>=9.0"))
    assert [value for name, value in pairs if name == "require"] == [
        own,
        "nvidia:12.8",
        "cuda>=9.0",  # shorter than its id
    ]
    assert again(asking(own, LONG)).image.requirements == (own, LONG)
    assert again(asking(own, LONG)).values(Key.REQUIRE) == (own, LONG)


@pytest.mark.parametrize("id", sorted(require_strings()))
def test_every_text_that_we_know_comes_back_from_a_short_address(id: str) -> None:
    facts = asking(require_strings()[id].text)
    assert again(facts).image == facts.image
    assert len(urlencode(pairs_of(facts))) < 60


def test_an_id_of_no_text_is_named_and_left_out() -> None:
    found = told({"software": ["cuda"], "require": ["nvidia:99.9"]})
    assert found.ignored == (("require", "nvidia:99.9"),)
    assert found.facts.image.requirements is None


@pytest.mark.parametrize(
    "texts", [("nvidia:12.8",), ("x" * 5000,), tuple(f"cuda>=12.{n}" for n in range(20))]
)
def test_requirements_that_cannot_be_told_whole_are_not_known(texts: tuple[str, ...]) -> None:
    assert again(asking("cuda>=11.8", *texts)).image.requirements is None


def test_an_address_from_before_there_were_ids_still_holds() -> None:
    found = told({"software": ["cuda"], "require": [LONG]})
    assert found.facts.image.requirements == (LONG,)
    assert ("require", "nvidia:12.8") in pairs_of(found.facts)


def test_no_requirement_and_none_that_was_read_are_two_things() -> None:
    assert told({"software": ["cuda"]}).facts.image.requirements is None
    assert told({"software": ["cuda"], "require": ["none"]}).facts.image.requirements == ()

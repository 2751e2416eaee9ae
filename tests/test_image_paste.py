"""What is pasted of an image: each kind recognised, no secret kept, one error for the rest."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checks.image.fact import ImageFacts, Key
from checks.image.facts import facts_of
from checks.image.paste import DEEPEST, LARGEST, read_paste
from checks.image.paste_fault import PasteError, PasteFault
from checks.image.record import Platform
from checks.image.told import Told
from tests.images import NAMES, record, sample

SECRET = "hunter2"
DIGEST = "sha256:" + "0a" * 32


def config(name: str) -> dict[str, Any]:
    """skopeo inspect --config docker://…"""
    found: dict[str, Any] = sample(name)["config"]
    return found


def inspected(name: str, **changes: Any) -> list[dict[str, Any]]:
    """docker image inspect …"""
    told = sample(name)
    oci = told["config"]
    repository = told["reference"].removeprefix("docker.io/").rpartition(":")[0]
    return [
        {
            "Id": "sha256:" + "1" * 64,
            "RepoTags": [told["reference"].removeprefix("docker.io/")],
            "RepoDigests": [f"{repository}@{DIGEST}"],
            "Architecture": oci["architecture"],
            "Os": oci["os"],
            "Size": 9_000_000_000,
            "GraphDriver": {"Name": "overlay2", "Data": None},
            "RootFS": {"Type": "layers", "Layers": oci["rootfs"]["diff_ids"]},
            "Config": oci["config"],
            **changes,
        }
    ]


def imagetools(name: str, *, several: bool) -> dict[str, Any]:
    """docker buildx imagetools inspect … --format '{{json .}}'"""
    told = sample(name)
    image: dict[str, Any] = told["config"]
    if several:
        arm = {**image, "architecture": "arm64"}
        image = {"linux/arm64": arm, "linux/amd64": image, "unknown/unknown": {"os": "unknown"}}
    manifest = {"schemaVersion": 2, "digest": DIGEST, "size": 856}
    return {"name": told["reference"], "manifest": manifest, "image": image, "provenance": {}}


def skopeo(name: str) -> dict[str, Any]:
    """skopeo inspect docker://…"""
    told = sample(name)
    oci = told["config"]
    return {
        "Name": told["reference"].rpartition(":")[0],
        "Digest": DIGEST,
        "RepoTags": ["latest"],
        "Labels": oci["config"].get("Labels"),
        "Architecture": oci["architecture"],
        "Os": oci["os"],
        "Layers": oci["rootfs"]["diff_ids"],
        "LayersData": [
            {
                "MIMEType": "application/vnd.oci.image.layer.v1.tar+gzip",
                "Digest": DIGEST[:-1] + str(at),
                "Size": size,
            }
            for at, size in enumerate(told["layers"])
        ],
        "Env": oci["config"]["Env"],
    }


def facts(document: Any) -> ImageFacts:
    return facts_of(read_paste(document if isinstance(document, str) else json.dumps(document)))


def fault(document: Any) -> PasteError:
    with pytest.raises(PasteError) as caught:
        read_paste(document if isinstance(document, str) else json.dumps(document))
    return caught.value


# --- JSON ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_configuration_leads_to_the_verdict_that_its_registry_would(name: str) -> None:
    pasted, read = facts(config(name)).image, facts_of(record(name)).image
    # The name is not in it, and so neither is what the tag promises.
    assert pasted.requirements == read.requirements
    assert pasted.kernels == read.kernels
    assert pasted.compat_driver == read.compat_driver
    assert pasted.compat_forced == read.compat_forced
    assert pasted.cuda == read.cuda
    assert pasted.platforms == {"amd64"}


@pytest.mark.parametrize("name", NAMES)
def test_docker_image_inspect_tells_name_digest_and_size_on_disk(name: str) -> None:
    found = facts(inspected(name))
    assert found.reference == sample(name)["reference"]
    assert found.pinned == DIGEST
    assert found.image.requirements == facts_of(record(name)).image.requirements
    disk = found.first(Key.UNCOMPRESSED_SIZE)
    assert disk
    assert (disk.value, disk.source) == (9_000_000_000, "inspect")
    assert found.values(Key.LAYERS) == (len(sample(name)["layers"]),)
    assert found.first(Key.SIZE) is None


@pytest.mark.parametrize("driver", ["overlayfs", "stargz", ""])
def test_a_size_that_may_be_packed_is_not_taken(driver: str) -> None:
    """containerd's store has counted packed layers, and packed and unpacked ones together."""
    document = inspected("cuda-13.0.2-base", GraphDriver={"Name": driver})
    assert facts(document).first(Key.UNCOMPRESSED_SIZE) is None


def test_podman_keeps_the_history() -> None:
    history = config("vllm-0.10.0")["history"]
    found = facts(inspected("vllm-0.10.0", History=history, GraphDriver={"Name": "overlay"}))
    assert found.image.compat_forced
    assert found.values(Key.UNCOMPRESSED_SIZE) == (9_000_000_000,)


@pytest.mark.parametrize("several", [True, False])
def test_imagetools_tells_all_platforms_or_one(several: bool) -> None:
    found = facts(imagetools("ngc-pytorch-26.03", several=several))
    assert found.reference == "nvcr.io/nvidia/pytorch:26.03-py3"
    assert found.pinned == DIGEST
    platforms = {"linux/amd64", "linux/arm64"} if several else {"linux/amd64"}
    assert set(found.values(Key.PLATFORM)) == platforms
    assert found.image.kernels == facts_of(record("ngc-pytorch-26.03")).image.kernels
    assert found.values(Key.FRAMEWORK)[0] == "2.11.0a0"


def test_imagetools_image_alone_is_recognised() -> None:
    document = imagetools("ngc-pytorch-26.03", several=True)["image"]
    assert facts(document).image.platforms == {"amd64", "arm64"}


def test_imagetools_of_an_arm_image_alone_is_read_as_that() -> None:
    arm = {"linux/arm64": {**config("cuda-13.0.2-base"), "architecture": "arm64"}}
    assert facts({"name": "x", "manifest": {}, "image": arm}).image.platforms == {"arm64"}


def test_plain_skopeo_tells_sizes_and_the_environment_but_no_user() -> None:
    found = facts(skopeo("vllm-0.10.0"))
    assert found.image.cuda == "12.8.1"
    assert found.pinned == DIGEST
    assert found.values(Key.SIZE) == (sum(sample("vllm-0.10.0")["layers"]),)
    assert found.first(Key.USER) is None


def test_an_old_skopeo_without_the_environment_tells_no_requirement() -> None:
    document = skopeo("vllm-0.10.0")
    del document["Env"]
    assert facts(document).image.requirements is None


def test_a_manifest_tells_sizes_and_an_index_tells_platforms() -> None:
    manifest = {
        "schemaVersion": 2,
        "config": {"digest": DIGEST},
        "layers": [{"digest": DIGEST, "size": 7, "mediaType": "x+gzip"}],
    }
    assert facts(manifest).values(Key.SIZE) == (7,)
    assert facts(manifest).image.requirements is None
    index = {
        "schemaVersion": 2,
        "manifests": [
            {"platform": {"os": "linux", "architecture": "arm64", "variant": "v8"}},
            {"platform": {"os": "unknown", "architecture": "unknown"}},
        ],
    }
    assert read_paste(json.dumps(index)).platforms == (Platform("linux", "arm64", "v8"),)


def test_sizes_that_are_not_all_told_are_not_known() -> None:
    manifest = {"config": {}, "layers": [{"size": 7}, {"digest": "x"}]}
    assert fault(manifest).fault is PasteFault.UNKNOWN_JSON


def test_a_copied_command_line_and_what_follows_are_left_out() -> None:
    text = f"$ docker image inspect x\n{json.dumps(inspected('cuda-13.0.2-base'), indent=4)}\n$ "
    assert facts(text).image.cuda == "13.0.2"
    assert facts("\ufeff" + json.dumps(config("cuda-13.0.2-base"))).image.cuda == "13.0.2"


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ("", PasteFault.EMPTY),
        (" \n\0", PasteFault.EMPTY),
        ("x" * (LARGEST + 1), PasteFault.TOO_LARGE),
        ("ض" * (LARGEST // 2 + 1), PasteFault.TOO_LARGE),
        ('{"a":' * (DEEPEST + 1), PasteFault.TOO_DEEP),
        ("[" * 100_000, PasteFault.TOO_DEEP),
        ('{"Config": ', PasteFault.NOT_JSON),
        ('{"a": ' + "9" * 5000 + "}", PasteFault.NOT_JSON),
        ("{}", PasteFault.UNKNOWN_JSON),
        ('{"name": "x"}', PasteFault.UNKNOWN_JSON),
        ("[1]", PasteFault.UNKNOWN_JSON),
        ("[]", PasteFault.NO_IMAGE),
        ([{}, {}], PasteFault.SEVERAL_IMAGES),
        ([{"State": {}, "Config": {}, "HostConfig": {}}], PasteFault.CONTAINER),
        ({"schemaVersion": 1, "history": []}, PasteFault.SCHEMA_1),
        ({"fsLayers": []}, PasteFault.SCHEMA_1),
        ("nvcr.io/nvidia/pytorch:26.03-py3", PasteFault.REFERENCE),
        ("ubuntu", PasteFault.REFERENCE),
        ("From what I know it runs.", PasteFault.UNRECOGNISED),
        ("run away", PasteFault.UNRECOGNISED),
        ("Error: No such image: x", PasteFault.UNRECOGNISED),
        ("ARG BASE\nFROM $BASE\n", PasteFault.NO_BASE),
        ("FROM a\n" * 101, PasteFault.TOO_MANY_STAGES),
    ],
)
def test_each_fault_has_its_key(document: Any, key: PasteFault) -> None:
    assert fault(document).fault is key


def test_a_fault_says_where_or_how_much_and_nothing_of_the_text() -> None:
    assert fault('{\n"a": ' + SECRET).part == "2"
    assert fault("x" * (LARGEST + 1)).part == str(LARGEST // 1024)
    assert SECRET not in str(fault('{"a": "' + SECRET))


# --- Secrets ---------------------------------------------------------------------------


def with_secrets() -> list[Any]:
    """Documents with a secret wherever one may lie."""
    oci = config("vllm-0.10.0")
    oci["config"] |= {
        "Env": [*oci["config"]["Env"], f"HF_TOKEN={SECRET}", f"{SECRET}=1"],
        "Labels": {"token": SECRET, SECRET: "x"},
        "Entrypoint": ["serve", f"--api-key={SECRET}"],
        "Cmd": [f"python app.py --key {SECRET}"],
        "ExposedPorts": {SECRET: {}},
    }
    line = f"RUN |1 TOKEN={SECRET} /bin/sh -c curl -H {SECRET} x && pip install torch==2.8.0"
    url = f"RUN pip install torch==2.9.0 --index-url https://u:{SECRET}@h/whl/cu128"
    oci["history"] += [{"created_by": line}, {"created_by": url, "comment": SECRET}]
    docker = inspected("vllm-0.10.0", Config=oci["config"], Author=SECRET, Comment=SECRET)
    dockerfile = (
        f"ARG TOKEN={SECRET}\nFROM nvidia/cuda:12.8.1-base-ubuntu22.04\nENV HF_TOKEN={SECRET}\n"
        f"# {SECRET}\nLABEL a={SECRET}\nENV B=$HF_TOKEN\nRUN pip install torch==2.8.0 -t $B\n"
        f'CMD ["x", "{SECRET}"]\nENTRYPOINT run --key {SECRET}\n'
    )
    return [oci, docker, {"name": "x", "manifest": {}, "image": oci}, dockerfile]


@pytest.mark.parametrize("document", with_secrets(), ids=["config", "docker", "buildx", "file"])
def test_no_secret_leaves_the_reader(document: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = read_paste(document if isinstance(document, str) else json.dumps(document))
    assert SECRET not in repr(told)
    assert SECRET not in repr(facts_of(told))
    assert SECRET not in caplog.text
    assert facts_of(told).image.builds, "what is recognised is kept"


def test_what_starts_is_kept_as_the_name_of_a_program() -> None:
    found = facts(with_secrets()[0])
    assert found.values(Key.ENTRYPOINT) == ("serve",)
    assert found.values(Key.CMD) == ("python",)


# --- Anything --------------------------------------------------------------------------

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**16), st.floats(), st.text(max_size=20)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=15,
)
NAMES_USED = (
    "Config config Env Labels User Entrypoint Cmd RootFS rootfs Layers LayersData layers Size size "
    "manifest manifests image name Name history History created_by empty_layer platform Digest "
    "GraphDriver Architecture architecture os Os variant RepoTags RepoDigests linux/amd64"
)
NAMED = st.sampled_from(NAMES_USED.split())
DOCUMENTS = st.recursive(
    JSON, lambda inner: st.dictionaries(NAMED, inner, max_size=8), max_leaves=30
)


def check(text: str) -> None:
    """Reads, or fails in the one way there is; facts can be drawn from whatever was read."""
    try:
        told = read_paste(text)
    except PasteError:
        return
    assert isinstance(told, Told)
    found = facts_of(told)
    assert found.disagreements is not None
    assert all(fact.origin for fact in found.facts)


@given(DOCUMENTS)
@example({"Config": [], "RootFS": 1})
@example({"Config": {"Env": "A=B", "Cmd": [""], "Entrypoint": [" "]}, "RootFS": {"Layers": 3}})
@example({"manifest": {"layers": [{"size": True}]}, "image": {"a/b": 1}})
@example({"config": {"Env": ["=", "", "CUDA_VERSION"]}, "rootfs": {}})
def test_any_document_is_read_or_refused(document: Any) -> None:
    check(json.dumps(document))


@given(st.text())
@example("\ud800")
@example("[\ud800]")
@example('{"config":{"Env":["CUDA_VERSION=\\ud800"]},"rootfs":{}}')
def test_any_text_is_read_or_refused(text: str) -> None:
    check(text)


@given(st.sampled_from(NAMES), st.data())
def test_a_real_document_damaged_anywhere_is_read_or_refused(
    name: str, data: st.DataObject
) -> None:
    text = json.dumps(data.draw(st.sampled_from([inspected(name), config(name), skopeo(name)])))
    at = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(at, min(at + 40, len(text))))
    check(text[:at] + data.draw(st.text(max_size=6)) + text[end:])


HOSTILE = {
    "brackets": "[" * LARGEST,
    "quotes": '["' + '\\"' * (LARGEST // 2 - 4),
    "variables": "ENV A=aaaaaaaaaaaaaaaa\n" + "ENV A=$A$A$A$A\n" * 60_000,
    "many variables": "".join(f"ENV A{at}=$A{at - 1}x\n" for at in range(40_000)),
    "stages": "".join(f"FROM s{at} AS s{at + 1}\n" for at in range(50_000)),
    "runs": "FROM a\nENV A=" + "pip\\ install\\ torch==1;cuda;" * 100 + "\n" + "RUN $A\n" * 100_000,
    "here-documents": "FROM a\n" + "RUN cat <<EOF\n" * 70_000,
    "continued": "FROM a\nRUN a \\\n" + "b \\\n" * 200_000,
    "history": json.dumps(
        {"config": {"Env": ["A=" + "x" * 4000]}, "history": [{"created_by": "$A" * 9}] * 20_000}
        | {"rootfs": {}}
    ),
    "pairs": "ENV " + "a=b " * 250_000,
    "quotes in pairs": "ENV " + 'a="' * 300_000,
    "quotes in a list": "FROM a\nCMD [" + '"\\' * 300_000,
    "half-open": 'ENV a="' + "\\a" * 400_000,
    "spaces": "FROM" + " " * 900_000 + "a",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text: str) -> None:
    start = time.thread_time()
    check(text[:LARGEST])
    assert time.thread_time() - start < 8

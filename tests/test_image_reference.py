"""Image references are read as Docker reads them, and each fault is named."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.image.reference import (
    DIGEST_LENGTHS,
    BadReferenceError,
    Fault,
    Reference,
    is_digest,
    parse,
)

HEX = "1a3f5e7d9c1b3a5f7e9d1c3b5a7f9e1d3c5b7a9f1e3d5d7c9b1a3f5e7d9c1b3a"
DIGEST = f"sha256:{HEX}"
LONG = "thisisthesongthatneverendsitgoesonandonandonthisisthesongthatnev"


@pytest.mark.parametrize(
    ("text", "host", "path", "tag"),
    [
        ("debian", "docker.io", "library/debian", "latest"),
        ("debian:12", "docker.io", "library/debian", "12"),
        ("docker.io/debian", "docker.io", "library/debian", "latest"),
        ("index.docker.io/debian", "docker.io", "library/debian", "latest"),
        ("docker.io/library/foo/bar", "docker.io", "library/foo/bar", "latest"),
        ("pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", "docker.io", "pytorch/pytorch", None),
        ("nvcr.io/nvidia/pytorch:26.03-py3", "nvcr.io", "nvidia/pytorch", "26.03-py3"),
        ("ghcr.io/a/b/c/d:_x", "ghcr.io", "a/b/c/d", "_x"),
        ("localhost/x", "localhost", "x", "latest"),
        ("localhost:5000/x:1", "localhost:5000", "x", "1"),
        ("127.0.0.1:5000/docker/docker", "127.0.0.1:5000", "docker/docker", "latest"),
        ("192.168.0.1", "docker.io", "library/192.168.0.1", "latest"),
        ("192.168.0.1:80", "docker.io", "library/192.168.0.1", "80"),
        ("[fc00::1]:5000/docker", "[fc00::1]:5000", "docker", "latest"),
        ("test_com/foo", "docker.io", "test_com/foo", "latest"),
        ("test-com:8080/foo", "test-com:8080", "foo", "latest"),
        ("xn--n3h.com:18080/foo", "xn--n3h.com:18080", "foo", "latest"),
        ("docker---rules/dock__er", "docker.io", "docker---rules/dock__er", "latest"),
        (LONG, "docker.io", f"library/{LONG}", "latest"),
        (f"docker.io/{HEX}", "docker.io", f"library/{HEX}", "latest"),
        ("FOO/bar", "FOO", "bar", "latest"),
        ("  debian\n", "docker.io", "library/debian", "latest"),
        (f"x:{'t' * 128}", "docker.io", "library/x", "t" * 128),
        (f"x/{'p' * 253}", "docker.io", f"x/{'p' * 253}", "latest"),
        ("host.example:65535/x", "host.example:65535", "x", "latest"),
    ],
)
def test_what_is_left_out_has_dockers_defaults(
    text: str, host: str, path: str, tag: str | None
) -> None:
    read = parse(text)
    assert (read.host, read.path, read.digest) == (host, path, "")
    assert read.tag == (text.rpartition(":")[2] if tag is None else tag)


def test_a_digest_takes_the_place_of_the_default_tag() -> None:
    assert parse(f"debian@{DIGEST}") == Reference("docker.io", "library/debian", "", DIGEST)
    both = parse(f"debian:12@{DIGEST}")
    assert (both.tag, both.digest) == ("12", DIGEST)
    assert str(both) == f"docker.io/library/debian:12@{DIGEST}"


def test_only_a_name_without_a_digest_moves() -> None:
    assert parse("debian:12").moves
    assert not parse(f"debian:12@{DIGEST}").moves


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", Fault.EMPTY),
        ("  \n", Fault.EMPTY),
        ("a" * 1000, Fault.TOO_LONG),
        ("x/" + "p" * 254, Fault.TOO_LONG),
        ("https://github.com/docker/docker", Fault.SCHEME),
        ("docker://debian", Fault.SCHEME),
        ("docker pull debian", Fault.SPACE),
        ("debian\u00a0:12", Fault.SPACE),
        (HEX, Fault.IDENTIFIER),
        (DIGEST, Fault.IDENTIFIER),
        (":tag", Fault.NO_NAME),
        (f"@{DIGEST}", Fault.NO_NAME),
        ("docker.io/", Fault.NO_NAME),
        ("ghcr.io/:x", Fault.NO_NAME),
        ("Debian", Fault.UPPER_CASE),
        ("docker/Docker", Fault.UPPER_CASE),
        ("docker.io/docker/Docker:1", Fault.UPPER_CASE),
        ("-docker.io/docker/docker", Fault.BAD_HOST),
        ("fc00::1:5000/debian", Fault.BAD_HOST),
        ("[fe80::1%eth0]:5000/debian", Fault.BAD_HOST),
        ("[2001:db8:3:4::192.0.2.33]:5000/debian", Fault.BAD_HOST),
        ("[:::]/x", Fault.BAD_HOST),
        ("a..b/x", Fault.BAD_HOST),
        (f"{'a' * 64}.example/x", Fault.BAD_HOST),
        (f"{'a.' * 127}example/x", Fault.BAD_HOST),
        ("user:secret.example/x", Fault.BAD_HOST),
        ("Ünicode/x", Fault.BAD_HOST),
        ("host:0/x", Fault.BAD_PORT),
        ("host:65536/x", Fault.BAD_PORT),
        ("host:" + "9" * 5000 + "/x", Fault.TOO_LONG),
        ("-docker", Fault.BAD_NAME),
        ("[fc00::1]", Fault.BAD_NAME),
        ("docker///docker", Fault.BAD_NAME),
        ("docker-/docker", Fault.BAD_NAME),
        ("____/____", Fault.BAD_NAME),
        ("a___b/c", Fault.BAD_NAME),
        ("docker/", Fault.BAD_NAME),
        ("/x", Fault.BAD_NAME),
        ("x?y", Fault.BAD_NAME),
        ("x:", Fault.BAD_TAG),
        ("x:-a", Fault.BAD_TAG),
        ("x:a:b", Fault.BAD_TAG),
        ("x:t/y", Fault.BAD_HOST),
        ("a/x:t/y", Fault.BAD_TAG),
        ("x:tägg", Fault.BAD_TAG),
        ("x:" + "t" * 129, Fault.BAD_TAG),
        ("x@", Fault.BAD_DIGEST),
        ("x@sha256:123", Fault.BAD_DIGEST),
        (f"x@sha256:{HEX.upper()}", Fault.BAD_DIGEST),
        (f"x@md5:{'a' * 32}", Fault.BAD_DIGEST),
        (f"x@{DIGEST}@{DIGEST}", Fault.BAD_DIGEST),
    ],
)
def test_each_fault_has_its_key(text: str, fault: Fault) -> None:
    with pytest.raises(BadReferenceError) as caught:
        parse(text)
    assert caught.value.fault is fault


def test_every_fault_can_happen() -> None:
    """The test above leaves none out."""
    marks = test_each_fault_has_its_key.pytestmark  # type: ignore[attr-defined]
    assert {fault for _text, fault in marks[0].args[1]} == set(Fault)


@pytest.mark.parametrize(
    ("text", "part"),
    [("x:-a", "-a"), ("host:99999/x", "99999"), ("Debian", "Debian"), ("docker://x", "docker://")],
)
def test_the_piece_at_fault_is_told(text: str, part: str) -> None:
    with pytest.raises(BadReferenceError) as caught:
        parse(text)
    assert caught.value.part == part


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("debian", "debian:latest"),
        ("index.docker.io/fooo/bar:1", "fooo/bar:1"),
        ("library/foo/bar", "library/foo/bar:latest"),
        ("docker.io/a.b/c", "docker.io/a.b/c:latest"),
        ("docker.io/localhost/c", "docker.io/localhost/c:latest"),
        ("ghcr.io/a/b", "ghcr.io/a/b:latest"),
        (f"debian@{DIGEST}", f"debian@{DIGEST}"),
    ],
)
def test_the_familiar_form_is_short_and_means_the_same(text: str, short: str) -> None:
    assert parse(text).familiar == short
    assert parse(short) == parse(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [("Foo/bar", True), ("foo/bar", False), ("localhost/x", False), ("Foo:1/x", False)],
)
def test_a_host_of_one_word_is_told(text: str, word: bool) -> None:
    assert parse(text).asks_a_word is word


# --- Properties ------------------------------------------------------------------------

_part = st.from_regex(r"[a-z0-9]{1,8}((_|__|\.|-{1,3})[a-z0-9]{1,4}){0,2}", fullmatch=True)
_label = st.from_regex(r"[a-zA-Z0-9]([a-zA-Z0-9-]{0,5}[a-zA-Z0-9])?", fullmatch=True)
_host = st.one_of(
    st.just("docker.io"),
    st.just("localhost"),
    st.builds(".".join, st.lists(_label, min_size=2, max_size=4)),
    st.ip_addresses(v=6).map(lambda address: f"[{address.compressed}]"),
    st.builds("{}:{}".format, _label, st.integers(1, 65535)),
)
_tag = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
_digest = st.sampled_from(sorted(DIGEST_LENGTHS)).flatmap(
    lambda name: st.text("0123456789abcdef", min_size=DIGEST_LENGTHS[name]).map(
        lambda digits: f"{name}:{digits[: DIGEST_LENGTHS[name]]}"
    )
)


@st.composite
def references(draw: st.DrawFn) -> Reference:
    host = draw(_host)
    parts = draw(st.lists(_part, min_size=2 if host == "docker.io" else 1, max_size=4))
    tag, digest = draw(st.sampled_from([(1, 0), (0, 1), (1, 1)]))
    return Reference(
        host, "/".join(parts), draw(_tag) if tag else "", draw(_digest) if digest else ""
    )


@given(references().filter(lambda reference: "%" not in reference.host))
def test_parse_undoes_format(reference: Reference) -> None:
    assert parse(str(reference)) == reference
    assert parse(reference.familiar) == reference


@given(st.text() | st.from_regex(r"[A-Za-z0-9:/@._\[\]-]{1,60}", fullmatch=True))
def test_any_text_is_a_reference_or_has_a_fault(text: str) -> None:
    with suppress(BadReferenceError):
        assert parse(str(parse(text))) == parse(text)


@given(_digest)
def test_a_digest_is_known_by_its_length(digest: str) -> None:
    assert is_digest(digest)
    assert not is_digest(digest + "0")
    assert not is_digest(digest[:-1])
    assert not is_digest(digest + "\n")

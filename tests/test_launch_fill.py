"""Templates: whatever is put into one comes out as that value, and as nothing else."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from checks.image.reference import Reference
from checks.launch import fill

# No surrogates: they cannot be written to a file at all. No NUL: no command line can carry one.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
WORDS = st.lists(TEXTS, min_size=1, max_size=4).map(tuple)
HOSTILE = [
    "$(rm -rf ~)",
    "`id`",
    "a; shutdown now",
    "a && b || c | d > e < f",
    "'; id; '",
    '"; id; "',
    "$HOME",
    "${IFS}",
    "\\",
    "a\\",
    "a b\tc",
    "a\nb",
    "a\n\nb",
    "\n- injected: true",
    "a: b",
    "a #b",
    "*alias",
    "&anchor",
    "!!python/object/apply:os.system",
    "{{ x }}",
    "<image>",
    "<image|VARIABLE>",
    "[private] x",
    "yes",
    "null",
    "0o17",
    "1e3",
    "2001-01-01",
    "~",
    "--privileged",
    "-v",
    "\u2028",
    "\n\x85",
    "a\n\u2029b\r\n",
    "a\n  b \n",
    "\x85",
    "\u202e",
    "💥",
    "ا",
]


def heard_by_a_shell(text: str, **environment: str) -> list[str]:
    """The words that the commands `run` in `text` get from a real POSIX shell."""
    script = f"run() {{ printf '%s\\0' \"$@\"; }}\n{text}\n"
    done = subprocess.run(
        ["/bin/sh", "-eu", "-c", script],
        env={"PATH": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    return done.stdout.decode().split("\0")[:-1]


def hostile_or(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(HOSTILE), texts)


# --- Shell -----------------------------------------------------------------------


@given(hostile_or(TEXTS))
def test_a_shell_reads_back_exactly_the_value(value: str) -> None:
    assert shlex.split(fill.fill_shell("run <image> --last", {"image": value}))[1:-1] == [value]
    text = fill.fill_shell("run <image>\n--last\n<image>", {"image": value})
    assert heard_by_a_shell(text) == [value, "--last", value]


@given(st.lists(hostile_or(TEXTS), min_size=1, max_size=4).map(tuple))
def test_a_shell_reads_back_exactly_the_words(words: tuple[str, ...]) -> None:
    text = fill.fill_shell("run\n[command] -- <command>", {"command": words})
    assert heard_by_a_shell(text) == ["--", *words]


@given(st.lists(hostile_or(TEXTS), min_size=1, max_size=4).map(tuple))
def test_a_line_that_repeats_stands_once_for_every_word(words: tuple[str, ...]) -> None:
    text = fill.fill_shell("run\n[command] --word=<command*>", {"command": words})
    assert heard_by_a_shell(text) == [f"--word={word}" for word in words]


def test_an_empty_word_is_a_word() -> None:
    text = fill.fill_shell("run\n--word=<command*>\n<command>", {"command": ("", "a")})
    assert heard_by_a_shell(text) == ["--word=", "--word=a", "", "a"]


@given(hostile_or(TEXTS))
def test_a_value_beside_a_variable_in_quotes_stays_one_word(value: str) -> None:
    text = fill.fill_shell('run --login "-u $USER_NAME "<registry>', {"registry": value})
    assert heard_by_a_shell(text, USER_NAME="me") == ["--login", f"-u me {value}"]


def test_a_value_is_never_read_as_a_template() -> None:
    values = {"image": "<name>", "name": "<image|VARIABLE>"}
    text = fill.fill_shell("run <image>\n<name>", values)
    assert heard_by_a_shell(text) == ["<name>", "<image|VARIABLE>"]


def test_what_is_missing_takes_its_line_along() -> None:
    template = "run\n--name <name>\n[private] --login\n<image>"
    assert fill.fill_shell(template, {"image": "a"}) == "run \\\n  a"
    assert fill.fill_shell(template, {"image": "a", "name": "", "private": None}) == "run \\\n  a"


def test_a_condition_keeps_its_line_and_does_not_show() -> None:
    text = fill.fill_shell("run\n[private] --login", {"private": True})
    assert text == "run \\\n  --login"


def test_what_is_missing_can_be_a_variable_of_the_readers() -> None:
    assert fill.fill_shell("run <offer|OFFER_ID>", {}) == 'run "$OFFER_ID"'
    assert fill.fill_shell("run <offer|OFFER_ID>", {"offer": "7"}) == "run 7"


def test_an_empty_line_ends_a_command() -> None:
    text = fill.fill_shell("[query] search <query>\n\ncreate <image>", {"image": "a"})
    assert text == "create a"
    text = fill.fill_shell("[query] search <query>\n\ncreate <image>", {"image": "a", "query": "b"})
    assert text == "search b\ncreate a"


@pytest.mark.parametrize("value", [0, False])
def test_nothing_and_no_are_values(value: object) -> None:
    assert fill.fill_shell("run <count>", {"count": value}) == f"run {value}"


def test_a_number_is_a_word() -> None:
    assert fill.fill_shell("run --gpus <count>", {"count": 8}) == "run --gpus 8"


# --- Dockerfile ------------------------------------------------------------------

LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
REFERENCES = st.builds(
    Reference,
    host=st.one_of(
        st.just("docker.io"),
        st.builds("{}.{}:{}".format, LABELS, LABELS, st.integers(1, 65535)),
        st.just("[2001:db8::1]:5000"),
    ),
    path=st.builds("{}/{}".format, LABELS, LABELS),
    tag=st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True),
    digest=st.one_of(st.just(""), st.just(f"sha256:{'a' * 64}")),
)


@given(REFERENCES)
def test_every_reference_can_stand_behind_from(reference: Reference) -> None:
    for image in (str(reference), reference.familiar):
        text = fill.fill_dockerfile("FROM <image>\nCOPY . /", {"image": image})
        assert text == f"FROM {image}\nCOPY . /\n"


@pytest.mark.parametrize("value", [text for text in HOSTILE if text not in {"yes", "null"}])
def test_what_would_need_quotes_cannot_stand_behind_from(value: str) -> None:
    if value in {"0o17", "1e3", "2001-01-01"}:
        assert fill.dockerfile_word(value) == value  # a name of an image like any other
        return
    with pytest.raises(ValueError, match="cannot stand in a Dockerfile"):
        fill.fill_dockerfile("FROM <image>", {"image": value})


@given(TEXTS)
def test_behind_from_stands_one_word_or_nothing(value: str) -> None:
    try:
        text = fill.fill_dockerfile("FROM <image>", {"image": value})
    except ValueError:
        return
    assert text.split() == ["FROM", value]
    assert not set(text) & set("$\\`'\"#")


@given(st.lists(hostile_or(TEXTS), min_size=1, max_size=4).map(tuple))
def test_a_dockerfile_reads_back_exactly_the_command(words: tuple[str, ...]) -> None:
    text = fill.fill_dockerfile("FROM a\n[command] CMD <command>", {"command": words})
    # Docker ends an instruction at a line feed and continues it after a backslash.
    lines = text.split("\n")
    assert lines[0] == "FROM a"
    assert len(lines) == 3
    assert not lines[1].endswith("\\")
    assert json.loads(lines[1].removeprefix("CMD ")) == list(words)


# --- YAML ------------------------------------------------------------------------


def loaded(template: str, values: dict[str, Any], **options: Any) -> Any:
    return yaml.safe_load(fill.fill_yaml(template, values, **options))


@given(hostile_or(TEXTS), st.lists(hostile_or(TEXTS), min_size=1, max_size=3).map(tuple))
def test_yaml_reads_back_exactly_the_values(value: str, words: tuple[str, ...]) -> None:
    tree = loaded("a: <image>\nb: [<image>]\nc: <command>", {"image": value, "command": words})
    assert tree == {"a": value, "b": [value], "c": list(words)}


@given(hostile_or(TEXTS))
def test_json_readers_of_yaml_agree(value: str) -> None:
    """A text stands in quotes or as a block, whatever a bare word would mean to YAML 1.2."""
    text = fill.fill_yaml("a: <image>", {"image": value})
    assert text.startswith(('a: "', "a: |"))


@given(hostile_or(TEXTS))
def test_doubled_dollars_are_what_compose_undoes(value: str) -> None:
    text = loaded("a: <image>", {"image": value}, escape=fill.doubled_dollars)["a"]
    pairs = text.split("$$")
    assert all("$" not in part for part in pairs)
    assert "$".join(pairs) == value


def test_numbers_and_truths_stay_what_they_are() -> None:
    tree = loaded("a: <count>\nb: <spot>\nc: nvidia\nd: 3", {"count": 2, "spot": True})
    assert tree == {"a": 2, "b": True, "c": "nvidia", "d": 3}


def test_a_leaf_without_a_value_takes_its_key_along_and_what_is_empty_then() -> None:
    template = "a: {b: {c: <name>}}\nd: [<name>]\ne:\n  - f: <name>\n    g: 1\nh: <image>"
    assert loaded(template, {"image": "x"}) == {"e": [{"g": 1}], "h": "x"}


def test_a_mapping_is_a_value_too() -> None:
    assert loaded("a: <accelerators>", {"accelerators": {"H100-SXM": 2}}) == {"a": {"H100-SXM": 2}}


def test_our_own_text_stands_on_a_condition_and_nothing_is_null() -> None:
    template = "a: <private?${{ env.TOKEN }}>\nb: <private?>\nc: 1"
    assert loaded(template, {"private": True}) == {"a": "${{ env.TOKEN }}", "b": None, "c": 1}
    assert loaded(template, {}) == {"c": 1}


def test_the_order_of_the_template_is_kept() -> None:
    text = fill.fill_yaml("z: <image>\na: 1\nm: [x]", {"image": "i"})
    assert [line.partition(":")[0] for line in text.splitlines() if ":" in line] == ["z", "a", "m"]


# --- JSON ------------------------------------------------------------------------


@given(hostile_or(TEXTS))
def test_json_in_a_shell_reads_back_exactly_the_value(value: str) -> None:
    body = fill.fill_json('{"image": "<image>", "deep": [{"again": "<image>"}]}', {"image": value})
    words = heard_by_a_shell(fill.fill_shell("run\n--data <body>", {"body": body}))
    assert words[0] == "--data"
    assert json.loads(words[1]) == {"image": value, "deep": [{"again": value}]}


def test_a_word_in_capitals_is_left_to_the_reader() -> None:
    assert json.loads(fill.fill_json('{"region": "<region|REGION>"}', {})) == {"region": "REGION"}
    given_one = fill.fill_json('{"region": "<region|REGION>"}', {"region": "us"})
    assert json.loads(given_one) == {"region": "us"}


# --- What is left to the reader --------------------------------------------------


def test_the_names_to_set_are_those_of_the_lines_that_stand() -> None:
    template = 'run "$KEY" <offer|OFFER_ID> <name>\n[private] --login "$LOGIN_ID"'
    assert list(fill.to_set(template, {"name": "$NOT_MINE"})) == ["KEY", "OFFER_ID"]
    assert list(fill.to_set(template, {"offer": "1", "private": True})) == ["KEY", "LOGIN_ID"]


def test_a_word_of_a_json_body_is_to_be_set() -> None:
    body = '{"keys": ["SSH_KEY_ID"], "kind": "docker", "region": "<region|REGION>"}'
    assert list(fill.to_set(body, {})) == ["SSH_KEY_ID", "REGION"]


def test_a_template_tells_what_it_asks_for() -> None:
    template = "run <image> <offer|OFFER_ID>\n--word=<command*>\n[private] --login"
    assert fill.places(template) == {"image", "offer", "command", "private"}

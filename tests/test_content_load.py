"""Texts are loaded by a three-way merge and dumped byte for byte; nobody's edit is lost."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from checks.content import canonical
from checks.content.files import Entries, trusted
from checks.content.schema import EntryDocument, digest
from checks.content.store import dump, load, merge
from checks.models import ContentEntry, ContentFile
from providers.catalog.merge import Conflicts, Side
from tests.content_texts import entry, question, source, translated, write
from tests.query_counts import queries_of

FAQ = {"one": question("One?"), "two": question("Two?", sources=[source()])}
database = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write(tmp_path / "content", en_faq=FAQ)


def at_desk(key: str, **fields: Any) -> None:
    """What the desk writes."""
    row = ContentEntry.objects.get(key=key, language="en")
    for name, value in (fields | {"edited_at": timezone.now()}).items():
        setattr(row, name, value)
    row.digest = digest(row.title, row.body, row.live)
    row.save()


def titles(language: str = "en") -> dict[str, str]:
    return dict(ContentEntry.objects.filter(language=language).values_list("key", "title"))


# --- The merge, pure ----------------------------------------------------------------------------


def joined(base: Entries, file: Entries, desk: Entries) -> Entries:
    merged, conflicts = merge(base, file, desk, Side.FILE)
    assert conflicts == ()
    return merged


def test_each_side_may_change_another_field_of_one_text() -> None:
    file = FAQ | {"one": question("One, then?")}
    desk = FAQ | {"one": question("One?", body="It is.")}
    assert joined(FAQ, file, desk)["one"] == question("One, then?", body="It is.")


def test_a_text_that_only_one_side_removed_is_gone() -> None:
    without = {"two": FAQ["two"]}
    assert joined(FAQ, without, FAQ) == without
    assert joined(FAQ, FAQ, without) == without


def test_both_sides_may_add_texts() -> None:
    file = {"new": question("New?"), **FAQ}
    desk = FAQ | {"desk": question("Desk?")}
    assert list(joined(FAQ, file, desk)) == ["new", "one", "two", "desk"]


def test_the_same_field_changed_differently_is_a_conflict() -> None:
    file, desk = FAQ | {"one": question("File?")}, FAQ | {"one": question("Desk?")}
    for side, title in ((Side.FILE, "File?"), (Side.DESK, "Desk?")):
        merged, (conflict,) = merge(FAQ, file, desk, side)
        assert merged["one"].title == title
        assert conflict.path == ("one", "title")


def test_a_text_changed_here_and_removed_there_is_a_conflict() -> None:
    _merged, (conflict,) = merge(
        FAQ, {"two": FAQ["two"]}, FAQ | {"one": question("Desk?")}, Side.FILE
    )
    assert conflict.path == ("one",)


entries = st.dictionaries(
    st.sampled_from(["one", "two", "three"]),
    st.builds(
        entry,
        st.sampled_from(["A", "B", "C"]),
        st.sampled_from(["a", "b\n\n- c"]),
        sources=st.sampled_from([None, [source()], [source(day=None)]]),
        forms=st.sampled_from([None, ["x: y", "no"]]),
    ),
)


@given(entries, entries)
def test_what_only_one_side_changed_is_taken_whole(base: Entries, changed: Entries) -> None:
    assert joined(base, changed, base) == changed
    assert joined(base, base, changed) == changed
    assert joined(base, changed, changed) == changed


@given(entries, entries, entries)
def test_sides_only_decide_conflicts(base: Entries, file: Entries, desk: Entries) -> None:
    by_file, conflicts = merge(base, file, desk, Side.FILE)
    by_desk, same = merge(base, file, desk, Side.DESK)
    assert [c.path for c in conflicts] == [c.path for c in same]
    assert conflicts or by_file == by_desk
    assert by_file.keys() | by_desk.keys() <= file.keys() | desk.keys()


@given(entries)
def test_a_file_reads_back_as_what_was_written(written: Entries) -> None:
    text = canonical.text_of(written)
    assert trusted("en/guide", text) == written
    assert not [line for line in text.split("\n") if line != line.rstrip()]


# --- Loading ------------------------------------------------------------------------------------


@database
def test_a_load_makes_a_row_of_each_text_in_the_file_s_order(files: Path) -> None:
    report = load(files)

    assert report.counts == {"new": 2}
    assert titles() == {"one": "One?", "two": "Two?"}
    two = ContentEntry.objects.get(key="two")
    assert (two.kind, two.language, two.position, two.edited_at) == ("faq", "en", 1, None)
    assert two.sources == [{"address": "https://docs.example/page", "read_on": "2026-08-20"}]
    assert two.digest == digest("Two?", "It is so.", two.live)


@database
def test_a_second_load_writes_nothing(files: Path) -> None:
    load(files)
    assert queries_of(lambda: load(files)) <= 7
    assert load(files).changed_files == 0


@database
def test_loading_costs_the_same_with_more_texts(files: Path, tmp_path: Path) -> None:
    few = queries_of(lambda: load(files))
    many = {f"q{n}": question(f"{n}?") for n in range(40)}
    more = write(tmp_path / "more", en_faq=FAQ | many)
    assert queries_of(lambda: load(more)) <= few + 1


@database
def test_what_the_desk_changed_survives_a_load(files: Path) -> None:
    load(files)
    at_desk("one", title="One, at the desk?")
    write(files, en_faq=FAQ | {"two": question("Two, in the file?")})

    assert load(files).counts == {"changed": 1}
    assert titles() == {"one": "One, at the desk?", "two": "Two, in the file?"}
    assert ContentEntry.objects.get(key="one").edited_at is not None


@database
def test_a_conflict_stops_the_load_and_writes_nothing(files: Path) -> None:
    load(files)
    at_desk("one", title="Desk?")
    write(files, en_faq=FAQ | {"one": question("File?"), "new": question()})

    with pytest.raises(Conflicts) as raised:
        load(files)

    assert str(raised.value) == (
        "en/faq.yaml: one.title (was 'One?'): the file has 'File?'; the desk has 'Desk?'"
    )
    assert titles() == {"one": "Desk?", "two": "Two?"}


@database
@pytest.mark.parametrize(("side", "title"), [(Side.FILE, "File?"), (Side.DESK, "Desk?")])
def test_a_conflict_is_settled_by_taking_a_side(files: Path, side: Side, title: str) -> None:
    load(files)
    at_desk("one", title="Desk?")
    write(files, en_faq=FAQ | {"one": question("File?")})

    assert [c.path for c in load(files, take=side).settled["en/faq"]] == [("one", "title")]
    assert titles()["one"] == title


@database
def test_a_text_that_left_the_file_leaves_the_database(files: Path) -> None:
    load(files)
    write(files, en_faq={"two": FAQ["two"]})
    assert load(files).counts == {"removed": 1, "changed": 1}  # the other one moves up
    assert titles() == {"two": "Two?"}


@database
def test_a_file_that_is_gone_takes_its_texts_along(files: Path) -> None:
    arabic = write(files, ar_faq={"one": translated(FAQ["one"], "واحد؟")})
    load(arabic)
    assert titles("ar") == {"one": "واحد؟"}
    (files / "ar/faq.yaml").unlink()

    assert load(files).counts == {"removed": 1}
    assert not ContentFile.objects.filter(name="ar/faq").exists()


# --- Dumping ------------------------------------------------------------------------------------


@database
def test_what_nobody_changed_is_dumped_byte_for_byte(files: Path, tmp_path: Path) -> None:
    path = files / "en/faq.yaml"
    path.write_text("# Kept.\n" + path.read_text().replace("title: One?", 'title:   "One?"'))
    load(files)

    assert dump(tmp_path / "out") == {"en/faq": False}
    assert (tmp_path / "out/en/faq.yaml").read_bytes() == path.read_bytes()


@database
def test_what_the_desk_changed_is_dumped_loads_and_is_then_the_file_s(
    files: Path, tmp_path: Path
) -> None:
    load(files)
    at_desk("one", body="It is.\n\n- so\n- so: yes")
    out = tmp_path / "out"
    assert dump(out) == {"en/faq": True}

    report = load(out)

    assert report.changed_files == 1
    one = ContentEntry.objects.get(key="one")
    assert (one.body, one.edited_at) == ("It is.\n\n- so\n- so: yes", None)
    assert dump(tmp_path / "again") == {"en/faq": False}


@database
def test_another_order_at_the_desk_is_dumped(files: Path, tmp_path: Path) -> None:
    load(files)
    ContentEntry.objects.filter(key="two").update(position=0)
    ContentEntry.objects.filter(key="one").update(position=1)

    assert dump(tmp_path) == {"en/faq": True}
    assert list(trusted("en/faq", (tmp_path / "en/faq.yaml").read_text())) == ["two", "one"]


# --- Commands -----------------------------------------------------------------------------------


def run(command: str, *arguments: str | Path, **options: Any) -> str:
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


@database
def test_a_load_says_in_one_line_what_it_did(files: Path) -> None:
    assert run("load_content", files) == "content: 1 files, 1 of them changed: 2 texts new\n"
    assert run("load_content", files) == "content: 1 files, 0 of them changed: nothing changed\n"


@database
def test_a_check_keeps_nothing(files: Path) -> None:
    assert run("load_content", files, "--check").endswith("2 texts new (checked only)\n")
    assert not ContentEntry.objects.exists()
    assert not ContentFile.objects.exists()


@database
def test_a_load_tells_what_is_left_to_translate_when_asked(files: Path) -> None:
    write(files, ar_faq={"one": translated(FAQ["one"], "واحد؟")})
    lines = run("load_content", files, verbosity=2).splitlines()
    of = ContentEntry.objects.get(key="two").digest
    assert f"ar/faq#two: missing (of: {of})" in lines
    assert not any(line.startswith("ar/faq#one") for line in lines)


@database
def test_a_load_prints_every_fault_and_fails(files: Path) -> None:
    write(files, en_faq={"one": EntryDocument(title="A"), "two": EntryDocument(title="B")})
    with pytest.raises(CommandError) as raised:
        run("load_content", files)
    assert str(raised.value).splitlines()[-1] == "4 fault(s); nothing loaded"


@database
def test_a_load_prints_conflicts_and_how_to_settle_them(files: Path) -> None:
    load(files)
    at_desk("one", title="Desk?")
    write(files, en_faq=FAQ | {"one": question("File?")})

    with pytest.raises(CommandError, match="say --take file or --take desk"):
        run("load_content", files)

    assert run("load_content", files, "--take", "desk").startswith(
        "took the desk: en/faq.yaml: one.title (was 'One?')"
    )


@database
def test_a_dump_names_what_the_desk_changed_and_what_it_does_not_know(
    files: Path, tmp_path: Path
) -> None:
    load(files)
    at_desk("one", title="Desk?")
    out = write(tmp_path / "out", tr_faq="")

    assert run("dump_content", out) == (
        "en/faq.yaml: changed at the desk\n"
        "tr/faq.yaml: no texts of the database; left as it is\n"
        f"content: 1 files written to {out}\n"
    )


@database
def test_a_dump_to_a_place_that_cannot_be_written_says_so(files: Path, tmp_path: Path) -> None:
    load(files)
    (tmp_path / "taken").write_text("")
    with pytest.raises(CommandError, match="taken"):
        run("dump_content", tmp_path / "taken")

"""Running the rules over files: where each remark stands, and the command."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from providers.catalog import lint, rules
from providers.catalog.files import parse, read_directory
from providers.catalog.rule import Severity
from tests import catalog_texts as made
from tests.catalog_texts import TODAY

PODS = made.offering(
    "pods",
    claims={
        "spot": made.claim(True),
        "ssh": [made.claim(True), made.claim(False, read_on="2026-12-24")],
    },
)


def remarks(
    data: dict[str, Any], without: tuple[str, ...] = ("main-dimension-unanswered",)
) -> list[str]:
    found = lint.lint([parse(f"{data['slug']}.yaml", made.text(data))], TODAY)
    return [str(remark) for remark in found if remark.rule not in without]


def run(directory: Path, *options: str) -> str:
    out = StringIO()
    call_command("lint_catalog", str(directory), *options, stdout=out)
    return out.getvalue()


def test_a_remark_names_file_line_rule_and_place() -> None:
    assert remarks(made.provider("acme", PODS)) == [
        "acme.yaml:15: weaker-contradicts-stronger: offerings.pods.claims.ssh[0]: True by a weaker"
        " claim than False (documented, provider, 2026-12-24) (warning)",
        "acme.yaml:16: day-in-future: offerings.pods.claims.ssh[1].read_on: read on 2026-12-24,"
        " which has not come yet (error)",
    ]


def test_a_remark_about_a_lone_claim_has_its_line() -> None:
    pods = made.offering("pods", claims={"spot": made.claim(True, read_on=None)})

    assert remarks(made.provider("acme", pods)) == [
        "acme.yaml:13: overdue: offerings.pods.claims.spot.read_on: due for review:"
        " day not recorded (warning)"
    ]


def test_a_file_that_cannot_be_loaded_is_an_error_with_its_faults() -> None:
    found = lint.lint([parse("acme.yaml", "slug: acme\noffers: 1\n")], TODAY)

    assert {(r.rule, r.severity) for r in found} == {("shape", Severity.ERROR)}
    assert "acme.yaml:2: shape: offers: is not a known key" in "\n".join(map(str, found))


def test_a_file_in_another_form_is_a_warning_at_the_first_line_that_differs() -> None:
    text = made.text(made.provider("acme")).replace("name: Acme", "name: 'Acme'")

    [remark] = lint.lint([parse("acme.yaml", text)], TODAY)

    assert str(remark) == (
        "acme.yaml:2: form: is not in the canonical form; lint_catalog --fix writes it (warning)"
    )


def test_a_rule_is_found_because_its_file_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(rules.__path__[0], "day_in_future.py").read_text()
    (tmp_path / "named_twice.py").write_text(source.replace("day-in-future", "named-twice"))
    before = [rule.key for rule in lint.all_rules()]
    lint.all_rules.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
        after = [rule.key for rule in lint.all_rules()]
    lint.all_rules.cache_clear()
    sys.modules.pop(f"{rules.__name__}.named_twice")

    assert sorted(after) == sorted([*before, "named-twice"])


def test_every_file_of_rules_holds_exactly_one_rule() -> None:
    files = [path for path in Path(rules.__path__[0]).glob("*.py") if path.stem != "__init__"]

    assert len(lint.all_rules()) == len(files) >= 15


def test_the_command_prints_remarks_and_their_counts(tmp_path: Path) -> None:
    pods = made.offering("pods", claims={"spot": made.claim(True, read_on=None)})

    out = run(made.write(tmp_path / "c", made.provider("acme", pods)))

    assert "acme.yaml:13: overdue: offerings.pods.claims.spot.read_on" in out
    assert "    1 warning: overdue\n" in out


def test_the_command_is_content_with_a_catalog_in_order(tmp_path: Path) -> None:
    assert run(made.write(tmp_path / "c", made.provider("acme"))) == "catalog: nothing to remark\n"


def test_an_error_fails_the_command(tmp_path: Path) -> None:
    files = made.write(tmp_path / "c", made.provider("acme", status="closed"))

    with pytest.raises(CommandError, match="catalog: 1 errors"):
        run(files)


def test_strict_makes_warnings_errors(tmp_path: Path) -> None:
    pods = made.offering("pods", claims={"spot": made.claim(True, read_on=None)})
    files = made.write(tmp_path / "c", made.provider("acme", pods))

    run(files)
    with pytest.raises(CommandError, match="catalog: 8 errors"):
        run(files, "--strict")


def test_fix_writes_the_canonical_form_and_leaves_faulty_files_alone(tmp_path: Path) -> None:
    files = made.write(tmp_path / "c", made.provider("acme"))
    form = (files / "acme.yaml").read_bytes()
    (files / "acme.yaml").write_bytes(b"# hello\n" + form)
    (files / "beta.yaml").write_bytes(b"slug: beta\n")

    with pytest.raises(CommandError):
        run(files, "--fix")

    assert (files / "acme.yaml").read_bytes() == form
    assert (files / "beta.yaml").read_bytes() == b"slug: beta\n"


def test_the_projects_own_catalog_has_no_errors() -> None:
    found = lint.lint(read_directory(Path(settings.CATALOG_DIR)), TODAY)

    assert [str(remark) for remark in found if remark.severity is Severity.ERROR] == []
    assert not [remark for remark in found if remark.rule in ("form", "note-against-value")]


def test_verbosity_0_counts_the_warnings_and_leaves_out_their_lines() -> None:
    out = StringIO()
    call_command("lint_catalog", stdout=out, verbosity=0)
    lines = out.getvalue().splitlines()
    assert all(line.lstrip()[0].isdigit() for line in lines)
    assert 0 < len(lines) < 20

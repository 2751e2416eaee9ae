"""Migrations: one line without branches, there and back, safe beside older web processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from gpucompare.embedded_db.cluster import programs
from providers.models.listing import Stock
from tests.operating import GUIDE, Server
from tests.processes import ROOT, eventually, local_folder

OURS = ("checks", "gpucompare", "providers")
# (app, name) → why there is no way back. A migration that has none is named here and nowhere else.
NO_WAY_BACK: dict[tuple[str, str], str] = {}
# What stood when the first release was made: nothing older than these can be running beside them.
FIRST = {"checks": 3, "gpucompare": 1, "providers": 5}
# (app, name) → which release stopped to use what this takes away, so that nothing older meets it.
TAKES_AWAY: dict[tuple[str, str], str] = {}
# (app, name) → why an older program does not notice its SQL, which nobody here can read.
UNNOTICED_SQL: dict[tuple[str, str], str] = {
    ("providers", "0006_price_roll_up"): "a table that only a later program knows",
    ("providers", "0007_listing_writers"): "a trigger notes who writes, whichever program it is",
}

# What an older program does not notice: it names its columns, and asks for no index.
_UNNOTICED = (
    *(migrations.CreateModel, migrations.AddIndex, migrations.RenameIndex),
    *(migrations.RemoveConstraint, migrations.AlterModelOptions, migrations.AlterModelManagers),
)
# Of a field, beside what Django itself counts so.
_OF_THE_PROGRAM = ("default",)
Key = tuple[str, str]


def ours() -> dict[Key, migrations.Migration]:
    disk = MigrationLoader(None).disk_migrations
    return {key: migration for key, migration in disk.items() if key[0] in OURS}


def number(key: Key) -> int:
    return int(key[1].partition("_")[0])


def ways_back(found: dict[Key, migrations.Migration]) -> dict[Key, bool]:
    return {key: all(step.reversible for step in one.operations) for key, one in found.items()}


@dataclass
class Older:
    """A program of the release before, beside which the steps of one migration are taken."""

    app: str
    state: ProjectState
    added: set[str] = field(default_factory=set)
    removed: dict[str, models.BaseConstraint] = field(default_factory=dict)

    def stumbles(self, steps: Iterable[Operation]) -> list[str]:
        """Over which of them, and why."""
        return [told for step in steps if (told := self._over(step))]

    def _over(self, step: Operation) -> str:
        told = "" if self._is_unnoticed(step) else f"{step.describe()}: an older program meets it"
        if isinstance(step, migrations.RemoveConstraint):
            known = self.state.models[self.app, step.model_name_lower].options["constraints"]
            self.removed |= {one.name: one for one in known if one.name == step.name}
        if isinstance(step, migrations.AddField):
            self.added.add(step.name)
        step.state_forwards(self.app, self.state)
        return told

    def _is_unnoticed(self, step: Operation) -> bool:
        if isinstance(step, migrations.AddField):
            new = step.field
            return bool(new.null or new.many_to_many or new.has_db_default())
        if isinstance(step, migrations.AlterField):
            known = self.state.models[self.app, step.model_name_lower].fields
            return in_database(known[step.name]) == in_database(step.field)
        if isinstance(step, migrations.AddConstraint):
            return self._is_wide(step.constraint)
        return isinstance(step, _UNNOTICED)

    def _is_wide(self, new: models.BaseConstraint) -> bool:
        """Whether all that an older program writes passes."""
        if not isinstance(new, models.CheckConstraint):
            return False
        if {name.partition("__")[0] for name, _value in leaves(new.condition)} <= self.added:
            return True  # it leaves these columns empty
        old = self.removed.get(new.name)
        return isinstance(old, models.CheckConstraint) and wider(old.condition, new.condition)


def in_database(one: models.Field[Any, Any]) -> tuple[Any, ...]:
    """All of a field that the database knows; words and choices are the program's own."""
    _name, path, words, kept = one.deconstruct()
    of_the_program = {*_OF_THE_PROGRAM, *one.non_db_attrs}
    return path, words, {name: kept[name] for name in kept.keys() - of_the_program}


def leaves(condition: Any) -> list[tuple[str, Any]]:
    inner = [leaves(child) for child in condition.children if isinstance(child, models.Q)]
    own = [child for child in condition.children if isinstance(child, tuple)]
    return [*own, *(leaf for more in inner for leaf in more)]


def wider(old: Any, new: Any) -> bool:
    """Whether it is the same list of what is allowed, or a longer one."""
    (before, *more), (after, *rest) = leaves(old), leaves(new)
    same = before[0] == after[0] and not more and not rest
    lists = before[0].endswith(("__in", "__contained_by"))
    return same and lists and set(before[1]) <= set(after[1])


# --- As they are written -------------------------------------------------------------------------


@pytest.mark.parametrize("app", OURS)
def test_the_migrations_of_an_app_are_one_line(app: str) -> None:
    graph = MigrationLoader(None).graph
    assert len(graph.leaf_nodes(app)) == 1
    line = sorted(key for key in ours() if key[0] == app)
    assert [number(key) for key in line] == [*range(1, len(line) + 1)]
    for before, after in pairwise(line):
        assert before in ours()[after].dependencies, after


def test_every_migration_goes_back_or_is_named_with_a_reason() -> None:
    without = {key for key, back in ways_back(ours()).items() if not back}
    assert without == set(NO_WAY_BACK)
    assert all(NO_WAY_BACK.values())
    # The guide says so in general, and must not say it wrongly.
    assert ("Every migration goes back" in GUIDE.read_text()) is (not NO_WAY_BACK)


def test_a_migration_without_a_way_back_is_noticed() -> None:
    class Lost(migrations.Migration):
        operations = [migrations.RunSQL("SELECT 1"), migrations.RunPython(lambda *_: None)]

    one = Lost("0009_lost", "providers")
    assert ways_back({("providers", "0009_lost"): one}) == {("providers", "0009_lost"): False}


def test_what_came_after_the_first_release_leaves_older_programs_alone() -> None:
    loader = MigrationLoader(None)
    faults = {
        key: Older(key[0], loader.project_state(key, at_end=False)).stumbles(one.operations)
        for key, one in ours().items()
        if number(key) > FIRST[key[0]] and key not in TAKES_AWAY and key not in UNNOTICED_SQL
    }
    assert not {key: told for key, told in faults.items() if told}
    assert all(
        (app, first) in {(key[0], number(key)) for key in ours()} for app, first in FIRST.items()
    )


def allowed(*values: str) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=models.Q(stock__in=[*Stock.values, *values]), name="listing_stock_allowed"
    )


REPLACED = migrations.RemoveConstraint("listing", "listing_stock_allowed")
NARROW = models.CheckConstraint(
    condition=models.Q(stock__in=["none"]), name="listing_stock_allowed"
)
COLOUR = migrations.AddField("gpu", "colour", models.TextField(null=True))
OF_COLOUR = models.CheckConstraint(condition=models.Q(colour__in=["red"]), name="gpu_colour")
CHOICES = models.CharField(choices=[("new", "New")], max_length=16)


@pytest.mark.parametrize(
    ("steps", "safe"),
    [
        ([COLOUR], True),
        ([migrations.AddField("gpu", "colour", models.TextField(db_default=""))], True),
        ([migrations.AddField("gpu", "colour", models.TextField(default=""))], False),
        ([migrations.CreateModel("Rack", [("id", models.AutoField(primary_key=True))])], True),
        ([migrations.AlterField("provider", "status", CHOICES)], True),
        ([migrations.AlterField("provider", "status", models.IntegerField())], False),
        ([REPLACED, migrations.AddConstraint("listing", allowed("soon"))], True),
        ([REPLACED, migrations.AddConstraint("listing", NARROW)], False),
        ([COLOUR, migrations.AddConstraint("gpu", OF_COLOUR)], True),
        ([migrations.AddConstraint("gpu", OF_COLOUR)], False),
        ([migrations.RemoveField("gpu", "name")], False),
        ([migrations.RenameField("gpu", "name", "title")], False),
        ([migrations.RenameModel("Gpu", "Card")], False),
        ([migrations.DeleteModel("Gpu")], False),
        ([migrations.RunSQL("DROP TABLE providers_gpu")], False),
    ],
    ids=lambda value: "" if isinstance(value, bool) else value[-1].describe(),
)
def test_what_older_programs_would_stumble_over_is_noticed(
    steps: list[Operation], safe: bool
) -> None:
    found = Older("providers", MigrationLoader(None).project_state()).stumbles(steps)
    assert (found == []) is safe, found


# --- On a database -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """With a database `filled` that tests take for their own."""
    with local_folder() as top:
        made = Server(top)
        made.make("filled")
        carry_out(made, "filled", ("migrate",), ("load_catalog",))
        yield made
        made.stop()


def schema(server: Server, name: str) -> list[str]:
    """The schema as PostgreSQL writes it, without the key that it makes up each time."""
    command = [str(programs() / "pg_dump"), "--schema-only", server.url(name)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line for line in text.splitlines() if "restrict" not in line]


def counts(server: Server, name: str) -> dict[str, int]:
    """Rows of the tables that stand there; a history is of the desk and goes with it."""
    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    ours = [str(t) for (t,) in server.rows(name, tables) if str(t).split("_")[0] in OURS]
    kept = [table for table in ours if "_historical" not in table]
    each = " UNION ALL ".join(f"SELECT '{t}', count(*)::int FROM {t}" for t in kept)  # noqa: S608
    return {str(table): int(str(count)) for table, count in server.rows(name, each)}


def applied(server: Server, name: str) -> set[Key]:
    rows = server.rows(name, "SELECT app, name FROM django_migrations")
    return {(str(app), str(step)) for app, step in rows if app in OURS}


def last(app: str) -> Key:
    return max(key for key in ours() if key[0] == app)


_BACK_AND_FORTH = """
import json, sys
import django
django.setup()
from django.core.management import call_command
for words in json.load(sys.stdin):
    call_command(*words, verbosity=0)
"""


def carry_out(server: Server, name: str, *commands: tuple[str, ...]) -> None:
    """Commands one after the other in one process, which has to succeed."""
    done = subprocess.run(
        [sys.executable, "-c", _BACK_AND_FORTH],
        cwd=ROOT,
        env=server.environ(name),
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_last_migrations_go_back_and_after_a_kill_half_way_come_again_over_rows(
    server: Server,
) -> None:
    name = server.make("there_and_back", "filled")
    above, rows = schema(server, name), counts(server, name)
    assert rows["providers_claim"] > 1000

    carry_out(server, name, *[("migrate", app, _before(last(app))) for app in OURS])
    assert not {last(app) for app in OURS} & applied(server, name)
    below = schema(server, name)
    assert below != above
    kept = {table: count for table, count in counts(server, name).items() if count}
    assert kept.items() <= rows.items()
    assert kept["providers_claim"] == rows["providers_claim"]

    kill_half_way(server, name)
    assert schema(server, name) == below
    assert not {last(app) for app in OURS} & applied(server, name)

    carry_out(server, name, ("migrate",))
    assert set(ours()) == applied(server, name)
    assert schema(server, name) == above
    # Who wrote to the listings is noted from then on.
    noted = {"providers_listing_writer": 1}
    assert counts(server, name) | noted == rows | noted


def kill_half_way(server: Server, name: str) -> None:
    """Start to migrate `providers`, and kill it in the middle of its one migration."""
    with server.session(name) as other:
        # Somebody writes listings: the trigger on them is made last, and waits.
        other.execute("BEGIN")
        other.execute("LOCK TABLE providers_listing IN ROW EXCLUSIVE MODE")
        half = server.start(name, "migrate", "providers")
        waits = "SELECT pid FROM pg_locks WHERE NOT granted"
        assert eventually(lambda: server.rows(name, waits) != [])
        half.send_signal(signal.SIGKILL)
        half.communicate()
        other.execute("ROLLBACK")
    alone = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    assert eventually(lambda: server.rows(name, alone) == [(1,)])


def _before(key: Key) -> str:
    """The name of the migration before it in its app; "zero" before the first."""
    earlier = [name for app, name in ours() if app == key[0] and name < key[1]]
    return max(earlier, default="zero")


# What does not make `Older` stumble, in a later release's name.
_LATER = """
CREATE TABLE providers_rack (id bigint PRIMARY KEY);
ALTER TABLE providers_claim ADD COLUMN colour text;
ALTER TABLE providers_claim ADD COLUMN weight text NOT NULL DEFAULT '';
CREATE INDEX claim_of_colour ON providers_claim (colour);
INSERT INTO django_migrations (app, name, applied) VALUES ('providers', '9999_later', now());
DELETE FROM providers_claim; DELETE FROM providers_catalogfile;
"""


@pytest.mark.soak
def test_an_older_program_prepares_and_writes_a_database_of_a_later_release(
    server: Server,
) -> None:
    name = server.make("later", "filled")
    before = counts(server, name)["providers_claim"]
    with server.session(name) as session:
        session.execute(_LATER.encode())
    assert counts(server, name)["providers_claim"] == 0
    carry_out(server, name, ("migrate",), ("load_catalog", "--take=file"))
    assert counts(server, name)["providers_claim"] == before > 1000

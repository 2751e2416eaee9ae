"""`manage.py postgres PROGRAM …`: pg_dump and its like, on the site's database wherever it is."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import connection
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from gpucompare.embedded_db.cluster import ClusterError, programs


class Command(BaseCommand):
    help = (
        "Run one of PostgreSQL's own programs (pg_dump, pg_restore, createdb, psql …) with the"
        " site's database as its default."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("program")
        parser.add_argument("arguments", nargs=argparse.REMAINDER, help="as the program takes them")

    def handle(self, *, program: str, arguments: list[str], **options: Any) -> None:
        # The embedded server runs for as long as this process does.
        command, environ = [found(program), *arguments], {**os.environ, **where()}
        if failed := subprocess.run(command, env=environ, check=False).returncode:  # noqa: S603
            sys.exit(failed)


def found(program: str) -> str:
    """The program that comes along, which is no older than the server; else that of the machine."""
    with suppress(ClusterError):
        if own := shutil.which(program, path=programs()):
            return own
    if other := shutil.which(program):
        return other
    raise CommandError(f"{program} is not on this machine: install PostgreSQL's client programs")


def where() -> dict[str, str]:
    """The site's database in the variables that PostgreSQL's programs read."""
    asked = connection.get_connection_params()
    known = {each.keyword.decode(): each.envvar for each in Conninfo.get_defaults() if each.envvar}
    told = {key: value for key, value in asked.items() if key in known and value is not None}
    # libpq's own reading of them, so that numbers and switches are spelled as it wants them.
    parsed = Conninfo.parse(make_conninfo(**told).encode())
    values = {each.keyword.decode(): each.val for each in parsed if each.val}
    return {(known[key] or b"").decode(): value.decode() for key, value in values.items()}

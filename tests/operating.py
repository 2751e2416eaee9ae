"""What tests of operation share: a server of its own, commands on it, and what a guide says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.fleet import Database
from tests.processes import ROOT, environment

GUIDE = ROOT / "docs" / "operate.md"


def blocks(heading: str) -> list[str]:
    """The commands that stand under a heading of the guide, a text for each block."""
    parts = re.split(r"^#+ (.+)$", GUIDE.read_text(), flags=re.M)
    (text,) = [body for name, body in zip(parts[1::2], parts[2::2], strict=True) if name == heading]
    return re.findall(r"```sh\n(.*?)```", text, re.S)


class Server:
    """PostgreSQL under `top`, with as many databases as a test wants."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._first = Database(top)

    def make(self, name: str, template: str = "template0") -> str:
        with self._first.session() as session:
            session.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return name

    def url(self, name: str) -> str:
        return self._first.url.replace("@/gpucompare?", f"@/{name}?")

    def rows(self, name: str, query: str) -> list[tuple[object, ...]]:
        with self.session(name) as session:
            return session.execute(query.encode()).fetchall()

    def session(self, name: str) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self.url(name), autocommit=True)

    def environ(self, name: str, **extra: str) -> dict[str, str]:
        return environment(self.top, DATABASE_URL=self.url(name), **extra)

    def manage(self, name: str, *words: str) -> str:
        """What a command says, which has to succeed."""
        done = self.start(name, *words)
        said, _nothing = done.communicate(timeout=120)
        assert done.returncode == 0, said
        return said

    def start(self, name: str, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environ(name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def stop(self) -> None:
        self._first.stop()

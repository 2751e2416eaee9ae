"""The image without Docker: what its Dockerfile copies, built by its own steps, in a folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.processes import ROOT

DOCKERFILE = ROOT / "Dockerfile"
BIN = str(Path(sys.executable).parent)


@dataclass
class Stage:
    """One FROM and what follows it: instructions in their order, ENV as it stands at the end."""

    instructions: list[tuple[str, str]] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)

    def all(self, name: str) -> list[str]:
        return [text for word, text in self.instructions if word == name]


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile, in the one form of it that ours has."""
    found: list[Stage] = []
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    whole = re.sub(r"\\\n", " ", "\n".join(lines))
    for line in filter(str.strip, whole.splitlines()):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append(Stage())
        elif found:
            found[-1].instructions.append((word, rest.strip()))
            if word == "ENV":
                pairs = (pair.partition("=") for pair in shlex.split(rest))
                found[-1].env.update({name: value for name, _, value in pairs})
    return found


def ignored(rules: str, path: str) -> bool:
    """Whether .dockerignore keeps a path from the build: the last rule that fits decides."""
    parts = path.split("/")
    ways = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    out = False
    for rule in rules.splitlines():
        if not rule or rule.startswith("#"):
            continue
        wanted = re.escape(rule.removeprefix("!")).replace(r"\*\*/", "(?:.*/)?")
        pattern = re.compile(wanted.replace(r"\*", "[^/]*"))
        if any(pattern.fullmatch(way) for way in ways):
            out = not rule.startswith("!")
    return out


def copied(stage: Stage) -> Iterator[tuple[Path, str]]:
    """Every file that its COPY lines take from the checkout, and where in /app each goes."""
    rules = (ROOT / ".dockerignore").read_text()
    for line in stage.all("COPY"):
        *sources, target = line.split()
        for source in map(ROOT.joinpath, sources):
            found = [source] if source.is_file() else source.rglob("*")
            for file in sorted(path for path in found if path.is_file()):
                inside = file.name if file == source else str(file.relative_to(source))
                if not ignored(rules, str(file.relative_to(ROOT))):
                    yield file, target + inside if target.endswith("/") else target


def build(app: Path) -> None:
    """Make /app of the image in that folder, by the build stage's own COPY and RUN lines."""
    stage = stages(DOCKERFILE.read_text())[0]
    for file, target in copied(stage):
        place = app / target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
    # What pip installs, the environment of the tests holds already.
    (step,) = (text for text in stage.all("RUN") if "python manage.py" in text)
    bare = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(app.parent), **lacking(app.parent)}
    subprocess.run(["sh", "-euc", step], cwd=app, env=bare, check=True, capture_output=True)


def lacking(top: Path) -> dict[str, str]:
    """The variable by which Python finds nothing of what the image throws out, by a file there."""
    (step,) = (text for text in stages(DOCKERFILE.read_text())[0].all("RUN") if "pip" in text)
    thrown_out = re.findall(r"uninstall --yes ([\w-]+)", step)
    assert thrown_out, step
    lines = (f"sys.modules[{name.replace('-', '_')!r}] = None" for name in thrown_out)
    folder = top / "lacking"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text("\n".join(["import sys", *lines, ""]))
    return {"PYTHONPATH": str(folder)}

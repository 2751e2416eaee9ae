"""docker-compose.yml without Docker: each service is the process that it says, on this machine.

PostgreSQL and Redis are real ones of this machine; all that is ours runs as the file says: its
command, environment, secrets and health check, from the files of the image, as a user who may
write nothing but what the service's volumes and tmpfs hold. Paths of containers become folders
under one top, and `web` becomes addresses 127.0.0.2, 127.0.0.3, … with one port.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from gpucompare.embedded_db.cluster import programs
from tests.fleet import Database, Redis, addresses
from tests.imaging import BIN, DOCKERFILE, Stage, build, lacking, stages
from tests.name_server import NameServer, name_server
from tests.processes import ROOT, free_port
from tests.provider_server import ProviderServer

COMPOSE = ROOT / "docker-compose.yml"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
HOST = "gpus.example"
PATIENCE_S = 90
_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?::([-?])([^}]*))?\})")
Service = dict[str, Any]


def filled(tree: Any, variables: Mapping[str, str]) -> Any:
    """A tree of YAML with ${NAME:-default} and ${NAME:?why} filled in, as Compose does."""
    if isinstance(tree, dict):
        return {key: filled(value, variables) for key, value in tree.items()}
    if isinstance(tree, list):
        return [filled(value, variables) for value in tree]
    if not isinstance(tree, str):
        return tree

    def value(found: re.Match[str]) -> str:
        dollar, name, how, other = found.groups()
        if dollar or variables.get(name):
            return str(dollar or variables[name])
        if how == "?":
            raise KeyError(f"{name}: {other}")
        return other or ""

    return _VARIABLE.sub(value, tree)


def compose(**variables: str) -> dict[str, Any]:
    """The file with those variables, and the settings that `deploy/init` makes for a host."""
    made = {"GPUCOMPARE_ALLOWED_HOSTS": HOST, **variables}
    tree: dict[str, Any] = filled(yaml.safe_load(COMPOSE.read_text()), made)
    return tree


def in_order(services: Mapping[str, Service]) -> Iterator[str]:
    """The names of the services, each after those that it depends on."""
    done: set[str] = set()
    while len(done) < len(services):
        ready = [n for n, s in services.items() if n not in done and set(waits(s)) <= done]
        assert ready, "a circle"
        yield from ready
        done.update(ready)


def waits(service: Service) -> dict[str, str]:
    """What it depends on, and the condition."""
    return {name: how["condition"] for name, how in service.get("depends_on", {}).items()}


class Container:
    """One process of a service."""

    def __init__(self, stack: Stack, name: str, number: int) -> None:
        self.service: Service = stack.tree["services"][name]
        self.address = f"127.0.0.{number + 1}"
        self._stack, self._asked = stack, False
        self._folder = stack.top / f"{name}-{number}"
        self._paths = self._places()
        self.environ = self._environment()
        asked = [*self.service.get("entrypoint", []), *self.service["command"]]
        # PostgreSQL and Redis run already; of them only the health check is asked.
        asked = ["sleep", "inf"] if name in {"db", "redis"} else asked
        self._folder.mkdir(exist_ok=True)
        self.log = self._folder / "log"
        with self.log.open("wb") as said:
            self.process = subprocess.Popen(
                [*as_a_user(), *map(self._here, asked)],
                cwd=stack.app,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_healthy(self) -> bool:
        """Asks its health check, once."""
        kind, *words = self.service["healthcheck"]["test"]
        command = ["sh", "-c", *words] if kind == "CMD-SHELL" else words
        done = subprocess.run(
            [*as_a_user(), *map(self._here, command)],
            cwd=self._stack.app,
            env=self.environ,
            check=False,
            capture_output=True,
        )
        return done.returncode == 0

    def wait_until_healthy(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not self.is_healthy():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            # A check takes the processor from what it waits for.
            time.sleep(0.5)

    def ask_to_end(self) -> None:
        """Sends the signal with which Compose stops it, once."""
        if not self._asked:
            self._asked = True
            self.process.send_signal(signal.Signals[self.service.get("stop_signal", "SIGTERM")])

    def end(self) -> int:
        """Its status after that signal."""
        self.ask_to_end()
        return self.process.wait(timeout=60)

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=60)

    def _places(self) -> dict[str, str]:
        """Folders of the container → folders here; those that may be written exist."""
        places = {"/venv/bin": BIN, "/run/secrets": str(self._stack.top / "deploy" / "secrets")}
        for volume in self.service.get("volumes", []):
            name, target = volume.split(":")
            places[target] = str(self._stack.top / "volumes" / name)
        for mount in self.service.get("tmpfs", []):
            target = mount.split(":")[0]
            places[target] = str(self._folder / target.strip("/"))
            shutil.rmtree(places[target], ignore_errors=True)
        for config in self.service.get("configs", []):
            places[config["target"]] = str(self._stack.top / "nginx.conf")
        for target, place in places.items():
            if target not in {"/venv/bin", "/run/secrets"} and not target.startswith("/etc"):
                Path(place).mkdir(parents=True, exist_ok=True)
                Path(place).chmod(0o777)
        return places

    def _here(self, text: str) -> str:
        """A word of the container, with paths, hosts and ports of this machine."""
        known = {**self._paths, **self._stack.hosts}
        words = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        return re.sub(rf"(?<![\w/.])({words})(?![\w-])", lambda found: known[found[1]], text)

    def _environment(self) -> dict[str, str]:
        said = {**self._stack.image.env, **self.service.get("environment", {})}
        path = said.pop("PATH").replace("$PATH", f"{programs()}:{os.environ['PATH']}:/usr/sbin")
        here = {name: self._here(str(value)) for name, value in said.items()}
        ours = {"HOST": self.address, "PORT": str(self._stack.web_port)}
        ours |= lacking(self._stack.top)
        return {**here, "PATH": self._here(path), **ours, **self._stack.provider}


def as_a_user() -> tuple[str, ...]:
    """How root runs what must not write: as nobody, who may still read a checkout of root's."""
    if os.geteuid() != 0:
        return ()
    reading = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *reading)


class Stack:
    """What `docker compose up` makes of the file."""

    def __init__(self, top: Path, names: NameServer, provider: ProviderServer) -> None:
        self.top, self.names = top, names
        self.app = top / "app"
        self.tree = compose(GPUCOMPARE_FRONT_SUBNET="127.0.0.0/8")
        self.image: Stage = stages(DOCKERFILE.read_text())[-1]
        self.provider = addresses(provider)
        self.web_port, self.proxy_port = free_port(), free_port()
        self.up: dict[str, list[Container]] = {}
        self.database, self.redis = Database(top / "db"), Redis(top / "redis")
        self.hosts = {
            "redis://redis:6379/0": self.redis.url,
            "redis-cli": f"redis-cli -u {self.redis.url}",
            "--host=127.0.0.1": f"--host={unquote(self.database.url.partition('host=')[2])}",
            "http://127.0.0.1:8080": f"http://127.0.0.1:{self.proxy_port}",
        }

    def make(self) -> None:
        """The files: of the image, of `deploy/init`, and nginx's with the ports of this machine."""
        build(self.app)
        (self.top / "deploy").mkdir()
        shutil.copy2(ROOT / "deploy" / "init", self.top / "deploy")
        subprocess.run(["sh", "deploy/init", HOST], cwd=self.top, check=True, capture_output=True)
        (self.top / "deploy" / "secrets" / "database_url").write_text(self.database.url)
        text = (ROOT / "deploy" / "nginx.conf").read_text()
        for there, here in {
            "resolver 127.0.0.11 ": f"resolver 127.0.0.1:{self.names.port} ",
            "listen 8080;": f"listen 127.0.0.1:{self.proxy_port};",
            "web:8000;": f"web:{self.web_port};",
        }.items():
            assert text.count(there) == 1, there
            text = text.replace(there, here)
        (self.top / "nginx.conf").write_text(text)

    def start_all(self) -> None:
        """Each as soon as what it depends on is as the file demands."""
        for name in in_order(self.tree["services"]):
            for other, condition in waits(self.tree["services"][name]).items():
                (needed,) = self.up[other]
                if condition == "service_healthy":
                    needed.wait_until_healthy()
                else:
                    assert needed.process.wait(timeout=PATIENCE_S) == 0, needed.log.read_text()
            self.launch(name)
        for name, (one,) in self.up.items():
            if name != "migrate":
                one.wait_until_healthy()

    def launch(self, name: str) -> Container:
        """One more of a service, known by its name as soon as it runs."""
        made = Container(self, name, len(self.up.setdefault(name, [])) + 1)
        self.up[name].append(made)
        if name == "web":
            self.names.addresses.append(made.address)
        return made

    def ended_badly(self) -> dict[str, str]:
        """Ends all that is ours with Compose's signals, proxy first: what failed, and its log."""
        (proxy,) = self.up["proxy"]
        ended = {"proxy": proxy.end()}
        rest = {name: self.up[name][-1] for name in ("web", "worker", "beat")}
        for one in rest.values():
            one.ask_to_end()
        ended.update({name: one.end() for name, one in rest.items()})
        return {name: self.up[name][-1].log.read_text() for name in ended if ended[name] != 0}

    def stop(self) -> None:
        for containers in self.up.values():
            for container in containers:
                container.kill()
        self.redis.stop()
        self.database.stop()


@contextmanager
def stack(top: Path, provider: ProviderServer) -> Iterator[Stack]:
    """All of it up, from files that nobody may write."""
    with name_server("web") as names:
        whole = Stack(top, names, provider)
        try:
            whole.make()
            for path in (*whole.app.rglob("*"), whole.app):
                path.chmod(path.stat().st_mode & ~0o222)
            whole.start_all()
            yield whole
        finally:
            whole.stop()
            for path in (whole.app, *whole.app.rglob("*")):
                if path.is_dir():
                    path.chmod(0o755)

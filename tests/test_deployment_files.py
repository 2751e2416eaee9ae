"""Dockerfile and docker-compose.yml: what linters say of them, and the rules that we keep."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from providers.refresh.enabled import key_variable
from providers.sources import SOURCES
from tests.composed import COMPOSE, compose, in_order
from tests.imaging import DOCKERFILE, copied, ignored, stages
from tests.processes import ROOT

HADOLINT, SHELLCHECK = (Path(sys.executable).with_name(name) for name in ("hadolint", "shellcheck"))
SERVICES: dict[str, dict[str, Any]] = compose()["services"]
GUIDE = ROOT / "docs" / "deploy.md"
SHARES = ROOT / "docs" / "shares.md"
OURS = ("migrate", "web", "worker", "beat")
NAMED = re.compile(r"\bGPUCOMPARE_[A-Z_]+[A-Z]\b")


def hadolint(text: str) -> str:
    done = subprocess.run(
        [HADOLINT, "--no-color", "-"], input=text, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def fault_of(tree: dict[str, Any]) -> str:
    """What the Compose specification has against it; "" where nothing."""
    try:
        PyCompose.from_yaml(yaml.safe_dump(tree))
    except ValueError as fault:
        return str(fault)
    return ""


def overrides() -> list[dict[str, Any]]:
    """What the guide puts into docker-compose.override.yml: keys, and what is more than one."""
    return [
        yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(), re.S)
    ]


def changed(service: str, **keys: Any) -> dict[str, Any]:
    tree = copy.deepcopy(compose())
    tree["services"][service].update(keys)
    return tree


def test_hadolint_has_nothing_against_the_dockerfile() -> None:
    assert hadolint(DOCKERFILE.read_text()) == ""
    assert "DL3006" in hadolint("FROM debian\n")


def test_shellcheck_has_nothing_against_the_script_of_the_first_command() -> None:
    said = subprocess.run(
        [SHELLCHECK, "--severity=style", "deploy/init"], cwd=ROOT, capture_output=True, check=False
    )
    assert (said.returncode, said.stdout) == (0, b"")


def test_the_compose_specification_has_nothing_against_the_file() -> None:
    assert fault_of(compose()) == ""


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"no_such_key": 1}, "no_such_key"),
        ({"restart": "sometimes"}, "sometimes"),
        ({"depends_on": {"db": {"condition": "service_well"}}}, "service_well"),
        ({"healthcheck": {"tests": ["CMD", "true"]}}, "tests"),
    ],
)
def test_the_specification_is_asked_about_every_key(keys: dict[str, Any], told: str) -> None:
    assert told in fault_of(changed("web", **keys))


def test_a_host_has_to_be_named_first() -> None:
    with pytest.raises(KeyError, match="run `sh deploy/init HOST` first"):
        compose(GPUCOMPARE_ALLOWED_HOSTS="")


def test_one_port_is_open_and_only_to_this_machine() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"proxy": ["127.0.0.1:8000:8080"]}


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_may_do_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    # Ours run as the image's own user.
    assert name in OURS or str(service["user"]).split(":")[0] not in {"", "0", "root"}


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_watched_and_comes_back(name: str) -> None:
    service = SERVICES[name]
    if name == "migrate":  # it ends
        assert service["restart"] == "no"
        assert service["healthcheck"] == {"disable": True}
        return
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
    assert {"interval", "timeout", "retries"} <= set(service["healthcheck"])


def test_volumes_networks_secrets_and_configs_are_all_declared_and_used() -> None:
    tree = compose()
    for kind in ("volumes", "networks", "secrets", "configs"):
        used = {
            entry["source"] if isinstance(entry, dict) else entry.split(":")[0]
            for service in SERVICES.values()
            for entry in service.get(kind, [])
        }
        assert used == set(tree[kind]), kind


def test_database_and_queue_are_reached_from_inside_alone_and_go_nowhere() -> None:
    assert SERVICES["db"]["networks"] == SERVICES["redis"]["networks"] == ["back"]
    assert compose()["networks"]["back"] == {"internal": True}
    assert SERVICES["proxy"]["networks"] == ["front"]


def test_no_secret_stands_in_the_file() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if "PASSWORD" in name or "SECRET" in name or "DATABASE" in name:
                assert name.endswith("_FILE")
                assert value.startswith("/run/secrets/")
                assert value.removeprefix("/run/secrets/") in service["secrets"]


def test_web_and_worker_can_be_many_and_the_clock_cannot() -> None:
    for name in ("web", "worker"):
        assert not {"container_name", "ports", "hostname"} & set(SERVICES[name])
    # Compose refuses to scale what has a name of its own.
    assert SERVICES["beat"]["container_name"] == "gpucompare-beat"


def test_nothing_starts_before_what_it_needs() -> None:
    order = [*in_order(SERVICES)]
    assert order[:3] == ["db", "redis", "migrate"]
    assert order[-1] == "proxy"
    for name in ("web", "worker", "beat"):
        needs = SERVICES[name]["depends_on"]["migrate"]
        assert needs == {"condition": "service_completed_successfully"}


def test_the_proxies_that_are_believed_are_those_of_the_network_in_front() -> None:
    tree = compose(GPUCOMPARE_FRONT_SUBNET="10.9.8.0/24")
    assert tree["networks"]["front"]["ipam"]["config"] == [{"subnet": "10.9.8.0/24"}]
    assert tree["services"]["web"]["environment"]["GPUCOMPARE_PROXIES"] == "10.9.8.0/24"


def test_the_image_runs_as_a_numbered_user_and_holds_nothing_that_builds() -> None:
    build, final = stages(DOCKERFILE.read_text())
    assert final.all("USER") == ["10001:10001"]
    assert final.all("EXPOSE") == [final.env["PORT"]]
    assert final.all("HEALTHCHECK")[0].endswith('CMD ["python", "-m", "gpucompare.alive", "web"]')
    assert all(line.startswith("--from=build ") for line in final.all("COPY"))
    (step,) = final.all("RUN")
    assert "pip uninstall" in step
    # Celery takes an owner without a name for root, and warns at each start.
    assert "groupadd --gid 10001 " in step
    assert "useradd --uid 10001 --gid 10001 " in step
    assert "--require-hashes --only-binary :all:" in build.all("RUN")[0]
    assert "GPUCOMPARE_SECRET_KEY" not in {**build.env, **final.env}


def test_the_image_holds_what_previews_in_all_scripts_need() -> None:
    (line,) = [text for text in SHARES.read_text().splitlines() if "what shapes letters" in text]
    (packages,) = re.findall(r"the packages (`.+?`(?: and `.+?`)+)", line)
    (step,) = stages(DOCKERFILE.read_text())[-1].all("RUN")
    (installed,) = re.findall(r"--no-install-recommends ([^&]+) &&", step)
    assert set(installed.split()) == set(re.findall(r"`([^`]+)`", packages))


def test_only_what_the_image_copies_is_sent_to_be_built() -> None:
    rules = (ROOT / ".dockerignore").read_text()
    for path in (".env", ".git/config", ".local/secret-key", "deploy/secrets/secret_key", "tests"):
        assert ignored(rules, path), path
    for path in ("locale/ar/LC_MESSAGES/django.mo", "gpucompare/__pycache__/a.pyc", "a/b.pyc"):
        assert ignored(rules, path), path
    for path in ("manage.py", "gpucompare/settings.py", "locale/ar/LC_MESSAGES/django.po"):
        assert not ignored(rules, path), path
    stage = stages(DOCKERFILE.read_text())[0]
    for line in stage.all("COPY"):
        for source in line.split()[:-1]:
            assert not ignored(rules, source), source
    assert "requirements/run.lock" in {target for _file, target in copied(stage)}


def test_the_override_of_the_guide_adds_a_key_that_a_source_reads() -> None:
    added, _replicas = overrides()
    tree = compose()
    tree["secrets"].update(added["secrets"])
    for name, keys in added["services"].items():
        tree["services"][name]["environment"].update(keys["environment"])
        tree["services"][name]["secrets"] += keys["secrets"]
    assert fault_of(tree) == ""
    ((variable, file),) = added["services"]["worker"]["environment"].items()
    assert file == f"/run/secrets/{next(iter(added['secrets']))}"
    needing = {f"{key_variable(slug)}_FILE" for slug, kind in SOURCES.items() if kind.needs_key}
    assert variable in needing


def test_what_is_scaled_for_good_is_what_the_command_scales_once() -> None:
    _keys, added = overrides()
    tree = compose()
    for name, scaled in added["services"].items():
        tree["services"][name]["deploy"].update(scaled["deploy"])
    assert fault_of(tree) == ""
    asked = re.findall(r"--scale (\w+)=(\d)", GUIDE.read_text())
    replicas = {name: str(one["deploy"]["replicas"]) for name, one in added["services"].items()}
    assert replicas == dict(asked)


def test_an_upgrade_migrates_before_compose_stops_what_serves() -> None:
    # `up` stops all that it will replace before it starts `migrate`.
    (upgrade,) = re.findall(r"## Upgrades\n\n```sh\n(.*?)```", GUIDE.read_text(), re.S)
    *_dump, pull, build, migrate, up = upgrade.strip().splitlines()
    assert (pull, build) == ("git pull", "docker compose build")
    assert migrate == "docker compose run --rm migrate"
    assert up == "docker compose up --detach --wait"


def test_the_two_commands_of_the_guide_are_those_that_there_are() -> None:
    first, second = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.S)[0].strip().splitlines()
    assert first == "sh deploy/init gpus.example.org"
    assert f"Next: {second}" in (ROOT / "deploy" / "init").read_text()


def test_every_setting_of_the_deployment_is_documented() -> None:
    said = DOCKERFILE.read_text() + COMPOSE.read_text()
    documented = (ROOT / "docs/settings.md").read_text() + (ROOT / "docs/deploy.md").read_text()
    named = set(NAMED.findall(said))
    assert {"GPUCOMPARE_SECRET_KEY_FILE", "GPUCOMPARE_LISTEN", "GPUCOMPARE_PROXIES"} <= named
    assert {name for name in named if f"`{name}`" not in documented} == set()

"""docker-compose.yml brings the site up: its own commands, on real PostgreSQL and Redis."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from celery import Celery

from tests.composed import HOST, NGINX, Stack, in_order, stack, waits
from tests.fleet import REDIS
from tests.processes import eventually, local_folder
from tests.provider_server import running, sample
from tests.slow_clients import slow_clients

if REDIS is None or NGINX is None:
    pytest.skip("redis-server or nginx is not installed", allow_module_level=True)

SLOW = 200
# Far less than a slow client takes, far more than a busy machine needs.
PATIENCE_S = 20
# As whoever ends TLS passes a reader's request on.
READER = {"Host": HOST, "X-Forwarded-Proto": "https"}


@pytest.fixture(scope="module")
def up() -> Iterator[Stack]:
    with running() as provider, local_folder() as top:
        provider.always = sample
        top.mkdir()
        with stack(top, provider) as whole:
            yield whole
            # A test of its own would have to be the last one.
            assert whole.ended_badly() == {}


def get(where: tuple[str, int], path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(*where, timeout=PATIENCE_S)
    connection.request("GET", path, headers=READER)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def post(where: tuple[str, int]) -> int:
    """The status of a question whose body comes at once."""
    connection = http.client.HTTPConnection(*where, timeout=PATIENCE_S)
    head = READER | {"Content-Type": "application/json"}
    connection.request("POST", "/api/v1/check", '{"facts": {"cuda": "12.4"}}', head)
    return connection.getresponse().status


def proxy(up: Stack) -> tuple[str, int]:
    return ("127.0.0.1", up.proxy_port)


def written(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_every_service_is_up_after_those_that_it_depends_on(up: Stack) -> None:
    services = up.tree["services"]
    assert list(up.up) == list(in_order(services))
    assert set(waits(services["web"])) == {"migrate", "redis"}
    assert up.up["migrate"][0].process.returncode == 0
    assert all(up.up[name][0].process.poll() is None for name in services if name != "migrate")


def test_the_open_port_serves_pages_files_and_languages(up: Stack) -> None:
    assert get(proxy(up), "/healthz") == (200, "ok\n")
    status, page = get(proxy(up), "/")
    assert status == 200
    assert "RunPod" in page
    (sheet, *_rest) = re.findall(r'href="(/static/[^"]+\.[0-9a-f]{12}\.css)"', page)
    assert get(proxy(up), sheet)[0] == 200
    assert 'dir="rtl"' in get(proxy(up), "/ar/")[1]
    assert "قارن" in get(proxy(up), "/ar/")[1]
    assert get(proxy(up), "/data-licence.md")[0] == 200
    assert get(proxy(up), "/guide/")[0] == 200


def test_whether_nginx_is_well_is_told_to_itself_alone(up: Stack) -> None:
    answers = []
    for address in ("127.0.0.1", "127.0.0.2"):
        near = http.client.HTTPConnection(
            *proxy(up), timeout=PATIENCE_S, source_address=(address, 0)
        )
        near.request("GET", "/proxy-health")
        answers.append(near.getresponse().status)
        near.close()
    assert answers == [204, 403]


def test_what_came_by_http_is_sent_to_https(up: Stack) -> None:
    connection = http.client.HTTPConnection(*proxy(up), timeout=PATIENCE_S)
    connection.request("GET", "/guide/", headers={"Host": HOST})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/guide/")


def test_a_worker_reads_prices_at_once_and_when_the_clock_queues_them(up: Stack) -> None:
    runs = "SELECT outcome FROM providers_refreshrun WHERE source = 'linode' AND outcome = 'merged'"
    # Nobody waits for the clock's first interval.
    assert eventually(lambda: bool(up.database.rows(runs)), 60)
    before = len(up.database.rows(runs))
    with Celery(broker=up.redis.url) as clock:
        clock.send_task("providers.tasks.refresh_source", ["linode"], queue="refresh")
    assert eventually(lambda: len(up.database.rows(runs)) > before, 30)


def test_a_second_web_shares_the_work_and_keeps_the_site_up_when_the_first_goes(up: Stack) -> None:
    first, second = up.up["web"][0], up.launch("web")
    second.wait_until_healthy()
    # The name server is asked anew within two seconds.
    time.sleep(2.1)
    assert first.is_healthy()
    assert first.end() == 0
    assert not first.is_healthy()
    assert {get(proxy(up), "/healthz") for _ in range(10)} == {(200, "ok\n")}
    up.up["web"].remove(first)
    up.names.addresses.remove(first.address)
    assert up.names.addresses == [second.address]


def test_nothing_is_written_beside_volumes_and_memory(up: Stack) -> None:
    before = written(up.app)
    assert get(proxy(up), "/check/?cuda=12.8")[0] == 200
    assert not (up.app / ".local").exists()
    assert written(up.app) == before
    assert [path.name for path in (up.top / "volumes" / "clock").glob("beat-alive")]


def test_no_environment_and_no_log_holds_a_secret(up: Stack) -> None:
    secrets = [path.read_text() for path in (up.top / "deploy" / "secrets").iterdir()]
    assert len(secrets) == 3
    for containers in up.up.values():
        for container in containers:
            said = container.log.read_text(errors="replace")
            if container.process.poll() is None:
                said += str(psutil.Process(container.process.pid).environ())
            assert not [secret for secret in secrets if secret in said]


@pytest.mark.parametrize("through", ["proxy", "web"])
def test_two_hundred_slow_clients_keep_nobody_from_an_answer(up: Stack, through: str) -> None:
    where = proxy(up) if through == "proxy" else (up.up["web"][0].address, up.web_port)
    heads = slow_clients(SLOW // 2, "heads", where, HOST)
    with heads, slow_clients(SLOW // 2, "bodies", where, HOST):
        time.sleep(1)
        for _ in range(3):
            assert get(where, "/healthz") == (200, "ok\n")
            assert get(where, "/")[0] == 200
        # Bodies wait at the proxy; without it, too many of them are sent away.
        assert post(where) == (200 if through == "proxy" else 503)
    assert eventually(lambda: post(where) == 200)

"""The desk's work as a patch: `git apply` makes of the files what a dump writes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from checks.content import store as content_store
from checks.models import ContentEntry
from providers.catalog import store
from providers.desk.patch import _lines
from providers.models import Claim, Offering, Provider
from tests import catalog_texts as made
from tests import content_texts
from tests.desk import curator

pytestmark = pytest.mark.django_db

PODS = made.offering("pods", claims={"spot": made.claim(True, note="By auction.")})


@pytest.fixture
def repository(tmp_path: Path, settings: Any) -> Path:
    """A repository with both kinds of files, loaded."""
    root = tmp_path / "repository"
    catalog, content = root / "fixtures" / "catalog", root / "fixtures" / "content"
    catalog.mkdir(parents=True)
    made.write(catalog, *(made.provider(slug, PODS) for slug in ("acme", "beta", "calm")))
    content_texts.write(content, en_faq={"one": content_texts.question("One?")})
    settings.BASE_DIR, settings.CATALOG_DIR, settings.CONTENT_DIR = root, catalog, content
    store.load(catalog)
    content_store.load(content)
    git(root, "init", "-q")
    return root


@pytest.fixture
def desk() -> Client:
    return curator()


def git(root: Path, *words: str, given: bytes = b"") -> None:
    done = subprocess.run(["git", *words], cwd=root, input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def patch(desk: Client) -> bytes:
    response = desk.get(reverse("desk-patch"), {"format": "patch"})
    assert response["Content-Type"].startswith("text/x-patch")
    assert "attachment" in response["Content-Disposition"]
    return response.content


def contents(root: Path) -> dict[str, bytes]:
    files = (root / "fixtures").rglob("*.yaml")
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}


def dumped(root: Path, tmp_path: Path) -> dict[str, bytes]:
    """The files as the dump commands would leave them."""
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    store.dump(copy / "fixtures" / "catalog")
    content_store.dump(copy / "fixtures" / "content")
    return contents(copy)


def assert_the_patch_is_the_dump(desk: Client, root: Path, tmp_path: Path) -> None:
    wanted = dumped(root, tmp_path)
    git(root, "apply", "-", given=patch(desk))
    assert contents(root) == wanted


def test_nothing_changed_is_no_patch(desk: Client, repository: Path) -> None:
    assert patch(desk) == b""
    assert "nothing to commit" in desk.get(reverse("desk-patch")).content.decode()


def test_a_patch_makes_of_the_files_what_a_dump_writes(
    desk: Client, repository: Path, tmp_path: Path
) -> None:
    Claim.objects.filter(offering__provider__slug="acme").update(note="Since May; “ünï”.")
    Provider.objects.filter(slug="beta").update(name="Beta\u2028Two")
    new = Provider.objects.create(
        slug="dawn", name="Dawn", kind="vm_cloud", website="https://dawn.example"
    )
    Offering.objects.create(
        provider=new, slug="vms", name="VMs", summary="One.", docs="https://dawn.example"
    )
    ContentEntry.objects.update(body="It is not.\n\nNot at all.")
    wanted = patch(desk).decode()
    assert wanted.count("diff --git") == 4
    assert "--- /dev/null\n+++ b/fixtures/catalog/dawn.yaml" in wanted
    assert_the_patch_is_the_dump(desk, repository, tmp_path)


@pytest.mark.parametrize("last", ["", "\n", "\n\n", "\n# At the end, without a break."])
def test_a_file_that_ends_otherwise_is_patched_byte_for_byte(
    desk: Client, repository: Path, tmp_path: Path, last: str
) -> None:
    file = repository / "fixtures" / "catalog" / "acme.yaml"
    file.write_text(file.read_text().rstrip("\n") + last)
    store.load(file.parent)
    Provider.objects.update(name="Other")
    assert_the_patch_is_the_dump(desk, repository, tmp_path)


def test_a_comment_in_a_file_that_nobody_changed_stays(
    desk: Client, repository: Path, tmp_path: Path
) -> None:
    file = repository / "fixtures" / "catalog" / "calm.yaml"
    file.write_text(f"# Quiet.\r\n{file.read_text()}", newline="")
    store.load(file.parent)
    Provider.objects.filter(slug="acme").update(name="Other")
    assert b"calm" not in patch(desk)
    assert_the_patch_is_the_dump(desk, repository, tmp_path)


def test_a_file_that_was_changed_since_it_was_loaded_is_told(
    desk: Client, repository: Path, tmp_path: Path
) -> None:
    file = repository / "fixtures" / "catalog" / "acme.yaml"
    file.write_bytes(file.read_bytes() + b"# Not loaded: \xff\n")
    page = desk.get(reverse("desk-patch"))
    assert page.context["behind"]
    assert "changed on disk since it was loaded" in page.content.decode("utf-8", "replace")
    assert_the_patch_is_the_dump(desk, repository, tmp_path)


def test_the_page_shows_each_file_with_its_lines(desk: Client, repository: Path) -> None:
    Provider.objects.filter(slug="acme").update(name="<b>Other</b>")
    page = desk.get(reverse("desk-patch")).content.decode()
    assert "fixtures/catalog/acme.yaml" in page
    assert "+1 −1" in page
    assert "+name: &#x27;&lt;b&gt;Other&lt;/b&gt;&#x27;" in page
    assert "beta.yaml" not in page


def test_lines_end_where_git_ends_them() -> None:
    assert _lines("a\u2028b\x0c\nc\r\nd") == ["a\u2028b\x0c\n", "c\r\n", "d"]
    assert _lines("") == []


def test_a_role_sees_the_files_that_it_may(repository: Path) -> None:
    Provider.objects.filter(slug="acme").update(name="Other")
    ContentEntry.objects.update(body="Other.")
    user = User.objects.create(username="u", is_staff=True)
    client = Client()
    client.force_login(user)
    assert client.get(reverse("desk-patch")).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_catalogfile"))
    assert b"acme.yaml" in patch(client)
    assert b"faq.yaml" not in patch(client)
    assert client.post(reverse("desk-patch")).status_code == 405

"""In a language whose every text has accents, whatever has none was never translated."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel import Locale
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from checks.content.standing import Standing, standings
from checks.content.store import load as load_content
from checks.image.steps import FRAMEWORKS
from checks.models import ContentEntry
from checks.start.wording_launch import TITLES
from gpucompare.languages import in_language
from providers.catalog.store import load
from providers.models import Gpu, GpuFamily, Listing, Offering, Provider
from providers.refresh.snapshot import load_snapshot
from tests.pages import MISSING, PAGES
from tests.pseudo import CODE, NAME, Words, accented, spoken

_WORD = re.compile(r"[A-Za-z]{3,}")
_ACCENTED = re.compile("[áéíóú]")
# An address, a file or a version is no word of any language.
_NO_WORD = re.compile(r"https?://\S+|\S*[/_@=]\S*|\S+\.[a-z]{2,}\b|\b\S*\d\S*")


@pytest.fixture(scope="module")
def names(django_db_setup: None, django_db_blocker: Any) -> Iterator[set[str]]:
    """What is called the same in every language: whatever the catalog names."""
    with django_db_blocker.unblock(), transaction.atomic():
        load(settings.CATALOG_DIR)
        load_snapshot(settings.LISTINGS_DIR)
        load_content(settings.CONTENT_DIR)
        texts = [*NAMES]
        for provider in Provider.objects.all():
            texts += [provider.name, provider.slug, provider.website]
        texts += Offering.objects.values_list("name", flat=True)
        for gpu in Gpu.objects.select_related("family"):
            texts += [gpu.name, gpu.family.vendor, gpu.architecture, gpu.variant, *gpu.aliases]
        texts += [*FRAMEWORKS, *map(str, TITLES.values())]
        texts += GpuFamily.objects.values_list("name", flat=True)
        texts += Listing.objects.values_list("region", flat=True)
        locale = Locale.parse(CODE)
        for form in ("abbreviated", "wide"):
            texts += locale.months["format"][form].values()
            texts += locale.days["format"][form].values()
        yield {word for text in texts for word in _WORD.findall(text)}
        transaction.set_rollback(True)


# Formats, programs and protocols; the switcher's own name for the language.
NAMES = ["gpucompare CSV JSON API UTC USD CUDA Docker NVIDIA", NAME]


def page(address: str, status: int = 200) -> str:
    answer = Client().get(in_language(address, CODE))
    assert answer.status_code == status
    return answer.content.decode()


@pytest.fixture(scope="module")
def in_pseudo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with spoken(tmp_path_factory.mktemp("locale")):
        yield


def plain(text: str, names: set[str]) -> list[str]:
    """The words of a text that are neither accented nor a name."""
    return [word for word in _WORD.findall(_NO_WORD.sub(" ", text)) if word not in names]


def check(html: str, names: set[str]) -> None:
    said = Words(html).found
    assert any(_ACCENTED.search(text) for text in said)
    left = {text: found for text in said if (found := plain(text, names))}
    assert not left, "\n".join(f"{text!r}: {words}" for text, words in left.items())


@pytest.mark.parametrize("name", PAGES)
def test_every_text_of_a_page_is_translated(names: set[str], in_pseudo: None, name: str) -> None:
    check(page(PAGES[name]), names)


def test_every_text_of_an_opened_listing_is_translated(names: set[str], in_pseudo: None) -> None:
    row = Listing.objects.exclude(usd_per_hour=None).earliest("pk")
    check(page(f"/listings/{row.pk}/"), names)


def test_every_text_of_a_share_is_translated(names: set[str], in_pseudo: None) -> None:
    answer = Client(headers={"sec-fetch-site": "same-origin"}).post(
        f"/{CODE}/s/", {"kind": "compare", "address": PAGES["compare"]}
    )
    check(Client().get(answer.headers["Location"]).content.decode(), names)


def test_a_wrong_address_is_told_in_the_language(names: set[str], in_pseudo: None) -> None:
    check(page(MISSING, status=404), names)


def test_a_word_that_bypasses_translation_is_found() -> None:
    html = f'<p title="Untold">{accented("Browse")} <b>plainly</b> <code>pip</code> NVIDIA</p>'
    with pytest.raises(AssertionError, match=r"(?s)Untold.*plainly"):
        check(html, {"NVIDIA"})
    check(
        f'<p>{accented("Browse")} <span lang="en">plainly</span> a/b.html v2 NVIDIA</p>', {"NVIDIA"}
    )


# --- A sixth language ---------------------------------------------------------------------------


def test_a_sixth_language_is_settings_a_catalogue_and_texts(
    names: set[str], in_pseudo: None, tmp_path: Path
) -> None:
    with transaction.atomic():
        call_command("translations", "check", language=CODE)
        (tmp_path / "en").mkdir()
        shutil.copytree(settings.CONTENT_DIR, tmp_path, dirs_exist_ok=True)
        first = ContentEntry.objects.filter(language="en", kind="faq").order_by("pk").first()
        assert first
        answer = {"title": "Ĉu?", "body": "Jes.", "live": first.live, "of": first.digest}
        (tmp_path / CODE).mkdir()
        (tmp_path / CODE / "faq.yaml").write_text(
            yaml.safe_dump({first.key: answer}, allow_unicode=True)
        )
        load_content(tmp_path)
        html = page("/faq/")
        assert "Ĉu?" in html
        assert html.count('lang="en" dir="ltr"') > 10
        assert f'hreflang="{CODE}" href="http://testserver/{CODE}/faq/"' in html
        assert f'<a href="/{CODE}/faq/"' in Client().get("/ar/faq/").content.decode()
        assert {one.by_language[CODE] for one in standings()} == {
            Standing.CURRENT,
            Standing.MISSING,
        }
        # The other tests of this file read what was loaded before.
        transaction.set_rollback(True)

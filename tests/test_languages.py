"""The switcher and the head of a page: the same page in every language, by its address alone."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from gpucompare.languages import in_language, step
from tests.factories import make_offering

CODES = [code for code, _name in settings.LANGUAGES]
_SWITCH = re.compile(
    r'<a href="([^"]*)" hreflang="(\w+)" lang="\w+" dir="(\w+)"( aria-current="true")?>'
)
_ALTERNATE = re.compile(r'<link rel="alternate" hreflang="([\w-]+)" href="([^"]*)">')
_CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)">')


def page(address: str, **headers: str) -> str:
    return Client().get(address, headers=headers).content.decode()


def switch(html: str) -> dict[str, str]:
    return {code: url.replace("&amp;", "&") for url, code, _dir, _here in _SWITCH.findall(html)}


# --- The way from one language to another -------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code", "there"),
    [
        ("/", "ar", "/ar/"),
        ("/ar/", "en", "/"),
        ("/ar/", "bn", "/bn/"),
        ("/ar/gpus/h100/", "ur", "/ur/gpus/h100/"),
        ("/gpus/h100/", "tr", "/tr/gpus/h100/"),
        ("/nothing/there", "tr", "/tr/nothing/there"),
        ("/argon/", "ur", "/ur/argon/"),
        ("/en/", "ar", "/ar/en/"),
    ],
)
def test_a_path_changes_its_language_and_nothing_else(path: str, code: str, there: str) -> None:
    assert in_language(path, code) == there


@given(
    st.sampled_from(CODES),
    st.sampled_from(CODES),
    st.from_regex(r"(/[a-z0-9]{3,8}){0,3}/", fullmatch=True),
)
def test_the_way_there_and_back_leads_home(first: str, second: str, path: str) -> None:
    here = in_language(path, first)
    assert in_language(in_language(here, second), first) == here


# --- The switcher -------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_switcher_keeps_the_page_and_its_query() -> None:
    make_offering("one")
    links = switch(page("/ar/listings/?gpu=h100&sort=price&q=%D8%A7"))
    assert list(links) == CODES
    assert links["en"] == "/listings/?gpu=h100&sort=price&q=%D8%A7"
    assert links["bn"] == "/bn/listings/?gpu=h100&sort=price&q=%D8%A7"


@pytest.mark.django_db
@pytest.mark.parametrize("code", CODES)
def test_the_language_of_the_page_is_marked_and_named_in_itself(code: str) -> None:
    html = page(in_language("/gpus/", code))
    (here,) = [found[1] for found in _SWITCH.findall(html) if found[3]]
    assert here == code
    assert f'<html lang="{code}" dir="{"rtl" if code in ("ar", "ur") else "ltr"}">' in html
    assert re.search(r'lang="ur" dir="rtl"[^>]*>اردو</a>', html)


@pytest.mark.django_db
def test_the_api_docs_change_their_language_by_a_parameter() -> None:
    links = switch(page("/api/v1/docs?lang=ar"))
    assert (links["en"], links["tr"]) == ("/api/v1/docs", "/api/v1/docs?lang=tr")


def test_the_page_of_a_server_error_has_no_switcher_and_does_not_break() -> None:
    assert "languages" not in re.sub(r"<script.*?</script>", "", render_to_string("500.html"))


# --- Nothing but the address decides ------------------------------------------------------------


@pytest.mark.django_db
def test_the_browsers_language_and_cookies_change_nothing() -> None:
    client = Client(headers={"accept-language": "ar,tr;q=0.9"})
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "bn"
    answer = client.get("/gpus/")
    assert '<html lang="en" dir="ltr">' in answer.content.decode()
    assert not answer.cookies
    answer = client.get("/ur/gpus/")
    assert '<html lang="ur" dir="rtl">' in answer.content.decode()
    assert not answer.cookies


@pytest.mark.django_db
@pytest.mark.parametrize("code", CODES)
def test_an_address_with_nothing_at_it_says_so_in_its_language(code: str) -> None:
    answer = Client(headers={"accept-language": "en"}).get(in_language("/nothing/", code))
    assert answer.status_code == 404
    assert f'<html lang="{code}"' in answer.content.decode()


def _broken() -> None:
    raise RuntimeError("broken on purpose")


@pytest.mark.django_db
def test_a_fault_of_ours_is_told_in_the_language_of_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("providers.browse.world.World.read", _broken)
    answer = Client(raise_request_exception=False).get("/ar/guide/")
    assert answer.status_code == 500
    assert '<html lang="ar" dir="rtl">' in answer.content.decode()


# --- The head -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_each_page_names_itself_in_every_language() -> None:
    make_offering("one")
    html = page("/tr/?docker_daemon=root&unknown=show")
    site = "http://testserver"
    assert _CANONICAL.findall(html) == [f"{site}/tr/?docker_daemon=root"]
    assert dict(_ALTERNATE.findall(html)) == {
        "en": f"{site}/?docker_daemon=root",
        "x-default": f"{site}/?docker_daemon=root",
        **{code: f"{site}/{code}/?docker_daemon=root" for code in CODES[1:]},
    }


@pytest.mark.django_db
def test_alternates_of_one_page_are_the_same_from_each_language() -> None:
    pages = [page(in_language("/gpus/", code)) for code in CODES]
    assert len({tuple(sorted(_ALTERNATE.findall(html))) for html in pages}) == 1


@pytest.mark.django_db
def test_an_address_with_nothing_at_it_is_recommended_to_nobody() -> None:
    assert not _ALTERNATE.findall(page("/ar/nothing/"))


@override_settings(LANGUAGES=[("en", "English"), ("ar", "Arabic")])
def test_a_language_that_is_taken_out_is_no_prefix_any_more() -> None:
    assert in_language("/tr/gpus/", "ar") == "/ar/tr/gpus/"


def test_a_step_leads_the_way_the_language_reads_whatever_letters_its_values_begin_with() -> None:
    assert step("root", "none") == "root → none"
    with override("ur"):
        assert step("root", "none") == "\u2068root\u2069 ← \u2068none\u2069"

"""Days, times, numbers and lists in each language, word for word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from django.conf import settings
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from gpucompare import spoken

NB = "\u00a0"
AT = datetime(2026, 8, 20, 14, 5, tzinfo=UTC)
LANGUAGES = [code for code, _name in settings.LANGUAGES]
UNKNOWN = ["en-xa", "xx", "zz-zz", "qps-ploc"]
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

DAYS: dict[str, tuple[str, str, str]] = {
    "en": ("20 August 2026", "20 Aug 2026", "Thursday, 20 August 2026"),
    "ar": ("20 أغسطس 2026", "20 أغسطس 2026", "الخميس، 20 أغسطس 2026"),
    "ur": ("20 اگست، 2026", "20 اگست، 2026", "جمعرات، 20 اگست، 2026"),
    "tr": ("20 Ağustos 2026", "20 Ağu 2026", "20 Ağustos 2026 Perşembe"),
    "bn": ("20 আগস্ট, 2026", "20 আগ, 2026", "বৃহস্পতিবার, 20 আগস্ট, 2026"),
}
MOMENTS: dict[str, tuple[str, str]] = {
    "en": ("20 August 2026, 14:05 UTC", "20 Aug 2026, 14:05"),
    "ar": ("20 أغسطس 2026، 14:05 UTC", "20 أغسطس 2026، 14:05"),
    "ur": ("20 اگست، 2026 14:05 UTC", "20 اگست، 2026 14:05"),
    "tr": ("20 Ağustos 2026 14:05 UTC", "20 Ağu 2026 14:05"),
    "bn": ("20 আগস্ট, 2026 14:05 UTC", "20 আগ, 2026 14:05"),
}
AGES: dict[str, tuple[str, str, str]] = {
    "en": (f"12{NB}minutes ago", f"5{NB}hours ago", f"3{NB}days ago"),
    "ar": (f"قبل 12{NB}دقيقة", f"قبل 5{NB}ساعات", f"قبل 3{NB}أيام"),
    "ur": (f"12{NB}منٹ پہلے", f"5{NB}گھنٹے پہلے", f"3{NB}دنوں پہلے"),
    "tr": (f"12{NB}dakika önce", f"5{NB}saat önce", f"3{NB}gün önce"),
    "bn": (f"12{NB}মিনিট আগে", f"5{NB}ঘণ্টা আগে", f"3{NB}দিন আগে"),
}
DUE: dict[str, str] = {
    "en": f"in 40{NB}minutes",
    "ar": f"خلال 40{NB}دقيقة",
    "ur": f"40{NB}منٹ میں",
    "tr": f"40{NB}dakika sonra",
    "bn": f"40{NB}মিনিটে",
}
NUMBERS: dict[str, tuple[str, str, str, str]] = {
    "en": ("1,234,567", "1,234.5", "3.0", "99.9 %"),
    "ar": ("1,234,567", "1,234.5", "3.0", "99.9%"),
    "ur": ("1,234,567", "1,234.5", "3.0", "99.9%"),
    "tr": ("1.234.567", "1.234,5", "3,0", "%99,9"),
    "bn": ("12,34,567", "1,234.5", "3.0", "99.9%"),
}
LISTS: dict[str, str] = {
    "en": "GHCR, ECR, NGC",
    # Each name is ordered by itself.
    "ar": "\u2068GHCR\u2069، \u2068ECR\u2069، \u2068NGC\u2069",
    "ur": "\u2068GHCR\u2069، \u2068ECR\u2069، \u2068NGC\u2069",
    "tr": "GHCR, ECR, NGC",
    "bn": "GHCR, ECR, NGC",
}


@pytest.mark.parametrize("language", DAYS)
def test_a_day_is_written_as_the_language_does(language: str) -> None:
    with translation.override(language):
        assert (spoken.day(AT), spoken.short_day(AT), spoken.weekday(AT)) == DAYS[language]
        assert spoken.day(AT.date()) == spoken.day(AT)


@pytest.mark.parametrize("language", MOMENTS)
def test_a_moment_has_its_day_its_time_and_its_zone(language: str) -> None:
    with translation.override(language):
        assert (spoken.moment(AT), spoken.short_moment(AT)) == MOMENTS[language]
        assert spoken.clock(AT) == "14:05"


def test_a_time_of_another_zone_is_told_in_utc() -> None:
    at = datetime(2026, 8, 21, 1, 5, tzinfo=timezone(timedelta(hours=11)))
    assert spoken.moment(at) == "20 August 2026, 14:05 UTC"
    assert spoken.day(at) == "20 August 2026"


def test_a_month_is_three_letters_in_short_english() -> None:
    months = [spoken.short_day(date(2026, month, 1)) for month in range(1, 13)]
    assert {len(text) for text in months} == {len("1 Sep 2026")}


@pytest.mark.parametrize("language", AGES)
def test_an_age_is_told_in_its_largest_full_unit(language: str) -> None:
    spans = (12 * MINUTE + 59 * timedelta(seconds=1), 5 * HOUR + 50 * MINUTE, 3 * DAY + 23 * HOUR)
    with translation.override(language):
        assert tuple(spoken.ago(AT - span, AT) for span in spans) == AGES[language]


@pytest.mark.parametrize("language", DUE)
def test_what_is_to_come_is_told_from_now(language: str) -> None:
    with translation.override(language):
        assert spoken.ahead(AT + 40 * MINUTE, AT) == DUE[language]


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(0), "just now"),
        (-HOUR, "just now"),
        (timedelta(seconds=59), "just now"),
        (MINUTE, f"1{NB}minute ago"),
        (59 * MINUTE, f"59{NB}minutes ago"),
        (23 * HOUR + 59 * MINUTE, f"23{NB}hours ago"),
        (DAY, f"1{NB}day ago"),
        (6 * DAY, f"6{NB}days ago"),
        (29 * DAY, f"4{NB}weeks ago"),
        (30 * DAY, f"1{NB}month ago"),
        (364 * DAY, f"12{NB}months ago"),
        (800 * DAY, f"2{NB}years ago"),
    ],
)
def test_no_age_is_rounded_up(span: timedelta, text: str) -> None:
    assert spoken.ago(AT - span, AT) == text


def test_what_is_about_to_happen_is_a_minute_away() -> None:
    assert spoken.ahead(AT, AT) == spoken.ahead(AT - HOUR, AT) == f"in 1{NB}minute"


@pytest.mark.parametrize("language", NUMBERS)
def test_a_number_is_grouped_as_the_language_does(language: str) -> None:
    with translation.override(language):
        assert (
            spoken.number(1234567),
            spoken.number(1234.5),
            spoken.number(3, 1),
            spoken.percent(Decimal("99.90")),
        ) == NUMBERS[language]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1,000"),
        (-1000, "-1,000"),
        (Decimal("1E+3"), "1,000"),
        (Decimal("5.000000"), "5"),
        (Decimal("0.00"), "0"),
        (Decimal("0.0153"), "0.0153"),
        (Decimal("1234567890123.25"), "1,234,567,890,123.25"),
    ],
)
def test_a_number_shows_the_digits_that_tell_something(value: Decimal, text: str) -> None:
    assert spoken.number(value) == text


@pytest.mark.parametrize("language", LISTS)
def test_a_list_has_the_comma_of_its_script(language: str) -> None:
    with translation.override(language):
        assert spoken.joined(["GHCR", "ECR", "NGC"]) == LISTS[language]


def test_a_list_of_none_or_one_has_no_comma() -> None:
    assert (spoken.joined([]), spoken.joined(["GHCR"])) == ("", "GHCR")


SENTENCES = {
    "en": "It starts; it runs.",
    "ar": "It starts؛ it runs.",
    "ur": "It starts؛ it runs۔",
    "tr": "It starts; it runs.",
    "bn": "It starts; it runs।",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_has_the_points_of_its_language(language: str) -> None:
    with translation.override(language):
        assert spoken.sentence("It starts", "it runs") == SENTENCES[language]
        assert spoken.sentence("x") == f"x{spoken.stop()}"


def test_every_language_of_the_site_is_spoken_here() -> None:
    for told in (DAYS, MOMENTS, AGES, DUE, NUMBERS, LISTS, SENTENCES):
        assert list(told) == LANGUAGES


ALL: list[Callable[[datetime, Decimal], str]] = [
    lambda at, _number: spoken.day(at),
    lambda at, _number: spoken.short_day(at),
    lambda at, _number: spoken.weekday(at),
    lambda at, _number: spoken.moment(at),
    lambda at, _number: spoken.short_moment(at),
    lambda at, _number: spoken.ago(at, AT),
    lambda at, _number: spoken.ahead(at, AT),
    lambda _at, number: spoken.number(number),
    lambda _at, number: spoken.number(number, 2),
    lambda _at, number: spoken.percent(number),
]
MOMENT = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
FIGURE = st.decimals(-(10**12), 10**12, allow_nan=False, places=4)


@given(st.sampled_from(LANGUAGES), MOMENT, FIGURE)
def test_all_digits_are_latin(language: str, at: datetime, figure: Decimal) -> None:
    with translation.override(language):
        said = "".join(tell(at, figure) for tell in ALL)
    assert re.fullmatch(r"[0-9]*", "".join(c for c in said if unicodedata.category(c) == "Nd"))


@given(st.sampled_from(LANGUAGES), FIGURE)
def test_no_digit_of_a_number_is_lost(language: str, figure: Decimal) -> None:
    with translation.override(language):
        said = spoken.number(figure)
    whole, point, rest = said.rpartition("," if language == "tr" else ".")
    if not point:
        whole, rest = said, ""
    digits = re.sub(r"[^0-9-]", "", whole.replace("−", "-"))
    assert Decimal(f"{digits}.{rest or 0}") == figure


@pytest.mark.parametrize("language", UNKNOWN)
@given(at=MOMENT, figure=FIGURE)
def test_an_unknown_language_is_spoken_to_as_english_is(
    language: str, at: datetime, figure: Decimal
) -> None:
    english = [tell(at, figure) for tell in ALL]
    with translation.override(language):
        assert [tell(at, figure) for tell in ALL] == english


def test_without_any_language_it_is_english() -> None:
    with translation.override(None):
        assert spoken.moment(AT) == "20 August 2026, 14:05 UTC"

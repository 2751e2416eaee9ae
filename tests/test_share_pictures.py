"""The picture beside a link: the right size, in three scripts, drawn once, or plain."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.test.utils import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from providers.shares import drawing
from providers.shares.drawing import Line, Texts, can_draw, draw, runs
from tests.factories import make_claim, make_gpu, make_listing, make_offering, make_provider
from tests.sharing import make_share

NOTO = (Path("/usr/share/fonts/truetype/noto"),)
NOWHERE = (Path("/nowhere"),)
STATES = ("yes", "partly", "no", "fact", "unknown", "contradicted", "yes")
needs_fonts = pytest.mark.skipif(
    not all(can_draw(language, NOTO) for language in drawing.SCRIPTS),
    reason="there are no Noto fonts on this machine, or no raqm in Pillow",
)
LOCMEM = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}


def texts(language: str = "en", **fields: Any) -> Texts:
    given: dict[str, Any] = {
        "title": "RunPod Pods, Vast.ai Instances",
        "day": "30 November 2026",
        "about": "GPU: H100 SXM",
        "heads": ("Own image",) * 7,
        "lines": (Line("RunPod Pods", STATES, "$2.49"),),
    }
    return Texts(language, **(given | fields))


def seen(drawn: bytes) -> Image.Image:
    image = Image.open(BytesIO(drawn))
    assert image.format == "PNG"
    return image.convert("RGB")


def ink(image: Image.Image, box: tuple[int, int, int, int]) -> float:
    """How dark a part is, 0 for untouched ground."""
    return 255 - ImageStat.Stat(image.crop(box).convert("L")).mean[0]


LEFT, RIGHT = (0, 95, 500, 140), (700, 95, 1200, 140)


def test_it_has_the_size_that_chats_ask_for() -> None:
    assert seen(draw(texts(), NOTO)).size == (1200, 630)
    assert len(draw(texts(), NOTO)) < 60_000


@needs_fonts
@pytest.mark.parametrize("language", ["ar", "ur"])
def test_what_is_read_from_the_right_begins_there(language: str) -> None:
    title = "قارن العروض"
    from_right = seen(draw(texts(language, title=title), NOTO))
    assert ink(from_right, RIGHT) > 5 > ink(from_right, LEFT)
    from_left = seen(draw(texts(title="Compare"), NOTO))
    assert ink(from_left, LEFT) > 5 > ink(from_left, RIGHT)


@needs_fonts
def test_arabic_letters_are_joined() -> None:
    """Unjoined forms, kept apart by a joiner that forbids joining, take more room."""
    joined, apart = ("".join(("ب", mark, "ب", mark, "ب")) for mark in ("", "\u200c"))
    style = drawing._Style(44)
    sheet = drawing._Sheet(None, NOTO, "ar")  # type: ignore[arg-type]
    assert sheet._length(joined, style) < 0.8 * sheet._length(apart, style)


@needs_fonts
def test_bengali_conjuncts_are_formed() -> None:
    """ক্ষ is one shape, narrower than its parts."""
    style = drawing._Style(44)
    sheet = drawing._Sheet(None, NOTO, "bn")  # type: ignore[arg-type]
    assert sheet._length("ক্ষ", style) < 0.8 * sheet._length("কষ", style)


def cut(text: str, rtl: bool = False) -> list[tuple[str, str]]:
    """Upper case goes from right to left."""
    found = runs(text, rtl)
    return [(run.script[0].upper() if run.rtl else run.script[0], run.text) for run in found]


def test_a_text_is_cut_where_its_script_changes() -> None:
    assert cut("RunPod Pods, 8 × H100") == [("l", "RunPod Pods, 8 × H100")]
    assert cut("৩০ নভেম্বর। GPU") == [("b", "৩০ নভেম্বর। "), ("l", "GPU")]
    assert cut("") == []


def test_what_stands_between_words_goes_their_way_or_that_of_the_whole() -> None:
    assert cut("30 نوفمبر 2026", rtl=True) == [
        ("l", "30"),
        ("L", " "),
        ("A", "نوفمبر "),
        ("l", "2026"),
    ]
    assert cut("سعر: $2.49 / ساعة", rtl=True) == [
        ("A", "سعر"),
        ("L", ": "),
        ("l", "$2.49"),
        ("L", " / "),
        ("A", "ساعة"),
    ]
    assert cut("Pods؟", rtl=True) == [("l", "Pods"), ("A", "؟")]
    assert cut("Pods; قارن") == [("l", "Pods; "), ("A", "قارن")]


@given(st.text(max_size=40))
def test_runs_lose_no_letter_whatever_is_written(text: str) -> None:
    for rtl in (False, True):
        assert "".join(run.text for run in runs(text, rtl)) == text


@given(st.text(max_size=60), st.sampled_from(["en", "ar", "bn"]))
@settings(max_examples=15)
def test_any_text_can_be_drawn(text: str, language: str) -> None:
    named = texts(language, title=text, about=text, lines=(Line(text, STATES, text),))
    assert seen(draw(named, NOTO)).size == (1200, 630)


def test_a_long_title_ends_in_an_ellipsis_within_the_edges() -> None:
    long = "Anextraordinarilylongnameofaprovider" * 9
    image = seen(draw(texts(title=f"{long} {long} {long}", about=long), NOTO))
    assert ink(image, (1_150, 20, 1_200, 630)) == ink(
        seen(draw(texts(), NOTO)), (1_150, 20, 1_200, 630)
    )


def test_every_state_has_a_shape_of_its_own() -> None:
    """Told apart in grey, by what is filled."""
    shapes = []
    for state in ("yes", "partly", "no", "fact", "unknown", "contradicted"):
        image = seen(draw(texts(lines=(Line("", (state,)),)), NOTO))
        shapes.append(
            image.crop((430, 320, 460, 350)).convert("L").point(lambda p: 255 * (p > 200))
        )
    for place, shape in enumerate(shapes):
        for other in shapes[:place]:
            assert ImageChops.difference(shape, other).getbbox()


def test_without_fonts_a_latin_picture_is_still_drawn() -> None:
    assert not any(can_draw(language, NOWHERE) for language in ("ar", "ur", "bn"))
    assert all(can_draw(language, NOWHERE) for language in ("en", "tr"))
    assert ink(seen(draw(texts(), NOWHERE)), LEFT) > 5


def test_a_script_that_cannot_be_shaped_is_not_drawn_wrongly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawing, "has_raqm", lambda: False)
    assert not any(can_draw(language, NOTO) for language in ("ar", "ur", "bn"))
    assert ink(seen(draw(texts(), NOTO)), LEFT) > 5


# --- Of shares ------------------------------------------------------------------------------


@pytest.fixture
def shared(client: Client, db: None, settings: Any) -> str:
    settings.CACHES = {"default": LOCMEM, "pictures": LOCMEM | {"LOCATION": "of a test"}}
    caches["pictures"].clear()
    for number in range(8):
        found = make_offering(f"o{number}", make_provider(f"p{number}"), docker_daemon="root")
        make_claim(found, "docker_daemon", "root")
        make_listing(found, make_gpu(f"g{number}", f"f{number}"), usd_per_hour=number + 1)
    return make_share(client, "browse", "/?docker_daemon=root")


def drawings(monkeypatch: pytest.MonkeyPatch) -> list[Texts]:
    """What is drawn from now on; nothing is."""
    drawn: list[Texts] = []

    def draw(given: Texts, folders: tuple[Path, ...]) -> bytes:
        drawn.append(given)
        return b"png"

    monkeypatch.setattr(drawing, "draw", draw)
    return drawn


def test_a_share_has_a_picture_that_may_be_kept(client: Client, shared: str) -> None:
    response = client.get(f"{shared}picture.png")
    assert response.headers["Content-Type"] == "image/png"
    assert "public" in response.headers["Cache-Control"]
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert seen(response.content).size == (1200, 630)
    assert not response.cookies


def test_it_names_the_first_six_offerings_and_counts_the_rest(
    client: Client, shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = drawings(monkeypatch)
    assert client.get(f"{shared}picture.png").content == b"png"
    (given,) = drawn
    assert [line.name for line in given.lines] == [f"P{n} O{n}" for n in range(6)]
    assert (given.lines[0].price, given.more) == ("$1.00", "and 2 more")
    assert len(given.heads) == len(given.lines[0].states) == 7
    assert given.lines[0].states[1] == "yes"
    assert given.about == "Docker daemon: Root · Prices in: $ / GPU / hour"


def test_it_is_drawn_once_in_each_language(
    client: Client, shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = drawings(monkeypatch)
    monkeypatch.setattr(drawing, "can_draw", lambda language, folders: language != "bn")
    for prefix in ("", "", "/ar", "/ar", "/bn"):
        assert client.get(f"{prefix}{shared}picture.png").content == b"png"
    # Bengali cannot be drawn here, and English is there already.
    assert [given.language for given in drawn] == ["en", "ar"]


def test_a_folder_that_cannot_be_written_costs_a_drawing_and_no_answer(
    client: Client, shared: str, tmp_path: Path
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    backend = "django.core.cache.backends.filebased.FileBasedCache"
    kept = {"default": LOCMEM, "pictures": {"BACKEND": backend, "LOCATION": blocked / "pictures"}}
    with override_settings(CACHES=kept):
        assert client.get(f"{shared}picture.png").status_code == 200


@pytest.mark.parametrize("left", [0, 7, 40, -1], ids=["nothing", "a few", "some", "most"])
@pytest.mark.parametrize("filled", [b"", b"\x00" * 99, b"\x80\x05K\x01."], ids=["", "0", "pickle"])
def test_a_kept_picture_that_is_not_whole_is_drawn_anew_and_replaced(
    client: Client, shared: str, tmp_path: Path, left: int, filled: bytes
) -> None:
    backend = "gpucompare.picture_cache.PictureCache"
    kept = {"default": LOCMEM, "pictures": {"BACKEND": backend, "LOCATION": tmp_path}}
    with override_settings(CACHES=kept):
        drawn = client.get(f"{shared}picture.png").content
        (file,) = tmp_path.iterdir()
        whole = file.read_bytes()
        file.write_bytes(whole[:left] + filled)
        assert client.get(f"{shared}picture.png").content == drawn
        assert file.read_bytes() == whole
        assert client.get(f"{shared}picture.png").content == drawn


def test_kept_pictures_are_bounded(settings: Any) -> None:
    kept = settings.CACHES["pictures"]
    assert kept["OPTIONS"]["MAX_ENTRIES"] <= 2_000
    assert kept["TIMEOUT"] is None

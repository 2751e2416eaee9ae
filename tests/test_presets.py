"""The ready-made questions: well-formed, worth asking, and easy to take back."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from providers.browse import links
from providers.browse.criteria import Criteria
from providers.browse.page import Preset
from providers.browse.parameters import Vocabulary
from providers.browse.presets import PRESETS, PresetQuestion

each_preset = pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
VIEW = Criteria.of({"sort": ("price",), "columns": ("spot", "ssh"), "per": ("instance",)})


def asked(preset: PresetQuestion) -> Criteria:
    return preset.applied(Criteria())


def preset_link(preset: PresetQuestion, criteria: Criteria) -> Preset:
    return next(p for p in links.presets(criteria, "/") if p.key == preset.key)


def test_the_founding_questions_are_all_there_in_their_order() -> None:
    assert [str(preset.label) for preset in PRESETS] == [
        "Bring my own image",
        "Build images on the box",
        "Private code and weights",
        "Model server plus database (Compose)",
        "Train and fine-tune",
        "Survives interruption",
        "Paid by the second",
        "CI on real GPUs",
        "Serve what I tested",
        "Just a notebook",
    ]
    assert len({preset.key for preset in PRESETS}) == len(PRESETS)
    assert len({asked(preset) for preset in PRESETS}) == len(PRESETS)


@each_preset
def test_a_question_is_made_of_canonical_filters(preset: PresetQuestion) -> None:
    query = asked(preset).query()
    again, ignored = Criteria.parse(QueryDict(query), Vocabulary())
    assert (again, ignored) == (asked(preset), [])
    assert {name for name, _values in again.filters()} == set(preset.asks)
    assert {name: set(values) for name, values in again.filters()} == {
        name: set(values) for name, values in preset.asks.items()
    }


@each_preset
def test_a_question_takes_the_place_of_other_filters_and_keeps_the_view(
    preset: PresetQuestion,
) -> None:
    before = VIEW.put("q", "h100").put("min_cuda", "12.8").put("page", "3")
    url = preset_link(preset, before).url
    assert url == Criteria.of(dict(VIEW.values) | dict(preset.asks)).url("/")


@each_preset
def test_asking_again_takes_the_question_back(preset: PresetQuestion) -> None:
    once = preset.applied(VIEW)
    link = preset_link(preset, once)
    assert link.active
    assert link.url == VIEW.url("/")


@each_preset
def test_only_the_whole_question_counts_as_asked(preset: PresetQuestion) -> None:
    name, values = next(iter(preset.asks.items()))
    partly = asked(preset).toggled(name, values[0])
    more = asked(preset).put("q", "h100")
    assert not preset.is_asked(partly)
    assert not preset.is_asked(more)
    assert [p.key for p in links.presets(asked(preset), "/") if p.active] == [preset.key]


def test_nothing_is_asked_at_first() -> None:
    assert not any(preset.active for preset in links.presets(Criteria(), "/"))
    assert all(preset.url.startswith("/?") for preset in links.presets(Criteria(), "/"))

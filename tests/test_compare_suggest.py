"""What to look at next follows from the answers, and every count is true."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from providers.browse.judge import Truth
from providers.browse.presets import PRESETS
from providers.compare import suggest
from providers.compare.differences import lines
from providers.models import Offering, Provider, Status

_ids = iter(range(1, 1_000_000))


def offering(provider: str = "", **answers: Any) -> Offering:
    """An offering that is in no database, of a provider of its own unless one is named."""
    pk = next(_ids)
    owner = Provider(
        pk=hash(provider) if provider else pk, slug=f"p{pk}", name=provider or f"P{pk}"
    )
    return Offering(pk=pk, slug="pods", name="Pods", provider=owner, **answers)


ROOT = {"docker_daemon": "root", "persistent_volume": "network"}


def others(chosen: list[Offering], rest: list[Offering]) -> list[tuple[str, int]]:
    found = suggest.others(chosen, lines(chosen, 0), [*chosen, *rest])
    return [(other.criteria.query(), other.count) for other in found]


def test_others_with_all_that_is_shared_are_counted() -> None:
    chosen = [offering(**ROOT), offering(**ROOT)]
    rest = [offering(**ROOT), offering(**ROOT), offering(docker_daemon="root")]
    assert others(chosen, rest) == [("docker_daemon=root&persistent_volume=network", 2)]


def test_shared_answers_are_given_up_until_someone_else_gives_the_rest() -> None:
    chosen = [offering(**ROOT), offering(**ROOT)]
    rest = [offering(docker_daemon="root", persistent_volume="no")]
    assert others(chosen, rest) == [("docker_daemon=root", 1)]


def test_the_best_answer_to_what_divides_them_is_asked_for_too() -> None:
    chosen = [
        offering(docker_daemon="none", persistent_volume="network"),
        offering(**ROOT),
    ]
    assert others(chosen, [offering(**ROOT), offering(persistent_volume="network")]) == [
        ("persistent_volume=network", 2),
        ("docker_daemon=root&persistent_volume=network", 1),
    ]


def test_answers_that_help_nobody_are_not_asked_for() -> None:
    chosen = [offering(docker_daemon="none"), offering(docker_daemon="none")]
    assert others(chosen, [offering(docker_daemon="none")]) == []


def test_members_that_sets_share_are_asked_for() -> None:
    chosen = [
        offering(registry_auth=["docker_login", "cloud_role"]),
        offering(registry_auth=["stored_credentials", "cloud_role"]),
    ]
    assert suggest.shared_answers(chosen) == {"registry_auth": ("cloud_role",)}


def test_closed_and_unknown_ones_are_no_others() -> None:
    chosen = [offering(**ROOT), offering(**ROOT)]
    closed = offering(**ROOT, status=Status.CLOSED)
    ended = offering(**ROOT)
    ended.provider.status = Status.CLOSED
    assert others(chosen, [closed, ended, offering()]) == []


def test_nothing_is_shared_by_nobody() -> None:
    assert suggest.others([], (), [offering(**ROOT)]) == ()
    assert suggest.shared_answers([]) == {}


def test_the_closest_agree_most_with_the_base_and_are_not_compared_yet() -> None:
    base = offering(docker_daemon="root", persistent_volume="network", custom_image="any")
    near = offering(docker_daemon="root", persistent_volume="network")
    far = offering(docker_daemon="root", persistent_volume="no")
    strange = offering(docker_daemon="none")
    closed = offering(**ROOT, status=Status.CLOSED)
    everything = [strange, far, closed, near, base]
    assert suggest.closest(base, [base], everything) == (near, far)
    assert suggest.closest(base, [base, near], everything) == (far,)


def test_unknown_answers_make_no_neighbours() -> None:
    assert suggest.closest(offering(), [], [offering(), offering()]) == ()


def test_a_ready_comparison_takes_one_offering_a_provider_the_best_known_first() -> None:
    best = offering("Alpha", custom_image="any", spot=True, ssh=True)
    sibling = offering("Alpha", custom_image="any", spot=True)
    other = offering("Beta", custom_image="any")
    found = suggest.ready([other, sibling, best])
    assert [(ready.label, ready.offerings) for ready in found] == [
        (PRESETS[0].label, (best, other))
    ]


def test_a_single_offering_is_no_comparison() -> None:
    assert suggest.ready([offering(custom_image="any")]) == ()


ANSWERS = st.fixed_dictionaries(
    {
        "custom_image": st.sampled_from([None, "any", "contract", "curated_only"]),
        "docker_daemon": st.sampled_from([None, "root", "none"]),
        "registry_auth": st.sampled_from([None, ["no"], ["docker_login"], ["cloud_role"]]),
        "persistent_volume": st.sampled_from([None, "network", "no"]),
    }
)


@given(st.lists(ANSWERS, min_size=2, max_size=8), st.integers(1, 4))
def test_a_promised_count_is_at_least_one_and_never_counts_the_chosen(
    answers: list[dict[str, Any]], chosen: int
) -> None:
    everything = [offering(**given) for given in answers]
    columns = everything[:chosen]
    for other in suggest.others(columns, lines(columns, 0), everything):
        asked = dict(other.criteria.values)
        gives = [o for o in everything[chosen:] if suggest.gives(o, asked) is Truth.YES]
        assert other.count == len(gives) > 0

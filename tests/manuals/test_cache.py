"""The cache: the same question over the same files, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tebiki.manuals.past_finds import Cache, CacheRule, key_of
from tebiki.manuals.report.answer import Found
from tebiki.manuals.request import NOTHING, FindRequest
from tebiki.state.memory import MemoryStateStore
from tests.manuals import usual

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.manuals.ranking.settings import FindSettings


OTHER_SETTINGS = usual.FIND._replace(coverage_min_ratio=0.123)


def answer(*, complete: bool = True, gaps: int = 0, conflicts: int = 0) -> Found:
    """An answer that found nothing."""
    return Found(
        status="required_effective",
        failure_reason=None,
        complete=complete,
        unscanned=0,
        applied={},
        summary={"gap_count": gaps, "conflict_count": conflicts},
        next_actions=[],
        claim_graph=None,
        lists={},
        left=NOTHING,
        unsupported={},
    )


def key(settings: FindSettings = usual.FIND, fingerprint: str = "f", **changed: Any) -> str:
    """A key, some of it changed."""
    request = FindRequest("q", "m", ("a", "b"))._replace(**changed)
    return key_of(request, request.query, settings, fingerprint)


def cache(now: float = 0.0, **rule: Any) -> Cache:
    """A cache at a fixed time."""
    return cache_at(lambda: now, usual.CACHE._replace(**rule))


def cache_at(clock: Callable[[], float], rule: CacheRule) -> Cache:
    """A cache by a clock."""
    return Cache(rule, MemoryStateStore(clock))


def test_the_order_of_terms_is_no_matter() -> None:
    """Nor how often they are said."""
    kept = cache()
    kept.put(key(), answer())

    assert kept.get(key(required_terms=("b", "a", "b"))) == answer()


@pytest.mark.requirement("manuals:cache:key")
@pytest.mark.parametrize(
    "changed",
    [
        {"manual_id": "n"},
        {"query": "other"},
        {"required_terms": ("a",)},
        {"max_candidates": 5},
        {"time_ms": 5},
        {"settings": OTHER_SETTINGS},
        {"fingerprint": "g"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_anything_else_is_another_question(changed: dict[str, Any]) -> None:
    """Whatever an answer depends on."""
    kept = cache()
    kept.put(key(), answer())

    assert kept.get(key(**changed)) is None


def test_an_answer_gets_old() -> None:
    """After its time it is gone."""
    now = [0.0]
    kept = cache_at(lambda: now[0], usual.CACHE._replace(ttl_seconds=10))
    kept.put(key(), answer())
    now[0] = 9.0
    assert kept.get(key()) == answer()

    now[0] = 10.0

    assert kept.get(key()) is None


def test_what_was_used_last_stays() -> None:
    """When there is no more room."""
    kept = cache(max_keep=2)
    for query in ("a", "b"):
        kept.put(key(query=query), answer())
    kept.get(key(query="a"))
    kept.put(key(query="c"), answer())

    assert [kept.get(key(query=query)) is not None for query in "abc"] == [True, False, True]


def test_half_an_answer_is_not_kept() -> None:
    """It did not look everywhere."""
    kept = cache()
    kept.put(key(), answer(complete=False))

    assert kept.get(key()) is None


@pytest.mark.requirement("manuals:cache:guard")
@pytest.mark.parametrize(
    ("rule", "given", "is_given"),
    [
        ({}, answer(gaps=9, conflicts=9), True),
        ({"max_gaps": 1}, answer(gaps=1), True),
        ({"max_gaps": 1}, answer(gaps=2), False),
        ({"max_gaps": 0}, answer(gaps=1), False),
        ({"max_conflicts": 0}, answer(conflicts=1), False),
    ],
)
def test_doubtful_answers_are_searched_again(
    rule: dict[str, int], given: Found, is_given: bool
) -> None:
    """By the limits of their summary; a negative one means none."""
    kept = cache(**rule)
    kept.put(key(), given)

    assert (kept.get(key()) is not None) is is_given


@pytest.mark.parametrize(
    ("enabled", "asked", "used"),
    [(True, None, True), (False, None, False), (False, True, True), (True, False, False)],
)
def test_a_call_may_ask_for_it_or_not(enabled: bool, asked: bool | None, used: bool) -> None:
    """The setting holds when it does not say."""
    assert cache(enabled=enabled).is_used(asked) is used

"""The cache: the same question over the same files, and nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.manuals.past_finds import Cache, CacheRule, key_of
from tebiki.state.memory import MemoryStateStore
from tests.manuals import usual

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Answer:
    """What the cache has to know of an answer."""

    complete: bool = True
    gap_count: int = 0
    conflict_count: int = 0


def key(**changed: Any) -> str:
    """A key, some of it changed."""
    parts: dict[str, Any] = {
        "manual_id": "m",
        "query": "q",
        "terms": ["a", "b"],
        "max_candidates": 200,
        "time_ms": 60000,
        "settings": "s",
        "fingerprint": "f",
    }
    return key_of(**(parts | changed))


def cache(now: float = 0.0, **rule: Any) -> Cache[Answer]:
    """A cache at a fixed time."""
    return cache_at(lambda: now, usual.CACHE._replace(**rule))


def cache_at(clock: Callable[[], float], rule: CacheRule) -> Cache[Answer]:
    """A cache by a clock."""
    return Cache(rule, MemoryStateStore(clock), pack=asdict, unpack=lambda row: Answer(**row))


def test_the_order_of_terms_is_no_matter() -> None:
    """Nor how often they are said."""
    kept = cache()
    kept.put(key(), Answer())

    assert kept.get(key(terms=["b", "a", "b"])) == Answer()


@pytest.mark.requirement("manuals:cache:key")
@pytest.mark.parametrize(
    "changed",
    [
        {"manual_id": "n"},
        {"query": "other"},
        {"terms": ["a"]},
        {"max_candidates": 5},
        {"time_ms": 5},
        {"settings": "t"},
        {"fingerprint": "g"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_anything_else_is_another_question(changed: dict[str, Any]) -> None:
    """Whatever an answer depends on."""
    kept = cache()
    kept.put(key(), Answer())

    assert kept.get(key(**changed)) is None


def test_an_answer_gets_old() -> None:
    """After its time it is gone."""
    now = [0.0]
    kept: Cache[Answer] = cache_at(lambda: now[0], usual.CACHE._replace(ttl_seconds=10))
    kept.put(key(), Answer())
    now[0] = 9.0
    assert kept.get(key()) == Answer()

    now[0] = 10.0

    assert kept.get(key()) is None


def test_what_was_used_last_stays() -> None:
    """When there is no more room."""
    kept = cache(max_keep=2)
    for query in ("a", "b"):
        kept.put(key(query=query), Answer())
    kept.get(key(query="a"))
    kept.put(key(query="c"), Answer())

    assert [kept.get(key(query=query)) is not None for query in "abc"] == [True, False, True]


def test_half_an_answer_is_not_kept() -> None:
    """It did not look everywhere."""
    kept = cache()
    kept.put(key(), Answer(complete=False))

    assert kept.get(key()) is None


@pytest.mark.requirement("manuals:cache:guard")
@pytest.mark.parametrize(
    ("rule", "answer", "is_given"),
    [
        ({}, Answer(gap_count=9, conflict_count=9), True),
        ({"max_gaps": 1}, Answer(gap_count=1), True),
        ({"max_gaps": 1}, Answer(gap_count=2), False),
        ({"max_gaps": 0}, Answer(gap_count=1), False),
        ({"max_conflicts": 0}, Answer(conflict_count=1), False),
    ],
)
def test_doubtful_answers_are_searched_again(
    rule: dict[str, int], answer: Answer, is_given: bool
) -> None:
    """By the limits of their summary; a negative one means none."""
    kept = cache(**rule)
    kept.put(key(), answer)

    assert (kept.get(key()) is not None) is is_given


@pytest.mark.parametrize(
    ("enabled", "asked", "used"),
    [(True, None, True), (False, None, False), (False, True, True), (True, False, False)],
)
def test_a_call_may_ask_for_it_or_not(enabled: bool, asked: bool | None, used: bool) -> None:
    """The setting holds when it does not say."""
    assert cache(enabled=enabled).is_used(asked) is used

"""Finds that were made before: an exact question over unchanged files is not searched again.

The key holds all that an answer depends on, so an entry can be old but never wrong. Not here: how
questions are normalised and how files are fingerprinted.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tebiki.named_tuples import NamedTuple
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.state.store import StateStore


class Key(NamedTuple):
    """All that an answer depends on; made by `key_of`."""

    manual_id: str
    query: str
    terms: tuple[str, ...]
    budget: tuple[int, int]
    settings: str
    fingerprint: str


class Summarised(Protocol):
    """What the cache has to know of an answer."""

    @property
    def complete(self) -> bool:
        """Whether everything was searched."""

    @property
    def gap_count(self) -> int:
        """How many gaps it tells of."""

    @property
    def conflict_count(self) -> int:
        """How many conflicts it tells of."""


Answer = TypeVar("Answer", bound=Summarised)


class CacheRule(NamedTuple):
    """Whether, how many and how long; a negative limit of a summary means none.

    `as_typed` takes only questions written exactly alike for the same one.
    """

    enabled: bool
    ttl_seconds: float
    max_keep: int
    max_gaps: int
    max_conflicts: int
    as_typed: bool


def key_of(
    manual_id: str,
    query: str,
    terms: Iterable[str],
    *,
    max_candidates: int,
    time_ms: int,
    settings: str,
    fingerprint: str,
) -> Key:
    """Make a key of a question that is already normalised; the order of the terms is no matter."""
    ordered = tuple(sorted(set(terms)))
    return Key(manual_id, query, ordered, (max_candidates, time_ms), settings, fingerprint)


class Cache(Generic[Answer]):
    """The answers used most recently, for all clients: they depend on nothing but the key."""

    __slots__ = ("_rule", "_shelf", "_store")

    def __init__(
        self,
        rule: CacheRule,
        store: StateStore,
        *,
        pack: Callable[[Answer], Any],
        unpack: Callable[[Any], Answer],
    ) -> None:
        self._rule = rule
        self._store = store
        self._shelf = Shelf(
            "finds", rule.max_keep, rule.ttl_seconds, by_use=True, pack=pack, unpack=unpack
        )

    def is_used(self, asked: bool | None) -> bool:
        """Tell whether a call uses the cache: as it asks, or else as the setting says."""
        return self._rule.enabled if asked is None else asked

    def get(self, key: Key) -> Answer | None:
        """Give the answer to that very question, unless it is too old or too doubtful."""
        answer = self._store.get(self._shelf, EVERYBODY, _short(key))
        return None if answer is None or self._is_doubtful(answer) else answer

    def put(self, key: Key, answer: Answer) -> None:
        """Keep an answer; one that did not look everywhere is not worth keeping."""
        if answer.complete:
            self._store.put(self._shelf, EVERYBODY, _short(key), answer)

    def clear(self) -> None:
        """Forget every answer."""
        self._store.clear(self._shelf.name)

    def _is_doubtful(self, answer: Answer) -> bool:
        rule = self._rule
        has_gaps = 0 <= rule.max_gaps < answer.gap_count
        return has_gaps or 0 <= rule.max_conflicts < answer.conflict_count


def _short(key: Key) -> str:
    """A key of one size, whatever was asked; two different ones never meet."""
    return hashlib.sha256(repr(tuple(key)).encode("utf-8", "backslashreplace")).hexdigest()

"""What finds leave for later ones: answers that still hold, and counts that tune the thresholds.

An exact question over unchanged files is not searched again. The key of an answer holds all that it
depends on, so an entry can be old but never wrong. Not here: how questions are normalised and how
files are fingerprinted.

The statistics are one JSON line a find, without a word of the question. Best effort: a file that
cannot be written or read is no reason for a find to fail or to wait. Tuning moves the two
thresholds of gap diagnosis, within bounds, and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import threading
from typing import TYPE_CHECKING, Any

from tebiki.files import handles
from tebiki.files.privacy import PRIVATE_FOLDER
from tebiki.manuals.report.answer import Found
from tebiki.named_tuples import NamedTuple
from tebiki.state.store import EVERYBODY, Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tebiki.manuals.ranking.settings import FindSettings
    from tebiki.manuals.request import FindRequest
    from tebiki.state.store import StateStore


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


def key_of(request: FindRequest, question: str, settings: FindSettings, fingerprint: str) -> str:
    """The key of a find: all that its answer depends on, the question as it is taken to be.

    The order of the terms is no matter. A key has one size, whatever was asked, and two different
    ones never meet.
    """
    terms = tuple(sorted(set(request.required_terms)))
    budget = (request.max_candidates, request.time_ms)
    every = repr((request.manual_id, question, terms, budget, repr(settings), fingerprint))
    return hashlib.sha256(every.encode("utf-8", "backslashreplace")).hexdigest()


class Cache:
    """The answers used most recently, for all clients: they depend on nothing but the key."""

    __slots__ = ("_rule", "_shelf", "_store")

    def __init__(self, rule: CacheRule, store: StateStore) -> None:
        self._rule = rule
        self._store = store
        self._shelf = Shelf(
            "finds",
            rule.max_keep,
            rule.ttl_seconds,
            by_use=True,
            pack=Found.to_json,
            unpack=Found.from_json,
        )

    def is_used(self, asked: bool | None) -> bool:
        """Tell whether a call uses the cache: as it asks, or else as the setting says."""
        return self._rule.enabled if asked is None else asked

    def get(self, key: str) -> Found | None:
        """Give the answer to that very question, unless it is too old or too doubtful."""
        answer = self._store.get(self._shelf, EVERYBODY, key)
        return None if answer is None or self._is_doubtful(answer) else answer

    def put(self, key: str, answer: Found) -> None:
        """Keep an answer; one that did not look everywhere is not worth keeping."""
        if answer.complete:
            self._store.put(self._shelf, EVERYBODY, key, answer)

    def clear(self) -> None:
        """Forget every answer."""
        self._store.clear(self._shelf.name)

    def _is_doubtful(self, answer: Found) -> bool:
        gaps: int = answer.summary["gap_count"]
        conflicts: int = answer.summary["conflict_count"]
        return 0 <= self._rule.max_gaps < gaps or 0 <= self._rule.max_conflicts < conflicts


MOST_BYTES = 1024 * 1024
"""Of the file; when it is full it becomes the old one, and the old one goes."""

TAIL_BYTES = 64 * 1024
"""Of the newest lines, that are read for tuning."""

RECENT = 200
OFTEN_CUT, SELDOM_CUT = 0.20, 0.05
LOW_BOUNDS, BIAS_BOUNDS = (2, 6), (0.70, 0.90)
LOW_STEP, BIAS_STEP = 1, 0.03
APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class FindRow(NamedTuple):
    """What is noted of a find: counts and times only."""

    scanned_files: int
    scanned_nodes: int
    candidates: int
    unscanned: int
    gap_count: int
    conflict_count: int
    was_cut: bool
    cache_hit: bool
    elapsed_ms: float
    candidate_low: int
    file_bias: float

    @staticmethod
    def of(found: Found, settings: FindSettings, seconds: float, *, cache_hit: bool) -> FindRow:
        """What is noted of a find that took so long."""
        summary = found.summary
        return FindRow(
            scanned_files=summary["scanned_files"],
            scanned_nodes=summary["scanned_nodes"],
            candidates=summary["candidates"],
            unscanned=found.unscanned,
            gap_count=summary["gap_count"],
            conflict_count=summary["conflict_count"],
            was_cut=found.failure_reason in {"time_budget", "candidate_cap"},
            cache_hit=cache_hit,
            elapsed_ms=round(seconds * 1000, 3),
            candidate_low=settings.adaptive_candidate_low_base,
            file_bias=settings.adaptive_file_bias_base,
        )


class Thresholds(NamedTuple):
    """Fewer candidates than `candidate_low`, or more of one file than `file_bias`, is a gap."""

    candidate_low: int
    file_bias: float


class Statistics:
    """A file of lines; without a path nothing is written."""

    __slots__ = ("_clock", "_lock", "_most_bytes", "_path")

    def __init__(
        self, path: str | None, clock: Callable[[], float], most_bytes: int = MOST_BYTES
    ) -> None:
        self._path = path
        self._clock = clock
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def note(self, row: FindRow) -> None:
        """Add a line, if that can be done at once."""
        if self._path is None:
            return
        line = json.dumps({"ts": round(self._clock(), 3), **row._asdict()}) + "\n"
        try:
            with self._lock:
                self._append(self._path, line.encode())
        except OSError:
            return  # best effort, see above

    def recent(self) -> list[dict[str, Any]]:
        """The newest lines that can be read, oldest first."""
        if self._path is None:
            return []
        try:
            lines = _tail(self._path).splitlines()
        except OSError:
            return []
        return [row for line in lines[-RECENT:] if (row := _row(line))]

    def _append(self, path: str, line: bytes) -> None:
        # Its own folder only: whoever has no vault gets none by searching.
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.path.dirname(path) or ".", PRIVATE_FOLDER)
        descriptor = os.open(path, APPEND | NO_FOLLOW, 0o600)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
        if status.st_size + len(line) > self._most_bytes:
            os.replace(path, f"{path}.old")


def tune(base: Thresholds, rows: Sequence[dict[str, Any]], min_recall: float) -> Thresholds:
    """Move the thresholds one step by how often recent finds were cut, and never out of bounds.

    A base beyond the bounds is a bound itself: what was set by hand is not pulled back.
    Back to the base when too few of them found anything: `min_recall` is the share that should.
    """
    if len(rows) < RECENT:
        return base
    found = sum(1 for row in rows if _number(row, "candidates") > 0) / len(rows)
    cut = sum(1 for row in rows if row.get("was_cut") is True) / len(rows)
    if found < min_recall or SELDOM_CUT <= cut <= OFTEN_CUT:
        return base
    step = -1 if cut > OFTEN_CUT else 1
    low = _move(base.candidate_low, step * LOW_STEP, LOW_BOUNDS)
    bias = _move(base.file_bias, step * BIAS_STEP, BIAS_BOUNDS)
    return Thresholds(int(low), round(bias, 4))


def _tail(path: str) -> bytes:
    descriptor = os.open(path, handles.READ | NO_FOLLOW)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return b""
        os.lseek(descriptor, max(0, status.st_size - TAIL_BYTES), os.SEEK_SET)
        return os.read(descriptor, TAIL_BYTES)
    finally:
        os.close(descriptor)


def _row(line: bytes) -> dict[str, Any] | None:
    """Read a line; the first of a tail is often only the end of one."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _number(row: dict[str, Any], name: str) -> float:
    value = row.get(name)
    return value if isinstance(value, (int, float)) else 0


def _move(base: float, step: float, bounds: tuple[float, float]) -> float:
    least, most = min(base, *bounds), max(base, *bounds)
    return min(max(base + step, least), most)

"""A manual that is watched where that can be done, and walked where it cannot.

What happened is read by the find itself, before it searches, so that an edit that was complete
before the find began is seen by it. What the system does not tell (writes through a memory map that
is still open, through a name outside the manual, from another machine) an audit finds: a walk in
the background, once a minute while finds come.
"""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tebiki.errors import TebikiError
from tebiki.manuals.documents.file_types import NAMES, USUAL_TYPES
from tebiki.manuals.documents.sources import UNKNOWN, WalkedManual, WatchState
from tebiki.manuals.documents.walking import walk_manual
from tebiki.manuals.documents.watched_tree import Lost, Unwatchable, WatchedTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from tebiki.files.paths import Root
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.folders import InFolder, Skipped
    from tebiki.manuals.documents.walking import FileReader, Walk

MOST_MANUALS = 32
"""Watched at once: each holds a descriptor, and a user has 128 such queues by default."""

MOST_FOLDERS = 50_000
"""Of a manual that is watched: each costs the system a kilobyte of its memory."""

IDLE_SECONDS = 600.0
"""A manual that nobody has searched for so long gives its place to another."""

RETRY_SECONDS = 600.0
"""What cannot be watched is tried again after so long."""

AUDIT_SECONDS = 60.0
AUDIT_PAUSE_SECONDS = 0.002
"""An audit lets the finds go first, every few hundred names."""

AUDITS_WITH_FINDINGS = 2
"""In a row: then what happens there is not told, and every file is looked at again."""

TURN_SECONDS = 0.02


class WatchPlaces:
    """Which manuals of a process are watched: so many at once, and idle ones give way."""

    def __init__(self, clock: Callable[[], float], most: int = MOST_MANUALS) -> None:
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._used: dict[WatchedManual, float] = {}

    def take(self, manual: WatchedManual) -> bool:
        """Take a place, or say again that it is needed; false when all are."""
        now = self._clock()
        with self._lock:
            if manual not in self._used and len(self._used) >= self._most:
                idlest = min(self._used, key=self._used.__getitem__)
                if now - self._used[idlest] < IDLE_SECONDS or not idlest.rest():
                    return False
                del self._used[idlest]
            self._used[manual] = now
            return True

    def leave(self, manual: WatchedManual) -> None:
        """Give a place back."""
        with self._lock:
            self._used.pop(manual, None)


class WatchedManual:
    """A folder that is watched if possible; a `ManualSource`."""

    def __init__(
        self,
        root: Root,
        manual_id: str,
        places: WatchPlaces,
        clock: Callable[[], float],
        log: Callable[[str], None],
        *,
        most_folders: int = MOST_FOLDERS,
        types: FileTypes = USUAL_TYPES,
    ) -> None:
        self._root = root
        self._types = types
        self._manual_id = manual_id
        self._places = places
        self._clock = clock
        self._log = log
        self._most_folders = most_folders
        self._walked = WalkedManual(root, manual_id, types)
        self._heads = itertools.count(UNKNOWN + 1)
        self._lock = threading.Lock()
        self._tree: WatchedTree | None = None
        self._reason: str | None = None
        self._retry_at = clock()
        self._audited_at = clock()
        self._is_audited = False
        self._findings_in_a_row = 0
        self._missed = 0
        self._said: set[str] = set()

    def head(self, stop: Callable[[], bool]) -> int:
        """Read what happened until now; `UNKNOWN` where the manual is walked."""
        with self._turn(stop) as is_turn:
            watched = self._look_up(stop) if is_turn else None
        return UNKNOWN if watched is None or not watched.is_whole else watched.head

    def walk(self, stop: Callable[[], bool]) -> Walk:
        """All files: as watched, or as a walk finds them."""
        with self._turn(stop) as is_turn:
            watched = self._look_up(stop) if is_turn else None
        return self._walked.walk(stop) if watched is None else watched

    def changed(self, since: int) -> AbstractSet[str] | None:
        """Paths where something happened after a head."""
        with self._lock:
            found = None if self._tree is None else self._tree.changed(since)
            return None if found is None else frozenset(found)

    def contents(self, path: str) -> bytes | Skipped:
        """Read a file."""
        return self._walked.contents(path)

    def reader(self) -> FileReader:
        """What reads many files."""
        return self._walked.reader()

    def state(self) -> WatchState:
        """Whether it is watched."""
        with self._lock:
            tree = self._tree
            folders = 0 if tree is None else tree.folders
            return WatchState(tree is not None, folders, self._reason, self._missed)

    def rest(self) -> bool:
        """Watch no longer, until the next find; false when one is busy right now."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._let_go()
        finally:
            self._lock.release()
        return True

    def close(self) -> None:
        """Watch no longer, and give the place back."""
        with self._lock:
            self._let_go()
        self._places.leave(self)

    @contextmanager
    def _turn(self, stop: Callable[[], bool]) -> Iterator[bool]:
        """One at a time: what one has read from the queue another must find done."""
        is_turn = self._lock.acquire(blocking=False)
        while not is_turn and not stop():
            is_turn = self._lock.acquire(timeout=TURN_SECONDS)
        try:
            yield is_turn
        finally:
            if is_turn:
                self._lock.release()

    def _look_up(self, stop: Callable[[], bool]) -> Walk | None:
        """What the manual holds now; None where only a walk can tell."""
        try:
            if self._tree is not None:
                try:
                    walk = self._tree.catch_up(stop)
                except Lost as lost:
                    self._say(f"looked at anew: {lost}")
                    self._let_go()
                else:
                    self._places.take(self)
                    self._audit_when_due(self._tree)
                    return walk
            return self._begin(stop)
        except Unwatchable as error:
            self._walk_from_now_on(str(error))
            return None
        except (TebikiError, OSError):
            self._let_go()
            raise

    def _begin(self, stop: Callable[[], bool]) -> Walk | None:
        """Watch from now on, if there is a place."""
        if self._reason is not None and self._clock() < self._retry_at:
            return None
        if not self._places.take(self):
            raise Unwatchable("no more manuals can be watched at once")
        tree = WatchedTree(
            self._root,
            self._manual_id,
            lambda: next(self._heads),
            self._most_folders,
            self._types,
        )
        walk = None
        try:
            walk = tree.begin(stop)
        finally:
            if walk is None or not walk.is_whole:
                tree.close()
                self._places.leave(self)
        if walk.is_whole:
            self._tree, self._reason = tree, None
            self._audited_at = self._clock()
        return walk

    def _walk_from_now_on(self, reason: str) -> None:
        self._let_go()
        self._places.leave(self)
        self._reason = reason
        self._retry_at = self._clock() + RETRY_SECONDS
        self._say(f"every file is looked at by each find: {reason}")

    def _let_go(self) -> None:
        tree, self._tree = self._tree, None
        if tree is not None:
            tree.close()

    def _say(self, words: str) -> None:
        """Log something once."""
        if words not in self._said:
            self._said.add(words)
            self._log(f"manual {self._manual_id}: {words}")

    def _audit_when_due(self, tree: WatchedTree) -> None:
        if self._is_audited or self._clock() - self._audited_at < AUDIT_SECONDS:
            return
        self._is_audited = True
        threading.Thread(
            target=self._audit, args=(tree, tree.begin_audit()), name="tebiki-audit", daemon=True
        ).start()

    def _audit(self, tree: WatchedTree, known: Walk) -> None:
        """Walk all of it, and hold that against what is known; nobody waits for this."""
        pause = threading.Event()
        try:
            walk = walk_manual(
                self._root,
                self._manual_id,
                lambda: pause.wait(AUDIT_PAUSE_SECONDS),
                known,
                types=self._types,
            )
            with self._lock:
                if self._tree is tree:
                    self._compare(tree, walk)
        except (TebikiError, Lost, Unwatchable, OSError):
            return  # the next find meets it too, and tells whom it concerns
        finally:
            self._audited_at = self._clock()
            self._is_audited = False

    def _compare(self, tree: WatchedTree, walk: Walk) -> None:
        """Find what a walk saw and nobody told."""
        now = tree.catch_up(lambda: False)
        told = tree.end_audit()
        missed = {
            (before, name)
            for before in walk.folders.keys() | now.folders.keys()
            for name in _differences(before, now.folders.get(before), walk.folders.get(before))
            if before + NAMES[name].normal not in told
        }
        self._findings_in_a_row = self._findings_in_a_row + 1 if missed else 0
        if not missed:
            return
        self._missed += len(missed)
        tree.doubt(missed)
        self._say("an audit found changes that the system did not tell; the next find sees them")
        if self._findings_in_a_row >= AUDITS_WITH_FINDINGS:
            self._walk_from_now_on("changes there are not told by the system")


def _differences(before: str, known: InFolder | None, seen: InFolder | None) -> set[str]:
    """Names of a folder that do not look as they are known to."""
    if known is seen or known is None or seen is None:
        return set()  # a folder that is known to one of them alone shows in the one above
    files = known.files.items() ^ seen.files.items()
    others = set(known.seen.others) ^ set(seen.seen.others)
    return {path.removeprefix(before) for path, _ in files} | {name for name, _ in others}

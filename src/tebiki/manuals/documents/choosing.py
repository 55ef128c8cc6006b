"""Which source a manual on disk has: watched where that is wanted and can be done, or walked."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from tebiki.manuals.documents.file_types import USUAL_TYPES
from tebiki.manuals.documents.ignoring import IgnoringManual
from tebiki.manuals.documents.sources import UNKNOWN, WalkedManual, WatchState
from tebiki.manuals.documents.walking import FileReader, contents, walk_manual

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from tebiki.files.paths import Root
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.folders import Skipped
    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.walking import Walk
    from tebiki.manuals.documents.watching import WatchedManual, WatchPlaces

CAN_WATCH = sys.platform == "linux"


class ManualSources:
    """Makes the sources of the manuals below a root; watched ones share what may be watched."""

    def __init__(
        self,
        root: Root,
        clock: Callable[[], float],
        log: Callable[[str], None],
        *,
        watches: bool,
        types: FileTypes = USUAL_TYPES,
    ) -> None:
        self._root = root
        self._types = types
        self._clock = clock
        self._log = log
        self._watches = watches and CAN_WATCH
        self._lock = threading.Lock()
        self._places: WatchPlaces | None = None

    def source_of(self, manual_id: str) -> ManualSource:
        """The source of a manual, without what its rules ignore; to be made once for each."""
        source = self._source_of(manual_id)
        return IgnoringManual(source, lambda words: self._log(f"manual {manual_id}: {words}"))

    def walked(self, manual_id: str) -> ManualSource:
        """The same manual, for whoever reads all of it once."""
        source = WalkedManual(self._root, manual_id, self._types)
        return IgnoringManual(source, lambda words: self._log(f"manual {manual_id}: {words}"))

    def _source_of(self, manual_id: str) -> ManualSource:
        if not self._watches:
            return WalkedManual(self._root, manual_id, self._types)
        return WatchedSoon(self._root, manual_id, lambda: self._watch(manual_id), self._types)

    def _watch(self, manual_id: str) -> WatchedManual:
        from tebiki.manuals.documents.watching import WatchedManual, WatchPlaces  # ctypes

        with self._lock:
            if self._places is None:
                # With ctypes, and before the first edit has the engine start threads to write it.
                from tebiki.system.allocator import share_arenas

                share_arenas()
                self._places = WatchPlaces(self._clock)
        return WatchedManual(
            self._root, manual_id, self._places, self._clock, self._log, types=self._types
        )


class WatchedSoon:
    """A manual that is watched from its second find on, or from the first if it is large.

    What watching takes to be imported and begun is more than the walk of a small manual, and many a
    server is asked once.
    """

    def __init__(
        self,
        root: Root,
        manual_id: str,
        watch: Callable[[], ManualSource],
        types: FileTypes = USUAL_TYPES,
    ) -> None:
        self._root = root
        self._types = types
        self._manual_id = manual_id
        self._watch = watch
        self._lock = threading.Lock()
        self._is_new = True
        self._watched: ManualSource | None = None

    def head(self, stop: Callable[[], bool]) -> int:
        """What the watched one says; until it is watched, only a walk can tell."""
        return UNKNOWN if self._watched is None else self._watched.head(stop)

    def walk(self, stop: Callable[[], bool]) -> Walk:
        """Walk it the first time, if that is done before anybody is asked whether to stop."""
        if self._is_new:
            self._is_new = False
            few = walk_manual(self._root, self._manual_id, lambda: True, types=self._types)
            if few.is_whole:
                return few
        with self._lock:
            if self._watched is None:
                self._watched = self._watch()
        return self._watched.walk(stop)

    def changed(self, since: int) -> AbstractSet[str] | None:
        """What the watched one says."""
        return None if self._watched is None else self._watched.changed(since)

    def contents(self, path: str) -> bytes | Skipped:
        """Read a file."""
        return contents(self._root, self._manual_id, path)

    def reader(self) -> FileReader:
        """What reads many files."""
        return FileReader(self._root, self._manual_id)


def try_watching(root: Root, manual_id: str, clock: Callable[[], float]) -> WatchState:
    """Tell whether a server could watch a manual: it is tried, and given up again.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    if not CAN_WATCH:
        return WatchState(is_on=False, reason="only Linux tells of changes as they are made")
    from tebiki.manuals.documents.watching import WatchedManual, WatchPlaces  # see above

    manual = WatchedManual(root, manual_id, WatchPlaces(clock), clock, lambda _words: None)
    try:
        manual.head(lambda: False)
        return manual.state()
    finally:
        manual.close()

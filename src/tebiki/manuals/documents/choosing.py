"""Which source a manual on disk has: watched where that is wanted and can be done, or walked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tebiki.manuals.documents.sources import WalkedManual, WatchState

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.files.paths import Root
    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.watching import WatchPlaces

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
    ) -> None:
        self._root = root
        self._clock = clock
        self._log = log
        self._places: WatchPlaces | None = None
        if watches and CAN_WATCH:
            from tebiki.manuals.documents.watching import WatchPlaces  # ctypes: only who watches

            self._places = WatchPlaces(clock)

    def source_of(self, manual_id: str) -> ManualSource:
        """The source of a manual; to be made once for each."""
        if self._places is None:
            return WalkedManual(self._root, manual_id)
        from tebiki.manuals.documents.watching import WatchedManual  # see above

        return WatchedManual(self._root, manual_id, self._places, self._clock, self._log)


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

"""Where an index has a manual from: what there is now, and the text of each file.

A manual is a folder on disk, walked for every find or watched; whoever searches it knows neither.
A manual from elsewhere (published, in revisions) is one more `ManualSource`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from tebiki.manuals.documents.file_types import USUAL_TYPES
from tebiki.manuals.documents.walking import FileReader, contents, walk_manual
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from tebiki.files.paths import Root
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.folders import Skipped
    from tebiki.manuals.documents.walking import Walk

UNKNOWN = 0
"""The head of a source that cannot tell whether anything has changed."""


class ManualSource(Protocol):
    """One manual, as it is now. For many threads."""

    def head(self, stop: Callable[[], bool]) -> int:
        """A number that stays the same as long as nothing changes, and is never used again.

        Whatever was changed before the call has changed it; `UNKNOWN` when only a walk can tell.

        Raises:
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """

    def walk(self, stop: Callable[[], bool]) -> Walk:
        """All files as they are now, and the head that is theirs; not whole when out of time.

        Raises:
            NotFound: there is no such manual.
            Forbidden: it is a link, or may not be listed.
        """

    def changed(self, since: int) -> AbstractSet[str] | None:
        """Paths where something happened after a head, maybe to no effect; None if not known.

        What happened until then need not be known any longer.
        """

    def contents(self, path: str) -> bytes | Skipped:
        """The bytes of a file, or why it is not searched.

        Raises:
            NotFound: it is gone meanwhile.
        """

    def reader(self) -> FileReader:
        """What reads many files, one after the other, while it is entered."""


class WalkedManual:
    """A folder of which every file is looked at, each time."""

    def __init__(self, root: Root, manual_id: str, types: FileTypes = USUAL_TYPES) -> None:
        self._root = root
        self._manual_id = manual_id
        self._types = types
        self._last: Walk | None = None

    def head(self, _stop: Callable[[], bool]) -> int:
        """Only a walk can tell."""
        return UNKNOWN

    def walk(self, stop: Callable[[], bool]) -> Walk:
        """Walk it; quicker each time but the first."""
        walk = walk_manual(self._root, self._manual_id, stop, self._last, types=self._types)
        if walk.is_whole:
            self._last = walk
        return walk

    def changed(self, _since: int) -> None:
        """Nobody was told."""

    def contents(self, path: str) -> bytes | Skipped:
        """Read a file."""
        return contents(self._root, self._manual_id, path)

    def reader(self) -> FileReader:
        """What reads many files."""
        return FileReader(self._root, self._manual_id)


class WatchState(NamedTuple):
    """Whether a manual is watched, how many folders that takes, and if not, why not.

    `missed` counts what only audits found.
    """

    is_on: bool
    folders: int = 0
    reason: str | None = None
    missed: int = 0

    def row(self) -> dict[str, Any]:
        """What is told of it."""
        return {"watched": self.is_on, "reason": self.reason}

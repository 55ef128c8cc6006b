"""What an index has to read: where the files of a manual differ from what its manifest knows.

Where the source tells what has happened and the manifest what was changed, only that is compared:
once both have agreed, a find of a hundred thousand files costs what the edited ones do.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tebiki.manuals.documents.sources import UNKNOWN
from tebiki.manuals.documents.walking import FileStat, by_name
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from tebiki.manuals.documents.sources import ManualSource
    from tebiki.manuals.documents.walking import Walk
    from tebiki.manuals.index.manifest import Manifest
    from tebiki.manuals.index.protocols import State


class Differences(NamedTuple):
    """Files to read, since something shows a change or may hide one, and files that are gone."""

    stale: list[FileStat]
    gone: list[str]

    def paths(self) -> set[str]:
        """All of them."""
        return {*(file.path for file in self.stale), *self.gone}


class Agreement(NamedTuple):
    """A head of the source and a revision of the manifest that say the same, some files aside."""

    head: int
    base: str
    revision: int
    but: frozenset[str]


class Comparing:
    """Compares a source with the manifests of its index; remembers where they agreed."""

    def __init__(self, source: ManualSource) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._agreed: Agreement | None = None

    def differences(self, walk: Walk, manifest: Manifest) -> Differences:
        """What is to be done so that a manifest says what a walk found."""
        happened, suspects = self._suspects(walk, manifest)
        if suspects is None:
            found = compare_all(walk, manifest)
            missing = happened - found.paths()
            more = [FileStat(path, *walk.files[path]) for path in missing if path in walk.files]
            return Differences([*found.stale, *more], found.gone)
        return _compare_some(walk, manifest, suspects, happened)

    def agree(self, walk: Walk, manifest: Manifest, but: Iterable[str] = ()) -> None:
        """Remember that a manifest says what a walk found, but for files that may not be so."""
        if walk.head == UNKNOWN:
            return
        with self._lock:
            if self._agreed is None or self._agreed.head <= walk.head:
                self._agreed = Agreement(
                    walk.head, manifest.base, manifest.revision, frozenset(but)
                )

    def _suspects(
        self, walk: Walk, manifest: Manifest
    ) -> tuple[AbstractSet[str], AbstractSet[str] | None]:
        """Files where something happened, and all that may differ; None where it may be any."""
        with self._lock:
            agreed = self._agreed
            if agreed is None or walk.head < agreed.head:
                return frozenset(), None
            # Within the lock: asked for a later head, the source forgets what was before it.
            happened = self._source.changed(agreed.head)
        changed = manifest.changed_since(agreed.base, agreed.revision)
        if happened is None or changed is None:
            return happened or frozenset(), None
        return happened, {*happened, *changed, *agreed.but, *manifest.unsettled}


def compare_all(walk: Walk, manifest: Manifest) -> Differences:
    """Compare every file, without its record: most have not changed."""
    suspects, files = manifest.suspects(walk.files), walk.files
    if suspects is not None:
        found = _compare_some(walk, manifest, suspects)
        if found == ([], []) and walk.head == UNKNOWN:
            manifest.know_looks(files)
        return found
    known = manifest.looks()
    if files == known and len(known) == len(manifest.files):
        # Walked again and again, what is the same object compares quickest; who is told of what
        # happens does not ask for all files again.
        manifest.know_looks(files if walk.head == UNKNOWN else None)
        return Differences([], [])
    stale = [FileStat(path, *look) for path, look in files.items() if known.get(path) != look]
    stale.sort(key=lambda file: by_name(file.path))
    unknown = sum(file.path not in manifest.files for file in stale)
    is_any_gone = len(manifest.files) > len(files) - unknown
    gone = sorted(manifest.files.keys() - files.keys()) if is_any_gone else []
    if walk.head != UNKNOWN:
        manifest.know_looks(None)
    return Differences(stale, gone)


def _compare_some(
    walk: Walk,
    manifest: Manifest,
    suspects: Iterable[str],
    happened: AbstractSet[str] = frozenset(),
) -> Differences:
    """Compare the files that may differ; what happened to some may not show."""
    stale = []
    for path in suspects:
        record, look = manifest.files.get(path), walk.files.get(path)
        if look is not None and (
            path in happened or record is None or not record.is_settled or not record.matches(look)
        ):
            stale.append(FileStat(path, *look))
    stale.sort(key=lambda file: by_name(file.path))
    gone = [path for path in suspects if path in manifest.files and path not in walk.files]
    return Differences(stale, sorted(gone))


def find_unreached(walk: Walk, state: State) -> tuple[str, ...]:
    """Files that the time did not reach for.

    An unsettled one that shows no change was read a moment ago. To be asked only where time ran
    out: what differs otherwise was changed, and indexed by someone else, since the walk.
    """
    known = state.manifest.files.looks()
    found = [path for path, look in walk.files.items() if known.get(path) != look]
    if not walk.is_whole:
        # Not seen again is not gone: nobody has looked.
        found += [path for path in known if path not in walk.files]
    return tuple(found)

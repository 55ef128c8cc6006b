"""Which files a manual has: folder by folder, by descriptors, no link followed.

Not here: what a name in a folder stands for (`folders`), when a manual is walked (`sources`), what
is in a file (`parting`), whether it has changed (`index`).
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, BinaryIO

from tebiki.errors import Forbidden, NotFound
from tebiki.files.handles import NAMES_BETWEEN_CHECKS, kind_of
from tebiki.files.names import RelativePath, has_one_spelling
from tebiki.files.paths import Place, open_regular, translate_os_errors
from tebiki.manuals.documents.file_types import USUAL_TYPES
from tebiki.manuals.documents.folders import MOST_BYTES, UNREAD, Skipped, sort_out
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from tebiki.files.handles import Folder, Look
    from tebiki.files.paths import Root
    from tebiki.manuals.documents.file_types import FileTypes
    from tebiki.manuals.documents.folders import InFolder, Unsupported

BLOCK_BYTES = 1024 * 1024
MOST_HELD = 8
"""Folders that are held open at once, each in the one before; what is deeper is entered anew."""


class FileStat(NamedTuple):
    """A file of a manual, and by what a change of it shows."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Walk(NamedTuple):
    """The files of a manual, and what is left out; not all of them when there was no time.

    `folders` has what is in each folder, most of which is the same in the next walk; `denied` are
    those that may not be listed. `head` is the state that a source gave it for, 0 if none.
    """

    files: dict[str, Look]
    skipped: tuple[Skipped, ...]
    folders: dict[str, InFolder]
    unsupported: dict[str, Unsupported]
    is_whole: bool
    denied: tuple[str, ...] = ()
    head: int = 0


def _go_on() -> None:
    """Whoever reads has the time."""


def contents(
    root: Root, manual_id: str, path: str, check: Callable[[], None] = _go_on
) -> bytes | Skipped:
    """Read a file of a manual whole, or tell why it is not searched.

    `check` is called after each block, and may raise to end the work.

    Raises:
        NotFound: it is gone meanwhile.
    """
    try:
        with root.place(below(manual_id, path)) as place:
            return _contents_at(place, path, check)
    except Forbidden:
        return Skipped(path, "permission")


def _contents_at(place: Place, path: str, check: Callable[[], None] = _go_on) -> bytes | Skipped:
    with translate_os_errors(path):
        kind = kind_of(place.folder.look(place.name))
        if kind in UNREAD:
            return Skipped(path, UNREAD[kind])
        with open_regular(place) as file:
            data = _most_of(file, check)
    return Skipped(path, "too_large") if len(data) > MOST_BYTES else data


class FileReader:
    """Reads the files of a manual one after the other; folders stay open for those that follow.

    What was put in the place of an open folder meanwhile is not read; that it is another one shows
    when the manual is looked at again.
    """

    def __init__(self, root: Root, manual_id: str) -> None:
        self._root = root
        self._manual_id = manual_id
        self._opened = ExitStack()
        self._top: Folder | None = None
        self._held: list[tuple[str, Folder]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave(0)
        self._opened.close()

    def contents(self, path: str) -> bytes | Skipped:
        """As `contents` gives it.

        Raises:
            NotFound: it is gone meanwhile.
        """
        *above, name = path.split("/")
        if len(above) < MOST_HELD and all(map(has_one_spelling, [*above, name])):
            with suppress(OSError, NotFound, Forbidden):
                return _contents_at(Place(self._enter(above), name, path), path)
        # What is wrong with it, the plain way finds out.
        return contents(self._root, self._manual_id, path)

    def _enter(self, names: list[str]) -> Folder:
        """Open a folder by the names of those it is in, from the one that is open already."""
        if self._top is None:
            top = below(self._manual_id, "")
            self._top, _ = self._opened.enter_context(self._root.folder(top))
        same = 0
        while same < min(len(names), len(self._held)) and self._held[same][0] == names[same]:
            same += 1
        self._leave(same)
        for name in names[same:]:
            here = self._held[-1][1] if self._held else self._top
            self._held.append((name, here.enter(name)))
        return self._held[-1][1] if self._held else self._top

    def _leave(self, kept: int) -> None:
        while len(self._held) > kept:
            self._held.pop()[1].__exit__(None, None, None)


def _most_of(file: BinaryIO, check: Callable[[], None]) -> bytes:
    """Read up to one byte more than is searched; an unbuffered read may give less than asked."""
    parts: list[bytes] = []
    wanted = MOST_BYTES + 1
    while wanted > 0 and (part := file.read(min(wanted, BLOCK_BYTES))):
        check()
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def walk_manual(
    root: Root,
    manual_id: str,
    stop: Callable[[], bool],
    last: Walk | None = None,
    *,
    arrive: Callable[[Folder, str], None] = lambda _folder, _before: None,
    types: FileTypes = USUAL_TYPES,
) -> Walk:
    """Walk a manual until `stop` says so, in no order; quicker when the last walk is known.

    `arrive` is told of each folder, and what stands before the paths in it, before that is looked
    into.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    found = _Found({}, {}, last, [], [], _Patience(stop), arrive, types)
    try:
        with root.folder(below(manual_id, "")) as (folder, _):
            _walk(folder, "", manual_id, found)
        _walk_waiting(root, manual_id, found)
    except _Stopped:
        return found.as_walk(is_whole=False)
    return found.as_walk(is_whole=True)


def walk_below(
    root: Root,
    manual_id: str,
    path: str,
    stop: Callable[[], bool],
    *,
    arrive: Callable[[Folder, str], None],
    types: FileTypes = USUAL_TYPES,
) -> Walk:
    """Walk one folder of a manual and those in it, as above; nothing where it is gone."""
    found = _Found({}, {}, None, [path], [], _Patience(stop), arrive, types)
    try:
        _walk_waiting(root, manual_id, found)
    except _Stopped:
        return found.as_walk(is_whole=False)
    return found.as_walk(is_whole=True)


def _walk_waiting(root: Root, manual_id: str, found: _Found) -> None:
    while found.waiting:
        above = found.waiting.pop()
        try:
            with root.folder(below(manual_id, above)) as (folder, _):
                _walk(folder, f"{above}/", above, found)
        except Forbidden:
            found.denied.append(above)
        except NotFound:
            continue  # removed since its folder was listed


def _walk(folder: Folder, before: str, shown: str, found: _Found) -> None:
    """Walk a folder and those in it, which are quick to enter from here; the deepest wait."""
    with translate_os_errors(shown):
        folders = _look_into(folder, before, found)
    _walk_inside(folder, folders, found, MOST_HELD)


def _walk_inside(
    folder: Folder, folders: tuple[tuple[str, str], ...], found: _Found, most_held: int
) -> None:
    for name, path in folders:
        if not most_held:
            found.waiting.append(path)
            continue
        try:
            with folder.enter(name) as inner:
                inside = _look_into(inner, f"{path}/", found)
                _walk_inside(inner, inside, found, most_held - 1)
        except OSError:
            found.waiting.append(path)  # on the long way it turns out why


def files_of(walk: Walk) -> list[FileStat | Skipped]:
    """The files of a walk, and what it left out, by their paths."""
    found: list[FileStat | Skipped] = [FileStat(path, *look) for path, look in walk.files.items()]
    return sorted([*found, *walk.skipped], key=lambda one: one.path)


def by_name(path: str) -> list[tuple[bool, str]]:
    """A key to sort paths by: the files of a folder, then the folders in it."""
    *above, name = path.split("/")
    return [*((True, part) for part in above), (False, name)]


def below(manual_id: str, path: str) -> RelativePath:
    """The path, from the root, of what a manual has at a path that was found by walking it."""
    return RelativePath((manual_id, *(part for part in path.split("/") if part)))


class _Found(NamedTuple):
    """What a walk has found so far, the last one, folders that wait, and what may end it."""

    files: dict[str, Look]
    folders: dict[str, InFolder]
    last: Walk | None
    waiting: list[str]
    denied: list[str]
    patience: _Patience
    arrive: Callable[[Folder, str], None]
    types: FileTypes

    def as_walk(self, *, is_whole: bool) -> Walk:
        """What was found, for whoever asked."""
        folders, denied = self.folders, tuple(self.denied)
        left = unsupported_in(folders)
        return Walk(self.files, skipped_in(folders, denied), folders, left, is_whole, denied)


def skipped_in(folders: dict[str, InFolder], denied: tuple[str, ...]) -> tuple[Skipped, ...]:
    """All that is left out of some folders, and the folders that may not be listed."""
    found = [one for inside in folders.values() if inside.skipped for one in inside.skipped]
    return (*found, *(Skipped(path, "permission") for path in denied))


def unsupported_in(folders: dict[str, InFolder]) -> dict[str, Unsupported]:
    """What search does not take, by folder."""
    return {before: inside.unsupported for before, inside in folders.items() if inside.unsupported}


def _look_into(folder: Folder, before: str, found: _Found) -> tuple[tuple[str, str], ...]:
    """Sort out what is in a folder; gives the folders in it, by their names and paths."""
    found.arrive(folder, before)
    inside = _inside(folder, before, found)
    found.patience.wear(len(inside.seen.files) + len(inside.seen.others) + 1)
    found.folders[before] = inside
    found.files.update(inside.files)
    return inside.folders


def _inside(folder: Folder, before: str, found: _Found) -> InFolder:
    """What is in a folder: as the last walk saw it, where nothing has changed."""
    last = found.last.folders.get(before) if found.last else None
    if last and folder.still_has(last.seen, before, found.patience.end):
        return sort_out(folder, before, last.seen, last, found.types) if last.odd else last
    seen = folder.looks(found.types.plain, before, found.patience.end)
    return sort_out(folder, before, seen, types=found.types)


class _Stopped(Exception):
    """A walk is not to go on. Never leaves this module."""


class _Patience:
    """Ends a walk that is to stop; asked seldom, so that a small manual is walked whole."""

    __slots__ = ("_names", "_stop")

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop
        self._names = 0

    def wear(self, names: int) -> None:
        """Note how many names were gone through."""
        self._names += names
        if self._names > NAMES_BETWEEN_CHECKS:
            self._names = 0
            self.end()

    def end(self) -> None:
        """End the walk if it is time."""
        if self._stop():
            raise _Stopped

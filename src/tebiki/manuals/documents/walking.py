"""Which files a manual has: walked anew for every find, by descriptors, no link followed.

Not here: what is in a file (`parting`), whether it has changed (`index`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, BinaryIO

from tebiki.errors import Forbidden, NotFound
from tebiki.files.handles import NAMES_BETWEEN_CHECKS, Kind, Look, kind_of, look_of
from tebiki.files.names import OWN_FOLDER, RelativePath, is_nameable, nfc
from tebiki.files.paths import open_regular, translate_os_errors
from tebiki.manuals.documents.kinds import kind_of_name
from tebiki.manuals.text.folding import Memo
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.files.handles import Folder, Looks, Named
    from tebiki.files.paths import Root

MOST_BYTES = 16 * 1024 * 1024
"""Of a file that is searched; larger ones are counted, and can still be scanned."""

BLOCK_BYTES = 1024 * 1024
FILE_TYPES = ("md", "json")
MOST_NAMES = 65_536
MOST_HELD = 8
"""Folders that are held open at once, each in the one before; what is deeper is entered anew."""

UNSUPPORTED = "unsupported"
UNREAD = {Kind.LINK: "symlink", Kind.SPECIAL: "special"}


class Skipped(NamedTuple):
    """What is not searched, and why.

    The reason is encoding, permission, too_large, symlink, special, same_name, unusable_name where
    no caller could give the name, unsupported where search does not take files of the kind, or
    not_indexed where there is no place for a new state of the index.
    """

    path: str
    reason: str

    def row(self) -> dict[str, Any]:
        """The row that tells of it."""
        return {"path": self.path, "reason": self.reason}


class Unsupported(NamedTuple):
    """Files of one folder that search does not take, and how many there are of each kind."""

    files: tuple[Skipped, ...]
    kinds: Counter[str]


class FileStat(NamedTuple):
    """A file of a manual, and by what a change of it shows."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class _Name(NamedTuple):
    """What a name on disk says by itself."""

    normal: str
    is_searched: bool
    is_nameable: bool


def _name(name: str) -> _Name:
    return _Name(nfc(name), file_type(name) is not None, is_nameable(name))


def _is_plain(name: str) -> bool:
    known = _NAMES[name]
    return known.is_searched and known.is_nameable and name == known.normal


_NAMES = Memo(_name, most=MOST_NAMES)
_PLAIN = Memo(_is_plain, most=MOST_NAMES)
"""What names say, and which of them stand for files that are searched, with nothing else to know
of them: every find walks the same ones again."""


class Walk(NamedTuple):
    """The files of a manual, and what is left out; not all of them when there was no time.

    `folders` has what was seen in each folder, and `unsupported` what search does not take of it:
    most of that is the same in the next walk.
    """

    files: dict[str, Look]
    skipped: tuple[Skipped, ...]
    folders: dict[str, Looks]
    unsupported: dict[str, Unsupported]
    is_whole: bool


def file_type(name: str) -> str | None:
    """Tell what kind of file a name stands for; None for what manuals do not search."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return ending if ending in FILE_TYPES else None


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
        with root.place(below(manual_id, path)) as place, translate_os_errors(path):
            kind = kind_of(place.folder.look(place.name))
            if kind in UNREAD:
                return Skipped(path, UNREAD[kind])
            with open_regular(place) as file:
                data = _most_of(file, check)
    except Forbidden:
        return Skipped(path, "permission")
    return Skipped(path, "too_large") if len(data) > MOST_BYTES else data


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
    root: Root, manual_id: str, stop: Callable[[], bool], last: Walk | None = None
) -> Walk:
    """Walk a manual until `stop` says so, in no order; quicker when the last walk is known.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    found = _Found({}, [], {}, {}, last, [], _Patience(stop))
    try:
        with root.folder(below(manual_id, "")) as (folder, _):
            _walk(folder, "", manual_id, found)
        while found.waiting:
            above = found.waiting.pop()
            try:
                with root.folder(below(manual_id, above)) as (folder, _):
                    _walk(folder, f"{above}/", above, found)
            except Forbidden:
                found.skipped.append(Skipped(above, "permission"))
            except NotFound:
                continue  # removed since its folder was listed
    except _Stopped:
        return found.as_walk(is_whole=False)
    return found.as_walk(is_whole=True)


def _walk(folder: Folder, before: str, shown: str, found: _Found) -> None:
    """Walk a folder and those in it, which are quick to enter from here; the deepest wait."""
    with translate_os_errors(shown):
        folders = _look_into(folder, before, found)
    _walk_inside(folder, folders, found, MOST_HELD)


def _walk_inside(
    folder: Folder, folders: list[tuple[str, str]], found: _Found, most_held: int
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
    skipped: list[Skipped]
    folders: dict[str, Looks]
    unsupported: dict[str, Unsupported]
    last: Walk | None
    waiting: list[str]
    patience: _Patience

    def as_walk(self, *, is_whole: bool) -> Walk:
        """What was found, for whoever asked."""
        return Walk(
            self.files, tuple(self.skipped), self.folders, self.unsupported, is_whole=is_whole
        )


def _look_into(folder: Folder, before: str, found: _Found) -> list[tuple[str, str]]:
    """Sort out what is in a folder; gives the folders in it, by their names and paths."""
    files = found.files
    looks, others = _seen_in(folder, before, found)
    found.patience.wear(len(looks) + len(others) + 1)
    files.update(looks)
    for large in [path for path, look in looks.items() if look[0] > MOST_BYTES]:
        del files[large]
        found.skipped.append(Skipped(large, "too_large"))
    taken: set[str] = set()
    folders: list[tuple[str, str]] = []
    # A link may lead to a folder, whatever it is called.
    others = [
        entry
        for entry in others
        if entry[1] in {Kind.FOLDER, Kind.LINK} or _NAMES[entry[0]].is_searched
    ]
    for name, kind in sorted(others, key=lambda entry: by_spelling(entry[0])):
        known = _NAMES[name]
        is_taken = known.normal in taken or before + known.normal in files
        if not is_taken:
            taken.add(known.normal)
            if path := _look_closely(folder, before, name, kind, found):
                folders.append((name, path))
        else:
            # Whoever reads this path gets the other one.
            found.skipped.append(Skipped(_shown(before + name), "same_name"))
    return folders


def _seen_in(folder: Folder, before: str, found: _Found) -> Looks:
    """What is in a folder: as the last walk saw it, where nothing has changed."""
    seen = found.last.folders.get(before) if found.last else None
    if found.last and seen and folder.still_has(seen, before, found.patience.end):
        left = found.last.unsupported.get(before)
    else:
        seen = folder.looks(_PLAIN, before, found.patience.end)
        left = _unsupported(before, seen[1])
    found.folders[before] = seen
    if left:
        found.unsupported[before] = left
    return seen


def _unsupported(before: str, others: list[Named]) -> Unsupported | None:
    """The files that search does not take, of all that is in a folder."""
    names = [name for name, kind in others if kind is Kind.FILE and not _NAMES[name].is_searched]
    if not names:
        return None
    paths = sorted(_shown(before + _NAMES[name].normal) for name in names)
    files = tuple(Skipped(path, UNSUPPORTED) for path in paths)
    return Unsupported(files, Counter(map(kind_of_name, names)))


def by_spelling(name: str) -> tuple[str, bool, str]:
    """A key to sort names by: of those that are the same to a reader, where a path leads first."""
    normal = _NAMES[name].normal
    return normal, name != normal, name


def _look_closely(folder: Folder, before: str, name: str, kind: Kind, found: _Found) -> str | None:
    """Sort out what a name is for a search: a file, or left out; gives the path of a folder."""
    known = _NAMES[name]
    path = before + known.normal
    if not known.is_nameable:
        # No caller could read it, so nothing may point at it.
        found.skipped.append(Skipped(_shown(path), "unusable_name"))
    elif kind in UNREAD:
        found.skipped.append(Skipped(path, UNREAD[kind]))
    elif kind is Kind.FOLDER:
        return None if known.normal.casefold() == OWN_FOLDER else path
    else:
        _look_again(folder, name, path, found)
    return None


def _look_again(folder: Folder, name: str, path: str, found: _Found) -> None:
    """Take a file whose name is not the one by which it is read."""
    try:
        status = folder.look(name)
    except FileNotFoundError:
        return  # removed since it was listed
    kind = kind_of(status)
    if kind in UNREAD:
        found.skipped.append(Skipped(path, UNREAD[kind]))
    elif kind is Kind.FILE and status.st_size > MOST_BYTES:
        found.skipped.append(Skipped(path, "too_large"))
    elif kind is Kind.FILE:
        found.files[path] = look_of(status)


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


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

"""Which files a manual has: walked anew for every find, by descriptors, no link followed.

Not here: what is in a file (`documents`), whether it has changed (`index`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from tebiki.errors import Forbidden, NotFound
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import RelativePath, is_nameable, nfc
from tebiki.files.paths import open_regular, told

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import stat_result

    from tebiki.files.handles import Folder
    from tebiki.files.paths import Root

    _Entry = tuple[str, Kind, stat_result | None]

MOST_BYTES = 16 * 1024 * 1024
"""Of a file that is searched; larger ones are counted, and can still be scanned."""

FILE_TYPES = ("md", "json")
MOST_NAMES = 65_536
FILES_BETWEEN_STOPS = 256
"""A walk asks so often whether to go on."""

UNREAD = {Kind.LINK: "symlink", Kind.SPECIAL: "special"}


class Skipped(NamedTuple):
    """What is not searched: encoding, permission, too_large, symlink, special, same_name."""

    path: str
    reason: str


class FileStat(NamedTuple):
    """A file of a manual, and by what a change of it shows."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


Look = tuple[int, int, int, int]
"""By what a change of a file shows: all of a `FileStat` but its path."""


class _Name(NamedTuple):
    """What a name on disk says by itself; `is_plain` when that is all there is to know."""

    normal: str
    is_searched: bool
    is_nameable: bool
    is_plain: bool


_names: dict[str, _Name] = {}
"""A manual is walked again for every find, and has the same names each time.

Threads may write the same name twice, which is as good as once.
"""


class Walk(NamedTuple):
    """The files of a manual, and what is left out; not all of them when there was no time."""

    files: dict[str, Look]
    skipped: tuple[Skipped, ...]
    is_whole: bool


def file_type(name: str) -> str | None:
    """Tell what kind of file a name stands for; None for what manuals do not search."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return ending if ending in FILE_TYPES else None


def contents(root: Root, manual_id: str, path: str) -> bytes | Skipped:
    """Read a file of a manual whole, or tell why it is not searched.

    Raises:
        NotFound: it is gone meanwhile.
    """
    try:
        with root.place(below(manual_id, path)) as place, told(path):
            kind = kind_of(place.folder.look(place.name))
            if kind in UNREAD:
                return Skipped(path, UNREAD[kind])
            with open_regular(place) as file:
                data = _most_of(file)
    except Forbidden:
        return Skipped(path, "permission")
    return Skipped(path, "too_large") if len(data) > MOST_BYTES else data


def _most_of(file: BinaryIO) -> bytes:
    """Read up to one byte more than is searched; an unbuffered read may give less than asked."""
    parts: list[bytes] = []
    wanted = MOST_BYTES + 1
    while wanted > 0 and (part := file.read(wanted)):
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def walked(root: Root, manual_id: str, stop: Callable[[], bool]) -> Walk:
    """Walk a manual until `stop` says so, in no order.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    found = _Found({}, [], [], _Searched(stop))
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
        return Walk(found.files, tuple(found.skipped), is_whole=False)
    return Walk(found.files, tuple(found.skipped), is_whole=True)


def _walk(folder: Folder, before: str, shown: str, found: _Found) -> None:
    """Walk a folder and those in it, which are quick to enter from here; the rest waits."""
    with told(shown):
        entries = folder.stats(found.is_searched)
    for name, path in _look_at(before, entries, found):
        try:
            with folder.enter(name) as inner:
                entries = inner.stats(found.is_searched)
        except OSError:
            found.waiting.append(path)  # on the long way it turns out why
        else:
            found.waiting.extend(path for _, path in _look_at(f"{path}/", entries, found))


def manual_files(root: Root, manual_id: str) -> list[FileStat | Skipped]:
    """Walk a manual by name, depth first: its Markdown and JSON files, and what is left out.

    Raises:
        NotFound: there is no such manual.
        Forbidden: it is a link, or may not be listed.
    """
    walk = walked(root, manual_id, lambda: False)
    found: list[FileStat | Skipped] = [FileStat(path, *look) for path, look in walk.files.items()]
    return sorted([*found, *walk.skipped], key=lambda one: by_name(one.path))


def by_name(path: str) -> list[tuple[bool, str]]:
    """A key to sort paths by: the files of a folder, then the folders in it."""
    *above, name = path.split("/")
    return [*((True, part) for part in above), (False, name)]


def below(manual_id: str, path: str) -> RelativePath:
    """The path, from the root, of what a manual has at a path that was found by walking it."""
    return RelativePath((manual_id, *(part for part in path.split("/") if part)))


class _Found(NamedTuple):
    """What a walk has found so far, and the folders that wait for it."""

    files: dict[str, Look]
    skipped: list[Skipped]
    waiting: list[str]
    is_searched: _Searched


def _look_at(before: str, entries: list[_Entry], found: _Found) -> list[tuple[str, str]]:
    """Sort out what is in a folder; gives the folders in it, by their names and paths."""
    files = found.files
    others: list[_Entry] = []
    for entry in entries:
        name, kind, status = entry
        known = _names.get(name) or _remembered(name)
        if status is None or kind is not Kind.FILE or not known.is_plain:
            others.append(entry)
        elif status.st_size > MOST_BYTES:
            found.skipped.append(Skipped(before + name, "too_large"))
        else:
            files[before + name] = (
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
                status.st_ino,
            )
    taken: set[str] = set()
    folders: list[tuple[str, str]] = []
    for name, kind, status in sorted(others, key=_by_spelling):
        known = _names.get(name) or _remembered(name)
        is_taken = known.normal in taken or before + known.normal in files
        if not is_taken:
            taken.add(known.normal)
            if path := _look_closely(before, name, kind, status, found):
                folders.append((name, path))
        elif known.is_searched or kind is Kind.FOLDER:
            # Whoever reads this path gets the other one.
            found.skipped.append(Skipped(_shown(before + name), "same_name"))
    return folders


def _by_spelling(entry: _Entry) -> tuple[str, bool, str]:
    """Of names that are the same to a reader, the one first that a path leads to."""
    name = entry[0]
    normal = (_names.get(name) or _remembered(name)).normal
    return normal, name != normal, name


def _look_closely(
    before: str, name: str, kind: Kind, status: stat_result | None, found: _Found
) -> str | None:
    """Sort out what a name is for a search: a file, left out or nothing; gives a folder's path."""
    known = _names.get(name) or _remembered(name)
    if not (known.is_searched or kind is Kind.FOLDER or (kind is Kind.LINK and "." not in name)):
        return None
    path = before + known.normal
    if not known.is_nameable:
        # No caller could read it, so nothing may point at it.
        found.skipped.append(Skipped(_shown(path), "special"))
    elif kind in UNREAD:
        found.skipped.append(Skipped(path, UNREAD[kind]))
    elif kind is Kind.FOLDER or status is None:
        return path
    elif status.st_size > MOST_BYTES:
        found.skipped.append(Skipped(path, "too_large"))
    else:
        file = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        found.files[path] = file
    return None


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


class _Stopped(Exception):
    """A walk is not to go on. Never leaves this module."""


class _Searched:
    """Tells which names are searched, and ends the walk that asks when it has to stop."""

    __slots__ = ("_count", "_stop")

    def __init__(self, stop: Callable[[], bool]) -> None:
        self._stop = stop
        self._count = 0

    def __call__(self, name: str) -> bool:
        self._count += 1
        if self._count % FILES_BETWEEN_STOPS == 0 and self._stop():
            raise _Stopped
        return (_names.get(name) or _remembered(name)).is_searched


def _remembered(name: str) -> _Name:
    normal, is_searched, can_be_named = nfc(name), file_type(name) is not None, is_nameable(name)
    is_plain = is_searched and can_be_named and name == normal
    found = _Name(normal, is_searched, can_be_named, is_plain)
    if len(_names) >= MOST_NAMES:
        _names.clear()
    _names[name] = found
    return found

"""What is in one folder of a manual, sorted out for a search: files, folders, what is left out.

What a name stands for depends on that name, and on others in the folder that read the same. Not
here: which folders there are (`walking`), what is in a file (`parting`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tebiki.files.handles import Kind, Looks, kind_of, look_of
from tebiki.manuals.documents.file_types import NAMES, USUAL_TYPES
from tebiki.manuals.documents.kinds import kind_of_name
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tebiki.files.handles import Folder, Look, Named
    from tebiki.manuals.documents.file_types import FileTypes

MOST_BYTES = 16 * 1024 * 1024
"""Of a file that is searched; larger ones are counted, and can still be scanned."""

UNSUPPORTED = "unsupported"
IGNORED = "ignored"
IGNORE_FILE = ".tebikiignore"
"""At the top of a manual: which of its files are not searched. See `ignoring`."""

HARMLESS = frozenset(["symlink", IGNORED])
"""Reasons that leave a search complete: nobody would expect such things to be searched."""

UNREAD = {Kind.LINK: "symlink", Kind.SPECIAL: "special"}


class Skipped(NamedTuple):
    """What is not searched, and why.

    The reason is encoding, permission, too_large, symlink, special, same_name, unusable_name where
    no caller could give the name, unsupported where search does not take files of the kind,
    ignored of folders that tools keep for themselves and of what the manual's rules name, or
    not_indexed where there is no place for a
    new state of the index.
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


def is_ignored(name: str) -> bool:
    """Tell whether a folder is one that tools keep for themselves: `.git`, `node_modules`."""
    return name.startswith(".") or name == "node_modules"


class InFolder(NamedTuple):
    """One folder of a manual: how it was seen, and what that is for a search.

    `files` by their paths, `folders` by name and path; `odd` are names of files that were looked at
    one by one, since they are read by another name; `linked` of files that have several names.
    """

    seen: Looks
    files: dict[str, Look]
    skipped: tuple[Skipped, ...]
    folders: tuple[tuple[str, str], ...]
    unsupported: Unsupported | None
    odd: tuple[str, ...]
    linked: frozenset[str]


def sort_out(
    folder: Folder,
    before: str,
    seen: Looks,
    last: InFolder | None = None,
    types: FileTypes = USUAL_TYPES,
) -> InFolder:
    """Sort out what was seen in a folder; quicker when the last time is known.

    `before` stands in front of the names to make them paths.
    """
    sorting = _Sorting(folder, before, seen)
    # A link may lead to a folder, whatever it is called.
    others = [
        entry
        for entry in seen.others
        if entry[1] in {Kind.FOLDER, Kind.LINK} or types.has(entry[0])
    ]
    for name, kind in sorted(others, key=lambda entry: by_spelling(entry[0])):
        sorting.take(name, kind)
    has_same_rest = last is not None and last.seen.others == seen.others
    unsupported = (
        last.unsupported if last and has_same_rest else _unsupported(before, seen.others, types)
    )
    return InFolder(
        seen,
        sorting.files,
        tuple(sorting.skipped),
        tuple(sorting.folders),
        unsupported,
        tuple(sorting.odd),
        frozenset(sorting.linked),
    )


def look_again(
    folder: Folder,
    before: str,
    seen: Looks,
    names: Iterable[str],
    types: FileTypes = USUAL_TYPES,
) -> Looks:
    """What was seen in a folder, with some names looked at anew."""
    files, others, linked = dict(seen.files), dict(seen.others), set(seen.linked)
    for name in names:
        path = before + name
        files.pop(path, None)
        others.pop(name, None)
        linked.discard(path)
        try:
            status = folder.look(name)
        except FileNotFoundError:
            continue
        kind = kind_of(status)
        if kind is Kind.FILE and types.plain[name]:
            files[path] = look_of(status)
            if status.st_nlink > 1:
                linked.add(path)
        else:
            others[name] = kind
    return Looks(files, list(others.items()), frozenset(linked))


def can_be_listed(folder: Folder, name: str) -> bool:
    """Tell whether a folder in this one may be listed."""
    try:
        with folder.enter(name) as inner:
            inner.look(".")
    except OSError:
        return False
    return True


def by_spelling(name: str) -> tuple[str, bool, str]:
    """A key to sort names by: of those that are the same to a reader, where a path leads first."""
    normal = NAMES[name].normal
    return normal, name != normal, name


def printable(path: str) -> str:
    """A path as it can be told, whatever bytes it has."""
    return path.encode("utf-8", "replace").decode()


class _Sorting:
    """The names of one folder on their way into what a search makes of them."""

    def __init__(self, folder: Folder, before: str, seen: Looks) -> None:
        self._folder = folder
        self._before = before
        self._taken: set[str] = set()
        self.files = seen.files
        self.skipped: list[Skipped] = []
        self.folders: list[tuple[str, str]] = []
        self.odd: list[str] = []
        self.linked = {path.removeprefix(before) for path in seen.linked}
        self._is_own = False
        for large in [path for path, look in seen.files.items() if look[0] > MOST_BYTES]:
            del self._own_files()[large]
            # Its path leads to it all the same: another that reads like it is none of this path.
            self._taken.add(NAMES[large.removeprefix(before)].normal)
            self.skipped.append(Skipped(large, "too_large"))

    def take(self, name: str, kind: Kind) -> None:
        """Sort out a name that is no plain file; those that read the same come in order."""
        known = NAMES[name]
        path = self._before + known.normal
        if known.normal in self._taken or path in self.files:
            # Whoever reads this path gets the other one.
            self.skipped.append(Skipped(printable(self._before + name), "same_name"))
            return
        self._taken.add(known.normal)
        if not known.is_nameable:
            # No caller could read it, so nothing may point at it.
            self.skipped.append(Skipped(printable(path), "unusable_name"))
        elif kind in UNREAD:
            self.skipped.append(Skipped(path, UNREAD[kind]))
        elif kind is Kind.FOLDER and is_ignored(name):
            self.skipped.append(Skipped(f"{path}/", IGNORED))
        elif kind is Kind.FOLDER:
            self.folders.append((name, path))
        else:
            self._look_again(name, path)

    def _own_files(self) -> dict[str, Look]:
        """The files, to be changed: nearly always they are just those that were seen."""
        if not self._is_own:
            self.files, self._is_own = dict(self.files), True
        return self.files

    def _look_again(self, name: str, path: str) -> None:
        """Take a file whose name is not the one by which it is read."""
        self.odd.append(name)
        try:
            status = self._folder.look(name)
        except FileNotFoundError:
            return  # removed since it was listed
        kind = kind_of(status)
        if kind in UNREAD:
            self.skipped.append(Skipped(path, UNREAD[kind]))
        elif kind is Kind.FILE and status.st_size > MOST_BYTES:
            self.skipped.append(Skipped(path, "too_large"))
        elif kind is Kind.FILE:
            self._own_files()[path] = look_of(status)
            if status.st_nlink > 1:
                self.linked.add(name)


def _unsupported(before: str, others: list[Named], types: FileTypes) -> Unsupported | None:
    """The files that search does not take, of all that is in a folder; the rules are none."""
    names = [
        name
        for name, kind in others
        if kind is Kind.FILE and not types.has(name) and (before or name != IGNORE_FILE)
    ]
    if not names:
        return None
    paths = sorted(printable(before + NAMES[name].normal) for name in names)
    files = tuple(Skipped(path, UNSUPPORTED) for path in paths)
    return Unsupported(files, Counter(map(kind_of_name, names)))

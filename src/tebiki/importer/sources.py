"""What is to be imported: files, folders looked through, zip files looked into later.

Originals are only read; no link below a folder is followed.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from typing import TYPE_CHECKING

from tebiki.importer.kinds import BY_ENDING, OLD_ENDINGS, ZIP, ending_of
from tebiki.importer.outcomes import BROKEN, PERMISSION, UNSUPPORTED
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

IGNORED = frozenset(["node_modules", "__MACOSX"])
IGNORED_BEGINNINGS = (".", "~$")
"""Hidden files, and those that an Office program keeps while a document is open."""

READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOCTTY", 0)
)
UNSEEN = getattr(os, "O_NOATIME", 0)


class SourceFile(NamedTuple):
    """A file to read: what was typed, where it is, and its place below the manual.

    `inside` and `member` are its name and number in a zip file.
    """

    root: str
    path: str
    place: str
    inside: str = ""
    member: int = -1

    @property
    def ending(self) -> str:
        """What its name ends in."""
        return ending_of(self.inside or self.path)

    @property
    def shown(self) -> str:
        """As a report names it."""
        return f"{self.path}/{self.inside}" if self.inside else self.path

    @property
    def is_zip(self) -> bool:
        """Whether it is to be looked into."""
        return not self.inside and BY_ENDING.get(self.ending) == ZIP


class Refused(NamedTuple):
    """Something that is not read, and why."""

    path: str
    reason: str
    root: str


class FoundSources(NamedTuple):
    """What was found: files to read, what is not read, and how many of other kinds there are."""

    files: list[SourceFile]
    refused: list[Refused]
    others: Counter[str]


def find_sources(roots: Iterable[str]) -> FoundSources:
    """Look through what was typed, absolute paths of which some may have vanished."""
    found = FoundSources([], [], Counter())
    for root in roots:
        if os.path.isdir(root):
            _walk(root, root, "", found)
        elif os.path.lexists(root):
            _take(root, root, os.path.basename(root), found, is_named=True)
    return found


def is_imported(name: str) -> bool:
    """Tell by its name whether a file in a folder or a zip file is read."""
    return ending_of(name) in BY_ENDING and not is_ignored(name.rpartition("/")[2])


def is_ignored(name: str) -> bool:
    """Tell whether a name is passed over without a word."""
    return name.startswith(IGNORED_BEGINNINGS) or name in IGNORED


def open_source(path: str) -> int:
    """Open a regular file for reading; where it is allowed, not even the time of that is noted.

    Raises:
        OSError: it cannot be read, or is something else.
    """
    try:
        descriptor = os.open(path, READ_FLAGS | UNSEEN)
    except PermissionError:
        descriptor = os.open(path, READ_FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("no regular file")
    return descriptor


def _walk(root: str, folder: str, before: str, found: FoundSources) -> None:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except PermissionError:
        found.refused.append(Refused(folder, PERMISSION, root))
        return
    for entry in listed:
        if is_ignored(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            _walk(root, entry.path, f"{before}{entry.name}/", found)
        elif entry.is_symlink():
            found.others["link"] += 1
        elif entry.is_file(follow_symlinks=False):
            _take(root, entry.path, before + entry.name, found, is_named=False)
        else:
            found.others["other"] += 1


def _take(root: str, path: str, place: str, found: FoundSources, *, is_named: bool) -> None:
    ending = ending_of(place)
    if ending in BY_ENDING:
        # What is in a zip file that was typed stands where what is in a typed folder would.
        is_zip = BY_ENDING[ending] == ZIP
        found.files.append(SourceFile(root, path, "" if is_named and is_zip else place))
    elif ending in OLD_ENDINGS or is_named:
        found.refused.append(Refused(path, UNSUPPORTED, root))
    else:
        found.others[ending or "other"] += 1


def members_of(
    zipped: SourceFile, names: Iterable[tuple[int, str, bool]]
) -> Iterator[SourceFile | Refused]:
    """The files in a zip file that are read, and what is wrong with others."""
    taken: set[str] = set()
    for number, name, is_link in names:
        parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", "."}]
        if not parts or any(is_ignored(part) and part != ".." for part in parts):
            continue
        shown = f"{zipped.path}/{name}"
        if name.startswith(("/", "\\")) or ".." in parts or parts[0].endswith(":"):
            yield Refused(shown, "unsafe_name", zipped.root)
        elif is_link:
            # What is in it is where it leads, and no text.
            yield Refused(shown, UNSUPPORTED, zipped.root)
        elif "/".join(parts) in taken:
            yield Refused(shown, BROKEN, zipped.root)
        elif ending_of(parts[-1]) in OLD_ENDINGS or BY_ENDING.get(ending_of(parts[-1])) == ZIP:
            yield Refused(shown, UNSUPPORTED, zipped.root)
        elif is_imported(parts[-1]):
            inside = "/".join(parts)
            taken.add(inside)
            place = f"{zipped.place}/{inside}" if zipped.place else inside
            yield zipped._replace(place=place, inside=inside, member=number)

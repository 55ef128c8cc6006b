"""Folders held open while one works in them: every name is one component, no link is followed.

Linux, macOS: a folder is a descriptor that each step starts from; a swap cannot lead elsewhere.
Windows: a folder is a path whose parts are looked at again, and compared, around each step. A swap
undone within one step can win there for a listing, a rename or a new folder, never for a read.
"""

from __future__ import annotations

import enum
import errno
import itertools
import operator
import os
import stat
from typing import TYPE_CHECKING, Protocol, Self

from tebiki.errors import OutOfScope
from tebiki.named_tuples import NamedTuple
from tebiki.system.syncing import sync_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    Check = Callable[[], None]

READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""For reading; a FIFO that is swapped in must not block the open."""

CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL
APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)

NAMES_BETWEEN_CHECKS = 256

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_PRIVATE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW | _PRIVATE
_HAS_HANDLES = bool(_NO_FOLLOW) and os.supports_dir_fd.issuperset(
    [os.open, os.mkdir, os.rename, os.unlink, os.stat, os.link]
)
_TYPE_OF_MODE = 0o170000
_LINK_ATTRIBUTE = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0)


class Kind(enum.Enum):
    """What a name in a folder stands for."""

    FOLDER = "dir"
    FILE = "file"
    LINK = "link"
    SPECIAL = "special"


Named = tuple[str, Kind]
"""A name in a folder, and what it stands for."""

Look = tuple[int, int, int, int]
"""By what a change of a file shows: size, times of change of contents and entry (ns), number.

The time of the contents can be set by hand, that of the entry cannot.
"""


class Looks(NamedTuple):
    """Some files of a folder by their paths, which of them have other names too, and the rest."""

    files: dict[str, Look]
    others: list[Named]
    linked: frozenset[str]


class Folder(Protocol):
    """A folder that is open; names are single components."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def look(self, name: str) -> os.stat_result:
        """Stat a name without following it."""

    def enter(self, name: str) -> Folder:
        """Open a folder in this one."""

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file without following a link."""

    def kinds(self) -> list[Named]:
        """List the names and what they stand for."""

    def looks(self, wanted: Mapping[str, bool], before: str, check: Check) -> Looks:
        """As `kinds`, but files whose name is wanted apart, by their paths with `before` in front.

        `check` is called often, and may raise.
        """

    def still_has(self, known: Looks, before: str, check: Check) -> bool:
        """Tell, quicker than `looks`, whether all is as that found it."""

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder in this one."""

    def link(self, name: str, new: str) -> None:
        """Give a file a second name, which must be free."""

    def rename(self, name: str, new: str) -> None:
        """Give a file another name, which may be taken."""

    def remove(self, name: str) -> None:
        """Remove a file."""

    def sync(self) -> None:
        """Make the names in the folder survive a crash of the machine."""


def kind_of(status: os.stat_result) -> Kind:
    """Tell what a stat result describes; a junction on Windows is a link."""
    mode = status.st_mode
    if stat.S_ISLNK(mode) or getattr(status, "st_file_attributes", 0) & _LINK_ATTRIBUTE:
        return Kind.LINK
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.FILE if stat.S_ISREG(mode) else Kind.SPECIAL


look_of: Callable[[os.stat_result], Look] = operator.attrgetter(
    "st_size", "st_mtime_ns", "st_ctime_ns", "st_ino"
)
"""How a file looks."""


def open_top(path: str) -> Folder:
    """Open a root by the best means the system has.

    Raises:
        OutOfScope: a link stands where the root was.
    """
    try:
        return HeldFolder(os.open(path, _FOLDER)) if _HAS_HANDLES else LookedAtFolder(path)
    except OSError:
        if os.path.islink(path):
            raise OutOfScope(
                "The root was replaced by a link; restart with the folder meant."
            ) from None
        raise


class HeldFolder:
    """A folder as a descriptor: each step starts from it, whatever its path has become."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def look(self, name: str) -> os.stat_result:
        """Stat a name without following it."""
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def fileno(self) -> int:
        """The descriptor, for whoever has to hand it to the system."""
        return self._descriptor

    def enter(self, name: str) -> HeldFolder:
        """Open a folder in this one."""
        return HeldFolder(os.open(name, _FOLDER, dir_fd=self._descriptor))

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file without following a link."""
        return os.open(name, flags | _NO_FOLLOW | _PRIVATE, mode, dir_fd=self._descriptor)

    def kinds(self) -> list[Named]:
        """List the names and what they stand for."""
        with os.scandir(self._descriptor) as entries:
            return [(entry.name, _kind_of_entry(entry)) for entry in entries]

    def looks(self, wanted: Mapping[str, bool], before: str, check: Check) -> Looks:
        """As `kinds`, but files whose name is wanted apart, by their paths."""
        found: dict[str, Look] = {}
        others: list[Named] = []
        linked: list[str] = []
        with os.scandir(self._descriptor) as entries:
            while some := list(itertools.islice(entries, NAMES_BETWEEN_CHECKS)):
                for entry in some:
                    name = entry.name
                    if not wanted[name]:
                        others.append((name, _kind_of_entry(entry)))
                        continue
                    try:
                        # From this folder's descriptor, as `look` does, and cheaper.
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue  # removed since it was listed
                    if status.st_mode & _TYPE_OF_MODE == stat.S_IFREG:
                        found[before + name] = look_of(status)
                        if status.st_nlink > 1:
                            linked.append(before + name)
                    else:
                        others.append((name, kind_of(status)))
                if len(some) == NAMES_BETWEEN_CHECKS:
                    check()
        return Looks(found, others, frozenset(linked))

    def still_has(self, known: Looks, before: str, check: Check) -> bool:
        """Tell, quicker than `looks`, whether all is as that found it."""
        files, kinds, count = known.files, dict(known.others), 0
        with os.scandir(self._descriptor) as entries:
            # Every file of a manual comes by here at every find: kept short.
            for count, entry in enumerate(entries, 1):
                if not count % NAMES_BETWEEN_CHECKS:
                    check()
                look = files.get(before + entry.name)
                if look is None:
                    if kinds.get(entry.name) is not _kind_of_entry(entry):
                        return False
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    return False  # removed since it was listed
                if look_of(status) != look or status.st_mode & _TYPE_OF_MODE != stat.S_IFREG:
                    return False
        return count == len(files) + len(kinds)

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder in this one."""
        os.mkdir(name, mode, dir_fd=self._descriptor)

    def link(self, name: str, new: str) -> None:
        """Give a file a second name, which must be free."""
        here = self._descriptor
        os.link(name, new, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)

    def rename(self, name: str, new: str) -> None:
        """Give a file another name, which may be taken."""
        os.replace(name, new, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(name, dir_fd=self._descriptor)

    def sync(self) -> None:
        """Make the names in the folder survive a crash of the machine."""
        sync_file(self._descriptor)


class LookedAtFolder:
    """A folder as a path, for systems without folder descriptors: look, act, look again."""

    __slots__ = ("_path", "_seen")

    def __init__(self, path: str, above: tuple[tuple[str, int, int], ...] = ()) -> None:
        status = os.lstat(path)
        if kind_of(status) is Kind.LINK:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if kind_of(status) is not Kind.FOLDER:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        self._path = path
        self._seen = (*above, (path, status.st_dev, status.st_ino))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held."""

    def look(self, name: str) -> os.stat_result:
        """Stat a name without following it."""
        status = os.lstat(self._at(name))
        self._look_again()
        return status

    def enter(self, name: str) -> LookedAtFolder:
        """Open a folder in this one."""
        inner = LookedAtFolder(self._at(name), self._seen)
        inner._look_again()
        return inner

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file, and give it only if no link led to it."""
        path = self._at(name)
        self._refuse_link(path)
        descriptor = os.open(path, flags | _NO_FOLLOW | _PRIVATE, mode)
        try:
            self._look_again()
            _compare(os.lstat(path), os.fstat(descriptor))
        except (OSError, OutOfScope):
            os.close(descriptor)
            raise
        return descriptor

    def kinds(self) -> list[Named]:
        """List the names and what they stand for."""
        with os.scandir(self._path) as entries:
            found = [(entry.name, kind_of(entry.stat(follow_symlinks=False))) for entry in entries]
        self._look_again()
        return found

    def looks(self, wanted: Mapping[str, bool], before: str, check: Check) -> Looks:
        """As `kinds`, but files whose name is wanted apart, by their paths."""
        found: dict[str, Look] = {}
        others: list[Named] = []
        for count, (name, kind) in enumerate(self.kinds(), 1):
            if not count % NAMES_BETWEEN_CHECKS:
                check()
            if kind is not Kind.FILE or not wanted[name]:
                others.append((name, kind))
                continue
            try:
                status = self.look(name)
            except FileNotFoundError:
                continue  # removed since it was listed
            if kind_of(status) is Kind.FILE:
                found[before + name] = look_of(status)
            else:
                others.append((name, kind_of(status)))
        return Looks(found, others, frozenset())

    def still_has(self, _known: Looks, _before: str, _check: Check) -> bool:
        """Never tell so: to look anew is no slower here."""
        return False

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder in this one."""
        os.mkdir(self._at(name), mode)

    def link(self, name: str, new: str) -> None:
        """Give a file a second name, which must be free."""
        os.link(self._at(name), self._at(new))

    def rename(self, name: str, new: str) -> None:
        """Give a file another name, which may be taken."""
        os.replace(self._at(name), self._at(new))

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name))

    def sync(self) -> None:
        """Do what can be done: Windows writes names through by itself and opens no folders."""
        if os.name != "nt":
            descriptor = os.open(self._path, _FOLDER)
            try:
                sync_file(descriptor)
            finally:
                os.close(descriptor)

    def _at(self, name: str) -> str:
        self._look_again()
        return os.path.join(self._path, name)

    def _look_again(self) -> None:
        for path, device, inode in self._seen:
            status = os.lstat(path)
            if kind_of(status) is Kind.LINK or (status.st_dev, status.st_ino) != (device, inode):
                raise OutOfScope("A folder of the path was replaced meanwhile; try again.")

    @staticmethod
    def _refuse_link(path: str) -> None:
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return
        if kind_of(status) is Kind.LINK:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _compare(looked_at: os.stat_result, opened: os.stat_result) -> None:
    if not os.path.samestat(looked_at, opened):
        raise OutOfScope("The file was replaced while it was being opened; try again.")


def _kind_of_entry(entry: os.DirEntry[str]) -> Kind:
    if entry.is_symlink():
        return Kind.LINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.FOLDER
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.SPECIAL

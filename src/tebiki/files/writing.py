"""Writes that are whole or not at all: temporary file, fsync, rename, fsync of the folder.

One writer at a time for each file, across threads and processes. `ready` is called when the bytes
are safe in the temporary file and nothing has changed yet: what it raises stops the write.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, Forbidden, InvalidArguments, OutOfScope, RefusedError
from tebiki.files import handles, locks
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import TEMPORARY_PREFIX, RelativePath, nfc
from tebiki.files.paths import told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.files.handles import Folder
    from tebiki.files.paths import Place, Root

MOST_BYTES = 8 * 1024 * 1024
"""Of a file that is created or edited, afterwards."""

AS_USUAL = 0o666
"""The mode of a new file, of which the user's mask takes away."""

PRIVATE = 0o600

NO_HARD_LINKS = frozenset(
    [errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK]
)
"""What systems say when a file cannot have two names."""


def check_size(size: int) -> None:
    """Refuse what is too large to be written.

    Raises:
        InvalidArguments: it is.
    """
    if size > MOST_BYTES:
        raise InvalidArguments(
            f"The file would have {size} bytes, more than the {MOST_BYTES} allowed; "
            "split it into several files."
        )


def try_out(folder: Folder, shown: str) -> None:
    """Make, lock, write and remove a file, to see whether that can be done here.

    Raises:
        TebikiError: it cannot.
    """
    name = f"{TEMPORARY_PREFIX}try-{os.urandom(8).hex()}"
    with told(shown):
        descriptor = folder.open(name, handles.CREATE, PRIVATE)
        try:
            with locks.locked(descriptor, shown):
                os.write(descriptor, b"\n")
        finally:
            os.close(descriptor)
            folder.remove(name)


class Locks:
    """The write locks of a root, as files in a folder of it.

    Names are spread over a fixed number of lock files, so that the folder never grows: two files
    may share one, which costs a wait and nothing else.
    """

    __slots__ = ("_folder", "_root", "_wait")

    def __init__(
        self, root: Root, folder: RelativePath, longest_wait: float = locks.LONGEST_WAIT_SECONDS
    ) -> None:
        self._root = root
        self._folder = folder
        self._wait = longest_wait

    @contextmanager
    def held(self, path: RelativePath) -> Iterator[None]:
        """Keep every other writer of the file out.

        Raises:
            Conflict: someone else kept us out for too long, or there can be no lock.
            OutOfScope: the root was replaced by a link.
        """
        # Folded, because some file systems have one file for both spellings.
        digest = hashlib.sha256(nfc(str(path)).casefold().encode()).hexdigest()
        with ExitStack() as held:
            try:
                folder, shown = held.enter_context(self._root.folder(self._folder, make=True))
                with told(str(shown)):
                    lock = locks.held(folder, f"{digest[:2]}.lock", str(path), self._wait)
                    held.enter_context(lock)
            except OutOfScope:
                # The root itself is not where it was: no lock could help.
                raise
            except RefusedError as error:
                raise Conflict(f"{path} cannot be locked: {error}") from error
            yield


def create(place: Place, data: bytes, ready: Callable[[], None], mode: int = AS_USUAL) -> None:
    """Put a new file in place, never with more than that mode.

    Raises:
        Conflict: the name is taken.
        Forbidden: by a link, or the system does not allow it.
    """
    refuse_taken(place)
    with _temporary(place, data, mode, ready) as temporary, told(place.shown):
        try:
            _link(place.folder, temporary, place.name)
        except FileExistsError:
            refuse_taken(place)
            raise
        place.folder.sync()


def replace(place: Place, data: bytes, status: os.stat_result, ready: Callable[[], None]) -> None:
    """Put new bytes in the place of a file, whose mode and owner it keeps.

    Raises:
        Forbidden: the file is write-protected, or the system does not allow it.
    """
    if not status.st_mode & 0o222:
        raise Forbidden(f"{place.shown} is write-protected; change its mode first.")
    with _temporary(place, data, status, ready) as temporary, told(place.shown):
        place.folder.rename(temporary, place.name)
        place.folder.sync()


def remove(place: Place, ready: Callable[[], None]) -> None:
    """Take a file away."""
    with told(place.shown):
        ready()
        place.folder.remove(place.name)
        place.folder.sync()


def refuse_taken(place: Place) -> None:
    """Refuse a name that stands for something, be it a dangling link.

    Raises:
        Conflict: it does.
        Forbidden: it is a link.
    """
    with told(place.shown):
        try:
            kind = kind_of(place.folder.look(place.name))
        except FileNotFoundError:
            return
    if kind is Kind.LINK:
        raise Forbidden(f"{place.shown} is a link, and links are never followed; use another name.")
    raise Conflict(f"{place.shown} exists already; use another name, or edit what is there.")


@contextmanager
def _temporary(
    place: Place, data: bytes, dress: os.stat_result | int, ready: Callable[[], None]
) -> Iterator[str]:
    """Write the bytes under a name no caller can see; it is gone afterwards, whatever happens.

    The file gets a mode, or the mode and the owner of another.
    """
    # The name is the target's own: what a killed writer left is found and removed here.
    name = TEMPORARY_PREFIX + hashlib.sha256(place.name.encode()).hexdigest()[:24]
    with told(place.shown):
        mode = dress if isinstance(dress, int) else PRIVATE
        descriptor = _open_new(place.folder, name, mode)
        try:
            try:
                _fill(descriptor, data)
                if not isinstance(dress, int):
                    _dress(descriptor, dress)
                handles.sync_file(descriptor)
            finally:
                os.close(descriptor)
            ready()
            yield name
        finally:
            with suppress(OSError):
                place.folder.remove(name)


def _open_new(folder: Folder, name: str, mode: int) -> int:
    try:
        return folder.open(name, handles.CREATE, mode)
    except FileExistsError:
        folder.remove(name)
        return folder.open(name, handles.CREATE, mode)


def _fill(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _dress(descriptor: int, status: os.stat_result) -> None:
    """Give a new file the mode of the old, and its owner where that is allowed."""
    if not hasattr(os, "fchmod"):
        return
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _link(folder: Folder, temporary: str, name: str) -> None:
    """Give the finished file its name, which must be free."""
    try:
        folder.link(temporary, name)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        # Our lock keeps other servers out; only a foreign program could be between these two lines.
        with suppress(FileNotFoundError):
            folder.look(name)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        folder.rename(temporary, name)

"""Writes that are whole or not at all: temporary file, fsync, rename, fsync of the folder.

One writer at a time for each file, across threads and processes. `ready` is called when the bytes
are safe in the temporary file and nothing has changed yet: what it raises stops the write.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from tebiki.errors import Conflict, Forbidden, InvalidArguments, OutOfScope, RefusedError
from tebiki.files import handles, locks
from tebiki.files.dress import PERMISSIONS, Dress, dress_of, put_on
from tebiki.files.handles import Kind, kind_of
from tebiki.files.names import TEMPORARY_PREFIX, RelativePath, nfc
from tebiki.files.paths import translate_os_errors
from tebiki.files.privacy import PRIVATE_FILE, close_to_others
from tebiki.system.syncing import sync_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.files.handles import Folder
    from tebiki.files.paths import Place, Root

MOST_BYTES = 8 * 1024 * 1024
"""Of a file that is created or edited, afterwards."""

MOST_BYTES_EDITED = 8 * MOST_BYTES
"""Of a file that an edit makes small enough, or that is moved; more is not even read."""

AS_USUAL = 0o666
"""The mode of a new file, of which the user's mask takes away."""

PRIVATE = PRIVATE_FILE

LOCK_ENDING = ".lock"

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
    with translate_os_errors(shown):
        descriptor = folder.open(name, handles.CREATE, PRIVATE)
        try:
            with locks.hold_file(descriptor, shown):
                os.write(descriptor, b"\n")
        finally:
            os.close(descriptor)
            folder.remove(name)


def lock_of(path: str) -> str:
    """Which of the locks of a root is that of a file."""
    # Folded, because some file systems have one file for both spellings.
    return hashlib.sha256(nfc(path).casefold().encode()).hexdigest()[:2]


def lock_name(lock: str) -> str:
    """The name of a lock's file."""
    return lock + LOCK_ENDING


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
    def hold(self, path: RelativePath) -> Iterator[None]:
        """Keep every other writer of the file out.

        Raises:
            Conflict: someone else kept us out for too long, or there can be no lock.
            OutOfScope: the root was replaced by a link.
        """
        name = lock_name(lock_of(str(path)))
        with ExitStack() as held:
            try:
                folder, shown = held.enter_context(
                    self._root.folder(self._folder, make=True, private=True)
                )
                with translate_os_errors(str(shown)):
                    held.enter_context(locks.hold(folder, name, str(path), self._wait))
            except OutOfScope:
                # The root itself is not where it was: no lock could help.
                raise
            except RefusedError as error:
                raise Conflict(f"{path} cannot be locked: {error}") from error
            yield

    @contextmanager
    def hold_both(self, one: RelativePath, other: RelativePath) -> Iterator[None]:
        """Keep every other writer of two files out, who may want them the other way round.

        Raises:
            Conflict: as above.
        """
        wanted = {lock_of(str(path)): path for path in (one, other)}
        with ExitStack() as held:
            for lock in sorted(wanted):
                held.enter_context(self.hold(wanted[lock]))
            yield

    @contextmanager
    def free(self, lock: str | None) -> Iterator[bool]:
        """Hold a lock, or all there are, if nobody else does; tells whether it is so.

        Raises:
            TebikiError: the locks cannot be reached.
        """
        with ExitStack() as held:
            folder, shown = held.enter_context(self._root.folder(self._folder))
            with translate_os_errors(str(shown)):
                known = [name for name, _ in folder.kinds() if name.endswith(LOCK_ENDING)]
                wanted = known if lock is None else [lock_name(lock)]
                taken = (held.enter_context(locks.hold_if_free(folder, name)) for name in wanted)
                is_free = all(taken)
            yield is_free


def create(
    place: Place, data: bytes, ready: Callable[[], None], dress: Dress | int = AS_USUAL
) -> None:
    """Put a new file in place, never with more than that mode, or in another file's dress.

    Raises:
        Conflict: the name is taken.
        Forbidden: by a link, or the system does not allow it.
    """
    refuse_taken(place)
    with _temporary(place, data, dress, ready) as temporary, translate_os_errors(place.shown):
        try:
            _link(place.folder, temporary, place.name)
        except FileExistsError:
            refuse_taken(place)
            raise
        place.folder.sync()


def replace(
    place: Place,
    data: bytes,
    status: os.stat_result,
    ready: Callable[[], None],
    *,
    like: Place | None = None,
) -> None:
    """Put new bytes in the place of a file, whose dress it keeps; a copy has that of another.

    Raises:
        Forbidden: the file is write-protected, or the system does not allow it.
    """
    if not status.st_mode & 0o222:
        raise Forbidden(f"{place.shown} is write-protected; change its mode first.")
    with translate_os_errors(place.shown):
        dress = dress_of(like or place, status)
    with _temporary(place, data, dress, ready) as temporary, translate_os_errors(place.shown):
        place.folder.rename(temporary, place.name)
        place.folder.sync()


def remove(place: Place, ready: Callable[[], None]) -> None:
    """Take a file away."""
    with translate_os_errors(place.shown):
        ready()
        place.folder.remove(place.name)
        place.folder.sync()


def keep_times(place: Place, status: os.stat_result) -> None:
    """Give a file the times of another, where the system lets one; it is a file either way."""
    with suppress(OSError, NotImplementedError, TypeError):
        descriptor = place.folder.open(place.name, handles.READ)
        try:
            os.utime(descriptor, ns=(status.st_atime_ns, status.st_mtime_ns))
        finally:
            os.close(descriptor)


def refuse_taken(place: Place) -> None:
    """Refuse a name that stands for something, be it a dangling link.

    Raises:
        Conflict: it does.
        Forbidden: it is a link.
    """
    with translate_os_errors(place.shown):
        try:
            kind = kind_of(place.folder.look(place.name))
        except FileNotFoundError:
            return
    if kind is Kind.LINK:
        raise Forbidden(f"{place.shown} is a link, and links are never followed; use another name.")
    raise Conflict(f"{place.shown} exists already; use another name, or edit what is there.")


@contextmanager
def _temporary(
    place: Place, data: bytes, dress: Dress | int, ready: Callable[[], None]
) -> Iterator[str]:
    """Write the bytes under a name no caller can see; it is gone afterwards, whatever happens.

    The file gets a mode, or what another wears: at the last moment, so that whatever a killed
    writer leaves is private.
    """
    own = hashlib.sha256(place.name.encode()).hexdigest()[:24]
    # The name is the target's own: what a killed writer left is found and removed here. It also
    # tells the writer's lock, by which others know whether they may remove it (`sweeping`).
    name = f"{TEMPORARY_PREFIX}{lock_of(place.shown)}-{own}"
    with translate_os_errors(place.shown):
        with suppress(FileNotFoundError):
            place.folder.remove(TEMPORARY_PREFIX + own)  # as it was called once
        descriptor = _open_new(place.folder, name, dress if isinstance(dress, int) else PRIVATE)
        try:
            try:
                masked = Dress(os.fstat(descriptor).st_mode & PERMISSIONS)
                close_to_others(descriptor)
                fill(descriptor, data)
                sync_file(descriptor)
                ready()
                put_on(descriptor, masked if isinstance(dress, int) else dress)
            finally:
                os.close(descriptor)
            yield name
        finally:
            with suppress(OSError):
                place.folder.remove(name)


def _open_new(folder: Folder, name: str, mode: int) -> int:
    """Open a new file of that mode, of which the user's mask takes away."""
    try:
        return folder.open(name, handles.CREATE, mode)
    except FileExistsError:
        folder.remove(name)
        return folder.open(name, handles.CREATE, mode)


def fill(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


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

"""The path gate: the only place where a caller's string becomes a file.

A `Root` parses the string, asks the rule of its reserved areas, and walks down by folder handles.
Not here: what a path may look like (`names`), how a step is made safe (`handles`).
"""

from __future__ import annotations

import enum
import errno
import os
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from tebiki.errors import Conflict, Forbidden, InvalidPath, NotFound, RefusedError, UsageError
from tebiki.files import handles
from tebiki.files.handles import Folder, Kind, kind_of
from tebiki.files.names import (
    TEMPORARY_PREFIX,
    TOP,
    RelativePath,
    has_one_spelling,
    is_nameable,
    nfc,
    parse,
)
from tebiki.files.privacy import PRIVATE_FOLDER, close_folder_to_others
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from tebiki.errors import TebikiError

LINKS = frozenset([errno.ELOOP, errno.EMLINK])
"""What systems say when a name that must not be followed is a link."""

ROOT_SHOWN = "root folder"

AS_USUAL = 0o777
"""The mode of a new folder, of which the user's mask takes away."""


class Purpose(enum.Enum):
    """What a path is wanted for."""

    READ = "read"
    CREATE = "create"
    REPLACE = "replace"
    APPEND = "append"
    REMOVE = "remove"
    UNDO = "undo"


class FolderEntry(NamedTuple):
    """One name in a folder; `nameable` is false when no caller could write it as a path."""

    name: str
    kind: Kind
    nameable: bool


class Place(NamedTuple):
    """A name in a folder that is held open, and the path it is shown by."""

    folder: Folder
    name: str
    shown: str


def read_only_rule(purpose: Purpose, _path: RelativePath) -> None:
    """The rule of a root that is never written.

    Raises:
        Forbidden: the purpose is to write.
    """
    if purpose is not Purpose.READ:
        raise Forbidden("These files are read-only; they can be listed and read.")


class Root:
    """A folder that callers may name files below; resolved once, need not exist yet."""

    __slots__ = ("_open_top", "_path", "_rule")

    def __init__(
        self,
        path: str | os.PathLike[str],
        rule: Callable[[Purpose, RelativePath], None] = read_only_rule,
        open_top: Callable[[str], Folder] = handles.open_top,
    ) -> None:
        # A root that is itself a link is followed here and never again.
        self._path = os.path.realpath(path)
        self._rule = rule
        self._open_top = open_top

    @property
    def path(self) -> str:
        """Where it is; for naming what is kept about it elsewhere, never for opening files."""
        return self._path

    def origin_of(self, name: str) -> tuple[str, str]:
        """The folder above what is called so at the top, and its name there; as `path`."""
        return self._path, name

    def parse(self, text: str, purpose: Purpose = Purpose.READ) -> RelativePath:
        """Read a caller's path to a file.

        Raises:
            InvalidPath: it names no file below a root.
            Forbidden: it lies where this purpose is not allowed.
        """
        path = parse(text)
        if not path.parts:
            raise InvalidPath("The path names the root itself; name a file below it.")
        self._rule(purpose, path)
        return path

    def has_folder(self, path: RelativePath) -> bool:
        """Tell whether a folder is there, by no link."""
        try:
            with self.folder(path):
                return True
        except (UsageError, RefusedError):
            return False

    def exists(self) -> bool:
        """Tell whether the root is there yet."""
        return os.path.lexists(self._path)

    @contextmanager
    def place(self, path: RelativePath, *, make: bool = False) -> Iterator[Place]:
        """Walk to a file's folder; the name is the stored one where the file exists.

        Raises:
            NotFound: a folder is missing, and `make` is false.
            Conflict: a file stands where `make` needs a folder.
            Forbidden: a folder is a link.
        """
        *above, name = path.parts
        with self.folder(RelativePath(tuple(above)), make=make) as (folder, shown):
            with translate_os_errors(str(path)):
                stored = _stored_name(folder, name) or nfc(name)
            yield Place(folder, stored, "/".join([*shown.parts, stored]))

    @contextmanager
    def folder(
        self, path: RelativePath, *, make: bool = False, private: bool = False
    ) -> Iterator[tuple[Folder, RelativePath]]:
        """Walk to a folder; gives it with its path as stored.

        A `private` one is closed to other users, with every folder on the way and the files in
        them: made so, and put right where they were left open.

        Raises:
            NotFound: it is missing, and `make` is false.
            Conflict: a file stands where `make` needs a folder.
            Forbidden: a link is on the way.
        """
        with ExitStack() as held:
            with translate_os_errors(_show(path)):
                here = held.enter_context(self._top(make=make))
            stored: list[str] = []
            for part in path.parts:
                shown = "/".join([*stored, part])
                with translate_os_errors(shown):
                    here, name = _step(here, part, shown, make=make, private=private)
                    held.enter_context(here)
                    if private:
                        close_folder_to_others(here)
                stored.append(name)
            yield here, RelativePath(tuple(stored))

    def listing(self, path: RelativePath = TOP) -> tuple[RelativePath, list[FolderEntry]]:
        """List a folder, unfinished writes left out; gives its path as stored with the entries.

        A root that is missing is empty.

        Raises:
            NotFound: the folder is missing, or is a file.
            Forbidden: a link is on the way.
        """
        if not path.parts and not self.exists():
            return TOP, []
        with self.folder(path) as (folder, stored), translate_os_errors(_show(path)):
            return stored, [
                FolderEntry(name, kind, is_nameable(name))
                for name, kind in folder.kinds()
                if not name.startswith(TEMPORARY_PREFIX)
            ]

    @contextmanager
    def regular_file(self, path: RelativePath) -> Iterator[BinaryIO]:
        """Open a file for reading, unbuffered.

        Raises:
            NotFound: there is none, or it is a folder.
            InvalidPath: it is no regular file.
            Forbidden: a link is on the way.
        """
        with self.place(path) as place, open_regular(place) as file:
            yield file

    def _top(self, *, make: bool) -> Folder:
        try:
            return self._open_top(self._path)
        except FileNotFoundError:
            if not make:
                raise
        _make_root(self._path)
        return self._open_top(self._path)


def open_regular(place: Place) -> BinaryIO:
    """Open a regular file for reading, unbuffered; never blocks, never follows.

    Raises:
        NotFound: there is none, or it is a folder.
        InvalidPath: it is no regular file.
        Forbidden: it is a link, or the system does not allow it.
    """
    with translate_os_errors(place.shown):
        # Looked at before it is opened: opening a device can already do something.
        _refuse_other_kinds(kind_of(place.folder.look(place.name)), place.shown)
        descriptor = place.folder.open(place.name, handles.READ)
        try:
            _refuse_other_kinds(kind_of(os.fstat(descriptor)), place.shown)
        except (NotFound, InvalidPath, Forbidden):
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb", buffering=0)


class translate_os_errors:  # noqa: N801 -- read as a verb: `with told(path):`
    """Turns what the system says into one of our errors, with the relative path only."""

    __slots__ = ("_show",)

    def __init__(self, shown: str) -> None:
        self._show = shown

    def __enter__(self) -> None:
        """Nothing to do yet."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            raise _refusal(error, self._show) from error


def _refusal(error: OSError, shown: str) -> TebikiError:
    if error.errno in LINKS:
        return _link(shown)
    if isinstance(error, NotADirectoryError) and shown == ROOT_SHOWN:
        return NotFound("The root is a file, not a folder; set it to a folder.")
    if isinstance(error, (FileNotFoundError, NotADirectoryError, IsADirectoryError)):
        return NotFound(f"There is no {shown}; list its folder to see what is there.")
    if isinstance(error, PermissionError):
        return Forbidden(f"The system does not allow access to {shown}; check its permissions.")
    if error.errno in {errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}:
        return InvalidPath(f"This system cannot have a file named {shown}; use another name.")
    reason = (error.strerror or type(error).__name__).lower()
    return Conflict(f"{shown} could not be used: {reason}. Put that right and try again.")


def _show(folder: RelativePath) -> str:
    return str(folder) or ROOT_SHOWN


def _link(shown: str) -> Forbidden:
    return Forbidden(f"{shown} is a link, and links are never followed; name the file itself.")


def _refuse_other_kinds(kind: Kind, shown: str) -> None:
    if kind is Kind.LINK:
        raise _link(shown)
    if kind is Kind.FOLDER:
        raise NotFound(f"{shown} is a folder, not a file; list it to see the files in it.")
    if kind is Kind.SPECIAL:
        raise InvalidPath(f"{shown} is a device, pipe or socket; only regular files are opened.")


def _step(here: Folder, part: str, shown: str, *, make: bool, private: bool) -> tuple[Folder, str]:
    """Enter a folder by its stored name, making it first if it is wanted and missing."""
    with suppress(OSError):
        # Nearly always the name is a folder as it stands; what else it is, the rest finds out.
        return here.enter(part), part
    name = _stored_name(here, part)
    if name is None and make:
        name = nfc(part)
        _make(here, name, PRIVATE_FOLDER if private else AS_USUAL)
    if name is None:
        raise NotFound(f"There is no folder {shown}; list the one above to see what is there.")
    kind = kind_of(here.look(name))
    if kind is Kind.LINK:
        raise _link(shown)
    if kind is not Kind.FOLDER and make:
        raise Conflict(f"{shown} is a file, so nothing can be created below it; use another path.")
    if kind is not Kind.FOLDER:
        raise NotFound(f"{shown} is a file, not a folder; read it, or list the folder above.")
    try:
        return here.enter(name), name
    except NotADirectoryError as error:
        # Linux says so of a link that is to be opened as a folder: one was swapped in just now.
        raise _link(shown) from error


def _make(here: Folder, name: str, mode: int) -> None:
    try:
        here.make(name, mode)
    except FileExistsError:
        return  # another writer was quicker, which is as good
    here.sync()


def _make_root(path: str) -> None:
    """Make the root and what is missing above it, each name kept safe in its folder."""
    above = os.path.dirname(path)
    if above != path and not os.path.isdir(above):
        _make_root(above)
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    with handles.open_top(os.path.realpath(above)) as folder:
        folder.sync()


def _stored_name(folder: Folder, name: str) -> str | None:
    """The name under which a folder has it, in whatever normal form; None when it has not."""
    spellings = (name,) if has_one_spelling(name) else (name, nfc(name))
    for spelling in spellings:
        try:
            folder.look(spelling)
        except FileNotFoundError:
            continue
        return spelling
    if has_one_spelling(name):
        return None
    wanted = nfc(name)
    return min((other for other, _ in folder.kinds() if nfc(other) == wanted), default=None)

"""Small files that an index keeps beside the engine's, and the seal on the engine's own.

They are written whole or not at all, private, and read only if unharmed: each is JSON below its
digest, a manifest with columns behind it.

The engine maps its files into memory and trusts them: a changed byte can give wrong answers, and a
file cut short ends the process. So they are looked at before they are used, as any file is: size,
times, inode. The seal names the state it was taken of; a commit without one is simply newer.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from tebiki.files import handles
from tebiki.files.handles import Kind, kind_of
from tebiki.manuals.index.private_folders import open_folder
from tebiki.named_tuples import NamedTuple

MOST_BYTES = 256 * 1024 * 1024
DIGEST_CHARS = 32
PRIVATE = 0o600
_REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Broken(Exception):
    """The stored index cannot be used; it is to be built anew. Never leaves this package."""


class Missing(Broken):
    """There is no index yet."""


def write_json(folder: str, name: str, value: Any) -> str:
    """Write a value in place of what was there; gives its digest."""
    return write_body(folder, name, as_body(value))


def write_body(folder: str, name: str, body: bytes) -> str:
    """Write bytes below their digest in place of what was there; gives the digest."""
    digest = digest_of(body)
    with open_folder(folder) as top:
        descriptor = top.open(f"{name}.new", _REPLACE, PRIVATE)
        with open(descriptor, "wb") as file:
            file.write(digest + b"\n" + body)
        top.rename(f"{name}.new", name)
    return digest.decode()


def read_json(folder: str, name: str) -> Any:
    """Read a value; None when there is no such file.

    Raises:
        Broken: there is something else.
    """
    body = read_body(folder, name)[1]
    return None if body is None else json.loads(body)


def read_body(folder: str, name: str) -> tuple[str, bytes | None]:
    """Read what stands below a digest, and that; nothing and None when there is no such file.

    Raises:
        Broken: there is something else.
    """
    body = read_bytes(folder, name)
    if body is None:
        return "", None
    digest, _, body = body.partition(b"\n")
    if digest != digest_of(body):
        raise Broken(f"{name} was changed")
    return digest.decode(), body


def read_digest(folder: str, name: str) -> str:
    """The digest of a file that was just written."""
    return (read_bytes(folder, name, most=DIGEST_CHARS) or b"").decode()


def size_of(path: str) -> int:
    """How many bytes a file has; none when there is none."""
    mark = mark_of(path)
    return 0 if mark is None else mark[0]


def read_bytes(folder: str, name: str, start: int = 0, most: int = MOST_BYTES) -> bytes | None:
    """Read a file from some byte on; None when there is none.

    Raises:
        Broken: there is something else.
    """
    try:
        with open_folder(folder) as top:
            descriptor = top.open(name, handles.READ)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if kind_of(os.fstat(file.fileno())) is not Kind.FILE:
            raise Broken(f"{name} is no file")
        file.seek(start)
        return file.read(most)


def remove_path(path: str) -> None:
    """Remove a file, a link, or a folder with all that is in it; nothing may be there."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # a fresh index removes nothing

        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def as_body(value: Any) -> bytes:
    """A value as JSON, in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def digest_of(body: bytes) -> bytes:
    """By what harm to some bytes shows."""
    return hashlib.blake2b(body, digest_size=DIGEST_CHARS // 2).hexdigest().encode()


OPEN_ENDED = (".managed.json", ".lock", ".tmp")
"""Names, or how they end, of what the engine changes without a commit."""

Mark = tuple[int, ...]


class Seal(NamedTuple):
    """The marks of the engine's files at a state, by name."""

    state: str = ""
    marks: dict[str, Mark] = {}  # noqa: RUF012 -- never changed

    def is_harmed(self, marks: dict[str, Mark | None], meta: str) -> bool:
        """Tell whether files were changed in place, which the engine never does.

        To be asked before the engine touches them. A commit removes files and replaces `meta`.
        """
        return any(
            mark is not None and mark != self.marks[name]
            for name, mark in marks.items()
            if name != meta
        )

    def to_json(self) -> list[Any]:
        """Give what `seal_from` takes."""
        return [self.state, self.marks]


def seal_from(value: Any) -> Seal:
    """Read a seal; nothing at all is one of no state.

    Raises:
        Broken: it is none.
    """
    if value is None:
        return Seal()
    try:
        state, marks = value
        return Seal(str(state), {str(name): tuple(mark) for name, mark in marks.items()})
    except (ValueError, TypeError, AttributeError):
        raise Broken("no seal") from None


def take_seal(folder: str, state: str) -> Seal:
    """Take the seal of the engine's files as they are, and make them private."""
    marks: dict[str, Mark] = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(OPEN_ENDED):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if status.st_mode & 0o077 and kind_of(status) is Kind.FILE:
                # Only then, since it changes a mark that the seal before this one has.
                os.chmod(path, PRIVATE)
            if (mark := mark_of(path)) is not None:
                marks[name] = mark
    return Seal(state, marks)


def marks_of(folder: str, names: tuple[str, ...]) -> dict[str, Mark | None]:
    """The marks of files as they are now."""
    return {name: mark_of(os.path.join(folder, name)) for name in names}


def mark_of(path: str) -> Mark | None:
    """By what a change of a file shows; None when there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode)

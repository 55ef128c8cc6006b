"""By what a change of the engine's files shows that the engine did not make itself.

The engine maps its files into memory and trusts them: a changed byte can give wrong answers, and a
file cut short ends the process. So they are looked at before they are used, as any file is: size,
times, inode. The seal names the state it was taken of; a commit without one is simply newer.
"""

from __future__ import annotations

import os
from typing import Any

from tebiki.files.handles import Kind, kind_of
from tebiki.manuals.index.checked_json import PRIVATE, Broken
from tebiki.named_tuples import NamedTuple

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

    def as_json(self) -> list[Any]:
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

"""The lines of a journal as they lie on disk, and which of them tell of moves without an end.

What is in a line is the business of `entries`; whoever writes one, that of `journal`.
"""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, BinaryIO, cast

from tebiki.errors import Conflict
from tebiki.named_tuples import NamedTuple
from tebiki.vault.areas import JOURNAL
from tebiki.vault.entries import from_line
from tebiki.vault.trimming import MOST_HEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping

    from tebiki.vault.entries import JournalEntry

MOST_LINE_BYTES = 128 * 1024 * 1024
"""No entry has more: what an edit removes of the largest file, and what it adds, in base64."""


class SeenMoves(NamedTuple):
    """How far a journal was looked through for moves, and those without a mark.

    `head` is how it begins: a file that was written anew may get the number of an older one.
    """

    inode: int
    head: bytes
    size: int
    moves: Mapping[int, JournalEntry]


NO_MOVES = SeenMoves(0, b"", 0, {})


def look_for_moves(
    descriptor: int, seen: SeenMoves, marked: Callable[[], Container[int]]
) -> SeenMoves:
    """Read what was added since: moves that are not marked and whose paths no later entry names.

    `marked` is asked only where there are moves.
    """
    status, head = os.fstat(descriptor), head_of(descriptor)
    is_another = seen.inode != status.st_ino or not head.startswith(seen.head)
    if is_another or seen.size > status.st_size:
        seen = NO_MOVES
    moves, size = dict(seen.moves), seen.size
    if moves:
        moves = {n: one for n, one in moves.items() if n not in marked()}
    for line in lines_of(descriptor, size):
        if not line.endswith(b"\n"):
            break  # it is being written
        size += len(line)
        # Few lines are of moves, and only what comes after an open one has to be read.
        if not moves and b'"source":' not in line:
            continue
        entry = from_line(line)
        if entry is None:
            continue
        named = {entry.path, entry.source}
        moves = {n: one for n, one in moves.items() if not named & {one.path, one.source}}
        if entry.source is not None and entry.entry not in marked():
            moves[entry.entry] = entry
    return SeenMoves(status.st_ino, head, size, moves)


def head_of(descriptor: int) -> bytes:
    """How a file begins."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, MOST_HEAD_BYTES).partition(b"\n")[0]


def lines_of(descriptor: int, start: int = 0) -> Iterator[bytes]:
    """Every line from a place on.

    Raises:
        Conflict: one is too long to be an entry.
    """
    os.lseek(descriptor, start, os.SEEK_SET)
    with open(os.dup(descriptor), "rb", buffering=0) as file:
        yield from lines_in(file)


def lines_in(file: BinaryIO) -> Iterator[bytes]:
    """Every line of an unbuffered file.

    Raises:
        Conflict: one is too long to be an entry.
    """
    with io.BufferedReader(cast(io.RawIOBase, file)) as lines:
        while line := lines.readline(MOST_LINE_BYTES + 1):
            check_line(len(line))
            yield line


def check_line(size: int) -> None:
    """Refuse what no entry is, such as a sparse file: one line of all the zeros it claims.

    Raises:
        Conflict: it is longer than any entry.
    """
    if size > MOST_LINE_BYTES:
        raise Conflict(
            f"a line of {JOURNAL} has more than {MOST_LINE_BYTES} bytes, which no entry has; "
            "move that file away, or mend it."
        )


def number_in(line: bytes) -> int | None:
    """The number of the entry that a line names; None where it names none."""
    try:
        number = json.loads(line)["entry"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return number if isinstance(number, int) else None

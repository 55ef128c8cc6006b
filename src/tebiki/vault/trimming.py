"""Which lines of a journal stay when it is written anew, and what it then says of the others.

Values and pure functions; `journal` reads and writes. An entry's number is that of its line, for
every version of this program: so a line that goes leaves an empty one, and the first line of a
journal that was written anew tells what is gone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tebiki.files.names import nfc
from tebiki.named_tuples import NamedTuple
from tebiki.vault.entries import from_line, moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_HEAD_BYTES = 4096
"""Of a first line that tells what is gone; it has a handful of numbers."""


class Line(NamedTuple):
    """An entry as its line is weighed; the texts in it are not looked at."""

    number: int
    time: float
    path: str
    data: bytes
    source: str | None = None


class TrimmedHistory(NamedTuple):
    """What a journal had once: entries trimmed, with the times of the first and last, or forgotten.

    `size` is how large it was when it was written anew.
    """

    trimmed: int = 0
    first: float | None = None
    last: float | None = None
    forgotten: int = 0
    size: int = 0

    def with_trimmed(self, lines: Iterable[Line]) -> TrimmedHistory:
        """The same, with so many more."""
        times = [line.time for line in lines]
        if not times:
            return self
        known = [time for time in (self.first, self.last) if time is not None]
        return self._replace(
            trimmed=self.trimmed + len(times),
            first=min(times + known),
            last=max(times + known),
        )


NOTHING_GONE = TrimmedHistory()


class Sheet(NamedTuple):
    """A whole journal: what is gone, its entries, and how many lines it has in all."""

    gone: TrimmedHistory
    lines: tuple[Line, ...]
    total: int


def read_sheet(lines: Iterable[bytes]) -> tuple[Sheet, bool]:
    """Read a journal; tells also whether it has lines that are none, such as half-written ones."""
    gone, kept, total, has_scraps = NOTHING_GONE, list[Line](), 0, False
    for data in lines:
        total += 1
        entry = from_line(data)
        if entry is not None and data.endswith(b"\n"):
            kept.append(Line(entry.entry, entry.time, nfc(entry.path), data, entry.source))
        elif total == 1 and (counts := gone_from(data)) is not None:
            gone = counts
        elif data != b"\n":
            has_scraps = True
    return Sheet(gone, tuple(kept), total), has_scraps


def write_sheet(sheet: Sheet) -> list[bytes]:
    """A journal with as many lines as before."""
    body = sum(len(line.data) for line in sheet.lines)
    empty = sheet.total - 1 - len(sheet.lines)
    gone = sheet.gone._replace(size=body + empty)
    head = json.dumps({"gone": gone._asdict()}, separators=(",", ":")).encode() + b"\n"
    return [head, b"\n" * empty, *(line.data for line in sheet.lines)]


def gone_from(line: bytes) -> TrimmedHistory | None:
    """Read what the first line tells of what is gone; None when it tells something else."""
    try:
        row = json.loads(line)["gone"]
        return TrimmedHistory(
            trimmed=int(row["trimmed"]),
            first=_time(row["first"]),
            last=_time(row["last"]),
            forgotten=int(row["forgotten"]),
            size=int(row["size"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, OSError, RecursionError):
        return None


def trim(sheet: Sheet, most_bytes: int) -> Sheet:
    """The newest lines that fit, and of each note the newest, whether it fits or not."""
    room, seen = most_bytes, set[str]()
    kept: list[Line] = []
    dropped: list[Line] = []
    for line in reversed(sheet.lines):
        room -= len(line.data)
        (kept if room >= 0 or line.path not in seen else dropped).append(line)
        seen.add(line.path)
    return sheet._replace(gone=sheet.gone.with_trimmed(dropped), lines=tuple(reversed(kept)))


def forget(sheet: Sheet, is_wanted: Callable[[Line], bool]) -> Sheet:
    """Every line but those that are wanted gone."""
    kept = tuple(line for line in sheet.lines if not is_wanted(line))
    count = len(sheet.lines) - len(kept)
    gone = sheet.gone._replace(forgotten=sheet.gone.forgotten + count)
    return sheet._replace(gone=gone, lines=kept)


def _time(value: Any) -> float | None:
    if value is None:
        return None
    moment(float(value))  # a time that no calendar has is none
    return float(value)

"""What a change did to a note, as a diff: of a journal entry for people, and short for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.files.encodings import ENCODINGS, decode
from tebiki.files.text import LINE_END, count_line_ends
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.files.edits import Edited
    from tebiki.vault.entries import JournalEntry

MOST_DIFF_CHARS = 2_000
LONGEST_DIFF_LINE = 240
"""Characters that a result shows of a change: enough to see whether it is what was meant."""

WIDEST_LINE = 1_000
"""Characters that are looked through for the ends of a line."""

CUT = "…"


class _Hunk(NamedTuple):
    """Whole lines, by offsets in the old and in the new text."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


def capped_diff(path: str, before: bytes, edited: Edited) -> str:
    """A unified diff of an edit, without context, cut where it gets long."""
    old, new = decode(before)[0], decode(edited.data)[0]
    lines = [f"--- {path}", f"+++ {path}"]
    room = MOST_DIFF_CHARS
    for hunk in _hunks(old, new, before, edited):
        for line in _hunk_lines(old, new, hunk):
            room -= len(line) + 1
            if room < 0:
                return "\n".join([*lines, CUT]) + "\n"
            lines.append(line)
    return "\n".join(lines) + "\n"


def _hunks(old: str, new: str, before: bytes, edited: Edited) -> Iterator[_Hunk]:
    """The edits, widened to whole lines, those that then touch joined."""
    encoding = ENCODINGS[edited.encoding]
    at = len(encoding.mark)
    old_at = new_at = 0
    shift = 0
    last: _Hunk | None = None
    for edit in edited.edits:
        gap = len(before[at : edit.at - shift].decode(encoding.codec))
        removed = len(edit.removed.decode(encoding.codec))
        added = len(edit.added.decode(encoding.codec))
        old_at, new_at = old_at + gap, new_at + gap
        hunk = _Hunk(
            *_whole_lines(old, old_at, old_at + removed),
            *_whole_lines(new, new_at, new_at + added),
        )
        old_at, new_at = old_at + removed, new_at + added
        at = edit.at - shift + len(edit.removed)
        shift += len(edit.added) - len(edit.removed)
        if last is not None and hunk.old_start < last.old_stop:
            hunk = hunk._replace(old_start=last.old_start, new_start=last.new_start)
        elif last is not None:
            yield last
        last = hunk
    if last is not None:
        yield last


def _whole_lines(text: str, start: int, stop: int) -> tuple[int, int]:
    """Widen a part of a text to the lines it is on; nothing at a line's start is no line."""
    window = max(0, start - WIDEST_LINE)
    before = max(text.rfind(sign, window, start) for sign in "\r\n")
    begin = before + 1 if before >= 0 or not window else start
    if begin == stop or (stop > begin and text[stop - 1] in "\r\n"):
        return begin, stop
    end = LINE_END.search(text, stop, stop + WIDEST_LINE)
    return begin, end.end() if end else min(len(text), stop + WIDEST_LINE)


def _hunk_lines(old: str, new: str, hunk: _Hunk) -> Iterator[str]:
    removed = list(_mark("-", old[hunk.old_start : hunk.old_stop]))
    added = list(_mark("+", new[hunk.new_start : hunk.new_stop]))
    first = count_line_ends(old[: hunk.old_start]) + 1
    now = count_line_ends(new[: hunk.new_start]) + 1
    yield f"@@ -{first},{len(removed)} +{now},{len(added)} @@"
    for line in (*removed, *added):
        yield line if len(line) <= LONGEST_DIFF_LINE else line[:LONGEST_DIFF_LINE] + CUT


def diff_of(entry: JournalEntry, data: bytes | None) -> str:
    """What an entry changed; `data` is the file as the entry left it, None if it is no longer so.

    Only with `data` are lines numbered, and a created file's content shown.
    """
    return "\n".join(_lines(entry, data)) + "\n"


def _lines(entry: JournalEntry, data: bytes | None) -> Iterator[str]:
    codec = ENCODINGS[entry.encoding].codec if entry.encoding in ENCODINGS else "utf-8"
    if entry.source is not None:
        yield from (f"--- {entry.source}", f"+++ {entry.path}", "@@ moved, as it was @@")
        return
    yield f"--- {entry.path if entry.before else '/dev/null'}"
    yield f"+++ {entry.path if entry.after else '/dev/null'}"
    # What a create wrote stands in the file alone; what an undo gave back, in the entry too.
    only_the_file_tells = entry.before is None and not entry.edits
    if only_the_file_tells and data is None:
        yield "@@ the file was created; it has changed since @@"
    if only_the_file_tells and data is not None:
        yield "@@ line 1 @@"
        yield from _mark("+", data.decode(codec, "replace"))
    for edit in entry.edits:
        if data is None:
            yield f"@@ byte {edit.at} @@"
        else:
            line = count_line_ends(data[: edit.at].decode(codec, "replace")) + 1
            yield f"@@ line {line} @@"
        yield from _mark("-", edit.removed.decode(codec, "replace"))
        yield from _mark("+", edit.added.decode(codec, "replace"))


def _mark(sign: str, text: str) -> Iterator[str]:
    if not text:
        return
    lines = LINE_END.split(text)
    for line in lines if lines[-1] else lines[:-1]:
        yield sign + line

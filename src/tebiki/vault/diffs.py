"""A journal entry as a diff for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.files.encodings import ENCODINGS
from tebiki.files.text import LINE_END, count_line_ends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.vault.entries import JournalEntry


def diff_of(entry: JournalEntry, data: bytes | None) -> str:
    """What an entry changed; `data` is the file as the entry left it, None if it is no longer so.

    Only with `data` are lines numbered, and a created file's content shown.
    """
    return "\n".join(_lines(entry, data)) + "\n"


def _lines(entry: JournalEntry, data: bytes | None) -> Iterator[str]:
    codec = ENCODINGS[entry.encoding].codec if entry.encoding in ENCODINGS else "utf-8"
    yield f"--- {entry.path if entry.before else '/dev/null'}"
    yield f"+++ {entry.path if entry.after else '/dev/null'}"
    # What a create wrote stands in the file alone; what an undo gave back, in the entry too.
    only_the_file_tells = entry.before is None and not entry.edits
    if only_the_file_tells and data is None:
        yield "@@ the file was created; it has changed since @@"
    if only_the_file_tells and data is not None:
        yield "@@ line 1 @@"
        yield from _marked("+", data.decode(codec, "replace"))
    for edit in entry.edits:
        if data is None:
            yield f"@@ byte {edit.at} @@"
        else:
            line = count_line_ends(data[: edit.at].decode(codec, "replace")) + 1
            yield f"@@ line {line} @@"
        yield from _marked("-", edit.removed.decode(codec, "replace"))
        yield from _marked("+", edit.added.decode(codec, "replace"))


def _marked(sign: str, text: str) -> Iterator[str]:
    if not text:
        return
    lines = LINE_END.split(text)
    for line in lines if lines[-1] else lines[:-1]:
        yield sign + line

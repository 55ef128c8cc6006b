"""Replacing text in bytes without touching any other byte, and taking such an edit back.

Hits are found in the text, since in CP932 the bytes of one character occur inside others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.errors import InvalidArguments
from tebiki.files.encodings import decode, encode
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tebiki.files.encodings import Encoding

LONGEST_CONTEXT = 200
"""Characters up to a line's start and end that an edit takes in, so that people can read it."""

MOST_EDITS = 5_000
"""Hits that are kept apart; more are one edit from the first to the last."""


class Edit(NamedTuple):
    """A run of bytes that took the place of another; `at` is where it stands in the new bytes."""

    at: int
    removed: bytes
    added: bytes


class Edited(NamedTuple):
    """What became of the bytes, how many hits there were, and the edits in order."""

    data: bytes
    hits: int
    edits: tuple[Edit, ...]
    encoding: str


class _Span(NamedTuple):
    """Part of a text with the hits in it."""

    start: int
    stop: int
    hits: tuple[int, ...]


def replace_text(
    data: bytes,
    find: str,
    replacement: str,
    most: int,
    check_size: Callable[[int], None] = lambda _size: None,
) -> Edited:
    """Replace the first `most` hits of a text in a file's bytes.

    `check_size` is asked before anything is built: many hits make a small edit a huge one.

    Raises:
        InvalidArguments: the file is no text, or cannot hold the replacement.
    """
    text, encoding = decode(data)
    most = min(most, len(text))
    hits = list(_hits(text, find, most))
    if not hits:
        return Edited(data, 0, (), encoding.label)
    new = encode(replacement, encoding)
    check_size(len(data) + len(hits) * (len(new) - _width(find, encoding)))
    edits = tuple(_edits(data, text, encoding, _spans(text, hits, len(find)), (find, new)))
    result = _apply(data, edits)
    _check(result, text.replace(find, replacement, most), encoding)
    return Edited(result, len(hits), edits, encoding.label)


def append_text(
    data: bytes, content: str, check_size: Callable[[int], None] = lambda _size: None
) -> Edited:
    """Add text after the last line of a file's bytes, which is ended first where it is not.

    Raises:
        InvalidArguments: the file is no text, or cannot hold the addition.
    """
    text, encoding = decode(data)
    added = ("" if not text or text[-1] in "\r\n" else _line_end_of(text)) + content
    new = encode(added, encoding)
    check_size(len(data) + len(new))
    result = data + new
    _check(result, text + added, encoding)
    return Edited(result, 1, (Edit(len(data), b"", new),), encoding.label)


def _line_end_of(text: str) -> str:
    """How the lines of a text end, by its last one."""
    at = max(text.rfind("\n"), text.rfind("\r"))
    if at < 0:
        return "\n"
    return "\r\n" if text[at - 1 : at + 1] == "\r\n" else text[at]


def take_back_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes as they were before the edits."""
    pieces: list[bytes] = []
    done = 0
    for edit in edits:
        pieces += (data[done : edit.at], edit.removed)
        done = edit.at + len(edit.added)
    return b"".join([*pieces, data[done:]])


def reverse_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits that taking these back amounts to."""
    shift = 0
    back: list[Edit] = []
    for edit in edits:
        back.append(Edit(edit.at - shift, edit.added, edit.removed))
        shift += len(edit.added) - len(edit.removed)
    return tuple(back)


def _hits(text: str, find: str, most: int) -> Iterator[int]:
    at = text.find(find)
    while at >= 0 and most > 0:
        yield at
        most -= 1
        at = text.find(find, at + len(find))


def _spans(text: str, hits: list[int], length: int) -> Iterator[_Span]:
    """Widen hits to their lines where those are short, and join what then touches."""
    if len(hits) > MOST_EDITS:
        yield _Span(hits[0], hits[-1] + length, tuple(hits))
        return
    start, stop, inside = -1, -1, list[int]()
    for hit in hits:
        line_start = max(text.rfind(end, max(0, hit - LONGEST_CONTEXT), hit) for end in "\r\n") + 1
        begin = line_start if line_start or hit <= LONGEST_CONTEXT else hit
        if inside and begin > stop:
            yield _Span(start, stop, tuple(inside))
            inside = []
        if not inside:
            start = begin
        inside.append(hit)
        stop = _end_of_line(text, hit + length)
    yield _Span(start, stop, tuple(inside))


def _end_of_line(text: str, at: int) -> int:
    limit = at + LONGEST_CONTEXT
    ends = [end for end in (text.find(sign, at, limit) for sign in "\r\n") if end >= 0]
    if ends:
        end = min(ends)
        return end + (2 if text[end : end + 2] == "\r\n" else 1)
    return len(text) if limit >= len(text) else at


def _edits(
    data: bytes, text: str, encoding: Encoding, spans: Iterable[_Span], change: tuple[str, bytes]
) -> Iterator[Edit]:
    old_at = new_at = len(encoding.mark)
    done = 0
    for span in spans:
        gap = _width(text[done : span.start], encoding)
        old_at, new_at = old_at + gap, new_at + gap
        removed = data[old_at : old_at + _width(text[span.start : span.stop], encoding)]
        added = _replace_hits(removed, text, encoding, span, change)
        yield Edit(new_at, removed, added)
        old_at, new_at, done = old_at + len(removed), new_at + len(added), span.stop


def _replace_hits(
    removed: bytes, text: str, encoding: Encoding, span: _Span, change: tuple[str, bytes]
) -> bytes:
    """A span's bytes after the edit; what lies between hits is copied, never encoded anew."""
    find, new = change
    if encoding.codec == "utf-8":
        return removed.replace(find.encode(), new, len(span.hits))
    width = _width(find, encoding)
    pieces: list[bytes] = []
    inner, at = 0, span.start
    for hit in span.hits:
        kept = _width(text[at:hit], encoding)
        pieces += (removed[inner : inner + kept], new)
        inner += kept + width
        at = hit + len(find)
    return b"".join([*pieces, removed[inner:]])


def _width(text: str, encoding: Encoding) -> int:
    return len(text.encode(encoding.codec))


def _apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    pieces: list[bytes] = []
    done = written = 0
    for edit in edits:
        kept = data[done : done + edit.at - written]
        pieces += (kept, edit.added)
        done += len(kept) + len(edit.removed)
        written = edit.at + len(edit.added)
    return b"".join([*pieces, data[done:]])


def _check(result: bytes, expected: str, encoding: Encoding) -> None:
    """Refuse an edit after which the file would not read as it should.

    That is so when its bytes would look like another encoding, begin with a byte order mark, or
    have a character that the encoding spells in two widths.
    """
    if decode(result)[0] != expected:
        raise InvalidArguments(
            f"The edited file would no longer read as {encoding.label} text; "
            "convert it to UTF-8 first, or make a smaller change."
        )

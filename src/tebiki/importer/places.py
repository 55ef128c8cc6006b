"""Where in a manual the text of a file goes: its own path, in names that every system can have."""

from __future__ import annotations

import hashlib
import re

from tebiki.files.names import LONGEST_PART, LONGEST_PATH, RelativePath, is_nameable, nfc, parse

ENDING = ".md"
ROOM = len(".part9999.md") + len("-12345678")
NOT_ALLOWED = re.compile(r"[\x00-\x1f\x7f:\\/]")


def place_of(path: str, part: int = 0) -> RelativePath:
    """The path, below the manual, of the text of a file at `path`; parts count from 0."""
    names = [_name(part) for part in path.split("/") if part]
    names[-1] += ENDING if part == 0 else f".part{part + 1}{ENDING}"
    if sum(len(name.encode()) + 1 for name in names) > LONGEST_PATH:
        names = [_shorten(path, LONGEST_PART - ROOM) + names[-1][-len(ENDING) :]]
    return parse("/".join(names))


def _name(name: str) -> str:
    """A name that can be given to a file anywhere and be asked for by a client."""
    name = nfc(_decode(name))
    if not is_nameable(name):
        name = "".join(
            sign if is_nameable(f"x{sign}x") else "_" for sign in NOT_ALLOWED.sub("_", name)
        )
        name = name.rstrip(". ") + ("" if name.rstrip(". ") == name else "_")
    if not is_nameable(name) or len(name.encode()) > LONGEST_PART - ROOM:
        name = _shorten(f"_{name}", LONGEST_PART - ROOM)
    return name


def _decode(name: str) -> str:
    """A name whose bytes are not UTF-8 as whoever gave it is likely to have meant it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raw = name.encode("utf-8", "surrogateescape")
        return raw.decode("cp932", "replace").replace("\ufffd", "_")
    return name


def _shorten(name: str, most: int) -> str:
    """The beginning of a name, and something by which it differs from others that begin so."""
    tail = "-" + hashlib.sha256(name.encode(errors="replace")).hexdigest()[:8]
    head = name.encode(errors="replace")
    if len(head) + len(tail) <= most:
        return name
    stem = head[: most - len(tail)].decode("utf-8", "ignore").rstrip(". ")
    return stem + tail

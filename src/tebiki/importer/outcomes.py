"""What reading one file came to, as values that go from a child process to its parent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.importer.blocks import Block

ENCRYPTED = "encrypted"
BROKEN = "broken"
SCANNED = "scanned"
TOO_LARGE = "too_large"
TIMED_OUT = "timed_out"
CRASHED = "crashed"
UNSUPPORTED = "unsupported"
UNSAFE_NAME = "unsafe_name"
PERMISSION = "permission"

WORDS = {
    ENCRYPTED: "encrypted: save a copy without a password",
    BROKEN: "broken: no program of its kind wrote it so, or it was cut off",
    SCANNED: "scanned: its pages are pictures; run a text recognition over it first",
    TOO_LARGE: "too large, or unpacks to too much",
    TIMED_OUT: "timed out",
    CRASHED: "crashed the reader",
    UNSUPPORTED: "not of a kind that is read; save it as docx, pptx, xlsx or pdf",
    UNSAFE_NAME: "its name leads out of the folder",
    PERMISSION: "the system does not allow to read it",
}


class Unreadable(Exception):
    """A file gives no text, for one of the reasons above; `words` say more where there is more."""

    def __init__(self, reason: str, words: str = "") -> None:
        super().__init__(words or WORDS[reason])
        self.reason = reason
        self.words = words or WORDS[reason]


class Document(NamedTuple):
    """What a reader found in a file.

    `unread` are pages (from 1) that gave no text although there is something on them.
    """

    blocks: list[Block]
    title: str = ""
    pages: int | None = None
    unread: tuple[int, ...] = ()


class Conversion(NamedTuple):
    """What a child tells of a file before the text: how long each part of that is, in bytes.

    `sha256` is that of a file in a zip file, which only the child has seen.
    """

    kind: str
    title: str = ""
    pages: int | None = None
    unread: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    reason: str = ""
    words: str = ""
    has_text: bool = True
    sha256: str = ""

    def line(self) -> bytes:
        """As it goes over the pipe."""
        return json.dumps(self._asdict()).encode() + b"\n"


def conversion_in(line: bytes) -> Conversion:
    """Read what a child told, which nobody trusts.

    Raises:
        ValueError: it is not of that form.
    """
    told = json.loads(line)
    if not isinstance(told, dict) or set(told) != set(Conversion._fields):
        raise ValueError("no conversion")
    texts = [told["kind"], told["title"], told["reason"], told["words"], told["sha256"]]
    numbers = [*told["unread"], *told["parts"], told["pages"] or 0]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("no text")
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise ValueError("no number")
    told["unread"], told["parts"] = tuple(told["unread"]), tuple(told["parts"])
    return Conversion(**told)

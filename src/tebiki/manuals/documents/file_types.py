"""Which kinds of files a manual's search takes, told by their names; not what is in them.

Markdown and JSON always may be; others only where `manuals.file_types` names them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tebiki.files.names import is_nameable, nfc
from tebiki.manuals.text.folding import Memo
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

ENDINGS = {
    "md": "md",
    "json": "json",
    "txt": "txt",
    "markdown": "markdown",
    "mdx": "mdx",
    "rst": "rst",
    "html": "html",
    "htm": "html",
}
"""Kinds that can be searched, by the endings of their names."""

WITHOUT_HEADINGS = frozenset(["json", "txt"])
"""Kinds that are read whole, or around a line: no heading says where a section ends."""

MOST_NAMES = 65_536
USUAL_NAME = re.compile(r"[A-Za-z0-9_-]{5,100}\.([a-z]+)")
"""Names of which nothing need be asked: one spelling, no sign that means anything, and longer than
those that Windows keeps for itself. A first walk asks for every name there is."""


class NameFacts(NamedTuple):
    """What a name on disk says by itself."""

    normal: str
    file_type: str | None
    is_nameable: bool


def file_type(name: str) -> str | None:
    """Tell what kind of file a name stands for; None for what no manual searches."""
    return ENDINGS.get(name.rpartition(".")[2].lower()) if "." in name else None


def has_headings(name: str) -> bool:
    """Tell whether a file of that name is parted into sections by its headings."""
    return file_type(name) not in WITHOUT_HEADINGS


def _facts(name: str) -> NameFacts:
    return NameFacts(nfc(name), file_type(name), is_nameable(name))


NAMES = Memo(_facts, most=MOST_NAMES)
"""What names say: every find walks the same ones again."""


class FileTypes:
    """The kinds that are searched.

    `plain` tells of a name whether it stands for such a file, with nothing else to know of it.
    """

    __slots__ = ("names", "plain")

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self.plain = Memo(self._is_plain, most=MOST_NAMES)

    def of(self, name: str) -> str | None:
        """Tell what kind of file a name stands for; None for what is not searched."""
        found = file_type(name)
        return found if found in self.names else None

    def has(self, name: str) -> bool:
        """Tell whether a name stands for a file that is searched; what it says is remembered."""
        return NAMES[name].file_type in self.names

    def in_words(self) -> str:
        """The kinds, for people: `.md or .json`."""
        *others, last = (f".{name}" for name in ENDINGS if name in self.names)
        return f"{', '.join(others)} or {last}" if others else last

    def _is_plain(self, name: str) -> bool:
        if (usual := USUAL_NAME.fullmatch(name)) is not None:
            return ENDINGS.get(usual.group(1)) in self.names
        known = NAMES[name]
        return self.has(name) and known.is_nameable and name == known.normal


USUAL_TYPES = FileTypes(("md", "json"))


def types_of(names: Iterable[str]) -> FileTypes:
    """The kinds of those names; what is known of the usual ones is shared."""
    return USUAL_TYPES if USUAL_TYPES.names == frozenset(names) else FileTypes(names)

"""Markdown into a manual: whole files, under names that are free or known to be ours."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

from tebiki.errors import NotFound
from tebiki.files import writing
from tebiki.files.names import RelativePath
from tebiki.files.paths import Purpose, Root, open_regular, translate_os_errors
from tebiki.importer.kinds import SHEETS
from tebiki.importer.limits import CONVERTER, LONGEST_TITLE, MOST_SOURCE_BYTES
from tebiki.importer.outcomes import TOO_LARGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.importer.outcomes import Conversion

BLOCK_BYTES = 1024 * 1024
POOR_TITLES = ("microsoft word -", "microsoft powerpoint -", "untitled", "名称未設定", "無題")
POOR_ENDINGS = (
    ".doc",
    ".docx",
    ".xls",
    ".xlsx",
    ".ppt",
    ".pptx",
    ".indd",
    ".pdf",
    ".eps",
    ".dvi",
    ".tex",
    ".jtd",
)


def _may_write(_purpose: Purpose, _path: RelativePath) -> None:
    """Below a manual everything may be written that import is asked for."""


class ManualFolder:
    """The folder of a manual, as an import may write to it."""

    def __init__(self, manuals: str, manual_id: str) -> None:
        self._root = Root(manuals, _may_write)
        self._manual = manual_id

    @property
    def path(self) -> str:
        """Where it is, for naming what is kept about it."""
        return f"{self._root.path}/{self._manual}"

    def hash_of(self, path: str) -> str | None:
        """The hash of a file; None when there is none. No text of ours is too large for one."""
        try:
            with self._root.regular_file(self._below(path)) as file:
                if os.fstat(file.fileno()).st_size > MOST_SOURCE_BYTES:
                    return TOO_LARGE
                digest = hashlib.sha256()
                while block := file.read(BLOCK_BYTES):
                    digest.update(block)
                return digest.hexdigest()
        except NotFound:
            return None

    def put(self, path: str, data: bytes, *, is_ours: bool, ready: Callable[[], None]) -> None:
        """Write a file; in the place of another only where that is ours.

        Raises:
            TebikiError: there is something else, or it cannot be written.
        """
        with self._root.place(self._below(path), make=True) as place:
            if not is_ours:
                writing.create(place, data, ready)
                return
            with translate_os_errors(path):
                status = place.folder.look(place.name)
            with open_regular(place):
                """A link or a device is refused here."""
            writing.replace(place, data, status, ready)

    def remove(self, path: str) -> None:
        """Take a file away."""
        with self._root.place(self._below(path)) as place, open_regular(place):
            writing.remove(place, lambda: None)

    def _below(self, path: str) -> RelativePath:
        return RelativePath((self._manual, *path.split("/")))


def hash_of_bytes(data: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def front_matter(place: str, sha256: str, told: Conversion, part: int, text: bytes) -> bytes:
    """What stands above the text: what it was made from, and what of that is missing."""
    source = place.rpartition("/")[2]
    # A workbook is hardly ever about what its first sheet is called.
    heading = "" if told.kind == SHEETS else _first_heading(text)
    rows = {
        "title": _title(told.title) or heading or source.rpartition(".")[0] or source,
        "source": place,
        "sha256": sha256,
        "converter": f"tebiki import {CONVERTER}",
    }
    lines = [f"{name}: {_quote(value)}" for name, value in rows.items()]
    if told.pages is not None:
        lines.append(f"pages: {told.pages}")
    if told.unread:
        lines.append(f"unread_pages: {json.dumps(list(told.unread))}")
    if len(told.parts) > 1:
        lines.append(f"part: {part + 1} of {len(told.parts)}")
    return "\n".join(["---", *lines, "---", "", ""]).encode("utf-8", "replace")


def _title(title: str) -> str:
    """A title from a document's properties, unless a program made it up."""
    title = " ".join(title.split())[:LONGEST_TITLE]
    is_poor = title.lower().startswith(POOR_TITLES) or title.lower().endswith(POOR_ENDINGS)
    return "" if is_poor else title


def _first_heading(text: bytes) -> str:
    for line in text[:65_536].decode("utf-8", "ignore").split("\n"):
        if line.startswith("#"):
            return line.lstrip("#").strip()[:LONGEST_TITLE]
    return ""


def _quote(value: str) -> str:
    """A value that means itself to YAML, on one line."""
    plain = "".join(sign if sign.isprintable() else " " for sign in value)
    return '"{}"'.format(plain.replace("\\", "/").replace('"', "'"))

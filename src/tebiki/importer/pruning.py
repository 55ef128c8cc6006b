"""What was imported from sources that have vanished: told, and removed only on demand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from tebiki.importer import rows
from tebiki.importer.rows import ImportRow

if TYPE_CHECKING:
    from tebiki.importer.manifest import ImportRecord, WrittenFile
    from tebiki.importer.writing import ManualFolder


class _PruneWishes(Protocol):
    @property
    def prune(self) -> bool: ...

    @property
    def dry_run(self) -> bool: ...


def prune(
    manifest: ImportRecord,
    folder: ManualFolder,
    roots: set[str],
    seen: set[tuple[str, str]],
    *,
    wished: _PruneWishes,
) -> tuple[list[ImportRow], str]:
    """Tell what vanished below the roots; gives the rows, and why nothing was removed if so."""
    gone = [one for one in manifest.entries if one.root in roots and one.key not in seen]
    gone = [one for one in gone if one.inside or not os.path.lexists(one.source)]
    missing = sorted({one.root for one in gone if not _is_there(one)})
    refused = ""
    if wished.prune and missing:
        refused = f"nothing was removed: {missing[0]} is missing or cannot be read"
    removes = wished.prune and not refused and not wished.dry_run
    found = [_row(one, manifest, folder, removes=removes) for one in gone]
    return found, refused


def _is_there(one: WrittenFile) -> bool:
    """Tell whether the folder that was typed, or that of a typed file, can be looked into."""
    folder = os.path.dirname(one.root) if one.root == one.source else one.root
    try:
        with os.scandir(folder):
            return True
    except OSError:
        return False


def _row(
    one: WrittenFile, manifest: ImportRecord, folder: ManualFolder, *, removes: bool
) -> ImportRow:
    shown = f"{one.source}/{one.inside}" if one.inside else one.source
    if not removes:
        return ImportRow(shown, rows.VANISHED, one.output)
    now = folder.hash_of(one.output)
    if now is not None and now != one.written:
        return ImportRow(shown, rows.KEPT, one.output, rows.EDITED)
    if now is not None:
        folder.remove(one.output)
    manifest.forget(one.output)
    return ImportRow(shown, rows.REMOVED, one.output)

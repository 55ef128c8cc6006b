"""An import from end to end: what there is, what has changed, a child for each file, a report.

find      the sources are looked through; zip files by a child
decide    by hashes: unchanged, edited by a person, not ours, or to be read
read      one child for each file, a few at once
write     the record first, then the file
prune     what vanished is told, and removed only if that was asked for
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from typing import TYPE_CHECKING

from tebiki.errors import TebikiError
from tebiki.files.names import nfc
from tebiki.importer import rows
from tebiki.importer.limits import CONVERTER, MOST_CHILDREN, MOST_SOURCE_BYTES
from tebiki.importer.manifest import WrittenFile
from tebiki.importer.outcomes import PERMISSION, TOO_LARGE, Unreadable
from tebiki.importer.places import place_of
from tebiki.importer.pruning import prune
from tebiki.importer.rows import ImportReport, ImportRow
from tebiki.importer.sources import Refused, find_sources, members_of, open_source
from tebiki.importer.writing import front_matter, hash_of_bytes
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tebiki.importer.children import Children
    from tebiki.importer.manifest import ImportRecord
    from tebiki.importer.outcomes import Conversion
    from tebiki.importer.sources import SourceFile
    from tebiki.importer.writing import ManualFolder

BLOCK_BYTES = 1024 * 1024


class ImportWishes(NamedTuple):
    """What was asked for besides the sources."""

    force: bool = False
    prune: bool = False
    dry_run: bool = False


class _OutputPlace(NamedTuple):
    """Where the text of a file goes, what was written there, and what is there now."""

    output: str
    entry: WrittenFile | None
    now: str | None

    @property
    def is_ours(self) -> bool:
        """Whether what is there is what was written."""
        entry = self.entry
        return entry is not None and self.now in {entry.written, entry.before or entry.written}


class Importer:
    """Imports into one manual."""

    def __init__(
        self,
        folder: ManualFolder,
        manifest: ImportRecord,
        children: Children,
        wishes: ImportWishes,
        progress: Callable[[int, int], None],
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._children = children
        self._wishes = wishes
        self._progress = progress
        self._claimed: dict[str, str] = {}
        self._rows: list[ImportRow] = []
        self._seen: set[tuple[str, str]] = set()
        self._done = self._known = 0

    async def run(self, roots: Sequence[str]) -> ImportReport:
        """Import what is below the roots."""
        found = find_sources(roots)
        for root in [] if self._wishes.dry_run else roots:
            self._manifest.note_root(root)
        self._rows += [_refuse(one) for one in found.refused]
        for one in found.refused:
            self._see_below(one.path)
        files = [file for file in found.files if not file.is_zip]
        for zipped in found.files:
            files += await self._files_in(zipped) if zipped.is_zip else []
        self._known = len(files)
        waiting = iter(files)
        await asyncio.gather(*(self._work(waiting) for _ in range(MOST_CHILDREN)))
        pruned, refused = prune(
            self._manifest, self._folder, set(roots), self._seen, wished=self._wishes
        )
        ordered = sorted([*self._rows, *pruned], key=lambda row: row.source)
        return ImportReport(ordered, found.others, refused)

    def _see_below(self, folder: str) -> None:
        """Take what came from a folder that cannot be looked into as there: nobody knows."""
        below = os.path.join(folder, "")
        self._seen |= {one.key for one in self._manifest.entries if one.source.startswith(below)}

    async def _work(self, waiting: Iterator[SourceFile]) -> None:
        """Take one file after the other, as others do at the same time."""
        for file in waiting:
            await self._take(file)
            self._done += 1
            self._progress(self._done, self._known)

    async def _files_in(self, zipped: SourceFile) -> list[SourceFile]:
        """Look into a zip file."""
        try:
            source = open_source(zipped.path)
        except OSError:
            self._rows.append(ImportRow(zipped.shown, rows.UNREAD, reason=PERMISSION))
            return []
        try:
            found = list(members_of(zipped, await self._children.members(source)))
        except Unreadable as unread:
            # What was in it has not vanished: nobody knows.
            self._seen |= {one.key for one in self._manifest.entries if one.source == zipped.path}
            self._rows.append(_unread(zipped, unread))
            return []
        finally:
            os.close(source)
        self._rows += [_refuse(one) for one in found if isinstance(one, Refused)]
        return [one for one in found if not isinstance(one, Refused)]

    async def _take(self, file: SourceFile) -> None:
        self._seen.add((file.path, file.inside))
        try:
            source = open_source(file.path)
        except OSError:
            self._rows.append(ImportRow(file.shown, rows.UNREAD, reason=PERMISSION))
            return
        try:
            self._rows.append(await self._import(file, source))
        except Unreadable as unread:
            self._rows.append(_unread(file, unread))
        except TebikiError as wrong:
            self._rows.append(
                ImportRow(file.shown, rows.UNREAD, reason=rows.NOT_WRITTEN, words=str(wrong))
            )
        finally:
            os.close(source)

    async def _import(self, file: SourceFile, source: int) -> ImportRow:
        output = str(place_of(file.place))
        claimed = self._claimed.setdefault(nfc(output).casefold(), file.shown)
        if claimed != file.shown:
            return ImportRow(file.shown, rows.UNREAD, output, rows.NAME_TAKEN)
        place = self._place(output)
        if (refusal := self._refusal(file, place)) is not None:
            return refusal
        if os.fstat(source).st_size > MOST_SOURCE_BYTES:
            # Not even hashed: a file with holes in it may claim a terabyte.
            raise Unreadable(TOO_LARGE)
        sha256 = _hash(source)
        if place.entry is not None and self._is_unchanged(place, place.entry, sha256):
            entry = place.entry
            return ImportRow(file.shown, rows.UNCHANGED, output, unread=entry.unread)
        if place.now is not None and not place.is_ours and not self._wishes.force:
            return ImportRow(file.shown, rows.KEPT, output, rows.EDITED)
        if self._wishes.dry_run:
            return ImportRow(file.shown, rows.IMPORTED, output)
        return await self._read(file, source, sha256, output)

    def _place(self, output: str) -> _OutputPlace:
        return _OutputPlace(output, self._manifest.at(output), self._folder.hash_of(output))

    def _refusal(self, file: SourceFile, place: _OutputPlace) -> ImportRow | None:
        """Why a place cannot be written to at all."""
        if place.entry is None:
            if place.now is None:
                return None
            return ImportRow(file.shown, rows.KEPT, place.output, rows.NOT_OURS)
        is_same = place.entry.key == (file.path, file.inside)
        if not is_same and os.path.lexists(place.entry.source):
            return ImportRow(file.shown, rows.UNREAD, place.output, rows.NAME_TAKEN)
        return None

    def _is_unchanged(self, place: _OutputPlace, entry: WrittenFile, sha256: str) -> bool:
        """Whether the text there is of this source, as this version would write it."""
        is_same = (entry.sha256, entry.converter) == (sha256, CONVERTER)
        if not is_same or place.now is None or place.now == entry.before != entry.written:
            return False
        if self._wishes.force and place.now != entry.written:
            return False
        parts = self._manifest.parts_of(entry)
        others = [self._folder.hash_of(one.output) for one in parts if one.part]
        return len(parts) == entry.parts and None not in others

    async def _read(self, file: SourceFile, source: int, sha256: str, output: str) -> ImportRow:
        earlier = self._manifest.at(output)
        before = self._manifest.parts_of(earlier) if earlier else []
        status = rows.IMPORTED

        def take(told: Conversion, number: int, text: bytes) -> None:
            nonlocal status
            status = _status(told)
            head = front_matter(
                file.place or file.inside, told.sha256 or sha256, told, number, text
            )
            path = str(place_of(file.place, number))
            place = self._place(path)
            data = head + text
            entry = WrittenFile(
                path,
                file.path,
                file.inside,
                file.root,
                sha256,
                CONVERTER,
                hash_of_bytes(data),
                place.now or "",
                number,
                len(told.parts),
                status,
                told.unread,
            )
            # What a person edited is ours still; what was never written by us is not.
            is_ours = place.now is not None and place.entry is not None
            self._folder.put(path, data, is_ours=is_ours, ready=lambda: self._manifest.note(entry))

        told = await self._children.read(source, file.ending, take, file.member)
        if not told.parts:
            take(told, 0, b"")
        self._remove_leftovers(before, len(told.parts))
        reason = rows.PAGES if told.unread else "" if told.has_text else rows.NO_TEXT
        words = f"no text on {_numbers(told.unread)}" if told.unread else ""
        return ImportRow(
            file.shown,
            _status(told),
            output,
            reason,
            words,
            told.pages,
            told.unread,
            max(1, len(told.parts)),
        )

    def _remove_leftovers(self, before: list[WrittenFile], parts: int) -> None:
        """Remove what an earlier, longer text had besides."""
        for one in before:
            if one.part >= max(parts, 1):
                if self._folder.hash_of(one.output) == one.written:
                    self._folder.remove(one.output)
                self._manifest.forget(one.output)


def _status(told: Conversion) -> str:
    return rows.PARTIAL if told.unread or not told.has_text else rows.IMPORTED


def _numbers(pages: Sequence[int]) -> str:
    from tebiki.values.numerals import counted

    most = 10
    shown = ", ".join(map(str, pages[:most])) + (" …" if len(pages) > most else "")
    return f"{counted(len(pages), 'page')} ({shown})"


def _unread(file: SourceFile, unread: Unreadable) -> ImportRow:
    return ImportRow(file.shown, rows.UNREAD, reason=unread.reason, words=unread.words)


def _refuse(one: Refused) -> ImportRow:
    return ImportRow(one.path, rows.UNREAD, reason=one.reason)


def _hash(source: int) -> str:
    digest = hashlib.sha256()
    os.lseek(source, 0, os.SEEK_SET)
    while block := os.read(source, BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()

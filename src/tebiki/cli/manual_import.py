"""`tebiki manuals import`: PDF, Word, Excel, slides and pages become Markdown in a manual."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from tebiki.cli import shared
from tebiki.cli.plain import one_line
from tebiki.errors import InvalidPath, NotFound, UsageError
from tebiki.files.names import nfc, parse
from tebiki.manuals.listing import ROOT_ID
from tebiki.values.numerals import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from tebiki.cli.parsers import CommandParser
    from tebiki.importer.manifest import ImportRecord
    from tebiki.importer.rows import ImportReport, ImportRow
    from tebiki.manuals.library import Library

EXTRA = (
    "importing needs more packages: pip install 'tebiki[import]' "
    "(with pipx: pipx inject tebiki html-to-markdown pypdfium2 python-calamine)"
)
MOST_SHOWN = 50
PLANNED = {"imported": "to import", "removed": "to remove"}
"""What a dry run says: no file is opened before it is read for good."""
"""Rows of files that went well; the others are all shown."""


def add_import(made: CommandParser) -> None:
    """Add what can be typed."""
    made.add_argument("sources", nargs="*", metavar="SRC", help="files, folders and zip files")
    made.add_argument("--into", required=True, metavar="MANUAL", help="manual; made if it is new")
    made.add_argument(
        "--refresh", action="store_true", help="read again what was imported into it before"
    )
    made.add_argument(
        "--force", action="store_true", help="overwrite imported text that was edited since"
    )
    made.add_argument(
        "--prune", action="store_true", help="remove the text of sources that have vanished"
    )
    made.add_argument("--dry-run", action="store_true", help="only tell what would be done")


def import_sources(library: Library, typed: argparse.Namespace) -> int:
    """Import, and tell what became of each file; 1 when something is not in the manual."""
    from tebiki.importer.children import Children, missing_libraries
    from tebiki.importer.importing import Importer, ImportWishes
    from tebiki.importer.manifest import ImportRecord
    from tebiki.importer.writing import ManualFolder

    manual_id = _manual(typed.into)
    _check(typed)
    if missing_libraries():
        raise UsageError(EXTRA)
    folder = ManualFolder(*library.origin_of(manual_id))
    wishes = ImportWishes(typed.force, typed.prune, typed.dry_run)
    record = ImportRecord(os.path.join(typed.state_folder, "imports"), folder.path)
    with record as manifest, shared.progress_bar() as show:
        roots = _roots(typed, manifest)
        if not roots:
            raise UsageError(f"nothing was imported into {manual_id} yet; name what to import")
        importer = Importer(
            folder,
            manifest,
            Children(),
            wishes,
            lambda done, of_all: show(f"importing into {manual_id}", done, of_all),
        )
        report = asyncio.run(importer.run(list(dict.fromkeys(roots))))
    words = "\n".join(_lines(report, manual_id, typed))
    return shared.show(typed, _form(report, manual_id), words, found=report.is_whole)


def _manual(typed: str) -> str:
    """The name of a manual, which need not exist.

    Raises:
        UsageError: no manual can be called so.
    """
    try:
        parts = parse(typed.removesuffix("/")).parts
    except InvalidPath as wrong:
        raise UsageError(f"--into {typed}: {wrong}") from wrong
    if len(parts) != 1 or parts[0].startswith("."):
        raise UsageError(f"--into {typed}: name a manual, which is one folder below the manuals")
    if nfc(parts[0]) == ROOT_ID:
        raise UsageError(f"--into {typed}: {ROOT_ID} stands for all manuals; use another name")
    return nfc(parts[0])


def _check(typed: argparse.Namespace) -> None:
    if not typed.sources and not typed.refresh:
        raise UsageError("name files, folders or zip files to import, or --refresh")
    for source in typed.sources:
        if not source:
            raise UsageError("a source is blank; name a file or a folder")


def _roots(typed: argparse.Namespace, record: ImportRecord) -> list[str]:
    """What to look through: what was typed, and on demand what was before.

    Raises:
        NotFound: there is nothing by a name, and never was.
    """
    known = record.roots
    roots = [os.path.abspath(source) for source in typed.sources]
    for source, root in zip(typed.sources, roots, strict=True):
        if root not in known and not os.path.lexists(root):
            raise NotFound(f"there is no {source}; name a file or a folder to import")
    return roots + (known if typed.refresh else [])


def _form(report: ImportReport, manual_id: str) -> dict[str, Any]:
    form: dict[str, Any] = {
        "manual_id": manual_id,
        "counts": report.counts,
        "files": [row.row() for row in report.rows],
    }
    if report.others:
        form["not_imported"] = dict(sorted(report.others.items()))
    if report.prune_refused:
        form["prune_refused"] = report.prune_refused
    return form


def _lines(report: ImportReport, manual_id: str, typed: argparse.Namespace) -> list[str]:
    told = [row for row in report.rows if row.reason or row.status not in {"imported", "unchanged"}]
    done = [row for row in report.rows if row.status == "imported" and not row.reason]
    say = PLANNED if typed.dry_run else {}
    lines = [_line(row, say) for row in [*told, *done[:MOST_SHOWN]]]
    if len(done) > MOST_SHOWN:
        more = counted(len(done) - MOST_SHOWN, "more file", "more files")
        lines.append(f"… and {more} {say.get('imported', 'imported')}")
    counts = ", ".join(
        f"{count} {say.get(status, status)}" for status, count in report.counts.items()
    )
    if typed.dry_run:
        counts = f"{counts or 'nothing to do'} (dry run: nothing was written)"
    lines.append(f"{manual_id}: {counts or 'nothing to import was found'}")
    if report.others:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.others.items()))
        lines.append(f"passed over: {kinds}")
    if report.prune_refused:
        lines.append(report.prune_refused)
    return lines


def _line(row: ImportRow, say: Mapping[str, str]) -> str:
    from tebiki.importer.rows import words_for

    # A name with a line end in it must not look like a row of its own.
    shown = f"{say.get(row.status, row.status):<9} {one_line(row.source)}"
    if row.output and row.status in {"imported", "partial"}:
        shown += f" -> {one_line(row.output)}"
    return f"{shown} ({row.words or words_for(row.reason)})" if row.reason else shown

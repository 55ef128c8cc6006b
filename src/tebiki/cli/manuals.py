"""`tebiki manuals …`: the same manuals for a person at a terminal, found, read and explained."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tebiki.cli import pages, render, shared
from tebiki.cli.find_words import NOTHING_TO_SEARCH
from tebiki.cli.manual_clean import add_clean, clean_indexes
from tebiki.cli.manual_find import add_find, find, why_not
from tebiki.cli.manual_import import add_import, import_sources
from tebiki.cli.manual_inputs import add_question, known_manual, place_of, show_indexing
from tebiki.cli.manual_publish import describe_publish, publish_manual
from tebiki.cli.manual_roots import add_root, describe_add, describe_remove, remove_root
from tebiki.cli.parsers import CommandParser, subparsers, whole_number
from tebiki.errors import NeedsNarrowScope, NotFound
from tebiki.manuals.documents import kinds, reasons
from tebiki.manuals.limits import SCOPES
from tebiki.manuals.reading import Ref, Wanted
from tebiki.tools import manual_forms as forms
from tebiki.values.numerals import counted
from tebiki.values.pages import page_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from tebiki.app.faces import Face
    from tebiki.manuals.library import Library


def run(face: Face, words: list[str]) -> int:
    """Do one thing with the manuals; 1 when there was nothing to show."""
    typed = parser().parse_args(words)
    if typed.action in {add_root, remove_root}:
        change: Callable[[Face, argparse.Namespace], int] = typed.action
        return change(face, typed)
    app = shared.open_app(face, typed.config, ("manuals",), manuals=typed.manuals)
    library = app.engines.library()
    typed.state_folder = app.loaded.state_folder
    # A person sees the list with `ls`; the gate is there for models that guess ids.
    if not library.ls().items and typed.action not in {_ls, _index, clean_indexes, import_sources}:
        raise NotFound(_no_manuals(library))
    action: Callable[[Library, argparse.Namespace], int] = typed.action
    return action(library, typed)


def _ls(library: Library, typed: argparse.Namespace) -> int:
    # As it is printed below: a folder ends with a slash.
    listing = library.ls(typed.id and typed.id.removesuffix("/"))
    lines = [f"{item.id}/" if item.kind == "dir" else item.id for item in listing.items]
    found = bool(lines)
    if not found:
        lines.append(_no_manuals(library) if typed.id is None else f"Nothing in {typed.id}.")
    lines += _not_searched(listing.unsupported)
    return shared.show(typed, forms.listing_form(listing), "\n".join(lines), found=found)


def _no_manuals(library: Library) -> str:
    """Why there are no manuals, and what to type."""
    from tebiki.doctor.holdings import no_manuals  # only where something is wrong

    finding = no_manuals(library, Path(library.root))
    return f"No manuals: {finding.words}; {finding.advice}"


def _not_searched(unsupported: Mapping[str, int]) -> list[str]:
    """The line that tells which files search does not take, if there are any."""
    return [kinds.in_words(unsupported)] if unsupported else []


def _toc(library: Library, typed: argparse.Namespace) -> int:
    depth = "deep" if typed.headings else "shallow"
    manual_id = known_manual(library, typed.manual)
    try:
        contents = library.toc(manual_id, typed.prefix, depth=depth, offset=typed.offset)
    except NeedsNarrowScope as refused:
        folders = (refused.details or {}).get("sub_folders", [])
        if folders and not typed.json:
            render.out("\n".join(_folder_line(manual_id, folder) for folder in folders))
        raise
    page = forms.contents_form(contents)
    lines = []
    for item in page["items"]:
        lines.append(item["path"])
        lines += [_heading_line(row) for row in item["headings"]]
    if page["next_cursor"] is not None:
        lines.append(
            f"… of {counted(page['total_files'], 'file')}: --offset {page['next_cursor']['offset']}"
        )
    if not page["items"]:
        lines.append("No files there.")
    lines += _not_searched(page.get("unsupported", {}))
    return shared.show(typed, page, "\n".join(lines), found=bool(page["items"]))


def _heading_line(row: dict[str, Any]) -> str:
    page = page_words(row)
    return f"  {row['line_start']:>5}  {row['title']}{f'  ({page})' if page else ''}"


def _folder_line(manual_id: str, folder: dict[str, Any]) -> str:
    """A folder that can be listed in place of one that holds too much."""
    typed = shlex.join(["tebiki", "manuals", "toc", manual_id, folder["path"]])
    return f"{counted(folder['files'], 'file'):>12}  {typed}"


def _read(library: Library, typed: argparse.Namespace) -> int:
    manual_id, path, line = _known_place(library, typed)
    passage = library.read(Ref(manual_id, path, line), Wanted(typed.scope, typed.allow_file))
    first, last = passage.pages
    if first and not typed.json:
        render.err_line(f"({first if first == last else f'{first} to {last}'} of the original)")
    return pages.show_part(
        typed,
        passage,
        forms.passage_form,
        lambda after: f"tebiki manuals scan {shlex.quote(f'{manual_id}/{path}:{after}')}",
    )


def _scan(library: Library, typed: argparse.Namespace) -> int:
    manual_id, path, line = _known_place(library, typed)
    return pages.show_all(
        typed,
        lambda cursor: library.scan(manual_id, path, cursor=cursor),
        forms.scan_form,
        line,
    )


def _index(library: Library, typed: argparse.Namespace) -> int:
    ids = [item.id for item in library.ls().items]
    wanted = [known_manual(library, manual_id) for manual_id in typed.manual] or ids
    rows = [_index_manual(library, manual_id) for manual_id in wanted]
    lines = []
    for row in rows:
        sizes = f"{counted(row['files'], 'file')}, {counted(row['sections'], 'section')}"
        lines.append(f"{row['manual_id']}: {sizes}")
        lines += [
            f"  left out: {one['path']} ({reasons.in_words(one['reason'])})"
            for one in row["skipped"]
        ]
        if not (row["files"] or row["skipped"]):
            lines.append(f"  warning: {NOTHING_TO_SEARCH}")
        lines += [f"  {line}" for line in _not_searched(row.get("unsupported", {}))]
        if not row["watch"]["watched"]:
            lines.append(f"  servers look at every file at each find: {row['watch']['reason']}")
    return shared.show(typed, rows, "\n".join(lines) or _no_manuals(library), found=bool(rows))


def _index_manual(library: Library, manual_id: str) -> dict[str, Any]:
    with show_indexing(manual_id) as watch:
        fresh = library.index(manual_id, watch)
    shown: dict[str, Any] = {
        "manual_id": manual_id,
        "files": fresh.files,
        "sections": fresh.sections,
        "skipped": [one.row() for one in fresh.skipped],
        "watch": library.watching(manual_id).row(),
    }
    return shown | ({"unsupported": dict(fresh.kinds)} if fresh.kinds else {})


def _known_place(library: Library, typed: argparse.Namespace) -> tuple[str, str, int | None]:
    manual_id, path, line = place_of(typed.place)
    return known_manual(library, manual_id), path, line


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(prog="tebiki manuals", description="Your manuals.")
    made.add_action("ls", _ls, "List the manuals, or what is in one.").add_argument(
        "id", nargs="?", help="manual or folder"
    )
    toc = made.add_action("toc", _toc, "List the files of a manual.")
    toc.add_argument("manual", help="manual")
    toc.add_argument("prefix", nargs="?", help="folder or file to look below")
    toc.add_argument("--headings", action="store_true", help="show headings too (needs a prefix)")
    toc.add_argument("--offset", type=whole_number(0), metavar="N", help="files to pass over")
    add_find(made.add_action("find", find, "Search a manual, or all of them."))
    fate = made.add_action("why-not", why_not, "Tell what kept a section from being found.")
    fate.add_argument("place", metavar="MANUAL/PATH[:LINE]", help="the section")
    add_question(fate, "QUESTION")
    read = made.add_action("read", _read, "Print the section around a line.")
    read.add_argument("place", metavar="MANUAL/PATH[:LINE]", help="where")
    read.add_argument("--scope", choices=SCOPES, help="how much")
    read.add_argument("--allow-file", action="store_true", help="for --scope file of .md files")
    scan = made.add_action("scan", _scan, "Print a file to its end.")
    scan.add_argument("place", metavar="MANUAL/PATH[:LINE]", help="where to start")
    index = made.add_action("index", _index, "Bring the indexes up to date.")
    index.add_argument("manual", nargs="*", help="manuals; left out: all")
    about = "Make a folder anywhere a manual."
    describe_add(made.add_action("add", add_root, about))
    about = "Take a folder out of the manuals that `add` put there; its files stay."
    describe_remove(made.add_action("rm", remove_root, about))
    add_import(made.add_action("import", import_sources, "Bring PDF, Office and HTML files in."))
    about = "Have all servers of a team search a folder or a commit."
    describe_publish(made.add_action("publish", publish_manual, about))
    about = "Show or remove the indexes of manuals that are gone."
    add_clean(made.add_action("clean", clean_indexes, about))
    for inner in subparsers(made).values():
        inner.add_argument("--manuals", metavar="DIR", help="folder of the manuals")
    return made

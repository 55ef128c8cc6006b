"""`tebiki manuals …`: the same manuals for a person at a terminal, found, read and explained."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tebiki.cli import pages, render, shared
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.parsers import CommandParser, whole_number
from tebiki.errors import InvalidArguments
from tebiki.manuals.documents import kinds, reasons
from tebiki.manuals.finder import Watch
from tebiki.manuals.finding import FindRequest
from tebiki.manuals.limits import DEFAULT_CANDIDATES, DEFAULT_TIME_MS, SCOPES
from tebiki.manuals.reading import Ref, Wanted
from tebiki.values.numerals import count_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

    from tebiki.app.faces import Face
    from tebiki.manuals.answer import FindAnswer
    from tebiki.manuals.finding import Found
    from tebiki.manuals.library import Library

USUALLY_SHOWN = 10
LONGEST_SNIPPET = 160
NOTHING_TO_SEARCH = "there is no Markdown or JSON file to search"
NO_MANUALS = "No manuals here: set MANUALS_ROOT to a folder of folders."


def run(face: Face, words: list[str]) -> int:
    """Do one thing with the manuals; 1 when there was nothing to show."""
    typed = parser().parse_args(words)
    library = shared.open_app(face, typed.config, ("manuals",)).engines.library()
    # A person sees the list with `ls`; the gate is there for models that guess ids.
    library.ls()
    action: Callable[[Library, argparse.Namespace], int] = typed.action
    return action(library, typed)


def _ls(library: Library, typed: argparse.Namespace) -> int:
    # As it is printed below: a folder ends with a slash.
    listing = library.ls(typed.id and typed.id.removesuffix("/"))
    lines = [f"{item.id}/" if item.kind == "dir" else item.id for item in listing.items]
    found = bool(lines)
    if not found:
        lines.append(NO_MANUALS if typed.id is None else f"Nothing in {typed.id}.")
    lines += _not_searched(listing.unsupported)
    return shared.show(typed, listing.as_json(), "\n".join(lines), found=found)


def _not_searched(unsupported: Mapping[str, int]) -> list[str]:
    """The line that tells which files search does not take, if there are any."""
    return [kinds.in_words(unsupported)] if unsupported else []


def _toc(library: Library, typed: argparse.Namespace) -> int:
    depth = "deep" if typed.headings else "shallow"
    page = library.toc(typed.manual, typed.prefix, depth=depth, offset=typed.offset).as_json()
    lines = []
    for item in page["items"]:
        lines.append(item["path"])
        lines += [f"  {row['line_start']:>5}  {row['title']}" for row in item["headings"]]
    if page["next_cursor"] is not None:
        lines.append(f"… of {page['total_files']} files: --offset {page['next_cursor']['offset']}")
    if not page["items"]:
        lines.append("No files there.")
    lines += _not_searched(page.get("unsupported", {}))
    return shared.show(typed, page, "\n".join(lines), found=bool(page["items"]))


def _find(library: Library, typed: argparse.Namespace) -> int:
    request = FindRequest(
        typed.query,
        typed.manual,
        tuple(typed.require),
        include_claim_graph=typed.full,
        max_candidates=typed.max_candidates,
        time_ms=typed.time_ms,
    )
    with _watched(typed.manual) as watch:
        answer = library.find(request, watch=watch)
    rows = list(answer.found.lists["candidates"])
    if typed.full:
        render.out_json({**answer.full(), "candidates": rows})
        return DONE if rows else NEGATIVE
    words = _as_list(answer, rows[: typed.limit], explained=typed.why)
    return shared.show(typed, answer.compact(), words, found=bool(rows))


def _as_list(answer: FindAnswer, rows: list[dict[str, Any]], *, explained: bool) -> str:
    found = answer.found
    lines = []
    for number, row in enumerate(rows, start=1):
        ref = row["ref"]
        place = f"{answer.manual_id}/{ref['path']}:{ref['start_line']}"
        lines.append(f"{number:>2}. {row['title']}  ({row['score']:.2f})")
        lines.append(f"    {place}")
        if row["snippet"]:
            lines.append(f"    {_shortened(row['snippet'])}")
        if explained:
            lines += [f"      {part}" for part in row["rank_explain"]]
    total = len(found.lists["candidates"])
    lines.append(f"{len(rows)} of {total} sections, {_scope(found)}")
    if found.failure_reason:
        lines.append(f"{found.status}: {found.failure_reason}")
    lines += [
        f"conflict: {row['text']} / {row['conflict_with'][0]['text']}"
        for row in found.lists["conflicts"]
    ]
    return "\n".join(lines)


def _scope(found: Found) -> str:
    """What was searched and what was not."""
    left = found.unscanned - sum(found.unsupported.values())
    searched = "everything searched" if found.complete else f"{left} files not searched"
    if not found.unsupported:
        return searched
    if found.complete and not found.summary["scanned_files"]:
        searched = NOTHING_TO_SEARCH
    return f"{searched}; {kinds.in_words(found.unsupported)}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SNIPPET else f"{line[: LONGEST_SNIPPET - 1]}…"


def _why_not(library: Library, typed: argparse.Namespace) -> int:
    manual_id, path, line = _place(typed.place)
    request = FindRequest(typed.query, manual_id, tuple(typed.require))
    fate = library.why_not(request, path, line)
    lines = [f"{manual_id}/{fate.path}:{fate.start_line}  {fate.title}", fate.words]
    lines += [f"  {name}={value:.4f}" for name, value in fate.parts]
    return shared.show(typed, fate.as_json(), "\n".join(lines), found=fate.was_found)


def _read(library: Library, typed: argparse.Namespace) -> int:
    manual_id, path, line = _place(typed.place)
    passage = library.read(Ref(manual_id, path, line), Wanted(typed.scope, typed.allow_file))
    return pages.show_part(
        typed,
        passage,
        lambda after: f"tebiki manuals scan {shlex.quote(f'{manual_id}/{path}:{after}')}",
    )


def _scan(library: Library, typed: argparse.Namespace) -> int:
    manual_id, path, line = _place(typed.place)
    return pages.show_all(typed, lambda cursor: library.scan(manual_id, path, cursor=cursor), line)


def _index(library: Library, typed: argparse.Namespace) -> int:
    wanted = typed.manual or [item.id for item in library.ls().items]
    rows = [_indexed(library, manual_id) for manual_id in wanted]
    lines = []
    for row in rows:
        lines.append(f"{row['manual_id']}: {row['files']} files, {row['sections']} sections")
        lines += [
            f"  left out: {one['path']} ({reasons.in_words(one['reason'])})"
            for one in row["skipped"]
        ]
        if not (row["files"] or row["skipped"]):
            lines.append(f"  warning: {NOTHING_TO_SEARCH}")
        lines += [f"  {line}" for line in _not_searched(row.get("unsupported", {}))]
    return shared.show(typed, rows, "\n".join(lines) or NO_MANUALS, found=bool(rows))


@contextmanager
def _watched(manual_id: str) -> Iterator[Watch]:
    """A bar at the foot of a terminal while an index is built."""
    with shared.progress_bar() as show:
        yield Watch(progress=lambda done, of_all: show(f"indexing {manual_id}", done, of_all))


def _indexed(library: Library, manual_id: str) -> dict[str, Any]:
    with _watched(manual_id) as watch:
        fresh = library.index(manual_id, watch)
    shown: dict[str, Any] = {
        "manual_id": manual_id,
        "files": fresh.files,
        "sections": fresh.sections,
        "skipped": [one.row() for one in fresh.skipped],
    }
    return shown | ({"unsupported": dict(fresh.kinds)} if fresh.kinds else {})


def _place(text: str) -> tuple[str, str, int | None]:
    """Take `MANUAL/PATH[:LINE]` apart."""
    manual_id, _, path = text.partition("/")
    if not path:
        raise InvalidArguments(f"{text}: say MANUAL/PATH or MANUAL/PATH:LINE")
    before, colon, line = path.rpartition(":")
    if colon and before and line.isascii() and line.isdigit():
        return manual_id, before, count_in(line)
    return manual_id, path, None


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
    toc.add_argument("--offset", type=int, metavar="N", help="files to pass over")
    _add_find(made.add_action("find", _find, "Search a manual."))
    why_not = made.add_action("why-not", _why_not, "Tell what kept a section from being found.")
    why_not.add_argument("place", metavar="MANUAL/PATH[:LINE]", help="the section")
    _add_question(why_not)
    read = made.add_action("read", _read, "Print the section around a line.")
    read.add_argument("place", metavar="MANUAL/PATH[:LINE]", help="where")
    read.add_argument("--scope", choices=SCOPES, help="how much")
    read.add_argument("--allow-file", action="store_true", help="for --scope file of .md files")
    scan = made.add_action("scan", _scan, "Print a file to its end.")
    scan.add_argument("place", metavar="MANUAL/PATH[:LINE]", help="where to start")
    index = made.add_action("index", _index, "Bring the indexes up to date.")
    index.add_argument("manual", nargs="*", help="manuals; left out: all")
    return made


def _add_question(parser: CommandParser) -> None:
    parser.add_argument("query", help="the question, or its keywords")
    parser.add_argument(
        "--require",
        action="append",
        required=True,
        metavar="TERM",
        help="a word the answer must contain; once or twice",
    )


def _add_find(find: CommandParser) -> None:
    find.add_argument("manual", help="manual")
    _add_question(find)
    find.add_argument("--full", action="store_true", help="print everything the search knows")
    find.add_argument("--why", action="store_true", help="show how each score came about")
    find.add_argument(
        "--limit",
        type=whole_number(1),
        default=USUALLY_SHOWN,
        metavar="N",
        help="most sections to print",
    )
    find.add_argument(
        "--max-candidates",
        type=int,
        default=DEFAULT_CANDIDATES,
        metavar="N",
        help="most sections to find",
    )
    find.add_argument(
        "--time-ms",
        type=int,
        default=DEFAULT_TIME_MS,
        metavar="MS",
        help="milliseconds the search may take",
    )

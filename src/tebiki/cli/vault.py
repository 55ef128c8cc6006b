"""`tebiki vault …`: the notes for a person at a terminal, and the journal to look back and undo."""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tebiki.cli import pages, render, shared
from tebiki.cli.parsers import CommandParser, whole_number
from tebiki.cli.plain import cut, one_line
from tebiki.errors import NotFound, UsageError
from tebiki.tools import vault_forms as forms
from tebiki.values.numerals import counted
from tebiki.vault.entries import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tebiki.app.faces import Face
    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.trimming import TrimmedHistory
    from tebiki.vault.vault import Vault

SHOWN_HITS = 10
LONGEST_SNIPPET = 200
FIRST_NOTE = "the first note makes it (tebiki vault create). If yours is elsewhere, set VAULT_ROOT."
INPUT = "-"
"""In place of a text: standard input has it."""


def run(face: Face, words: list[str]) -> int:
    """Do one thing with the vault; 1 when there was nothing to show or to replace."""
    typed = parser().parse_args(words)
    app = shared.open_app(face, typed.config, ("vault",))
    typed.settings, typed.engines = app.loaded.settings, app.engines
    action: Callable[[Vault, argparse.Namespace], int] = typed.action
    vault = app.engines.vault()
    try:
        return action(vault, typed)
    except NotFound as missing:
        if vault.exists():
            raise
        raise NotFound(f"There is no vault yet; {FIRST_NOTE}") from missing


def _ls(vault: Vault, typed: argparse.Namespace) -> int:
    listing = vault.ls(typed.path)
    lines = [f"{item.path}/" if item.kind == "dir" else item.path for item in listing.items]
    if not lines and not typed.json:
        render.err_line(_nothing_listed(vault, typed.path))
    return shared.show(typed, forms.listing_form(listing), "\n".join(lines), found=bool(lines))


def _nothing_listed(vault: Vault, path: str | None) -> str:
    if path is not None:
        return f"{path} is empty."
    if vault.exists():
        return f"The vault in {vault.place} is empty."
    return f"There is no vault in {vault.place} yet; {FIRST_NOTE}"


def _read(vault: Vault, typed: argparse.Namespace) -> int:
    """Print a whole note, or some of its lines."""
    if typed.start is None and typed.end is None:
        return pages.show_all(
            typed,
            lambda cursor: vault.scan(typed.path, cursor=cursor),
            forms.scan_form,
        )
    part = vault.read(typed.path, start_line=typed.start, end_line=typed.end)
    end = "" if typed.end is None else f" --end {typed.end}"
    path = shlex.quote(typed.path)
    return pages.show_part(
        typed,
        part,
        forms.read_form,
        lambda line: f"tebiki vault read {path} --start {line}{end}",
    )


def _create(vault: Vault, typed: argparse.Namespace) -> int:
    content = shared.read_input() if typed.content in {None, INPUT} else typed.content
    made = vault.create(typed.path, content)
    return shared.show(
        typed,
        made._asdict(),
        f"created {made.written_path} ({counted(made.written_bytes, 'byte')})",
    )


def _replace(vault: Vault, typed: argparse.Namespace) -> int:
    most = sys.maxsize if typed.all else 1
    done = vault.replace(typed.path, typed.find, typed.replace, most, dry_run=typed.dry_run)
    words = f"replaced {done.replacements} in {done.written_path}"
    if not done.replacements:
        sought = cut(one_line(typed.find), LONGEST_SNIPPET)
        words = f'"{sought}" is not in {typed.path}; nothing was changed'
    if typed.dry_run:
        words = f"would replace {done.replacements} in {typed.path}\n{done.diff}"
    return shared.show(typed, forms.replaced_form(done), words, found=done.replacements > 0)


def _append(vault: Vault, typed: argparse.Namespace) -> int:
    content = shared.read_input() if typed.content in {None, INPUT} else typed.content
    done = vault.append(typed.path, content)
    words = f"appended {counted(done.written_bytes, 'byte')} to {done.written_path}"
    return shared.show(typed, done._asdict(), words)


def _mv(vault: Vault, typed: argparse.Namespace) -> int:
    done = vault.move(typed.path, typed.to)
    words = f"moved {done.moved_from} to {done.written_path} ({_way_back(done.entry)})"
    return shared.show(typed, done._asdict(), words)


def _rm(vault: Vault, typed: argparse.Namespace) -> int:
    done = vault.remove(typed.path)
    return shared.show(
        typed, done._asdict(), f"removed {done.removed_path} ({_way_back(done.entry)})"
    )


def _way_back(entry: int) -> str:
    return f"tebiki vault undo {entry} takes it back"


def _find(_vault: Vault, typed: argparse.Namespace) -> int:
    from tebiki.manuals.find import Watch  # only when asked for

    search = typed.engines.note_search()
    with shared.progress_bar() as show:
        watch = Watch(progress=lambda done, of_all: show("indexing the notes", done, of_all))
        query = " ".join(typed.query)
        found = search.find(query, typed.limit, typed.folder, watch=watch)
    lines = []
    for hit in found.hits:
        lines.append(f"{hit.path}:{hit.start_line}  {one_line(hit.title)}")
        if hit.snippet:
            lines.append(f"    {cut(one_line(hit.snippet), LONGEST_SNIPPET)}")
    of_all = counted(found.total, "section")
    lines.append(of_all if len(found.hits) == found.total else f"{len(found.hits)} of {of_all}")
    if not found.complete:
        lines[-1] += f"; {counted(found.unscanned, 'file')} could not be searched"
    return shared.show(
        typed, forms.folder_hits_form(found), "\n".join(lines), found=bool(found.hits)
    )


def _log(vault: Vault, typed: argparse.Namespace) -> int:
    entries = vault.log(typed.path)
    nothing = "No writes yet." if typed.path is None else f"No writes to {typed.path}."
    gone = vault.gone()
    told = list(_gone_lines(gone))
    if typed.json:
        for line in told:
            render.err_line(line)
    text = "\n".join([*told, *map(_log_line, entries)] if entries else [*told, nothing])
    return shared.show(typed, list(map(_entry_form, entries)), text, found=bool(entries))


def _gone_lines(gone: TrimmedHistory) -> Iterator[str]:
    """What the log once had."""
    if gone.trimmed and gone.first is not None and gone.last is not None:
        yield (
            f"{counted(gone.trimmed, 'entry', 'entries')} from {moment(gone.first)} to "
            f"{moment(gone.last)} trimmed to keep the journal small; "
            "the newest of each note is always here."
        )
    if gone.forgotten:
        yield f"{counted(gone.forgotten, 'entry', 'entries')} forgotten by tebiki vault forget."


def _log_line(entry: JournalEntry) -> str:
    state = "" if entry.done else "  (not done)"
    undoes = f"  (undoes {entry.undoes})" if entry.undoes is not None else ""
    source = f"  (from {entry.source})" if entry.source is not None else ""
    told = f"{entry.path}{source}{undoes}{state}"
    return f"{entry.entry:>4}  {moment(entry.time)}  {entry.kind:<8} {told}"


def _entry_form(entry: JournalEntry) -> dict[str, Any]:
    """An entry for programs, without the bytes."""
    moved = {} if entry.source is None else {"moved_from": entry.source}
    return {
        "entry": entry.entry,
        "time": moment(entry.time),
        "kind": entry.kind,
        "path": entry.path,
        "before": entry.before,
        "after": entry.after,
        "undoes": entry.undoes,
        "done": entry.done,
        **moved,
    }


def _diff(vault: Vault, typed: argparse.Namespace) -> int:
    words = vault.diff(typed.entry)
    return shared.show(typed, {"entry": typed.entry, "diff": words}, words)


def _undo(vault: Vault, typed: argparse.Namespace) -> int:
    done = vault.undo(typed.entry)
    words = f"undid {done.undoes} in {done.written_path} (entry {done.entry})"
    return shared.show(typed, done._asdict(), words)


def _forget(vault: Vault, typed: argparse.Namespace) -> int:
    from tebiki.app.forgetting import forget_everywhere  # only when asked for

    if typed.path is None and typed.before is None:
        raise UsageError("say what to forget: a PATH, or --before DATE, or both")
    done = forget_everywhere(vault, typed.settings, typed.path, typed.before)
    words = [f"forgot {counted(done.notes.entries, 'entry', 'entries')} of the journal"]
    if done.indexes:
        words.append(
            f"dropped {counted(done.indexes, 'index', 'indexes')} of manuals that may hold the "
            "text; the next find builds them anew"
        )
    words += [
        f"{typed.path} had another name, which has entries of its own: tebiki vault forget "
        f"{shlex.quote(name)} removes them"
        for name in done.notes.other_names
    ]
    if done.notes.still_there:
        words.append(f"{typed.path} itself is still there; delete it if its text is to go too")
    found = bool(done.notes.entries or done.indexes)
    return shared.show(typed, done.as_json(), "\n".join(words), found=found)


def _moment(text: str) -> float:
    """A day or a time, of UTC as the log has them unless it says otherwise."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no date; write 2026-01-31 or 2026-01-31T12:00"
        ) from wrong
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(prog="tebiki vault", description="The notes vault.")
    made.add_action("ls", _ls, "List one level.").add_argument("path", nargs="?", help="folder")
    read = made.add_action("read", _read, "Print a note, or some of its lines.")
    read.add_argument("path", help="note")
    read.add_argument("--start", type=whole_number(1), metavar="LINE", help="first line")
    read.add_argument("--end", type=whole_number(1), metavar="LINE", help="last line")
    create = made.add_action(
        "create", _create, "Create a note from standard input, or from --content."
    )
    create.add_argument("path", help="note")
    create.add_argument("--content", metavar="TEXT", help="the whole text; - reads standard input")
    replace = made.add_action("replace", _replace, "Replace text in a note.")
    for name, doc in (("path", "note"), ("find", "text to look for"), ("replace", "new text")):
        replace.add_argument(name, help=doc)
    replace.add_argument("--all", action="store_true", help="every hit, not only the first")
    replace.add_argument("--dry-run", action="store_true", help="write nothing; show the diff")
    append = made.add_action(
        "append", _append, "Add text to a note, from standard input or from --content."
    )
    append.add_argument("path", help="note; it must exist")
    append.add_argument("--content", metavar="TEXT", help="the text; - reads standard input")
    find = made.add_action("find", _find, "Search the notes.")
    find.add_argument("query", nargs="+", help="question or words")
    find.add_argument(
        "--limit", type=whole_number(1), default=SHOWN_HITS, metavar="N", help="most hits to show"
    )
    find.add_argument("--in", dest="folder", metavar="PATH", help="only in this folder or note")
    move = made.add_action("mv", _mv, "Move a note; undo moves it back.")
    move.add_argument("path", help="note")
    move.add_argument("to", help="new path, or a folder")
    made.add_action("rm", _rm, "Remove a note; undo gives it back.").add_argument(
        "path", help="note"
    )
    made.add_action("log", _log, "List every write.").add_argument(
        "path", nargs="?", help="only this note"
    )
    for name, action, doc in (
        ("diff", _diff, "Show what a write changed."),
        ("undo", _undo, "Take a write back."),
    ):
        made.add_action(name, action, doc).add_argument(
            "entry", type=whole_number(1), help="its number in the log"
        )
    forget = made.add_action(
        "forget",
        _forget,
        "Remove what is kept of notes for good: from the journal and all indexes.",
    )
    forget.add_argument("path", nargs="?", help="note, or folder of notes; they stay as they are")
    forget.add_argument(
        "--before", type=_moment, metavar="DATE", help="only what was written before (UTC)"
    )
    return made

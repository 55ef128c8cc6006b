"""`tebiki vault …`: the notes for a person at a terminal, and the journal to look back and undo."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from tebiki.cli import pages, shared
from tebiki.cli.parsers import CommandParser, whole_number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from tebiki.app.faces import Face
    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.vault import Vault


def run(face: Face, words: list[str]) -> int:
    """Do one thing with the vault; 1 when there was nothing to show or to replace."""
    typed = parser().parse_args(words)
    app = shared.open_app(face, typed.config, ("vault",))
    action: Callable[[Vault, argparse.Namespace], int] = typed.action
    return action(app.engines.vault(), typed)


def _ls(vault: Vault, typed: argparse.Namespace) -> int:
    listing = vault.ls(typed.path)
    lines = [f"{item.path}/" if item.kind == "dir" else item.path for item in listing.items]
    return shared.show(typed, listing.as_json(), "\n".join(lines), found=bool(lines))


def _read(vault: Vault, typed: argparse.Namespace) -> int:
    """Print a whole note, or some of its lines."""
    if typed.start is None and typed.end is None:
        return pages.show_all(
            typed,
            lambda cursor: vault.scan(typed.path, cursor=cursor),
            lambda part: part.as_json(),
        )
    part = vault.read(typed.path, start_line=typed.start, end_line=typed.end)
    end = "" if typed.end is None else f" --end {typed.end}"
    path = shlex.quote(typed.path)
    return pages.show_part(
        typed,
        part,
        lambda one: one.as_json(),
        lambda line: f"tebiki vault read {path} --start {line}{end}",
    )


def _create(vault: Vault, typed: argparse.Namespace) -> int:
    content = typed.content if typed.content is not None else shared.read_input()
    made = vault.create(typed.path, content)
    return shared.show(
        typed, made.as_json(), f"created {made.written_path} ({made.written_bytes} bytes)"
    )


def _replace(vault: Vault, typed: argparse.Namespace) -> int:
    most = sys.maxsize if typed.all else 1
    done = vault.replace(typed.path, typed.find, typed.replace, most)
    words = f"replaced {done.replacements} in {done.written_path}"
    return shared.show(typed, done.as_json(), words, found=done.replacements > 0)


def _log(vault: Vault, typed: argparse.Namespace) -> int:
    entries = vault.log(typed.path)
    nothing = "No writes yet." if typed.path is None else f"No writes to {typed.path}."
    text = "\n".join(_log_line(entry) for entry in entries) or nothing
    return shared.show(typed, [entry.as_json() for entry in entries], text, found=bool(entries))


def _log_line(entry: JournalEntry) -> str:
    facts = entry.as_json()
    state = "" if entry.done else "  (not done)"
    undoes = f"  (undoes {entry.undoes})" if entry.undoes is not None else ""
    return f"{entry.entry:>4}  {facts['time']}  {entry.kind:<8} {entry.path}{undoes}{state}"


def _diff(vault: Vault, typed: argparse.Namespace) -> int:
    words = vault.diff(typed.entry)
    return shared.show(typed, {"entry": typed.entry, "diff": words}, words)


def _undo(vault: Vault, typed: argparse.Namespace) -> int:
    done = vault.undo(typed.entry)
    words = f"undid {done.undoes} in {done.written_path} (entry {done.entry})"
    return shared.show(typed, done.as_json(), words)


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(prog="tebiki vault", description="The notes vault.")
    made.add_action("ls", _ls, "List one level.").add_argument("path", nargs="?", help="folder")
    read = made.add_action("read", _read, "Print a note, or some of its lines.")
    read.add_argument("path", help="note")
    read.add_argument("--start", type=whole_number(1), metavar="LINE", help="first line")
    read.add_argument("--end", type=whole_number(1), metavar="LINE", help="last line")
    create = made.add_action("create", _create, "Create a note from standard input or --content.")
    create.add_argument("path", help="note")
    create.add_argument("--content", metavar="TEXT", help="the whole text")
    replace = made.add_action("replace", _replace, "Replace text in a note.")
    for name, doc in (("path", "note"), ("find", "text to look for"), ("replace", "new text")):
        replace.add_argument(name, help=doc)
    replace.add_argument("--all", action="store_true", help="every hit, not only the first")
    made.add_action("log", _log, "List every write.").add_argument(
        "path", nargs="?", help="only this note"
    )
    for name, action, doc in (
        ("diff", _diff, "Show what a write changed."),
        ("undo", _undo, "Take a write back."),
    ):
        made.add_action(name, action, doc).add_argument(
            "entry", type=int, help="its number in the log"
        )
    return made

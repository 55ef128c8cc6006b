"""The notes screen: the tree, a rendered note, its history, what a write changed, and undo."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tebiki.errors import Conflict, Forbidden, InvalidArguments, NotFound, TebikiError
from tebiki.files.names import OWN_FOLDER, fold_name
from tebiki.files.reading import Cursor, cursor_offset, page
from tebiki.manuals.documents.link_targets import written_target
from tebiki.screens.markup import Nowhere, nodes_of, plain_nodes
from tebiki.screens.screen_tools import (
    NAMED,
    OFFSET,
    QUESTION,
    WRITES,
    screen_tool,
)
from tebiki.server.registry import Parameter
from tebiki.tools.uris import vault_uri
from tebiki.values.shapes import Field, Integer, ListOf, RecordShape, Text
from tebiki.values.unseen import in_one_line, without_unseen
from tebiki.vault.entries import moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from tebiki.server.registry import Call, Tool
    from tebiki.vault.entries import JournalEntry
    from tebiki.vault.vault import Vault

READERS, WRITERS = "vault-read", "vault-write"
MOST_ITEMS = 5_000
"""Of a tree that is shown whole; below that, folders are opened one by one."""

MOST_DEPTH = 16
MOST_SHOWN_CHARS = 60_000
"""Of a note at once: several screens; the rest is asked for."""

ENTRIES_A_PAGE = 50
ANSWERS_FOLDER = "answers"
LONGEST_SLUG = 60
LONGEST_NOTE = 500_000
LONGEST_DIFF = 200_000
LONGEST_ADDRESS = 2_000
MOST_TRIES = 100


class NotesScreen:
    """The vault for the page; without write access it only shows."""

    def __init__(self, vault: Callable[[], Vault], *, can_save: bool, can_undo: bool) -> None:
        self._vault = vault
        self._can_save = can_save
        self._can_undo = can_undo

    def tools(self) -> list[Tool]:
        """What can be asked."""
        path = Parameter("path", NAMED, "Path below the vault.")
        entry = Parameter("entry", Integer(least=1), "Number of a write.")
        source = RecordShape(
            (
                Field("url", Text(), "Address.", required=True),
                Field("title", Text(), "Title."),
                Field("date", Text(), "Date."),
            )
        )
        text = Parameter("text", Text(not_blank=True, longest=LONGEST_NOTE), "Text.", required=True)
        sources = Parameter("sources", ListOf(source), "What it rests on.")
        return [
            screen_tool("GET notes", READERS, (path,), self._notes),
            screen_tool("GET note", READERS, (path._replace(required=True), OFFSET), self._note),
            screen_tool("GET journal", READERS, (path, entry, OFFSET), self._journal),
            screen_tool("POST notes", WRITERS, (QUESTION, text, sources), self._save, WRITES),
            screen_tool(
                "POST journal/undo", WRITERS, (entry._replace(required=True),), self._undo, WRITES
            ),
        ]

    def _notes(self, call: Call) -> dict[str, Any]:
        tree = _NoteTree(self._vault(), call)
        return {"items": tree.below(call.arguments["path"], 0), "cut": tree.is_cut}

    def _note(self, call: Call) -> dict[str, Any]:
        path, offset = call.arguments["path"], call.arguments["offset"]
        _refuse_own_folder(path)
        with self._vault().open_text(path, call.patience()) as opened:
            start = cursor_offset(opened, None, Cursor(char_offset=offset))
            part = page(opened, start, limit=MOST_SHOWN_CHARS)
            etag = opened.digest
        text = part.text
        is_prose = path.lower().endswith((".md", ".markdown"))
        folder = path.rpartition("/")[0]
        if is_prose:
            nodes = nodes_of(text, leads=NoteLeads(folder), first_line=part.first_line)
        else:
            nodes = plain_nodes(text, (), part.first_line)
        return {
            "path": path,
            "etag": etag,
            "uri": vault_uri(path.split("/")),
            "nodes": nodes,
            "text": text,
            "next": part.next_offset,
        }

    def _journal(self, call: Call) -> dict[str, Any]:
        vault, given = self._vault(), call.arguments
        if given["entry"] is not None:
            return self._change(vault, given["entry"])
        entries = vault.log(given["path"])
        gone = vault.gone()
        newest = entries[::-1][given["offset"] : given["offset"] + ENTRIES_A_PAGE]
        undoable = _undoable(entries) if self._can_undo else set[int]()
        return {
            "total": len(entries),
            "offset": given["offset"],
            "entries": [_entry_form(one, undoable) for one in newest],
            "trimmed": gone.trimmed,
            "forgotten": gone.forgotten,
        }

    def _change(self, vault: Vault, number: int) -> dict[str, Any]:
        entries = vault.log()
        found = next((one for one in entries if one.entry == number), None)
        if found is None:
            raise NotFound(f"There is no entry {number}.")
        undoable = _undoable(vault.log(found.path)) if self._can_undo else set[int]()
        diff = without_unseen(vault.diff(number))
        is_cut = len(diff) > LONGEST_DIFF
        return {**_entry_form(found, undoable), "diff": diff[:LONGEST_DIFF], "cut": is_cut}

    def _undo(self, call: Call) -> dict[str, Any]:
        if not self._can_undo:
            raise Forbidden("This server is read-only; nothing is undone.")
        vault, entry = self._vault(), call.arguments["entry"]
        try:
            done = vault.undo(entry)
        except NotFound:
            # Another tab was a moment quicker and took the note away; now that can be told.
            done = vault.undo(entry)
        return {"path": done.written_path, "entry": done.entry, "undoes": done.undoes}

    def _save(self, call: Call) -> dict[str, Any]:
        """Keep an answer as a note of its own, whatever is there already."""
        if not self._can_save:
            raise Forbidden("This server is read-only; nothing is saved.")
        given = call.arguments
        name = f"{time.strftime('%Y-%m-%d')}-{_slug(given['question'])}"
        content = _note_of(given["question"], given["text"], given["sources"] or [])
        for number in range(1, MOST_TRIES + 1):
            end = "" if number == 1 else f"-{number}"
            try:
                made = self._vault().create(f"{ANSWERS_FOLDER}/{name}{end}.md", content)
            except Conflict:
                continue
            return {"path": made.written_path, "bytes": made.written_bytes, "etag": made.etag}
        raise Conflict(f"There are {MOST_TRIES} notes on this already.")


class _NoteTree:
    """The folders of the vault, as far as a tree can be shown."""

    def __init__(self, vault: Vault, call: Call) -> None:
        self._vault = vault
        self._call = call
        self._items = 0
        self.is_cut = False

    def below(self, path: str | None, depth: int) -> list[dict[str, Any]]:
        """What is in a folder, and in those below it."""
        items = []
        for item in self._vault.ls(path).items:
            if fold_name(item.name) == OWN_FOLDER:
                continue
            self._items += 1
            if self._items > MOST_ITEMS or self._call.is_cancelled():
                self.is_cut = True
                break
            form: dict[str, Any] = {"name": item.name, "path": item.path}
            if item.kind == "dir":
                form["items"] = self._inside(item.path, depth + 1)
            items.append(form)
        return items

    def _inside(self, path: str, depth: int) -> list[dict[str, Any]]:
        if depth > MOST_DEPTH:
            self.is_cut = True
            return []
        try:
            return self.below(path, depth)
        except TebikiError:  # a folder that is gone by now, or that may not be read
            self.is_cut = True
            return []


class NoteLeads(Nowhere):
    """Links from note to note."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def link(self, address: str) -> str | None:
        """The address of the notes screen for another note."""
        target, _ = written_target(self._folder, address)
        is_note = target.lower().endswith((".md", ".markdown"))
        return f"#notes?{urlencode({'path': target.removeprefix('/')})}" if is_note else None


def _undoable(entries: list[JournalEntry]) -> set[int]:
    """The writes that nothing has overtaken: the last one of each note that took effect.

    Whether another program has changed the note since is told by the undo itself.
    """
    newest: dict[str, int] = {}
    for entry in entries:
        if entry.done:
            newest[entry.path] = entry.entry
            if entry.source is not None:
                newest.pop(entry.source, None)
    return set(newest.values())


def _entry_form(entry: JournalEntry, undoable: set[int]) -> dict[str, Any]:
    moved = {} if entry.source is None else {"moved_from": entry.source}
    return {
        "entry": entry.entry,
        "time": moment(entry.time),
        "kind": entry.kind,
        "path": entry.path,
        **moved,
        "undoes": entry.undoes,
        "done": entry.done,
        "undoable": entry.entry in undoable,
    }


def _refuse_own_folder(path: str) -> None:
    if any(fold_name(part) == OWN_FOLDER for part in path.replace("\\", "/").split("/")):
        raise NotFound("There is no such note.")


def _slug(question: str) -> str:
    """A file's name of a question: its letters and digits, in any script."""
    words = re.findall(r"[^\W_]+", question[: 10 * LONGEST_SLUG], re.UNICODE)
    return "-".join(words)[:LONGEST_SLUG].strip("-").lower() or "answer"


def _note_of(question: str, text: str, sources: list[dict[str, Any]]) -> str:
    """The note: the question as its title, the answer, and the sources it does not list itself."""
    lines = [f"# {in_one_line(question)}", "", without_unseen(text).strip(), ""]
    missing = [one for one in sources if one["url"] not in text]
    for one in missing:
        if len(one["url"]) > LONGEST_ADDRESS:
            raise InvalidArguments("sources has an address that is too long.")
        words = " ".join(filter(None, (one.get("title"), one["url"], one.get("date"))))
        lines.append(f"- {in_one_line(words)}")
    return "\n".join(lines).rstrip() + "\n"

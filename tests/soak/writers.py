"""Every operation that writes, as `faults` runs it: what is there before, the write, and a judge.

A judge looks at what was left as the next process would, says what is wrong with it, and sees that
the same operation can be done again.
"""

from __future__ import annotations

import hashlib
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

from tebiki.budget.caps import Caps
from tebiki.budget.database import LedgerDatabase
from tebiki.budget.paid_calls import CallStart
from tebiki.clients.changes import carry_out, plan_addition, plan_removal
from tebiki.clients.entries import Server
from tebiki.clients.places import Machine, user_place
from tebiki.clients.table import BY_NAME
from tebiki.errors import Conflict
from tebiki.files.names import TEMPORARY_PREFIX
from tebiki.manuals.past_finds import FindRow, Statistics
from tebiki.vault.vault import Vault
from tebiki.web.tokens import TokenFile
from tests.manuals.index_faults import word
from tests.manuals.searchable import LONG_AGO, Searchable
from tests.support.ledgers import NOON, earlier_line, entry, process_ledgers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tebiki.clients.changes import Change
    from tebiki.clients.places import ConfigPlace

LITTLE = 4000
"""Bytes; a journal of a dozen edits has more."""

OLD, NEW = "old line\n" * 50, "new line\n" * 50
ROW = FindRow(1, 1, 1, 0, 0, 0, False, False, 1.0, 3, 0.8)
SETTINGS = '{\n  "theme": "dark",\n  "mcpServers": {"other": {"command": "o", "key": "k"}}\n}\n'
CALL_USD = 0.25
CALLS_BEFORE = 6


class Writer(NamedTuple):
    """One operation."""

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    judge: Callable[[Path], Iterable[str]]
    can_be_copied: bool = False
    """Whether what is there before is as good in a copy: it knows no file by its number or time."""


def _vault(folder: Path) -> Vault:
    return Vault(folder / "vault", time.time)


def _strays(vault: Vault, *expected: str) -> list[str]:
    shown = {item.name for item in vault.ls().items} - {".system"}
    return [f"listed: {sorted(shown)}"] if not shown <= set(expected) else []


def _judge_log(vault: Vault, path: str, text: str | None) -> list[str]:
    """The last entry that is said to be done must have left the file as it is."""
    done = [entry for entry in vault.log(path) if entry.done]
    now = None if text is None else hashlib.sha256(text.encode()).hexdigest()
    after = done[-1].after if done else None
    return [] if after == now else ["the log does not say how the file came to be"]


def _text(folder: Path, path: str) -> str | None:
    found = folder / "vault" / path
    return found.read_text(encoding="utf-8") if found.exists() else None


def _nothing(_folder: Path) -> None:
    """Nothing is there before."""


def _create(folder: Path) -> None:
    _vault(folder).create("deep/a.md", NEW)


def _judge_create(folder: Path) -> Iterable[str]:
    vault, text = _vault(folder), _text(folder, "deep/a.md")
    if text not in (None, NEW):
        yield "torn"
    if (folder / "vault").exists():
        yield from _strays(vault, "deep")
        yield from _judge_log(vault, "deep/a.md", text)
    try:
        vault.create("deep/a.md", NEW)
    except Conflict:
        if text is None:
            yield "cannot be created again"
    if [item.name for item in vault.ls("deep").items] != ["a.md"]:
        yield f"listed: {vault.ls('deep').items}"


def _old_note(folder: Path) -> None:
    _vault(folder).create("a.md", OLD)


def _replace(folder: Path) -> None:
    _vault(folder).replace("a.md", "old", "new", 50)


def _judge_replace(folder: Path, *others: str) -> Iterable[str]:
    vault, text = _vault(folder), _text(folder, "a.md")
    if text not in (OLD, NEW):
        yield "torn"
    yield from _strays(vault, "a.md", *others)
    yield from _judge_log(vault, "a.md", text)
    hits = vault.replace("a.md", "old", "new", 50).replacements
    if (hits, _text(folder, "a.md")) != (50 if text == OLD else 0, NEW):
        yield "cannot be replaced again"
    last = [entry for entry in vault.log("a.md") if entry.done][-1]
    vault.undo(last.entry)
    if _text(folder, "a.md") != OLD:
        yield "cannot be undone"


def _new_note(folder: Path) -> None:
    _old_note(folder)
    _replace(folder)


def _undo(folder: Path) -> None:
    vault = _vault(folder)
    vault.undo(vault.log("a.md")[-1].entry)


def _judge_undo(folder: Path) -> Iterable[str]:
    vault, text = _vault(folder), _text(folder, "a.md")
    if text not in (OLD, NEW):
        yield "torn"
    yield from _judge_log(vault, "a.md", text)
    if text == NEW:
        vault.undo([entry for entry in vault.log("a.md") if entry.done][-1].entry)
        if _text(folder, "a.md") != OLD:
            yield "cannot be undone again"


def _move(folder: Path) -> None:
    _vault(folder).move("a.md", "deep/b.md")


def _judge_move(folder: Path) -> Iterable[str]:
    """After the next write the note has one path; it can be moved there, or back again."""
    vault = _vault(folder)
    vault.create("next.md", NEW)
    texts = [text for path in ("a.md", "deep/b.md") if (text := _text(folder, path)) is not None]
    if texts != [OLD]:
        yield f"{len(texts)} notes are left"
    if _text(folder, "a.md") is None:
        vault.undo(next(entry for entry in vault.log() if entry.kind == "move").entry)
    vault.move("a.md", "deep/b.md")
    yield from _strays(vault, "next.md", "deep")
    yield from _judge_log(vault, "deep/b.md", OLD)


def _small_vault(folder: Path) -> Vault:
    """One whose journal is trimmed by the next write that is told of in it."""
    return Vault(folder / "vault", time.time, journal_bytes=LITTLE)


def _full_journal(folder: Path) -> None:
    vault = _vault(folder)
    vault.create("rare.md", OLD)
    vault.create("a.md", OLD)
    for number in range(5):
        vault.replace("a.md", "line\n", f"line{number}\n", 50)
        vault.replace("a.md", f"line{number}\n", "line\n", 50)


def _replace_and_trim(folder: Path) -> None:
    _small_vault(folder).replace("a.md", "old", "new", 50)


def _judge_trim(folder: Path) -> Iterable[str]:
    """As after any replace; and the newest entry of each note is there, whatever is not."""
    entries = _vault(folder).log()
    if [entry.entry for entry in entries if entry.path == "rare.md"] != [1]:
        yield "the newest entry of a note is gone"
    if any(not entry.done for entry in entries[:-1]):
        yield "an entry is said to be not done"
    if entries[-1].entry not in {12, 13}:
        yield f"numbered {entries[-1].entry}"
    if _vault(folder).gone().trimmed != entries[-1].entry - len(entries):
        yield f"{_vault(folder).gone()} is not what is gone of {len(entries)}"
    yield from _judge_replace(folder, "rare.md")
    _small_vault(folder).replace("a.md", "old", "new", 50)
    if _vault(folder).log()[0].entry != 1 or _vault(folder).gone().trimmed == 0:
        yield "not trimmed by the next write"
    yield from _judge_files(folder)


def _forget(folder: Path) -> None:
    _vault(folder).forget("a.md")


def _judge_forget(folder: Path) -> Iterable[str]:
    """All entries of the note are there, or none; those of the others are."""
    vault = _vault(folder)
    log = vault.log()
    if [entry.entry for entry in log if entry.path == "rare.md"] != [1]:
        yield "an entry of another note is gone"
    count = sum(entry.path == "a.md" for entry in log)
    if (count, vault.gone().forgotten) not in {(11, 0), (0, 11)}:
        yield f"{count} entries are left"
    if not all(entry.done for entry in log):
        yield "an entry is said to be not done"
    vault.forget("a.md")
    if [entry.path for entry in vault.log()] != ["rare.md"]:
        yield "cannot be forgotten again"
    yield from _judge_files(folder)


def _judge_files(folder: Path) -> Iterable[str]:
    names = sorted(path.name for path in (folder / "vault" / ".system" / "journal").iterdir())
    if names != ["done.jsonl", "entries.jsonl"]:
        yield f"left in the journal: {names}"


def _ledger(folder: Path) -> Path:
    return folder / "state" / "ledger.db"


def _calls(folder: Path) -> None:
    for number in range(CALLS_BEFORE):
        process_ledgers(_ledger(folder)).end(entry(number, cost=CALL_USD))


def _earlier_calls(folder: Path) -> None:
    lines = [earlier_line(entry(number, cost=CALL_USD)) for number in range(CALLS_BEFORE)]
    _ledger(folder).parent.mkdir(parents=True)
    _ledger(folder).with_suffix(".jsonl").write_bytes(b"".join(lines))


def _one_more_call(folder: Path) -> None:
    ledgers = process_ledgers(_ledger(folder))
    ledgers.begin(CallStart(NOON, "call99", CALL_USD), [Caps(daily_usd=100)])
    ledgers.end(entry(99, cost=CALL_USD))


def _judge_ledger(folder: Path) -> Iterable[str]:
    ledger = LedgerDatabase(str(_ledger(folder)), lambda _words: None)
    ledger.begin(CallStart(NOON, "next", 0.0), [Caps(daily_usd=100)], NOON, {})
    spent, held, *_ = ledger.standing("", NOON)
    if spent < CALLS_BEFORE * CALL_USD:
        yield f"{spent} USD of at least {CALLS_BEFORE * CALL_USD} are known"
    if spent + held > (CALLS_BEFORE + 1) * CALL_USD:
        yield f"{spent} + {held} USD were never spent"
    left = sorted(path.name for path in _ledger(folder).parent.iterdir())
    if [name for name in left if name not in ("ledger.db", "ledger.jsonl")]:
        yield f"left behind: {left}"


def _statistics(folder: Path) -> Statistics:
    return Statistics(str(folder / "s" / "stats.jsonl"), lambda: NOON, most_bytes=2000)


def _note(folder: Path) -> None:
    for _ in range(10):
        _statistics(folder).note(ROW)


def _judge_statistics(folder: Path) -> Iterable[str]:
    before = len(_statistics(folder).recent())
    for _ in range(2):  # a line that is not whole spoils the one after it
        _statistics(folder).note(ROW)
    if len(_statistics(folder).recent()) == before == 0:
        yield "nothing can be noted any more"


def _settings_file(folder: Path) -> Path:
    return folder / ".cursor" / "mcp.json"


def _with_settings(folder: Path) -> None:
    _settings_file(folder).parent.mkdir()
    _settings_file(folder).write_text(SETTINGS, encoding="utf-8")
    _settings_file(folder).chmod(0o640)


def _place(folder: Path) -> ConfigPlace:
    return user_place(BY_NAME["cursor"], Machine("linux", {"HOME": str(folder)}))


def _set_up(folder: Path) -> None:
    server = Server(("tebiki",), ("--stdio",), (), None)
    _carry_out(plan_addition(BY_NAME["cursor"], _place(folder), "tebiki", server))


def _set_up_before(folder: Path) -> None:
    _with_settings(folder)
    _set_up(folder)


def _take_out(folder: Path) -> None:
    _carry_out(plan_removal(BY_NAME["cursor"], _place(folder), "tebiki", ("tebiki",)))


def _carry_out(change: Change) -> None:
    if change.needed:
        carry_out(change)


def _judge_settings(folder: Path) -> Iterable[str]:
    """Set up again and taken out again, the file is as it was."""
    path = _settings_file(folder)
    if path.exists() and not path.read_text(encoding="utf-8").startswith("{\n"):
        yield "torn"
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode != 0o640:
        yield f"mode {mode:o}"
    _set_up(folder)
    _take_out(folder)
    if path.read_text(encoding="utf-8") != SETTINGS:
        yield "cannot be taken back"
    yield from _others(path)


def _judge_first_settings(folder: Path) -> Iterable[str]:
    """No file, or one for its owner alone, which an undo takes away again."""
    path = _settings_file(folder)
    if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield "others may read it"
    _set_up(folder)
    _take_out(folder)
    if path.exists():
        yield "cannot be taken back"
    yield from _others(path)


def _others(path: Path) -> Iterable[str]:
    """Beside the file there are backups of it, and what the next write of a name takes away."""
    usual = (path.name, TEMPORARY_PREFIX)
    strays = [other.name for other in path.parent.iterdir() if not other.name.startswith(usual)]
    if strays:
        yield f"left behind: {strays}"


def _tokens(folder: Path) -> TokenFile:
    return TokenFile(str(folder / "c" / "tokens"))


def _two_tokens(folder: Path) -> None:
    _tokens(folder).add("a", "tbk_a")
    _tokens(folder).add("b", "tbk_b")


def _add_token(folder: Path) -> None:
    _tokens(folder).add("c", "tbk_c")


def _end_token(folder: Path) -> None:
    _tokens(folder).remove("a")


def _judge_tokens(folder: Path) -> Iterable[str]:
    tokens = _tokens(folder)
    names = [entry.name for entry in tokens.entries()]
    if names not in (["a", "b"], ["a", "b", "c"], ["b"]):
        yield f"tokens: {names}"
    tokens.add("d", "tbk_d")
    tokens.remove("b")
    left = sorted(path.name for path in (folder / "c").iterdir())
    if len([name for name in left if "lock" not in name]) != 1:
        yield f"left behind: {left}"


def _manual(folder: Path) -> Searchable:
    return Searchable(folder, folder / "cache")


def _written(folder: Path) -> None:
    for number in range(3):
        _manual(folder).write(f"{number}.md", f"# 題\n{word(number)}\n", modified=LONG_AGO)


def _find(folder: Path) -> None:
    _manual(folder).ask(word(1))


def _edited(folder: Path) -> None:
    _written(folder)
    _find(folder)
    _manual(folder).write("2.md", f"# 章\n改めた {word(1)} の続き\n")


def _judge_index(folder: Path) -> Iterable[str]:
    files = (folder / "manuals" / "m").iterdir()
    expected = sorted(file.name for file in files if word(1) in file.read_text(encoding="utf-8"))
    if (found := sorted(_manual(folder).paths(word(1)))) != expected:
        yield f"found in {found}, not in {expected}"


WRITERS = {
    writer.name: writer
    for writer in (
        Writer("vault create", _nothing, _create, _judge_create),
        Writer("vault replace", _old_note, _replace, _judge_replace, can_be_copied=True),
        Writer("vault undo", _new_note, _undo, _judge_undo, can_be_copied=True),
        Writer("vault move", _old_note, _move, _judge_move, can_be_copied=True),
        Writer("vault trim", _full_journal, _replace_and_trim, _judge_trim, can_be_copied=True),
        Writer("vault forget", _full_journal, _forget, _judge_forget, can_be_copied=True),
        Writer("ledger", _calls, _one_more_call, _judge_ledger),
        Writer("ledger, taken over", _earlier_calls, _one_more_call, _judge_ledger),
        Writer("statistics", _nothing, _note, _judge_statistics),
        Writer("setup, edited", _with_settings, _set_up, _judge_settings),
        Writer("setup, new", _nothing, _set_up, _judge_first_settings),
        Writer("setup, undone", _set_up_before, _take_out, _judge_settings),
        Writer("token new", _two_tokens, _add_token, _judge_tokens),
        Writer("token rm", _two_tokens, _end_token, _judge_tokens),
        Writer("index build", _written, _find, _judge_index),
        Writer("index edit", _edited, _find, _judge_index),
    )
}

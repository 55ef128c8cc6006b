"""What the vault's tools refuse, on the real process: paths, areas, arguments, texts too large."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.interaction.differences import WITHOUT_HTTP
from tests.interaction.vault_calls import use, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.talk import Talk


BAD_PATHS = {
    "empty": "",
    "absolute": "/etc/passwd",
    "drive": "C:\\x",
    "parent": "../outside.md",
    "parent inside": "a/../../outside.md",
    "backslash parent": "a\\..\\..\\outside.md",
    "NUL": "a\0.md",
    "control": "a\x07.md",
    "bidi": "a\u202e.md",
    "too long": "あ" * 86,
    "reserved": "con.md",
    "trailing dot": "a./b.md",
    "trailing space": "a /b.md",
}


@pytest.mark.requirement(
    "wire:errors:files", "wire:errors:file-codes", "vault:paths:refused", "vault:paths:messages"
)
def test_a_path_that_is_none_is_refused_by_every_tool(
    vault: Talk, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """And no message shows where the vault is."""
    (tmp_path / "outside.md").write_text("canary", encoding="utf-8")

    for case, path in BAD_PATHS.items():
        with subtests.test(case):
            outcomes = [
                use(vault, "create", path=path, content="x"),
                use(vault, "read", path=path, full=True),
                use(vault, "scan", path=path),
                use(vault, "replace", path=path, find="x", replace="y"),
            ]

            assert [outcome["code"] for outcome in outcomes] == ["invalid_path"] * 4
            assert all(str(tmp_path) not in outcome["message"] for outcome in outcomes)
            assert (tmp_path / "outside.md").read_text(encoding="utf-8") == "canary"


@pytest.mark.requirement("wire:errors:file-codes", "vault:paths:links")
@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_nothing_is_reached_through_a_link(vault: Talk, notes: Path, tmp_path: Path) -> None:
    """A linked note, a linked folder, a dangling link: forbidden, for create too."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("canary", encoding="utf-8")
    notes.mkdir()
    (notes / "note.md").symlink_to(outside / "secret.md")
    (notes / "folder").symlink_to(outside)
    (notes / "dangling.md").symlink_to(outside / "new.md")

    outcomes = [
        use(vault, "read", path="note.md", full=True),
        use(vault, "scan", path="folder/secret.md"),
        use(vault, "replace", path="note.md", find="canary", replace="x"),
        use(vault, "create", path="folder/new.md", content="x"),
        use(vault, "create", path="dangling.md", content="x"),
        use(vault, "ls", path="folder"),
    ]

    assert [outcome["code"] for outcome in outcomes] == ["forbidden"] * 6
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    assert (outside / "secret.md").read_text(encoding="utf-8") == "canary"


@pytest.mark.requirement("vault:paths:regular-files")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_a_fifo_never_blocks(vault: Talk, notes: Path) -> None:
    """Only regular files are opened."""
    notes.mkdir()
    os.mkfifo(notes / "pipe")

    assert use(vault, "read", path="pipe", full=True)["code"] == "invalid_path"
    assert use(vault, "scan", path="pipe")["code"] == "invalid_path"


@pytest.mark.requirement("vault:areas:system", "vault:areas:daily", "vault:areas:folded")
def test_reserved_areas_are_closed(vault: Talk, subtests: pytest.Subtests) -> None:
    """Whatever way their name is written."""
    for path in (
        ".system/x.md",
        ".SYSTEM/x.md",
        "\uff0esystem/x.md",
        "daily/2026-02-30.md",
        "daily/notes.md",
        "Daily/2026-02-03.md",
        "daily/sub/2026-02-03.md",
    ):
        with subtests.test(path):
            assert use(vault, "create", path=path, content="x")["code"] == "forbidden"


@pytest.mark.requirement("vault:areas:daily")
def test_a_daily_note_is_created_once_and_not_edited(vault: Talk) -> None:
    """`daily/YYYY-MM-DD.md`, with a real date."""
    created = use(vault, "create", path="daily/2026-11-16.md", content="x")
    edited = use(vault, "replace", path="daily/2026-11-16.md", find="x", replace="y")

    assert created["written_path"] == "daily/2026-11-16.md"
    assert edited["code"] == "forbidden"


BAD_ARGUMENTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "no path": ("read", {"full": True}, "path is required"),
    "path number": ("read", {"path": 5}, "path must be a string, got 5"),
    "unknown key": ("read", {"path": "a.md", "ful": True}, 'unknown key "ful"; did you mean full?'),
    "unknown nested key": (
        "read",
        {"path": "a.md", "range": {"start": 1}},
        'range has the unknown key "start"; did you mean start_line?',
    ),
    "line as text": (
        "read",
        {"path": "a.md", "range": {"start_line": "1"}},
        'range.start_line must be an integer of at least 1, got "1"',
    ),
    "line zero": ("scan", {"path": "a.md", "start_line": 0}, "start_line must be an integer of at"),
    "line boolean": ("scan", {"path": "a.md", "start_line": True}, "start_line must be an integer"),
    "line fraction": ("scan", {"path": "a.md", "start_line": 1.5}, "got 1.5"),
    "offset negative": (
        "scan",
        {"path": "a.md", "cursor": {"char_offset": -1}},
        "cursor.char_offset must be an integer of at least 0, got -1",
    ),
    "cursor text": ("scan", {"path": "a.md", "cursor": "5"}, "cursor must be an object"),
    "full as text": ("read", {"path": "a.md", "full": "yes"}, "full must be true or false"),
    "no range": ("read", {"path": "a.md"}, "range"),
    "backwards": ("read", {"path": "a.md", "range": {"start_line": 3, "end_line": 2}}, "line"),
    "beyond": ("read", {"path": "a.md", "range": {"start_line": 9}}, "9"),
    "offset beyond": ("scan", {"path": "a.md", "cursor": {"char_offset": 99}}, "99"),
    "empty find": ("replace", {"path": "a.md", "find": "", "replace": "x"}, "find must be"),
    "no replace": ("replace", {"path": "a.md", "find": "x"}, "replace is required"),
    "empty content": ("create", {"path": "b.md", "content": ""}, "content must be"),
    "count negative": (
        "replace",
        {"path": "a.md", "find": "x", "replace": "y", "max_replacements": -1},
        "max_replacements must be an integer of at least 0, got -1",
    ),
}


@pytest.mark.requirement(
    "wire:errors:file-codes",
    "wire:arguments:unknown-keys",
    "wire:arguments:integers",
    "wire:arguments:bounds-named",
    "vault:create:content",
    "vault:read:range",
    "vault:replace:arguments",
    "vault:read:missing-ends",
    "vault:scan:end",
)
def test_bad_arguments_name_what_is_wrong(
    vault: Talk, notes: Path, subtests: pytest.Subtests
) -> None:
    """`invalid_parameter` with the parameter, the value and the bound."""
    write(notes, "a.md", b"one\ntwo\n")

    for case, (tool, arguments, words) in BAD_ARGUMENTS.items():
        with subtests.test(case):
            refused = use(vault, tool, **arguments)

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]
            assert (notes / "a.md").read_bytes() == b"one\ntwo\n"


@pytest.mark.requirement("vault:writing:limit")
# Over HTTP 4 MiB are the most that can be said at once.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_text_beyond_the_limit_is_refused(vault: Talk, notes: Path) -> None:
    """8 MiB, for a new note and for the result of an edit."""
    write(notes, "a.md", b"x" * (8 * 1024 * 1024))

    created = use(vault, "create", path="b.md", content="y" * (8 * 1024 * 1024 + 1))
    grown = use(vault, "replace", path="a.md", find="x", replace="yy")

    assert (created["code"], grown["code"]) == ("invalid_parameter", "invalid_parameter")
    assert not (notes / "b.md").exists()
    assert (notes / "a.md").stat().st_size == 8 * 1024 * 1024


@pytest.mark.requirement("vault:text:other-bytes")
def test_bytes_that_are_no_text_are_said_to_be_none(vault: Talk, notes: Path) -> None:
    """Not guessed at."""
    write(notes, "a.bin", bytes(range(256)))

    assert use(vault, "read", path="a.bin", full=True)["code"] == "invalid_parameter"


@pytest.mark.requirement("wire:errors:file-codes", "vault:paths:folder-as-file")
@pytest.mark.parametrize("tool", ["read", "scan"])
def test_what_is_not_there_is_not_found(vault: Talk, notes: Path, tool: str) -> None:
    """A folder given as a note is not found either."""
    write(notes, "folder/a.md", b"x")
    extra = {"full": True} if tool == "read" else {}

    assert use(vault, tool, path="missing.md", **extra)["code"] == "not_found"
    assert use(vault, tool, path="folder", **extra)["code"] == "not_found"


@pytest.mark.requirement("wire:modern:no-handshake")
def test_a_bad_name_in_a_modern_call_is_stamped_too(vault: Talk) -> None:
    """A failed result is a result of its era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    result = vault.call(1, "vault_read", {"path": "../x", "full": True}, _meta=meta)["result"]

    assert result["isError"] is True
    assert result["resultType"] == "complete"


@pytest.mark.requirement("vault:writing:limit")
def test_a_small_edit_that_would_be_huge_is_refused_before_it_is_built(
    vault: Talk, notes: Path
) -> None:
    """A hundred thousand hits times a hundred thousand characters is ten gigabytes."""
    write(notes, "a.md", b"a" * 100_000)

    refused = use(
        vault, "replace", path="a.md", find="a", replace="b" * 100_000, max_replacements=100_000
    )

    assert refused["code"] == "invalid_parameter"
    assert "10000000000 bytes" in refused["message"]


@pytest.mark.requirement("vault:journal:unwritable")
def test_a_journal_that_cannot_be_written_stops_the_write_whole(vault: Talk, notes: Path) -> None:
    """Neither the note nor its folder is made."""
    (notes / ".system" / "journal" / "entries.jsonl").mkdir(parents=True)

    refused = use(vault, "create", path="new/a.md", content="x")

    assert refused["code"] == "conflict"
    assert not (notes / "new").exists()

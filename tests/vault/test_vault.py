"""The five tools of the vault, as its contract tells them."""

from __future__ import annotations

import codecs
import os
import unicodedata
from typing import TYPE_CHECKING

import pytest

from tebiki.errors import Conflict, Forbidden, InvalidArguments, InvalidPath, NotFound
from tebiki.files.reading import Cursor
from tebiki.tools.vault_forms import listing_form, read_form, scan_form
from tebiki.vault.journal import digest
from tebiki.vault.vault import Vault
from tests.support.looks import look_at

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("vault:root:missing")
def test_root_missing_lists_nothing_and_create_makes_it(tmp_path: Path) -> None:
    """Reading and replacing make nothing."""
    root = tmp_path / "not" / "yet"
    vault = Vault(root, lambda: 0.0)

    assert listing_form(vault.ls()) == {"base_path": None, "items": []}
    with pytest.raises(NotFound):
        vault.read("a.md", full=True)
    with pytest.raises(NotFound):
        vault.replace("a.md", "a", "b")
    with pytest.raises(NotFound):
        vault.ls("notes")
    assert not root.exists()

    vault.create("a.md", "x")
    assert (root / "a.md").read_bytes() == b"x"


@pytest.mark.requirement("vault:ls:one-level")
def test_ls_is_one_level_folders_first_then_by_name(vault: Vault, root: Path) -> None:
    """Links, special files and unfinished writes are left out."""
    for name in ("b", "a/deep"):
        (root / name).mkdir(parents=True)
    for name in ("z.md", "B.md", "a.md", "あ.md", ".tebiki-tmp-1", "a/inner.md"):
        (root / name).write_bytes(b"")
    (root / "link").symlink_to("z.md")
    (root / "gone").symlink_to("nowhere")
    os.mkfifo(root / "pipe")

    listing = listing_form(vault.ls())

    assert listing["base_path"] is None
    assert [(item["name"], item["kind"]) for item in listing["items"]] == [
        ("a", "dir"),
        ("b", "dir"),
        ("B.md", "file"),
        ("a.md", "file"),
        ("z.md", "file"),
        ("あ.md", "file"),
    ]
    assert listing_form(vault.ls("./a/")) == {
        "base_path": "a",
        "items": [
            {"name": "deep", "path": "a/deep", "kind": "dir"},
            {"name": "inner.md", "path": "a/inner.md", "kind": "file"},
        ],
    }
    assert vault.ls(".") == vault.ls()
    with pytest.raises(NotFound):
        vault.ls("z.md")
    with pytest.raises(Forbidden):
        vault.ls("link")
    with pytest.raises(InvalidPath):
        vault.ls("")


@pytest.mark.requirement("vault:paths:relative")
def test_create_writes_what_it_is_given(vault: Vault, root: Path) -> None:
    """Parents are made; no line end is changed; bytes are counted."""
    made = vault.create("notes\\2026/計画.md", "一\r\n二\n")

    assert made._asdict() == {
        "written_path": "notes/2026/計画.md",
        "written_bytes": 9,
        "etag": digest("一\r\n二\n".encode()),
    }
    assert (root / "notes/2026/計画.md").read_bytes() == "一\r\n二\n".encode()
    assert sorted(os.listdir(root / "notes/2026")) == ["計画.md"]


@pytest.mark.requirement("vault:paths:normal-forms", "vault:create:exclusive")
def test_create_is_exclusive(vault: Vault, root: Path) -> None:
    """Whatever is there: file, folder, pipe, or the same name in another normal form."""
    vault.create("a.md", "one")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    nfc, nfd = (unicodedata.normalize(form, "が.md") for form in ("NFC", "NFD"))
    (root / nfd).write_bytes(b"nfd")

    for path in ("a.md", "folder", "pipe", nfc, nfd, "a.md/below.md"):
        with pytest.raises(Conflict):
            vault.create(path, "two")
    assert (root / "a.md").read_bytes() == b"one"
    assert nfc not in os.listdir(root)


@pytest.mark.requirement("vault:paths:normal-forms")
def test_a_name_is_created_in_composed_form_and_found_in_both(vault: Vault, root: Path) -> None:
    """And the answer tells the name as stored."""
    nfc, nfd = (unicodedata.normalize(form, "が.md") for form in ("NFC", "NFD"))

    assert vault.create(nfd, "x").written_path == nfc
    assert nfc in os.listdir(root)
    assert vault.read(nfd, full=True).page.text == "x"
    assert vault.replace(nfd, "x", "y").written_path == nfc


@pytest.mark.parametrize("content", ["", "\ud800", "x" * (8 * 1024 * 1024 + 1)])
def test_content_that_cannot_be_written(vault: Vault, root: Path, content: str) -> None:
    """Empty, half a character, too large."""
    with pytest.raises(InvalidArguments):
        vault.create("a.md", content)
    assert os.listdir(root) == []


@pytest.mark.requirement("vault:areas:system", "vault:areas:folded")
@pytest.mark.parametrize(
    "path",
    [
        ".system/a.md",
        ".SYSTEM/x",
        ".system",
        "．ｓｙｓｔｅｍ/a",
        "./.System\\a.md",
        ".sys\u200dtem/a.md",
        "\u200c.system/a.md",
    ],
)
def test_the_system_area_is_reserved(vault: Vault, root: Path, path: str) -> None:
    """For create and replace, however it is written; it may be read."""
    (root / ".system").mkdir()
    (root / ".system" / "a.md").write_bytes(b"x")

    with pytest.raises(Forbidden):
        vault.create(path, "x")
    with pytest.raises(Forbidden):
        vault.replace(path, "x", "y")
    assert vault.read(".system/a.md", full=True).page.text == "x"


@pytest.mark.parametrize(
    "path", ["daily/2026-02-28.md", "daily/2024-02-29.md", "./daily//2026-01-01.md"]
)
def test_a_daily_note_has_a_real_date(vault: Vault, path: str) -> None:
    """And is never replaced."""
    vault.create(path, "x")

    with pytest.raises(Forbidden):
        vault.replace(path, "x", "y")
    assert vault.read(path, full=True).page.text == "x"


@pytest.mark.requirement("vault:areas:daily")
@pytest.mark.parametrize(
    "path",
    [
        "daily/2026-02-29.md",
        "daily/2026-2-1.md",
        "daily/20260201.md",
        "daily/0000-01-01.md",
        "daily/2026-01-01.txt",
        "daily/2026-01-01.MD",
        "daily/2026-01-01",
        "daily/２０２６-01-01.md",
        "daily/note.md",
        "daily/sub/2026-01-01.md",
        "daily",
        "Daily/2026-01-01.md",
        "ｄａｉｌｙ/note.md",
    ],
)
def test_anything_else_in_daily_is_forbidden(vault: Vault, root: Path, path: str) -> None:
    """Compared after folding."""
    with pytest.raises(Forbidden):
        vault.create(path, "x")
    with pytest.raises(Forbidden):
        vault.replace(path, "x", "y")
    assert os.listdir(root) == []


@pytest.mark.requirement("vault:areas:programs")
@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".git",
        "a/b/.GIT/hooks/post-checkout",
        "．git/config",
        ".g\u200dit/config",
        ".obsidian/plugins/x/main.js",
        ".vscode\\tasks.json",
    ],
)
def test_what_a_program_runs_is_no_note(vault: Vault, root: Path, path: str) -> None:
    """A setting of git names a command that runs whenever somebody looks into that folder."""
    vault.create("a.md", "x")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")

    for write in (
        lambda: vault.create(path, "x"),
        lambda: vault.replace(path, "x", "y"),
        lambda: vault.append(path, "y"),
        lambda: vault.move("a.md", path),
        lambda: vault.remove(path),
    ):
        with pytest.raises(Forbidden):
            write()

    assert vault.read(".git/config", full=True).page.text == "x"
    assert (root / ".git" / "config").read_text() == "x"


def test_areas_are_areas_of_the_root_only(vault: Vault) -> None:
    """Below other folders the names are ordinary."""
    assert vault.create("a/daily/x.md", "x").written_bytes == 1
    assert vault.create("a/.system/x.md", "x").written_bytes == 1


@pytest.mark.requirement("vault:read:shape", "vault:read:missing-ends")
def test_read_needs_a_range_or_full(vault: Vault) -> None:
    """An empty range is the whole file."""
    vault.create("a.md", "one\ntwo\n")

    with pytest.raises(InvalidArguments, match="range"):
        vault.read("a.md")
    assert read_form(vault.read("a.md", has_range=True)) == {
        "text": "one\ntwo\n",
        "truncated": False,
        "returned_chars": 8,
        "applied_range": {"start_line": 1, "end_line": 2},
        "next_cursor": {"char_offset": None},
        "truncated_reason": "none",
        "applied": {
            "full": False,
            "max_chars": 12000,
            "encoding": "utf-8",
            "etag": digest(b"one\ntwo\n"),
        },
    }


def test_read_tells_where_the_range_ended(vault: Vault) -> None:
    """And the cursor goes on from there."""
    vault.create("a.md", "one\r\ntwo\nthree\n")

    part = read_form(vault.read("a.md", start_line=2, end_line=2))

    assert part["text"] == "two\n"
    assert part["applied_range"] == {"start_line": 2, "end_line": 2}
    assert (part["truncated"], part["truncated_reason"]) == (True, "range_end")
    assert part["next_cursor"] == {"char_offset": 9}
    assert vault.scan("a.md", cursor=Cursor(char_offset=9)).page.text == "three\n"


@pytest.mark.requirement("vault:read:shape", "vault:read:page")
def test_a_long_text_is_read_in_pages_of_12000(vault: Vault) -> None:
    """Full, by range and by scanning on; lines are kept whole."""
    lines = [f"line {number:05}\n" for number in range(3000)]
    vault.create("a.md", "".join(lines))

    part = read_form(vault.read("a.md", full=True))
    assert part["returned_chars"] == len(part["text"]) == 11 * 1090
    assert part["applied_range"] == {"start_line": 1, "end_line": 1090}
    assert (part["truncated"], part["truncated_reason"]) == (True, "max_chars")
    assert part["applied"] == {
        "full": True,
        "max_chars": 12000,
        "encoding": "utf-8",
        "etag": digest("".join(lines).encode()),
    }
    ranged = read_form(vault.read("a.md", start_line=100, end_line=2000))
    assert ranged["truncated_reason"] == "max_chars"
    assert ranged["applied_range"] == {"start_line": 100, "end_line": 1189}

    text, offset, pages = part["text"], part["next_cursor"]["char_offset"], 1
    while offset is not None:
        scanned = scan_form(vault.scan("a.md", cursor=Cursor(char_offset=offset)))
        text, offset, pages = (
            text + scanned["text"],
            scanned["next_cursor"]["char_offset"],
            pages + 1,
        )
    assert text == "".join(lines)
    assert pages == 3
    assert scanned["eof"]


@pytest.mark.requirement("vault:scan:shape")
def test_a_scan_tells_what_it_gave(vault: Vault) -> None:
    """Exactly the keys of the contract."""
    vault.create("a.md", "one\ntwo\n")

    assert scan_form(vault.scan("a.md", start_line=2)) == {
        "text": "two\n",
        "applied_range": {"start_line": 2, "end_line": 2},
        "next_cursor": {"char_offset": None},
        "eof": True,
        "truncated": False,
        "truncated_reason": "none",
        "applied": {"max_chars": 12000, "encoding": "utf-8", "etag": digest(b"one\ntwo\n")},
    }


@pytest.mark.requirement("vault:text:empty")
def test_an_empty_file_reads_as_empty_text(vault: Vault, root: Path) -> None:
    """By every way."""
    (root / "empty.md").write_bytes(b"")

    assert vault.read("empty.md", full=True).page.text == ""
    assert vault.read("empty.md", start_line=1, end_line=5).page.text == ""
    assert scan_form(vault.scan("empty.md"))["eof"]


@pytest.mark.requirement("vault:text:mark")
@pytest.mark.parametrize(
    ("data", "label"),
    [
        (codecs.BOM_UTF8 + "手引き\r\n".encode(), "utf-8-sig"),
        ("手引き\r\n".encode("utf-16"), "utf-16-le"),
        ("手引き\r\n".encode("cp932"), "cp932"),
        ("手引き\r\n".encode("euc_jp"), "euc-jp"),
    ],
)
def test_other_encodings_are_read_and_edited_in_place(
    vault: Vault, root: Path, data: bytes, label: str
) -> None:
    """The mark is not in the text, and stays in the file."""
    (root / "a.md").write_bytes(data)

    part = read_form(vault.read("a.md", full=True))
    assert (part["text"], part["applied"]["encoding"]) == ("手引き\r\n", label)

    vault.replace("a.md", "引", "び")
    codec = {"utf-8-sig": "utf-8-sig", "utf-16-le": "utf-16"}.get(label, label)
    assert (root / "a.md").read_bytes() == "手びき\r\n".encode(codec)


@pytest.mark.requirement("vault:replace:shape")
def test_replace_counts_and_limits(vault: Vault, root: Path) -> None:
    """One by default, none for zero."""
    vault.create("a.md", "a a a")

    assert vault.replace("a.md", "a", "b")._asdict() == {
        "written_path": "a.md",
        "replacements": 1,
        "etag": digest(b"b a a"),
        "diff": "--- a.md\n+++ a.md\n@@ -1,1 +1,1 @@\n-a a a\n+b a a\n",
    }
    assert vault.replace("a.md", "a", "b", 0).replacements == 0
    assert vault.replace("a.md", "a", "b", 5).replacements == 2
    assert (root / "a.md").read_bytes() == b"b b b"
    for find, most in (("", 1), ("a", -1)):
        with pytest.raises(InvalidArguments):
            vault.replace("a.md", find, "b", most)


@pytest.mark.requirement("vault:writing:zero-hits")
def test_zero_hits_write_nothing(vault: Vault, root: Path) -> None:
    """Neither the file nor the journal."""
    vault.create("a.md", "a")
    before = look_at(root / "a.md")

    assert vault.replace("a.md", "missing", "b").replacements == 0
    assert look_at(root / "a.md") == before
    assert len(vault.log()) == 1


def test_a_result_over_the_limit_is_refused(vault: Vault, root: Path) -> None:
    """And one that an edit brings below it is not."""
    (root / "a.md").write_bytes(b"x" * (8 * 1024 * 1024))
    (root / "b.md").write_bytes(b"x" * (8 * 1024 * 1024 + 1))

    with pytest.raises(InvalidArguments):
        vault.replace("a.md", "x", "yy")
    assert (root / "a.md").stat().st_size == 8 * 1024 * 1024
    assert vault.replace("b.md", "xx", "y").replacements == 1


@pytest.mark.requirement("vault:tools:read-only")
def test_a_read_only_vault_is_never_written(vault: Vault, root: Path) -> None:
    """Nor is anything of its own made."""
    (root / "a.md").write_bytes(b"a")
    closed = Vault(root, lambda: 0.0, read_only=True)

    for write in (
        lambda: closed.create("b.md", "b"),
        lambda: closed.replace("a.md", "a", "b"),
    ):
        with pytest.raises(Forbidden):
            write()
    assert closed.read("a.md", full=True).page.text == "a"
    assert closed.log() == []
    assert os.listdir(root) == ["a.md"]
    vault.create("b.md", "b")
    with pytest.raises(Forbidden):
        closed.undo(1)

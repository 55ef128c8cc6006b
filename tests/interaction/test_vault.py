"""The vault's tools on the real process, over a real folder."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.interaction.differences import WITHOUT_HTTP, expected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.interaction.conftest import Connect
    from tests.talk import Talk

NAMES = ["vault_ls", "vault_create", "vault_read", "vault_scan", "vault_replace"]


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """The vault's folder; not made yet."""
    return tmp_path / "notes"


@pytest.fixture(name="open_vault")
def _open_vault(connect: Connect, root: Path) -> Callable[..., Talk]:
    def open_vault(*flags: str) -> Talk:
        return connect(
            "--toolsets=vault",
            *flags,
            face="tebiki",
            env={"VAULT_ROOT": str(root)},
        )

    return open_vault


@pytest.fixture(name="server")
def _server(open_vault: Callable[..., Talk]) -> Talk:
    return open_vault()


def use(server: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a vault tool and return its structured result, success or failure."""
    result = server.call(f"{tool} {arguments}", f"vault_{tool}", arguments)["result"]
    content: dict[str, Any] = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == content
    assert result.get("isError", False) is ("code" in content)
    return content


def write(root: Path, name: str, content: bytes) -> None:
    """Put a file into the vault by hand."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.requirement("wire:methods:tools-list", "vault:tools:five", "config:flags:toolsets")
def test_the_five_tools_are_listed_in_order(server: Talk) -> None:
    """Without a key and without the network."""
    listed = server.ask(1, "tools/list")["result"]["tools"]

    assert [tool["name"] for tool in listed] == NAMES


@pytest.mark.requirement("vault:tools:read-only")
def test_read_only_removes_what_writes(open_vault: Callable[..., Talk]) -> None:
    """The tools do not exist: they are not listed and cannot be called."""
    server = open_vault("--read-only")

    listed = server.ask(1, "tools/list")["result"]["tools"]
    error = server.call(2, "vault_create", {"path": "a.md", "content": "x"})["error"]

    assert [tool["name"] for tool in listed] == ["vault_ls", "vault_read", "vault_scan"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)
    assert error == expected(server, "unknown tool", {"code": -32601, "message": "Unknown tool"})


@pytest.mark.requirement(
    "vault:root:no-discovery", "vault:root:missing", "vault:create:shape", "vault:ls:root"
)
def test_a_missing_root_is_empty_and_made_by_the_first_note(server: Talk, root: Path) -> None:
    """Nobody has to prepare anything."""
    empty = use(server, "ls")
    created = use(server, "create", path="ideas/first.md", content="はじめに\n")

    assert empty == {"base_path": None, "items": []}
    assert created == {"written_path": "ideas/first.md", "written_bytes": 13}
    assert (root / "ideas/first.md").read_text(encoding="utf-8") == "はじめに\n"


@pytest.mark.requirement("vault:ls:one-level")
def test_a_listing_is_one_level_folders_first(server: Talk, root: Path) -> None:
    """Stable by name; links and special files are left out."""
    for name in ("b.md", "a.md", "z/deep.md", "c/deep.md"):
        write(root, name, b"x")
    (root / "link.md").symlink_to(root / "a.md")

    listed = use(server, "ls")

    assert [item["name"] for item in listed["items"] if item["name"] != ".system"] == [
        "c",
        "z",
        "a.md",
        "b.md",
    ]
    assert listed["items"][-1] == {"name": "b.md", "path": "b.md", "kind": "file"}
    assert use(server, "ls", path="z")["items"] == [
        {"name": "deep.md", "path": "z/deep.md", "kind": "file"}
    ]


@pytest.mark.requirement(
    "wire:errors:file-codes", "vault:root:no-discovery", "vault:create:exclusive"
)
def test_a_note_is_never_overwritten(server: Talk, root: Path) -> None:
    """Create is exclusive."""
    use(server, "create", path="a.md", content="old")

    refused = use(server, "create", path="a.md", content="new")

    assert refused["code"] == "conflict"
    assert (root / "a.md").read_bytes() == b"old"


@pytest.mark.requirement(
    "wire:results:twice",
    "vault:read:shape",
    "vault:read:range",
    "vault:text:lines",
    "vault:cursor:always-an-object",
)
def test_reading_lines(server: Talk, root: Path) -> None:
    """A range, clipped at the end; or everything."""
    write(root, "a.md", b"one\r\ntwo\r\nthree")

    part = use(server, "read", path="a.md", range={"start_line": 2, "end_line": 99})
    whole = use(server, "read", path="a.md", full=True)

    assert part["text"] == "two\r\nthree"
    assert part["applied_range"] == {"start_line": 2, "end_line": 3}
    assert part["returned_chars"] == 10
    assert whole["text"] == "one\r\ntwo\r\nthree"
    assert whole["truncated"] is False
    assert whole["truncated_reason"] == "none"
    assert whole["next_cursor"] == {"char_offset": None}
    assert whole["applied"]["full"] is True
    assert whole["applied"]["max_chars"] == 12_000
    assert whole["applied"]["encoding"] == "utf-8"


@pytest.mark.requirement(
    "vault:scan:shape",
    "vault:scan:reads-on",
    "vault:cursor:always-an-object",
    "vault:read:missing-ends",
)
def test_a_range_that_ends_before_the_note_can_be_read_on(server: Talk, root: Path) -> None:
    """`next_cursor` points at the first character not returned."""
    write(root, "a.md", b"one\ntwo\nthree\n")

    part = use(server, "read", path="a.md", range={"end_line": 1})
    rest = use(server, "scan", path="a.md", cursor=part["next_cursor"])

    assert (part["text"], part["truncated_reason"]) == ("one\n", "range_end")
    assert rest["text"] == "two\nthree\n"
    assert rest["eof"] is True
    assert rest["next_cursor"] == {"char_offset": None}


@pytest.mark.requirement("vault:read:page", "vault:scan:reads-on")
def test_scanning_page_by_page_gives_every_character_once(server: Talk, root: Path) -> None:
    """Pages are at most 12000 characters and cut at line ends."""
    text = "".join(f"行 {number} の本文です。\n" for number in range(5000))
    write(root, "long.md", text.encode())

    pages = [use(server, "scan", path="long.md")]
    while not pages[-1]["eof"]:
        pages.append(use(server, "scan", path="long.md", cursor=pages[-1]["next_cursor"]))

    assert "".join(page["text"] for page in pages) == text
    assert all(len(page["text"]) <= 12_000 for page in pages)
    assert all(page["text"].endswith("\n") for page in pages)
    assert pages[0]["truncated_reason"] == "max_chars"


@pytest.mark.requirement("vault:scan:start")
def test_a_scan_may_start_at_a_line(server: Talk, root: Path) -> None:
    """`start_line` stands above the cursor, `char_offset` above the cursor's own line."""
    write(root, "a.md", b"one\ntwo\nthree\n")

    by_line = use(server, "scan", path="a.md", start_line=3, cursor={"char_offset": 0})
    by_offset = use(server, "scan", path="a.md", cursor={"char_offset": 4, "start_line": 1})
    by_cursor_line = use(server, "scan", path="a.md", cursor={"start_line": 2})

    assert by_line["text"] == "three\n"
    assert by_offset["text"] == "two\nthree\n"
    assert by_cursor_line["text"] == "two\nthree\n"


@pytest.mark.requirement("vault:text:encodings", "vault:writing:bytes-stay", "vault:text:mark")
@pytest.mark.parametrize(
    ("encoding", "label"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("cp932", "cp932"),
        ("euc_jp", "euc-jp"),
    ],
)
def test_japanese_encodings_are_read_and_kept(
    server: Talk, root: Path, encoding: str, label: str
) -> None:
    """Read, labelled, and written back as they were."""
    text = "日本語の文書です。手引きを読む。\r\n半角カナとひらがな\r\n"
    write(root, "a.md", text.encode(encoding))

    read = use(server, "read", path="a.md", full=True)
    changed = use(server, "replace", path="a.md", find="手引き", replace="案内")

    assert read["text"] == text
    assert label in read["applied"]["encoding"]
    assert changed == {"written_path": "a.md", "replacements": 1}
    assert (root / "a.md").read_bytes() == text.replace("手引き", "案内").encode(encoding)


@pytest.mark.requirement(
    "vault:replace:shape", "vault:writing:bytes-stay", "vault:writing:zero-hits"
)
def test_replacing_counts_and_keeps_the_rest(server: Talk, root: Path) -> None:
    """One by default, more when asked, none for zero; without a hit nothing is written."""
    write(root, "a.md", b"\xef\xbb\xbfa\r\nb\ra\na\n")
    before = (root / "a.md").stat().st_mtime_ns

    none = use(server, "replace", path="a.md", find="zzz", replace="y")
    zero = use(server, "replace", path="a.md", find="a", replace="y", max_replacements=0)
    untouched = (root / "a.md").stat().st_mtime_ns
    one = use(server, "replace", path="a.md", find="a", replace="x")
    rest = use(server, "replace", path="a.md", find="a", replace="", max_replacements=9)

    assert [found["replacements"] for found in (none, zero, one, rest)] == [0, 0, 1, 2]
    assert untouched == before
    assert (root / "a.md").read_bytes() == b"\xef\xbb\xbfx\r\nb\r\n\n"


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
    server: Talk, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """And no message shows where the vault is."""
    (tmp_path / "outside.md").write_text("canary", encoding="utf-8")

    for case, path in BAD_PATHS.items():
        with subtests.test(case):
            outcomes = [
                use(server, "create", path=path, content="x"),
                use(server, "read", path=path, full=True),
                use(server, "scan", path=path),
                use(server, "replace", path=path, find="x", replace="y"),
            ]

            assert [outcome["code"] for outcome in outcomes] == ["invalid_path"] * 4
            assert all(str(tmp_path) not in outcome["message"] for outcome in outcomes)
            assert (tmp_path / "outside.md").read_text(encoding="utf-8") == "canary"


@pytest.mark.requirement("wire:errors:file-codes", "vault:paths:links")
@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
def test_nothing_is_reached_through_a_link(server: Talk, root: Path, tmp_path: Path) -> None:
    """A linked note, a linked folder, a dangling link: forbidden, for create too."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("canary", encoding="utf-8")
    root.mkdir()
    (root / "note.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "dangling.md").symlink_to(outside / "new.md")

    outcomes = [
        use(server, "read", path="note.md", full=True),
        use(server, "scan", path="folder/secret.md"),
        use(server, "replace", path="note.md", find="canary", replace="x"),
        use(server, "create", path="folder/new.md", content="x"),
        use(server, "create", path="dangling.md", content="x"),
        use(server, "ls", path="folder"),
    ]

    assert [outcome["code"] for outcome in outcomes] == ["forbidden"] * 6
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    assert (outside / "secret.md").read_text(encoding="utf-8") == "canary"


@pytest.mark.requirement("vault:paths:regular-files")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_a_fifo_never_blocks(server: Talk, root: Path) -> None:
    """Only regular files are opened."""
    root.mkdir()
    os.mkfifo(root / "pipe")

    assert use(server, "read", path="pipe", full=True)["code"] == "invalid_path"
    assert use(server, "scan", path="pipe")["code"] == "invalid_path"


@pytest.mark.requirement("vault:areas:system", "vault:areas:daily", "vault:areas:folded")
def test_reserved_areas_are_closed(server: Talk, subtests: pytest.Subtests) -> None:
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
            assert use(server, "create", path=path, content="x")["code"] == "forbidden"


@pytest.mark.requirement("vault:areas:daily")
def test_a_daily_note_is_created_once_and_not_edited(server: Talk) -> None:
    """`daily/YYYY-MM-DD.md`, with a real date."""
    created = use(server, "create", path="daily/2026-11-16.md", content="x")
    edited = use(server, "replace", path="daily/2026-11-16.md", find="x", replace="y")

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
    server: Talk, root: Path, subtests: pytest.Subtests
) -> None:
    """`invalid_parameter` with the parameter, the value and the bound."""
    write(root, "a.md", b"one\ntwo\n")

    for case, (tool, arguments, words) in BAD_ARGUMENTS.items():
        with subtests.test(case):
            refused = use(server, tool, **arguments)

            assert refused["code"] == "invalid_parameter"
            assert words in refused["message"]
            assert (root / "a.md").read_bytes() == b"one\ntwo\n"


@pytest.mark.requirement("wire:arguments:null-is-absent", "wire:arguments:integers")
def test_whole_numbers_may_be_written_with_a_point(server: Talk, root: Path) -> None:
    """`2.0` is two, and null means absent."""
    write(root, "a.md", b"one\ntwo\n")

    assert use(server, "scan", path="a.md", start_line=2.0, cursor=None)["text"] == "two\n"


@pytest.mark.requirement("wire:definitions:errors-in-output-schema", "wire:results:own-schema")
def test_results_and_failures_obey_the_output_schema(server: Talk, root: Path) -> None:
    """Some clients validate a failed result too."""
    write(root, "a.md", b"one\n")
    schemas = {t["name"]: t["outputSchema"] for t in server.ask(0, "tools/list")["result"]["tools"]}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ls", {}),
        ("create", {"path": "b.md", "content": "x"}),
        ("read", {"path": "a.md", "full": True}),
        ("scan", {"path": "a.md"}),
        ("replace", {"path": "a.md", "find": "one", "replace": "1"}),
        *((tool, {"path": "../x"}) for tool in ("ls", "create", "read", "scan", "replace")),
    ]

    for tool, arguments in calls:
        jsonschema.validate(use(server, tool, **arguments), schemas[f"vault_{tool}"])


@pytest.mark.requirement("vault:writing:limit")
# Over HTTP 4 MiB are the most that can be said at once.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_text_beyond_the_limit_is_refused(server: Talk, root: Path) -> None:
    """8 MiB, for a new note and for the result of an edit."""
    write(root, "a.md", b"x" * (8 * 1024 * 1024))

    created = use(server, "create", path="b.md", content="y" * (8 * 1024 * 1024 + 1))
    grown = use(server, "replace", path="a.md", find="x", replace="yy")

    assert (created["code"], grown["code"]) == ("invalid_parameter", "invalid_parameter")
    assert not (root / "b.md").exists()
    assert (root / "a.md").stat().st_size == 8 * 1024 * 1024


@pytest.mark.requirement("vault:text:other-bytes")
def test_bytes_that_are_no_text_are_said_to_be_none(server: Talk, root: Path) -> None:
    """Not guessed at."""
    write(root, "a.bin", bytes(range(256)))

    assert use(server, "read", path="a.bin", full=True)["code"] == "invalid_parameter"


@pytest.mark.requirement("wire:errors:file-codes", "vault:paths:folder-as-file")
@pytest.mark.parametrize("tool", ["read", "scan"])
def test_what_is_not_there_is_not_found(server: Talk, root: Path, tool: str) -> None:
    """A folder given as a note is not found either."""
    write(root, "folder/a.md", b"x")
    extra = {"full": True} if tool == "read" else {}

    assert use(server, tool, path="missing.md", **extra)["code"] == "not_found"
    assert use(server, tool, path="folder", **extra)["code"] == "not_found"


@pytest.mark.requirement("vault:writing:locked")
def test_writers_in_two_servers_do_not_lose_each_others_edits(
    open_vault: Callable[..., Talk], root: Path
) -> None:
    """One lock for a note holds across processes."""
    write(root, "a.md", b"".join(b"[%d]\n" % number for number in range(60)))
    servers = [open_vault(), open_vault()]

    for number in range(60):
        arguments = {"path": "a.md", "find": f"[{number}]", "replace": f"({number})"}
        servers[number % 2].begin_call(number, "vault_replace", arguments)
    done = [servers[number % 2].answer_to(number)["result"] for number in range(60)]

    assert all(result["structuredContent"]["replacements"] == 1 for result in done)
    assert (root / "a.md").read_bytes() == b"".join(b"(%d)\n" % number for number in range(60))


@pytest.mark.requirement("wire:modern:no-handshake")
def test_a_bad_name_in_a_modern_call_is_stamped_too(server: Talk) -> None:
    """A failed result is a result of its era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }

    result = server.call(1, "vault_read", {"path": "../x", "full": True}, _meta=meta)["result"]

    assert result["isError"] is True
    assert result["resultType"] == "complete"


@pytest.mark.requirement("vault:writing:limit")
def test_a_small_edit_that_would_be_huge_is_refused_before_it_is_built(
    server: Talk, root: Path
) -> None:
    """A hundred thousand hits times a hundred thousand characters is ten gigabytes."""
    write(root, "a.md", b"a" * 100_000)

    refused = use(
        server, "replace", path="a.md", find="a", replace="b" * 100_000, max_replacements=100_000
    )

    assert refused["code"] == "invalid_parameter"
    assert "10000000000 bytes" in refused["message"]


@pytest.mark.requirement("vault:journal:unwritable")
def test_a_journal_that_cannot_be_written_stops_the_write_whole(server: Talk, root: Path) -> None:
    """Neither the note nor its folder is made."""
    (root / ".system" / "journal" / "entries.jsonl").mkdir(parents=True)

    refused = use(server, "create", path="new/a.md", content="x")

    assert refused["code"] == "conflict"
    assert not (root / "new").exists()

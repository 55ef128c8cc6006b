"""The vault's tools on the real process, over a real folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.interaction.differences import expected
from tests.interaction.vault_calls import etag_of, use, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import OpenVault
    from tests.support.talk import Talk

NAMES = ["vault_ls", "vault_create", "vault_read", "vault_scan", "vault_replace"]


@pytest.mark.requirement("wire:methods:tools-list", "vault:tools:five", "config:flags:toolsets")
def test_the_five_tools_are_listed_in_order(vault: Talk) -> None:
    """Without a key and without the network."""
    listed = vault.ask(1, "tools/list")["result"]["tools"]

    assert [tool["name"] for tool in listed] == NAMES


@pytest.mark.requirement("vault:tools:read-only")
def test_read_only_removes_what_writes(open_vault: OpenVault) -> None:
    """The tools do not exist: they are not listed and cannot be called."""
    vault = open_vault("--read-only")

    listed = vault.ask(1, "tools/list")["result"]["tools"]
    error = vault.call(2, "vault_create", {"path": "a.md", "content": "x"})["error"]

    assert [tool["name"] for tool in listed] == ["vault_ls", "vault_read", "vault_scan"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)
    assert error == expected(vault, "unknown tool", {"code": -32601, "message": "Unknown tool"})


@pytest.mark.requirement(
    "vault:root:no-discovery", "vault:root:missing", "vault:create:shape", "vault:ls:root"
)
def test_a_missing_root_is_empty_and_made_by_the_first_note(vault: Talk, notes: Path) -> None:
    """Nobody has to prepare anything."""
    empty = use(vault, "ls")
    created = use(vault, "create", path="ideas/first.md", content="はじめに\n")

    assert empty == {"base_path": None, "items": []}
    assert created == {
        "written_path": "ideas/first.md",
        "written_bytes": 13,
        "etag": etag_of("はじめに\n".encode()),
    }
    assert (notes / "ideas/first.md").read_text(encoding="utf-8") == "はじめに\n"


@pytest.mark.requirement("vault:ls:one-level")
def test_a_listing_is_one_level_folders_first(vault: Talk, notes: Path) -> None:
    """Stable by name; links and special files are left out."""
    for name in ("b.md", "a.md", "z/deep.md", "c/deep.md"):
        write(notes, name, b"x")
    (notes / "link.md").symlink_to(notes / "a.md")

    listed = use(vault, "ls")

    assert [item["name"] for item in listed["items"] if item["name"] != ".system"] == [
        "c",
        "z",
        "a.md",
        "b.md",
    ]
    assert listed["items"][-1] == {"name": "b.md", "path": "b.md", "kind": "file"}
    assert use(vault, "ls", path="z")["items"] == [
        {"name": "deep.md", "path": "z/deep.md", "kind": "file"}
    ]


@pytest.mark.requirement(
    "wire:errors:file-codes", "vault:root:no-discovery", "vault:create:exclusive"
)
def test_a_note_is_never_overwritten(vault: Talk, notes: Path) -> None:
    """Create is exclusive."""
    use(vault, "create", path="a.md", content="old")

    refused = use(vault, "create", path="a.md", content="new")

    assert refused["code"] == "conflict"
    assert (notes / "a.md").read_bytes() == b"old"


@pytest.mark.requirement(
    "wire:results:twice",
    "vault:read:shape",
    "vault:read:range",
    "vault:text:lines",
    "vault:cursor:always-an-object",
)
def test_reading_lines(vault: Talk, notes: Path) -> None:
    """A range, clipped at the end; or everything."""
    write(notes, "a.md", b"one\r\ntwo\r\nthree")

    part = use(vault, "read", path="a.md", range={"start_line": 2, "end_line": 99})
    whole = use(vault, "read", path="a.md", full=True)

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
def test_a_range_that_ends_before_the_note_can_be_read_on(vault: Talk, notes: Path) -> None:
    """`next_cursor` points at the first character not returned."""
    write(notes, "a.md", b"one\ntwo\nthree\n")

    part = use(vault, "read", path="a.md", range={"end_line": 1})
    rest = use(vault, "scan", path="a.md", cursor=part["next_cursor"])

    assert (part["text"], part["truncated_reason"]) == ("one\n", "range_end")
    assert rest["text"] == "two\nthree\n"
    assert rest["eof"] is True
    assert rest["next_cursor"] == {"char_offset": None}
    after = use(vault, "scan", path="a.md", cursor=rest["next_cursor"])
    assert (after["text"], after["eof"]) == ("", True)


@pytest.mark.requirement("vault:read:page", "vault:scan:reads-on")
def test_scanning_page_by_page_gives_every_character_once(vault: Talk, notes: Path) -> None:
    """Pages are at most 12000 characters and cut at line ends."""
    text = "".join(f"行 {number} の本文です。\n" for number in range(5000))
    write(notes, "long.md", text.encode())

    pages = [use(vault, "scan", path="long.md")]
    while not pages[-1]["eof"]:
        pages.append(use(vault, "scan", path="long.md", cursor=pages[-1]["next_cursor"]))

    assert "".join(page["text"] for page in pages) == text
    assert all(len(page["text"]) <= 12_000 for page in pages)
    assert all(page["text"].endswith("\n") for page in pages)
    assert pages[0]["truncated_reason"] == "max_chars"


@pytest.mark.requirement("vault:scan:start")
def test_a_scan_may_start_at_a_line(vault: Talk, notes: Path) -> None:
    """`start_line` stands above the cursor, `char_offset` above the cursor's own line."""
    write(notes, "a.md", b"one\ntwo\nthree\n")

    by_line = use(vault, "scan", path="a.md", start_line=3, cursor={"char_offset": 0})
    by_offset = use(vault, "scan", path="a.md", cursor={"char_offset": 4, "start_line": 1})
    by_cursor_line = use(vault, "scan", path="a.md", cursor={"start_line": 2})

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
    vault: Talk, notes: Path, encoding: str, label: str
) -> None:
    """Read, labelled, and written back as they were."""
    text = "日本語の文書です。手引きを読む。\r\n半角カナとひらがな\r\n"
    write(notes, "a.md", text.encode(encoding))

    read = use(vault, "read", path="a.md", full=True)
    changed = use(vault, "replace", path="a.md", find="手引き", replace="案内")

    assert read["text"] == text
    assert label in read["applied"]["encoding"]
    after = text.replace("手引き", "案内").encode(encoding)
    diff = changed.pop("diff")
    assert changed == {"written_path": "a.md", "replacements": 1, "etag": etag_of(after)}
    assert diff.splitlines()[2:] == [
        "@@ -1,1 +1,1 @@",
        "-日本語の文書です。手引きを読む。",
        "+日本語の文書です。案内を読む。",
    ]
    assert (notes / "a.md").read_bytes() == after


@pytest.mark.requirement(
    "vault:replace:shape", "vault:writing:bytes-stay", "vault:writing:zero-hits"
)
def test_replacing_counts_and_keeps_the_rest(vault: Talk, notes: Path) -> None:
    """One by default, more when asked, none for zero; without a hit nothing is written."""
    write(notes, "a.md", b"\xef\xbb\xbfa\r\nb\ra\na\n")
    before = (notes / "a.md").stat().st_mtime_ns

    none = use(vault, "replace", path="a.md", find="zzz", replace="y")
    zero = use(vault, "replace", path="a.md", find="a", replace="y", max_replacements=0)
    untouched = (notes / "a.md").stat().st_mtime_ns
    one = use(vault, "replace", path="a.md", find="a", replace="x")
    rest = use(vault, "replace", path="a.md", find="a", replace="", max_replacements=9)

    assert [found["replacements"] for found in (none, zero, one, rest)] == [0, 0, 1, 2]
    assert untouched == before
    assert (notes / "a.md").read_bytes() == b"\xef\xbb\xbfx\r\nb\r\n\n"


@pytest.mark.requirement("wire:arguments:null-is-absent", "wire:arguments:integers")
def test_whole_numbers_may_be_written_with_a_point(vault: Talk, notes: Path) -> None:
    """`2.0` is two, and null means absent."""
    write(notes, "a.md", b"one\ntwo\n")

    assert use(vault, "scan", path="a.md", start_line=2.0, cursor=None)["text"] == "two\n"


@pytest.mark.requirement("wire:definitions:errors-in-output-schema", "wire:results:own-schema")
def test_results_and_failures_obey_the_output_schema(vault: Talk, notes: Path) -> None:
    """Some clients validate a failed result too."""
    write(notes, "a.md", b"one\n")
    schemas = {t["name"]: t["outputSchema"] for t in vault.ask(0, "tools/list")["result"]["tools"]}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ls", {}),
        ("create", {"path": "b.md", "content": "x"}),
        ("read", {"path": "a.md", "full": True}),
        ("scan", {"path": "a.md"}),
        ("replace", {"path": "a.md", "find": "one", "replace": "1"}),
        *((tool, {"path": "../x"}) for tool in ("ls", "create", "read", "scan", "replace")),
    ]

    for tool, arguments in calls:
        jsonschema.validate(use(vault, tool, **arguments), schemas[f"vault_{tool}"])


@pytest.mark.requirement("vault:writing:locked")
def test_writers_in_two_servers_do_not_lose_each_others_edits(
    open_vault: OpenVault, notes: Path
) -> None:
    """One lock for a note holds across processes."""
    write(notes, "a.md", b"".join(b"[%d]\n" % number for number in range(60)))
    servers = [open_vault(), open_vault()]

    for number in range(60):
        arguments = {"path": "a.md", "find": f"[{number}]", "replace": f"({number})"}
        servers[number % 2].begin_call(number, "vault_replace", arguments)
    done = [servers[number % 2].answer_to(number)["result"] for number in range(60)]

    assert all(result["structuredContent"]["replacements"] == 1 for result in done)
    assert (notes / "a.md").read_bytes() == b"".join(b"(%d)\n" % number for number in range(60))

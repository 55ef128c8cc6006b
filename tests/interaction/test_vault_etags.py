"""Edits that cannot overwrite what was not seen, and the toolset `notes`, over every transport."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.interaction.differences import WITHOUT_HTTP
from tests.interaction.vault_calls import etag_of, use, write
from tests.support.command import run_command
from tests.support.looks import look_at
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import Connect
    from tests.support.talk import Talk

SOMETHING = etag_of(b"something else")
WRITERS, ROUNDS = 8, 200


@pytest.fixture(name="desk")
def _desk(connect: Connect, notes: Path, tmp_path: Path) -> Talk:
    """A server of the vault and of what is asked for besides."""
    env = {"VAULT_ROOT": str(notes), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return connect("--toolsets=vault,notes", face="tebiki", env=env)


@pytest.mark.requirement("mcp:etags:told")
def test_an_etag_goes_from_call_to_call(desk: Talk, notes: Path) -> None:
    """Reading, scanning and writing know a note by the same words."""
    created = use(desk, "create", path="a.md", content="one\n")
    read = use(desk, "read", path="a.md", full=True)
    lines = use(desk, "read", path="a.md", range={"start_line": 1})
    scanned = use(desk, "scan", path="a.md")
    replaced = use(
        desk, "replace", path="a.md", find="one", replace="two", if_match=created["etag"]
    )
    appended = use(desk, "append", path="a.md", content="three\n", if_match=replaced["etag"])

    before = {etag_of(b"one\n")}
    assert {part["applied"]["etag"] for part in (read, lines, scanned)} == before
    assert created["etag"] in before
    assert replaced["etag"] == etag_of(b"two\n")
    assert appended["etag"] == etag_of(b"two\nthree\n") == etag_of((notes / "a.md").read_bytes())


@pytest.mark.requirement("mcp:etags:told")
def test_a_large_note_is_known_by_all_its_bytes(desk: Talk, notes: Path) -> None:
    """Whichever page of it was read, and after somebody else changed it."""
    text = b"0123456789\n" * 200_000
    write(notes, "a.md", text)
    first = use(desk, "scan", path="a.md")
    again = use(desk, "scan", path="a.md", cursor=first["next_cursor"])
    write(notes, "a.md", text[:-1] + b"!")

    assert first["applied"]["etag"] == again["applied"]["etag"] == etag_of(text)
    assert use(desk, "scan", path="a.md")["applied"]["etag"] == etag_of(text[:-1] + b"!")


@pytest.mark.requirement("mcp:etags:if-match")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("replace", {"find": "a", "replace": "b"}),
        ("replace", {"find": "a", "replace": "b", "dry_run": True}),
        ("replace", {"find": "not there", "replace": "b"}),
        ("append", {"content": "x"}),
    ],
)
def test_a_note_that_was_changed_meanwhile_is_left_alone(
    desk: Talk, notes: Path, tool: str, arguments: dict[str, Any]
) -> None:
    """The answer has the etag of what is there, and the next one wins."""
    write(notes, "a.md", b"a\n")
    seen = use(desk, "read", path="a.md", full=True)["applied"]["etag"]
    write(notes, "a.md", b"a changed by hand\n")

    refused = use(desk, tool, path="a.md", if_match=seen, **arguments)

    now = etag_of(b"a changed by hand\n")
    assert refused["code"] == "conflict"
    assert refused["details"] == {"reason": "stale", "etag": now}
    assert (notes / "a.md").read_bytes() == b"a changed by hand\n"
    assert not (notes / ".system/journal/entries.jsonl").exists()
    assert "etag" in use(desk, tool, path="a.md", if_match=now, **arguments)


@pytest.mark.requirement("mcp:etags:malformed")
@pytest.mark.parametrize(
    "etag",
    [
        "",
        " ",
        "*",
        SOMETHING.upper(),
        f'"{SOMETHING}"',
        f"W/{SOMETHING}",
        SOMETHING[:-1],
        SOMETHING + "0",
        f"{SOMETHING}\n",
        "g" * 64,
        "\uff11" * 64,
        5,
        True,
        [SOMETHING],
        {"etag": SOMETHING},
        "0" * 1_000_000,
    ],
)
def test_what_is_no_etag_changes_nothing(desk: Talk, notes: Path, etag: object) -> None:
    """Never taken for none."""
    write(notes, "a.md", b"a")

    refused = [
        use(desk, "replace", path="a.md", find="a", replace="b", if_match=etag),
        use(desk, "append", path="a.md", content="b", if_match=etag),
    ]

    assert {one["code"] for one in refused} == {"invalid_parameter"}
    assert all("if_match" in one["message"] and len(one["message"]) < 300 for one in refused)
    assert (notes / "a.md").read_bytes() == b"a"


@pytest.mark.requirement("mcp:etags:if-match")
def test_a_note_that_is_gone_is_not_found(desk: Talk, notes: Path) -> None:
    """Whatever was seen of it."""
    for tool, arguments in (
        ("replace", {"find": "a", "replace": "b"}),
        ("append", {"content": "x"}),
    ):
        refused = use(desk, tool, path="a.md", if_match=SOMETHING, **arguments)
        assert refused["code"] == "not_found"
    assert not notes.exists()


@pytest.mark.requirement("mcp:edits:dry-run")
def test_a_dry_run_shows_and_writes_nothing(desk: Talk, notes: Path) -> None:
    """Not even a lock; its etag ties the real one to what was seen."""
    write(notes, "a.md", b"one\ntwo\nthree\n")
    before = look_at(notes / "a.md")

    shown = use(
        desk, "replace", path="a.md", find="t", replace="T", max_replacements=2, dry_run=True
    )

    assert shown == {
        "written_path": None,
        "replacements": 2,
        "etag": etag_of(b"one\ntwo\nthree\n"),
        "diff": "--- a.md\n+++ a.md\n@@ -2,2 +2,2 @@\n-two\n-three\n+Two\n+Three\n",
    }
    assert look_at(notes / "a.md") == before
    assert [path.name for path in notes.iterdir()] == ["a.md"]
    done = use(
        desk,
        "replace",
        path="a.md",
        find="t",
        replace="T",
        max_replacements=2,
        if_match=shown["etag"],
    )
    assert done["diff"] == shown["diff"]
    assert (notes / "a.md").read_bytes() == b"one\nTwo\nThree\n"


@pytest.mark.requirement("mcp:edits:dry-run")
def test_a_dry_run_is_refused_where_writing_is(desk: Talk, notes: Path) -> None:
    """It promises nothing that would not be done."""
    write(notes, "daily/2026-01-01.md", b"a")
    change = {"find": "a", "replace": "b", "dry_run": True}

    assert use(desk, "replace", path="daily/2026-01-01.md", **change)["code"] == "forbidden"
    assert use(desk, "replace", path="none.md", **change)["code"] == "not_found"
    assert use(desk, "replace", path="../a.md", **change)["code"] == "invalid_path"


@pytest.mark.requirement("mcp:edits:diffs")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_diff_is_told_in_lines(desk: Talk, notes: Path, encoding: str, end: str) -> None:
    """By their numbers, before and after, whatever the bytes are."""
    lines = ["手引きの一行目です。", "ここを直す", "真ん中の行です。", "ここを直す", "最後の行です"]
    write(notes, "a.md", end.join(lines).encode(encoding))

    done = use(
        desk, "replace", path="a.md", find="直す", replace=f"加え{end}た", max_replacements=9
    )

    assert done["diff"].splitlines() == [
        "--- a.md",
        "+++ a.md",
        "@@ -2,1 +2,2 @@",
        "-ここを直す",
        "+ここを加え",
        "+た",
        "@@ -4,1 +5,2 @@",
        "-ここを直す",
        "+ここを加え",
        "+た",
    ]


@pytest.mark.requirement("mcp:edits:diffs")
@pytest.mark.parametrize(
    ("text", "find"),
    [("needle\n" * 20_000, "needle"), ("needle " * 20_000, "needle"), ("x" * 9_000, "x" * 9_000)],
)
def test_a_diff_stays_short(desk: Talk, notes: Path, text: str, find: str) -> None:
    """However much was changed."""
    write(notes, "a.md", text.encode())

    done = use(desk, "replace", path="a.md", find=find, replace="thread", max_replacements=10**6)

    assert (notes / "a.md").read_text() == text.replace(find, "thread")
    assert len(done["diff"]) < 2_100
    assert "…" in done["diff"]


@pytest.mark.requirement("mcp:notes:opt-in", "mcp:notes:never-moved")
def test_more_tools_for_notes_are_asked_for(connect: Connect) -> None:
    """By the toolset or by name; and nothing that moves or removes is there to ask for."""

    def names(*flags: str) -> list[str]:
        listed = connect(*flags, face="tebiki").ask(1, "tools/list")["result"]["tools"]
        return [tool["name"] for tool in listed if tool["name"].startswith("vault_")]

    usual = ["vault_ls", "vault_create", "vault_read", "vault_scan", "vault_replace"]
    assert names() == usual
    assert names("--toolsets=vault") == usual
    assert names("--toolsets=vault,notes") == [*usual, "vault_append", "vault_find"]
    assert names("--toolsets=vault,notes", "--read-only") == [
        "vault_ls",
        "vault_read",
        "vault_scan",
        "vault_find",
    ]
    assert names("--tools=vault_find,answer") == ["vault_find"]


@pytest.mark.requirement("mcp:notes:append")
@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"one\n", "two\n", b"one\ntwo\n"),
        (b"one", "two", b"one\ntwo"),
        (b"one\r\ntwo", "three", b"one\r\ntwo\r\nthree"),
        (b"one\rtwo", "three", b"one\rtwo\rthree"),
        (b"", "one\n", b"one\n"),
        (b"\xef\xbb\xbfone", "two", b"\xef\xbb\xbfone\ntwo"),
        (
            "日本語の文書です。\r\n".encode("cp932"),
            "追加",
            "日本語の文書です。\r\n追加".encode("cp932"),
        ),
        ("日本語\n".encode("utf-16"), "追加", "日本語\n追加".encode("utf-16")),
    ],
)
def test_what_is_appended_stands_on_its_own_line(
    desk: Talk, notes: Path, before: bytes, content: str, after: bytes
) -> None:
    """Nothing before it changes by a byte."""
    for name in ("a.md", "daily/2026-01-31.md"):
        write(notes, name, before)

        done = use(desk, "append", path=name, content=content)

        assert done == {
            "written_path": name,
            "written_bytes": len(after) - len(before),
            "etag": etag_of(after),
        }
        assert (notes / name).read_bytes() == after


@pytest.mark.requirement("mcp:notes:append")
@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("none.md", "x", "not_found"),
        ("none/deep.md", "x", "not_found"),
        (".system/a.md", "x", "forbidden"),
        (".SYSTEM/a.md", "x", "forbidden"),
        ("../a.md", "x", "invalid_path"),
        ("link.md", "x", "forbidden"),
        ("folder", "x", "not_found"),
        ("a.md", "", "invalid_parameter"),
        ("sjis.md", "\U0001f600", "invalid_parameter"),
        ("picture.png", "x", "invalid_parameter"),
    ],
)
def test_what_cannot_be_appended(
    desk: Talk, notes: Path, path: str, content: str, code: str
) -> None:
    """Nothing is made and nothing changes."""
    write(notes, "a.md", b"a")
    write(notes, "sjis.md", "日本語の文書です。".encode("cp932"))
    write(notes, "picture.png", b"\x89PNG\x00\xff\xfe")
    (notes / "folder").mkdir()
    (notes / "link.md").symlink_to(notes / "a.md")
    files = {one: one.read_bytes() for one in notes.rglob("*") if one.is_file()}

    assert use(desk, "append", path=path, content=content)["code"] == code
    assert {one: one.read_bytes() for one in files} == files
    assert not (notes / "none").exists()
    assert not (notes / "none.md").exists()


@pytest.mark.requirement("mcp:notes:append")
# A request over HTTP is held to fewer bytes than a note; tests/web is about that.
@pytest.mark.transports(*WITHOUT_HTTP)
def test_a_note_does_not_grow_for_ever(desk: Talk, notes: Path) -> None:
    """It stays as small as one that is created."""
    write(notes, "a.md", b"a")

    refused = use(desk, "append", path="a.md", content="x" * (8 * 1024 * 1024))

    assert refused["code"] == "invalid_parameter"
    assert (notes / "a.md").read_bytes() == b"a"


@pytest.mark.requirement("mcp:notes:journalled")
def test_what_was_written_by_what_was_seen_is_taken_back(
    desk: Talk, notes: Path, tmp_path: Path
) -> None:
    """By people, write by write, to the byte; a dry run is no write."""
    states = ["一行目\r\n二行目".encode("cp932")]
    write(notes, "a.md", states[0])
    use(desk, "replace", path="a.md", find="二", replace="三", dry_run=True)
    for tool, change in (
        ("replace", {"find": "二", "replace": "三"}),
        ("append", {"content": "追記"}),
    ):
        seen = etag_of(states[-1])
        assert "etag" in use(desk, tool, path="a.md", if_match=seen, **change)
        states.append((notes / "a.md").read_bytes())

    env = {"VAULT_ROOT": str(notes)}
    for entry, before in (("2", states[1]), ("1", states[0])):
        undone = run_command(tmp_path, "vault", "undo", entry, face="tebiki", env=env)
        assert undone.code == 0, undone
        assert (notes / "a.md").read_bytes() == before
    assert len(set(states)) == 3


@pytest.mark.requirement("mcp:notes:find")
def test_notes_are_found(desk: Talk, notes: Path) -> None:
    """In both languages, below a prefix, and as they are now."""
    write(notes, "insurance/免責.md", "# 免責\n\n地震による損害は支払われない。\n".encode())
    write(notes, "travel/packing.md", b"# Packing\n\n## Cables\n\nTake the long charging cable.\n")
    write(notes, "travel/earthquake.md", "# 地震\n\n地震のときの持ち物。\n".encode())

    cable = use(desk, "find", query="charging cable")
    quake = use(desk, "find", query="地震の損害は支払われますか")
    inside = use(desk, "find", query="地震", path_prefix="travel")
    one = use(desk, "find", query="地震", path_prefix="insurance/免責.md", limit=1)

    hit = cable["items"][0]
    assert (hit["path"], hit["start_line"], hit["title"]) == ("travel/packing.md", 3, "Cables")
    assert "charging cable" in hit["snippet"]
    assert quake["items"][0]["path"] == "insurance/免責.md"
    assert {item["path"] for item in inside["items"]} == {"travel/earthquake.md"}
    assert [item["path"] for item in one["items"]] == ["insurance/免責.md"]
    assert all(found["complete"] for found in (cable, quake, inside, one))
    use(desk, "append", path="travel/packing.md", content="\n## Lamp\n\nA zirconium lamp.\n")
    assert use(desk, "find", query="zirconium")["items"][0]["title"] == "Lamp"


@pytest.mark.requirement("mcp:notes:find")
def test_a_vault_that_is_not_there_has_nothing_to_find(desk: Talk, notes: Path) -> None:
    """And is not made by looking."""
    found = use(desk, "find", query="anything")

    assert found == {"total": 0, "items": [], "complete": True, "unscanned": 0}
    assert not notes.exists()


@pytest.mark.requirement("mcp:notes:find")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_parameter"),
        ({"query": " "}, "invalid_parameter"),
        ({"query": "x" * 5000}, "invalid_parameter"),
        ({"query": "x", "limit": 0}, "invalid_parameter"),
        ({"query": "x", "limit": 51}, "invalid_parameter"),
        ({"query": "x", "path_prefix": "../x"}, "invalid_path"),
        ({"query": "x", "path_prefix": "/etc"}, "invalid_path"),
        ({"query": "x", "where": "y"}, "invalid_parameter"),
    ],
)
def test_what_cannot_be_found(
    desk: Talk, notes: Path, arguments: dict[str, Any], code: str
) -> None:
    """In the words of every file tool."""
    write(notes, "a.md", b"# A\n")

    assert use(desk, "find", **arguments)["code"] == code


@pytest.mark.requirement("mcp:notes:system")
def test_what_is_the_vaults_own_is_not_found(desk: Talk, notes: Path) -> None:
    """Nor what lies in a folder of that name anywhere."""
    for name in (".system/a.md", "x/.system/b.md", ".System/c.md", "d.md"):
        write(notes, name, b"# Zirconium\n\nzirconium\n")

    found = use(desk, "find", query="zirconium")

    assert [item["path"] for item in found["items"]] == ["d.md"]
    assert (found["complete"], found["unscanned"]) == (True, 0)
    assert use(desk, "find", query="zirconium", path_prefix=".system")["items"] == []


@pytest.mark.requirement("mcp:notes:find", "mcp:notes:append")
def test_results_obey_their_schemas(desk: Talk, notes: Path) -> None:
    """Failures too."""
    write(notes, "a.md", b"# A\n\nneedle\n")
    listed = desk.ask(0, "tools/list")["result"]["tools"]
    schemas = {tool["name"]: tool["outputSchema"] for tool in listed}

    for tool, arguments in (
        ("find", {"query": "needle"}),
        ("find", {"query": ""}),
        ("append", {"path": "a.md", "content": "x"}),
        ("append", {"path": "none.md", "content": "x"}),
        ("replace", {"path": "a.md", "find": "x", "replace": "y", "dry_run": True}),
    ):
        jsonschema.validate(use(desk, tool, **arguments), schemas[f"vault_{tool}"])


@pytest.mark.requirement("mcp:etags:races")
@pytest.mark.transports("line")
def test_eight_servers_that_change_one_note_lose_nothing(
    transport: str, tmp_path: Path, notes: Path
) -> None:
    """Each adds one to a number it has read, and tries again when somebody was quicker."""
    write(notes, "count.md", b"count: 0\n")
    env = {"VAULT_ROOT": str(notes)}
    stale = [0] * WRITERS

    def add(server: ServerProcess, writer: int) -> None:
        done = 0
        while done < ROUNDS:
            seen = use(server, "read", path="count.md", full=True)
            number = int(seen["text"].split()[1])
            tried = use(
                server,
                "replace",
                path="count.md",
                find=f"count: {number}",
                replace=f"count: {number + 1}",
                if_match=seen["applied"]["etag"],
            )
            if tried.get("code") == "conflict":
                assert tried["details"]["reason"] == "stale", tried
                stale[writer] += 1
            else:
                assert tried["replacements"] == 1, tried
                done += 1

    with ExitStack() as servers:
        writers = [
            threading.Thread(
                target=add,
                args=(
                    servers.enter_context(
                        ServerProcess(
                            tmp_path,
                            "--toolsets=vault",
                            dialect=transport,
                            face="tebiki",
                            env=env,
                        )
                    ),
                    writer,
                ),
            )
            for writer in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()

    assert (notes / "count.md").read_bytes() == b"count: %d\n" % (WRITERS * ROUNDS)
    assert sum(stale) > 0

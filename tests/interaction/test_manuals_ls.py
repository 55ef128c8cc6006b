"""`manual_ls` on the real process: what it lists."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Reader, Workspace

NO_LINKS = pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege")


def names(listed: dict[str, Any]) -> list[str]:
    """What a list names, in its order."""
    return [item["name"] for item in listed["items"]]


@pytest.mark.requirement("manuals:files:which", "manuals:ls:manuals")
def test_the_manuals_are_the_folders_below_the_root(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """No id, null and `manuals` are the same question."""
    workspace.write("楓/a.md", "# A\n")
    workspace.write("lantern/a.md", "# A\n")
    workspace.write("loose.md", "# No manual\n")
    reader = open_manuals()

    listed = reader.use("ls")

    assert listed == {
        "id": "manuals",
        "items": [
            {"id": "lantern", "name": "lantern", "kind": "dir"},
            {"id": "楓", "name": "楓", "kind": "dir"},
        ],
    }
    assert reader.use("ls", id=None) == reader.use("ls", id="manuals") == listed


@pytest.mark.requirement("manuals:ls:no-links")
@NO_LINKS
def test_links_are_never_listed(reader: Reader, workspace: Workspace) -> None:
    """Neither as a manual nor inside one, wherever they point."""
    workspace.write("m/a.md", "# A\n")
    outside = workspace.folder / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# S\n", encoding="utf-8")
    (workspace.root / "linked").symlink_to(outside)
    (workspace.root / "m/linked").symlink_to(outside)
    (workspace.root / "m/linked.md").symlink_to(outside / "secret.md")
    (workspace.root / "m/dangling.md").symlink_to(outside / "none.md")

    assert names(reader.use("ls")) == ["m"]
    assert names(reader.use("ls", id="m")) == ["a.md"]
    assert reader.use("ls", id="linked")["code"] in {"not_found", "forbidden"}
    assert reader.use("ls", id="m/linked")["code"] == "forbidden"


@pytest.mark.requirement(
    "manuals:files:which", "manuals:ls:children", "manuals:ls:readable-ids", "manuals:ls:sorted"
)
def test_a_folder_shows_its_direct_children(reader: Reader, workspace: Workspace) -> None:
    """By name; `.md` and `.json` in any case, nothing else; paths begin below the manual."""
    for name in ("b.MD", "a.json", "C.Json", "x.txt", "README", "sub/d.md", "sub/deep/e.md"):
        workspace.write(f"m/{name}", "{}")

    listed = reader.use("ls", id="m")
    below = reader.use("ls", id="m/sub")

    assert listed["id"] == "m"
    assert listed["items"] == [
        {"id": "m/C.Json", "name": "C.Json", "kind": "file", "path": "C.Json", "file_type": "json"},
        {"id": "m/a.json", "name": "a.json", "kind": "file", "path": "a.json", "file_type": "json"},
        {"id": "m/b.MD", "name": "b.MD", "kind": "file", "path": "b.MD", "file_type": "md"},
        {"id": "m/sub", "name": "sub", "kind": "dir"},
    ]
    assert below["id"] == "m/sub"
    assert below["items"] == [
        {"id": "m/sub/d.md", "name": "d.md", "kind": "file", "path": "sub/d.md", "file_type": "md"},
        {"id": "m/sub/deep", "name": "deep", "kind": "dir"},
    ]


@pytest.mark.requirement("manuals:ls:readable-ids")
def test_every_id_listed_can_be_listed_or_read(reader: Reader, workspace: Workspace) -> None:
    """Walking by ids alone reaches every file, and its path can be read."""
    files = {"操作/印刷.md", "操作/細目/両面.md", "a b/c #1.md", "エラー.json"}
    for name in files:
        workspace.write(f"m/{name}", '{"a": 1}')

    waiting, reached = ["m"], set()
    while waiting:
        for item in reader.use("ls", id=waiting.pop())["items"]:
            if item["kind"] == "dir":
                waiting.append(item["id"])
            else:
                reached.add(item["path"])
                assert reader.use("scan", manual_id="m", path=item["path"])["text"] == '{"a": 1}'

    assert reached == files


@pytest.mark.requirement("manuals:ls:file-id")
def test_a_files_id_is_refused(reader: Reader, workspace: Workspace) -> None:
    """With the tools that read it."""
    workspace.write("m/sub/a.md", "# A\n")

    refused = reader.use("ls", id="m/sub/a.md")

    assert refused["code"] == "invalid_parameter"
    assert "manual_read" in refused["message"]


@pytest.mark.requirement("manuals:ls:fresh", "manuals:ls:missing-root")
def test_lists_are_fresh_from_disk(reader: Reader, workspace: Workspace) -> None:
    """What is made, renamed or removed is seen at once; a missing root is an empty list."""
    assert reader.use("ls")["items"] == []
    workspace.write("m/a.md", "# A\n")
    assert names(reader.use("ls")) == ["m"]
    (workspace.root / "m/a.md").rename(workspace.root / "m/b.md")
    assert names(reader.use("ls", id="m")) == ["b.md"]
    (workspace.root / "m/b.md").unlink()
    assert reader.use("ls", id="m") == {"id": "m", "items": []}
    (workspace.root / "m").rmdir()
    assert reader.use("ls", id="m")["code"] == "not_found"
    workspace.root.rmdir()
    assert reader.use("ls") == {"id": "manuals", "items": []}


@pytest.mark.requirement("manuals:ls:normal-forms")
def test_a_name_is_one_in_both_normal_forms(reader: Reader, workspace: Workspace) -> None:
    """Stored decomposed, listed composed, found by either."""
    decomposed = unicodedata.normalize("NFD", "ガイド")
    workspace.write(f"{decomposed}/{decomposed}/a.md", "# A\n")

    assert reader.use("ls")["items"] == [{"id": "ガイド", "name": "ガイド", "kind": "dir"}]
    for name in ("ガイド", decomposed):
        assert reader.use("ls", id=f"{name}/{name}")["items"][0]["path"] == "ガイド/a.md"


NO_FOLDERS: list[tuple[str, set[str]]] = [
    ("missing", {"not_found"}),
    ("m/missing", {"not_found"}),
    ("m/a.md/b", {"not_found"}),
    ("", {"invalid_parameter"}),
    ("/", {"invalid_parameter"}),
    ("m/", {"invalid_parameter"}),
    ("..", {"invalid_parameter"}),
    ("m/..", {"invalid_parameter"}),
    ("m/../..", {"invalid_parameter"}),
    ("m//sub", {"invalid_parameter"}),
    ("/etc", {"invalid_parameter"}),
    ("m/a\0", {"invalid_parameter"}),
    ("m\0", {"invalid_parameter", "not_found"}),
    ("manuals/m", {"invalid_parameter", "not_found"}),
    ("m/..\\..", {"invalid_parameter"}),
    ("m/" + "x" * 300, {"invalid_parameter", "not_found"}),
    ("x" * 100_000, {"invalid_parameter", "not_found"}),
    ("m/" + "s/" * 5000 + "s", {"invalid_parameter", "not_found"}),
]


@pytest.mark.requirement("manuals:ls:unknown")
def test_what_is_no_folder_is_said_to_be_none(
    reader: Reader, workspace: Workspace, subtests: pytest.Subtests
) -> None:
    """Unknown ids are not found; tricks are refused; no place on disk is told."""
    workspace.write("m/a.md", "# A\n")
    workspace.write("m/sub/b.md", "# B\n")

    for identifier, codes in NO_FOLDERS:
        with subtests.test(identifier[:40]):
            refused = reader.use("ls", id=identifier)

            assert refused["code"] in codes
            assert str(workspace.folder) not in json.dumps(refused)


NO_STRINGS: list[Any] = [5, True, 1.5, [], {}, ["m"]]


@pytest.mark.requirement("manuals:ls:unknown")
def test_an_id_is_a_string(reader: Reader, subtests: pytest.Subtests) -> None:
    """Not coerced."""
    for identifier in NO_STRINGS:
        with subtests.test(identifier=identifier):
            refused = reader.use("ls", id=identifier)

            assert refused["code"] == "invalid_parameter"
            assert refused["message"].startswith("id must be a string, got ")


@pytest.mark.requirement("manuals:ls:closed-folder")
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read all")
def test_a_folder_that_may_not_be_listed_is_forbidden(reader: Reader, workspace: Workspace) -> None:
    """And the root without it is still listed."""
    workspace.write("m/a.md", "# A\n")
    (workspace.root / "m").chmod(0)
    try:
        assert reader.use("ls", id="m")["code"] == "forbidden"
        assert names(reader.use("ls")) == ["m"]
    finally:
        (workspace.root / "m").chmod(0o755)

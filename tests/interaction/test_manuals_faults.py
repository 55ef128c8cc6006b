"""Manuals on the real process when something goes wrong: files, links, the cache folder, roots."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.interaction.differences import complaints

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interaction.conftest import OpenManuals
    from tests.interaction.manual_calls import Reader, Workspace

NO_LINKS = pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege")


@pytest.fixture(name="outside")
def _outside(workspace: Workspace) -> Path:
    """A folder beside the manuals that nobody may see."""
    workspace.write("m/a.md", "# Lantern\n\nThe lantern of room one.\n")
    workspace.write("m/sub/b.md", "# Wick\n\nThe wick of the lantern.\n")
    outside = workspace.folder / "outside"
    outside.mkdir()
    (outside / "b.md").write_text("# Lantern canary\n", encoding="utf-8")
    return outside


@pytest.mark.requirement("manuals:faults:files-go")
@pytest.mark.usefixtures("outside")
def test_files_that_go_between_calls(reader: Reader, workspace: Workspace) -> None:
    """A deleted file is not found, by any tool; the rest goes on."""
    assert len(reader.places("lantern")) == 2
    (workspace.root / "m/a.md").unlink()

    assert reader.places("lantern") == [("sub/b.md", 1)]
    assert reader.read("a.md")["code"] == "not_found"
    assert reader.use("scan", manual_id="m", path="a.md")["code"] == "not_found"
    assert reader.use("toc", manual_id="m")["total_files"] == 1


@pytest.mark.requirement("manuals:faults:files-go")
@pytest.mark.usefixtures("outside")
def test_a_manual_that_goes_between_calls(reader: Reader, workspace: Workspace) -> None:
    """It is not found; when it is back, so are its texts as they are now."""
    assert reader.places("lantern")
    shutil.rmtree(workspace.root / "m")
    asked = {"manual_id": "m", "query": "lantern", "required_terms": ["lantern"]}

    assert reader.use("find", **asked)["code"] == "not_found"
    assert reader.use("toc", manual_id="m")["code"] == "not_found"
    assert reader.read("a.md")["code"] == "not_found"

    workspace.write("m/new.md", "# New lantern\n")
    assert reader.places("lantern") == [("new.md", 1)]


@pytest.mark.requirement("manuals:faults:links-swapped-in")
@NO_LINKS
def test_a_file_replaced_by_a_link(reader: Reader, workspace: Workspace, outside: Path) -> None:
    """Nothing behind it is found or read, and the kept answer does not stand."""
    assert len(reader.places("lantern")) == 2
    (workspace.root / "m/a.md").unlink()
    (workspace.root / "m/a.md").symlink_to(outside / "b.md")

    found = reader.find("lantern")

    assert [row["ref"]["path"] for row in reader.rows(found)] == ["sub/b.md"]
    assert reader.rows(found, "unscanned") == [{"path": "a.md", "reason": "symlink"}]
    assert reader.read("a.md")["code"] == "forbidden"
    assert reader.use("scan", manual_id="m", path="a.md")["code"] == "forbidden"


@pytest.mark.requirement("manuals:faults:links-swapped-in")
@NO_LINKS
def test_a_folder_replaced_by_a_link(reader: Reader, workspace: Workspace, outside: Path) -> None:
    """The same for all that was in it."""
    assert len(reader.places("lantern")) == 2
    shutil.rmtree(workspace.root / "m/sub")
    (workspace.root / "m/sub").symlink_to(outside)

    found = reader.find("lantern canary", "lantern")

    assert [row["ref"]["path"] for row in reader.rows(found)] == ["a.md"]
    assert reader.read("sub/b.md")["code"] == "forbidden"
    assert reader.use("ls", id="m/sub")["code"] == "forbidden"


@pytest.mark.requirement("manuals:faults:links-swapped-in")
@NO_LINKS
def test_a_manual_replaced_by_a_link(reader: Reader, workspace: Workspace, outside: Path) -> None:
    """It is no manual any more."""
    assert reader.places("lantern")
    shutil.rmtree(workspace.root / "m")
    (workspace.root / "m").symlink_to(outside)
    asked = {"manual_id": "m", "query": "canary", "required_terms": ["canary"]}

    for refused in (
        reader.use("find", **asked),
        reader.use("toc", manual_id="m"),
        reader.read("b.md"),
        reader.use("scan", manual_id="m", path="b.md"),
        reader.use("ls", id="m"),
    ):
        assert refused["code"] in {"not_found", "forbidden"}
    assert reader.use("ls")["items"] == []


@pytest.mark.requirement("manuals:faults:files-go")
@pytest.mark.usefixtures("outside")
def test_a_file_that_becomes_a_folder_and_back(reader: Reader, workspace: Workspace) -> None:
    """Names are only names."""
    path = workspace.root / "m/a.md"
    assert len(reader.places("lantern")) == 2
    path.unlink()
    workspace.write("m/a.md/inner.md", "# Inner lantern\n")
    assert sorted(reader.places("lantern")) == [("a.md/inner.md", 1), ("sub/b.md", 1)]
    assert reader.read("a.md")["code"] == "not_found"
    shutil.rmtree(path)
    workspace.write("m/a.md", "# Lantern\n")
    assert sorted(reader.places("lantern")) == [("a.md", 1), ("sub/b.md", 1)]


@pytest.mark.requirement("manuals:sections:odd-names")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_no_path_can_have_are_counted(reader: Reader, workspace: Workspace) -> None:
    """They are told as unsearched, not dropped, and break nothing."""
    workspace.write("m/a.md", "# Lantern\n")
    workspace.write("m/two\nlines.md", "# Lantern\n")

    found = reader.find("lantern")

    assert [row["ref"]["path"] for row in reader.rows(found)] == ["a.md"]
    assert (found["complete"], found["unscanned"]) == (False, 1)


@pytest.mark.requirement("manuals:faults:no-cache-folder")
@pytest.mark.usefixtures("outside")
def test_a_cache_that_cannot_be_written_is_said_once(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """The index lives in memory; answers are the same."""
    usual = open_manuals().places("lantern")
    (workspace.folder / "file").write_text("no folder", encoding="utf-8")
    reader = open_manuals(XDG_CACHE_HOME=str(workspace.folder / "file"))

    assert [reader.places("lantern", use_cache=False) for _ in range(3)] == [usual] * 3
    workspace.write("m/c.md", "# Third lantern\n")
    assert len(reader.places("lantern")) == 3
    workspace.write("other/a.md", "# Another lantern\n")
    assert reader.find("lantern", manual_id="other")["candidates"] == 1
    reader.server.finish()
    assert reader.server.stderr.count("kept in memory") == 1
    assert (workspace.folder / "file").read_text(encoding="utf-8") == "no folder"


@pytest.mark.requirement("manuals:files:never-written")
@pytest.mark.usefixtures("outside")
def test_nothing_is_written_below_the_manuals(reader: Reader, workspace: Workspace) -> None:
    """The index is in the cache folder, and stderr is silent."""
    before = sorted(workspace.root.rglob("*"))

    reader.find("lantern")
    reader.read("a.md")
    reader.use("toc", manual_id="m")

    assert sorted(workspace.root.rglob("*")) == before
    assert any((workspace.folder / ".cache/tebiki").rglob("*"))
    reader.server.finish()
    assert complaints(reader.server) == []


@pytest.mark.requirement("manuals:faults:damaged-index")
@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("damage", ["garbage", "emptied", "deleted", "foreign"])
def test_a_damaged_index_is_built_anew(
    open_manuals: OpenManuals, workspace: Workspace, damage: str
) -> None:
    """By the next process; the answer is the same."""
    cache = workspace.folder / ".cache/tebiki"
    first = open_manuals()
    usual = first.places("lantern")
    first.server.finish()
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files

    for path in files:
        if damage == "deleted":
            path.unlink()
        elif path.name != "lock":
            path.write_bytes({"garbage": b"\xff\0garbage", "emptied": b""}.get(damage, b"[]"))

    assert open_manuals().places("lantern") == usual


@pytest.mark.requirement("manuals:faults:damaged-index")
@pytest.mark.usefixtures("outside")
def test_an_index_deleted_under_a_running_server(reader: Reader, workspace: Workspace) -> None:
    """Deleting it is always safe."""
    usual = reader.places("lantern")
    shutil.rmtree(workspace.folder / ".cache/tebiki")

    assert reader.places("lantern", use_cache=False) == usual
    workspace.write("m/c.md", "# Third lantern\n")
    assert len(reader.places("lantern")) == 3


@pytest.mark.requirement("manuals:faults:shared-index")
@pytest.mark.usefixtures("outside")
def test_two_servers_share_one_index(open_manuals: OpenManuals, workspace: Workspace) -> None:
    """Each sees every edit at its next call, whoever indexes it."""
    readers = [open_manuals(), open_manuals()]

    for number in range(6):
        workspace.write(f"m/n{number}.md", f"# Note {number}\n\nThe newword{number} is here.\n")
        for reader in (readers[number % 2], readers[1 - number % 2]):
            assert reader.places(f"newword{number}")[0] == (f"n{number}.md", 1)


@pytest.mark.requirement("config:roots:manuals", "config:roots:workspace")
@pytest.mark.usefixtures("outside")
def test_the_root_is_where_it_is_said_to_be(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """`MANUALS_ROOT` stands above the workspace; `~` is the home folder."""
    (workspace.folder / "elsewhere/other").mkdir(parents=True)

    for root in (str(workspace.folder / "elsewhere"), "~/elsewhere"):
        reader = open_manuals(MANUALS_ROOT=root)
        assert [item["id"] for item in reader.use("ls")["items"]] == ["other"]
    usual = open_manuals().use("ls")["items"]
    assert [item["id"] for item in usual] == ["m"]


@pytest.mark.requirement("manuals:ls:missing-root")
def test_a_root_that_is_a_file_is_told_without_its_place(
    open_manuals: OpenManuals, workspace: Workspace
) -> None:
    """An error or an empty list, never an incident."""
    (workspace.folder / "file").write_text("x", encoding="utf-8")
    reader = open_manuals(listed=False, MANUALS_ROOT=str(workspace.folder / "file"))

    listed = reader.use("ls")

    assert listed.get("items", []) == []
    assert str(workspace.folder) not in str(listed)
    assert "incident" not in reader.server.stderr

"""`tebiki manuals publish --commit`: what git has, byte by byte, and no command but git itself."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from tebiki.cli.git_commits import extract_commit, find_commit
from tebiki.errors import NotFound, UsageError
from tests.support.command import run_command
from tests.support.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

GUIDE = "# Guide\n\nThe heater runs at 40 degrees.\n"
AWAY = "manuals: {engine: opensearch, opensearch: {addresses: ['http://127.0.0.1:%d']}}\n"


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Repository:
    """Two commits; the first is tagged."""
    made = Repository(tmp_path / "manuals" / "oven")
    made.commit({"guide.md": GUIDE, "parts/オーブン 1.md": "# 部品\r\n\r\n加熱器\r\n"})
    made.run("tag", "first")
    (made.folder / "guide.md").unlink()
    made.commit({"newer.md": "# Newer\n"})
    return made


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file by its path."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def extracted(repository: Repository, ref: str, target: Path) -> dict[str, bytes]:
    """What a commit holds, by any name of it."""
    target.mkdir()
    extract_commit(str(repository.folder), find_commit(str(repository.folder), ref), str(target))
    return files_below(target)


@pytest.mark.requirement("people:cluster:commit")
def test_a_commit_is_what_git_has(repository: Repository, tmp_path: Path) -> None:
    """Neither what was edited since nor what a later commit did."""
    (repository.folder / "newer.md").write_text("# Edited, not committed\n")
    parts = {"parts/オーブン 1.md": "# 部品\r\n\r\n加熱器\r\n".encode()}

    for number, ref in enumerate(("first", "trunk~1", "HEAD^", "refs/tags/first")):
        found = extracted(repository, ref, tmp_path / f"old-{number}")
        assert found == {"guide.md": GUIDE.encode(), **parts}
    assert extracted(repository, "trunk", tmp_path / "new") == {"newer.md": b"# Newer\n", **parts}


@pytest.mark.requirement("people:cluster:commit")
def test_a_folder_of_a_repository_is_published_alone(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a hook that publishes says that git's own folder is."""
    folder = str(repository.folder / "parts")
    commit = find_commit(folder, "first")
    other = Repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))

    assert find_commit(folder, "first") == commit
    extract_commit(folder, commit, str(tmp_path))

    assert (tmp_path / "オーブン 1.md").exists()
    empty = repository.folder / "empty"
    empty.mkdir()
    with pytest.raises(NotFound, match="has no files in"):
        extract_commit(str(empty), commit, str(tmp_path))


@pytest.mark.requirement("people:cluster:commit-hostile")
@pytest.mark.parametrize(
    "ref",
    [
        "--upload-pack=touch canary",
        "--output=canary",
        "-o",
        "-ocanary",
        "--",
        "--exec=touch canary",
        "; touch canary",
        "$(touch canary)",
        "`touch canary`",
        "| touch canary",
        "ext::sh -c touch% canary",
        "first..trunk",
        "first trunk",
        "first\ntrunk",
        "",
        "no-such-branch",
        "first:guide.md",
    ],
)
def test_a_hostile_ref_is_refused_and_runs_nothing(repository: Repository, ref: str) -> None:
    """By the command itself, before a word is sent to any node."""
    home = repository.folder.parents[1]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        (home / "tebiki.yaml").write_text(AWAY % silent.getsockname()[1])
        words = ("manuals", "publish", "oven", f"--commit={ref}")
        ended = run_command(home, *words, "--config", str(home / "tebiki.yaml"), face="tebiki")

        silent.settimeout(0)
        with pytest.raises(BlockingIOError):
            silent.accept()
    assert ended.code == 2
    assert "commit" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list(home.rglob("*canary*")) == []


@pytest.mark.requirement("people:cluster:commit-hostile")
def test_what_a_repository_says_of_commands_runs_none(
    repository: Repository, tmp_path: Path
) -> None:
    """Filters, archivers, monitors and places to fetch from: none of them is asked."""
    canary = tmp_path / "canary"
    touch = f"touch {canary}; cat"
    for key in (
        "filter.x.smudge",
        "filter.x.process",
        "diff.x.textconv",
        "tar.tar.command",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "alias.ls-tree",
        "remote.origin.uploadpack",
    ):
        repository.run("config", key, touch)
    # Committed past the filters, which would run now otherwise.
    text = "* filter=x diff=x export-subst\nsecret.md export-ignore\n"
    blob = repository.run("hash-object", "-w", "--stdin", stdin=text.encode())
    tree = repository.run("mktree", stdin=f"100644 blob {blob}\t.gitattributes\n".encode())
    commit = repository.run("commit-tree", tree, "-m", "attributes")
    assert not canary.exists()

    found = extracted(repository, commit, tmp_path / "out")

    assert found == {".gitattributes": text.encode()}
    assert not canary.exists()


@pytest.mark.requirement("people:cluster:commit-hostile")
def test_a_missing_object_is_not_fetched(repository: Repository, tmp_path: Path) -> None:
    """Of a partial clone: whoever publishes is told, and no way out is opened."""
    repository.run("config", "uploadpack.allowFilter", "true")
    partial = Repository(tmp_path / "partial")
    partial.run("remote", "add", "origin", f"file://{repository.folder}")
    partial.run("fetch", "--quiet", "--filter=blob:none", "origin", "trunk")

    with pytest.raises(UsageError, match=r"git cannot read|git ended"):
        extracted(partial, "FETCH_HEAD", tmp_path / "out")


@pytest.mark.requirement("people:cluster:commit-hostile")
@pytest.mark.parametrize("name", ["..", ".", "a/../../b"])
def test_a_path_that_leads_elsewhere_is_refused(
    repository: Repository, tmp_path: Path, name: str
) -> None:
    """Git makes no such tree; somebody else may."""
    blob = repository.run("hash-object", "-w", "--stdin", stdin=b"out\n")
    entry = f"100644 {name}".encode() + b"\0" + bytes.fromhex(blob)
    words = ("hash-object", "-t", "tree", "-w", "--stdin", "--literally")
    tree = repository.run(*words, stdin=entry)
    commit = repository.run("commit-tree", tree, "-m", "crafted")

    with pytest.raises(UsageError, match="leads elsewhere"):
        extracted(repository, commit, tmp_path / "out")
    assert files_below(tmp_path / "out") == {}


@pytest.mark.requirement("people:cluster:commit-hostile")
def test_nothing_is_written_through_a_link(repository: Repository, tmp_path: Path) -> None:
    """A tree that has a name twice, as a link and as a folder, ends inside all the same."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = repository.run("hash-object", "-w", "--stdin", stdin=str(outside).encode())
    blob = repository.run("hash-object", "-w", "--stdin", stdin=b"out\n")
    inner = repository.run("mktree", stdin=f"100644 blob {blob}\tb.md\n".encode())
    raw = b"120000 a\0" + bytes.fromhex(link) + b"40000 a\0" + bytes.fromhex(inner)
    words = ("hash-object", "-t", "tree", "-w", "--stdin", "--literally")
    commit = repository.run("commit-tree", repository.run(*words, stdin=raw), "-m", "crafted")

    assert extracted(repository, commit, tmp_path / "out") == {"a/b.md": b"out\n"}
    assert list(outside.iterdir()) == []


@pytest.mark.requirement("people:cluster:commit")
def test_outside_a_repository_there_is_no_commit(tmp_path: Path) -> None:
    """Said as it is."""
    with pytest.raises(NotFound, match="is in no git repository"):
        find_commit(str(tmp_path), "HEAD")

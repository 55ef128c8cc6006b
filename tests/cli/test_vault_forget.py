"""`tebiki vault forget` on real files: the text is gone from the journal, indexes and servers."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Finished, run_command
from tests.support.server_process import ServerProcess

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "zucchini"
FIND = {"query": SECRET, "manual_id": "notes", "required_terms": [SECRET]}


def run(home: Path, *words: str, stdin: bytes = b"") -> Finished:
    """Run a command where the vault is a manual as well."""
    return run_command(home, *words, face="tebiki", env=environment(home), stdin=stdin)


def environment(home: Path) -> dict[str, str]:
    """A vault that lies among the manuals."""
    return {
        "VAULT_ROOT": str(home / "manuals" / "notes"),
        "MANUALS_ROOT": str(home / "manuals"),
        "XDG_CACHE_HOME": str(home / "cache"),
    }


def places_of_the_secret(home: Path) -> list[str]:
    """Every file that holds it, as it is or as the journal writes it."""
    encoded = [base64.b64encode(b" " * shift + SECRET.encode())[4:-4] for shift in (0, 1, 2)]
    return sorted(
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in (SECRET.encode(), *encoded))
    )


def index_folders(home: Path) -> dict[str, int]:
    """How many files each index has."""
    found = (home / "cache" / "tebiki" / "manuals").iterdir()
    return {folder.name: sum(1 for _ in folder.rglob("*")) for folder in found}


@pytest.mark.requirement("vault:journal:forgotten")
def test_a_note_is_forgotten_everywhere(tmp_path: Path) -> None:
    """Journal and index; another manual's index stays, and finds go on."""
    (tmp_path / "manuals" / "other").mkdir(parents=True)
    (tmp_path / "manuals" / "other" / "o.md").write_text("# Other\n\nlamp\n")
    run(tmp_path, "vault", "create", "d/a.md", stdin=f"# Soup\n\n{SECRET} lamp\n".encode())
    for manual in ("notes", "other"):
        run(tmp_path, "manuals", "find", manual, "lamp", "--require", "lamp")
    run(tmp_path, "vault", "replace", "d/a.md", SECRET, "nothing")
    assert len(places_of_the_secret(tmp_path)) > 1
    before = index_folders(tmp_path)

    done = run(tmp_path, "vault", "forget", "d/a.md")

    assert done.code == 0
    assert done.stdout.splitlines()[0] == "forgot 2 entries of the journal"
    assert "dropped 1 index of manuals" in done.stdout
    assert "d/a.md itself is still there" in done.stdout
    assert places_of_the_secret(tmp_path) == []
    kept = [name for name, files in index_folders(tmp_path).items() if files == before[name]]
    assert len(kept) == 1
    found = run(tmp_path, "manuals", "find", "notes", "lamp", "--require", "lamp")
    assert "d/a.md" in found.stdout
    assert "2 entries forgotten" in run(tmp_path, "vault", "log").stdout


@pytest.mark.requirement("vault:journal:forgotten")
def test_an_index_of_another_root_that_lists_the_note_goes_too(tmp_path: Path) -> None:
    """Which root an index is of cannot be told from it; what it lists can."""
    run(tmp_path, "vault", "create", "d/a.md", stdin=f"# Soup\n\n{SECRET}\n".encode())
    elsewhere = environment(tmp_path) | {"MANUALS_ROOT": str(tmp_path / "manuals" / "notes")}
    words = ("manuals", "find", "d", SECRET, "--require", SECRET)
    run_command(tmp_path, *words, face="tebiki", env=elsewhere)
    (tmp_path / "manuals" / "notes" / "d" / "a.md").unlink()
    assert any("cache" in place for place in places_of_the_secret(tmp_path))

    run(tmp_path, "vault", "forget", "d/a.md")

    assert places_of_the_secret(tmp_path) == []


@pytest.mark.requirement("vault:journal:forgotten")
def test_a_running_server_forgets_what_it_had_found(tmp_path: Path) -> None:
    """Its traces and cached answers have text of the note, too."""
    run(tmp_path, "vault", "create", "a.md", stdin=f"# Soup\n\n{SECRET}\n".encode())
    with ServerProcess(tmp_path, "--stdio", face="tebiki", env=environment(tmp_path)) as server:
        server.call("ls", "manual_ls", {})
        answer = server.call("find", "manual_find", FIND)["result"]["structuredContent"]
        trace = {"trace_id": answer["trace_id"]}
        before = server.call("hits", "manual_hits", trace)["result"]["structuredContent"]
        (tmp_path / "manuals" / "notes" / "a.md").write_text("# Soup\n\nnothing\n")

        run(tmp_path, "vault", "forget", "a.md")
        after = server.call("again", "manual_hits", trace)["result"]["structuredContent"]
        found = server.call("anew", "manual_find", FIND)["result"]["structuredContent"]

    assert before["total"] == 1
    assert after["code"] == "not_found"
    assert found["candidates"] == 0


@pytest.mark.requirement("vault:journal:forgotten")
def test_what_to_forget_has_to_be_said(tmp_path: Path) -> None:
    """A date is one; nothing to forget is 1."""
    run(tmp_path, "vault", "create", "a.md", "--content", "x")

    assert run(tmp_path, "vault", "forget").code == 2
    wrong = run(tmp_path, "vault", "forget", "--before", "yesterday")
    assert wrong.code == 2
    assert "2026-01-31" in wrong.stderr
    assert run(tmp_path, "vault", "forget", "--before", "2001-01-01").code == 1
    assert run(tmp_path, "vault", "forget", "--before", "2999-01-01").code == 0
    assert run(tmp_path, "vault", "log").code == 1

"""`tebiki setup` as a person types it: real files of each client, before and after."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tebiki.clients.table import BY_NAME
from tests.support.client_files import example, file_of, servers, setup, written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """The home folder of the user whose clients are set up."""
    return tmp_path


@pytest.mark.requirement("setup:clients:shown-first", "setup:clients:undo", "setup:clients:flags")
@pytest.mark.parametrize("name", BY_NAME)
def test_a_new_file(home: Path, name: str) -> None:
    """Written for the user alone; written again it stays; undone it is gone."""
    path = file_of(home, name)
    (home / "man").mkdir()

    shown = setup(home, name)
    assert (shown.code, path.exists()) == (0, False)
    assert str(path) in shown.stdout
    assert "+++" in shown.stdout
    done = setup(home, name, "--write", "--vault", "notes", "--manuals", "man")
    assert (done.code, done.stderr) == (0, "")
    entry = servers(path, name)["tebiki"]
    env = entry[BY_NAME[name].shape.env]
    assert (env["VAULT_ROOT"], env["MANUALS_ROOT"]) == (str(home / "notes"), str(home / "man"))
    assert path.stat().st_mode & 0o777 == 0o600

    data = path.read_bytes()
    again = setup(home, name, "--write", "--vault", "notes", "--manuals", "man")
    assert (again.code, path.read_bytes()) == (0, data)
    assert "nothing to change" in again.stdout

    undone = setup(home, name, "--undo")
    assert (undone.code, path.exists()) == (0, False)
    assert list(path.parent.glob("*.tebiki-*")) == []
    assert setup(home, name, "--undo").code == 1


@pytest.mark.requirement("setup:clients:written")
@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_an_existing_file_keeps_everything(home: Path, name: str, end: str, mark: bytes) -> None:
    """Each line, comment and line end, the byte order mark and the mode; undo gives it back."""
    text = example(name).replace("\n", end)
    before = mark + text.encode()
    path = written(home, name, before)
    path.chmod(0o640)

    done = setup(home, name, "--write")

    after = path.read_bytes()
    assert done.code == 0
    assert after.startswith(mark)
    assert after.replace(b"\r\n", b"").count(b"\n") == (0 if end == "\r\n" else after.count(b"\n"))
    kept = iter(after.decode("utf-8-sig").splitlines())
    for line in before.decode("utf-8-sig").splitlines():
        assert any(line in (new, new.rstrip(",")) for new in kept), line
    assert path.stat().st_mode & 0o777 == 0o640
    (backup,) = path.parent.glob("*.bak")
    assert (backup.read_bytes(), backup.stat().st_mode & 0o777) == (before, 0o640)

    again = setup(home, name, "--write")
    assert (again.code, "already set up" in again.stdout) == (0, True)
    assert setup(home, name, "--undo").code == 0
    assert path.read_bytes() == before
    assert not backup.exists()


@pytest.mark.requirement("setup:clients:undo")
@pytest.mark.parametrize("name", BY_NAME)
def test_undo_of_a_file_that_changed_since(home: Path, name: str) -> None:
    """Only our entry goes, and a further undo does not bring it back."""
    path = written(home, name, example(name))
    setup(home, name, "--write")
    note = b"\n# later\n" if BY_NAME[name].form == "toml" else b"\n\n"
    path.write_bytes(path.read_bytes() + note)

    undone = setup(home, name, "--undo")

    assert undone.code == 0
    assert b"tebiki" not in path.read_bytes()
    assert b"other" in path.read_bytes()
    assert path.read_bytes().endswith(note)
    assert setup(home, name, "--undo").code == 1


@pytest.mark.requirement("setup:clients:undo")
def test_undo_goes_back_step_by_step(home: Path) -> None:
    """Each write has its own backup."""
    path = written(home, "cursor", "{}")
    setup(home, "cursor", "--write")
    first = path.read_bytes()
    setup(home, "cursor", "--write", "--read-only")

    assert "--read-only" in path.read_text()
    assert setup(home, "cursor", "--undo").code == 0
    assert path.read_bytes() == first
    assert setup(home, "cursor", "--undo").code == 0
    assert path.read_bytes() == b"{}"


@pytest.mark.requirement("setup:clients:written")
@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("blank", ["", "\n", " \r\n\r\n"])
def test_an_empty_file_is_as_good_as_none(home: Path, name: str, blank: str) -> None:
    """And given back as it was."""
    path = written(home, name, blank)

    assert setup(home, name, "--write").code == 0
    assert set(servers(path, name)) == {"tebiki"}
    assert setup(home, name, "--undo").code == 0
    assert path.read_bytes() == blank.encode()


@pytest.mark.requirement("setup:clients:project")
@pytest.mark.parametrize("name", [name for name, row in BY_NAME.items() if row.project])
def test_a_projects_own_file(home: Path, name: str) -> None:
    """Below the folder one is in, readable for everyone who shares it."""
    done = setup(home, name, "--project", "--write", "--command", "tebiki")

    path = home / str(BY_NAME[name].project)
    assert done.code == 0
    assert "tebiki" in servers(path, name)
    assert path.stat().st_mode & 0o077
    assert setup(home, name, "--project", "--undo").code == 0


@pytest.mark.requirement("setup:clients:flags")
def test_a_key_of_another_name(home: Path) -> None:
    """The settings say which variable holds it."""
    config = home / "c.yaml"
    config.write_text("openai:\n  api_key_env: MY_KEY\n")

    setup(home, "codex", "--write", "--config", str(config))

    assert servers(file_of(home, "codex"), "codex")["tebiki"]["env_vars"] == ["MY_KEY"]


@pytest.mark.requirement("setup:clients:flags")
def test_toolsets_and_read_only_become_flags(home: Path) -> None:
    """And the vault alone needs no key."""
    done = setup(home, "codex", "--write", "--toolsets", "vault", "--read-only")

    entry = servers(file_of(home, "codex"), "codex")["tebiki"]
    assert entry["args"] == ["--stdio", "--toolsets", "vault", "--read-only"]
    assert "env_vars" not in entry
    assert "OPENAI_API_KEY" not in done.stdout


@pytest.mark.requirement("setup:clients:flags")
def test_it_says_where_files_will_be_looked_for(home: Path) -> None:
    """A client starts the server wherever it likes; whoever needs no files hears nothing of it."""
    plain = setup(home, "cursor").stdout
    rooted = setup(home, "cursor", "--workspace", ".").stdout
    web = setup(home, "cursor", "--toolsets", "answers,search").stdout

    assert ["below the folder the client" in said for said in (plain, rooted, web)] == [
        True,
        False,
        False,
    ]


@pytest.mark.requirement("setup:clients:wrong-words")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope"], "Choose from claude-code"),
        (["cursor", "--name", "a.b"], "letters, digits"),
        (["cursor", "--name", ""], "letters, digits"),
        (["cursor", "--toolsets", "nope"], "choose from answers"),
        (["cursor", "--toolsets", ","], "choose from answers"),
        (["cursor", "--command", ""], "--command needs a value"),
        (["cursor", "--vault", "a-file"], "is not a folder"),
        (["claude-code", "--vault", "${HOME}"], "would replace"),
        (["gemini", "--vault", "a$HOME"], "would replace"),
        (["cursor", "--vault", "${env:HOME}"], "would replace"),
        (["vscode", "--vault", "${userHome}"], "would replace"),
        (["opencode", "--vault", "{file:x}"], "would replace"),
        (["codex", "--vault", "a\nb"], "cannot be seen"),
        (["claude-desktop", "--project"], "no project settings"),
    ],
)
def test_wrong_words(home: Path, words: list[str], message: str) -> None:
    """Exit 2, one line, no file."""
    (home / "a-file").write_text("")

    done = setup(home, *words, "--write")

    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert [path.name for path in home.iterdir()] == ["a-file"]


@pytest.mark.requirement("setup:clients:list")
def test_the_list(home: Path) -> None:
    """Which are there, which are set up, and 1 when there is none at all."""
    nothing = setup(home, env={"PATH": ""})
    setup(home, "codex", "--write")
    (home / ".gemini").mkdir()
    written(home, "cursor", "{")
    some = setup(home, env={"PATH": ""})
    rows = json.loads(setup(home, "--json", env={"PATH": ""}).stdout)

    assert (nothing.code, some.code) == (1, 0)
    assert {row["client"]: row["state"] for row in rows} == {
        "claude-code": "not found",
        "claude-desktop": "not found",
        "codex": "set up",
        "gemini": "found",
        "cursor": "unreadable",
        "vscode": "not found",
        "opencode": "not found",
    }
    assert str(file_of(home, "codex")) in some.stdout


@pytest.mark.requirement("setup:clients:shown-first", "setup:clients:written")
def test_json_for_programs(home: Path) -> None:
    """What was done, and with which backup."""
    shown = json.loads(setup(home, "codex", "--json").stdout)
    done = json.loads(setup(home, "codex", "--json", "--write").stdout)
    again = json.loads(setup(home, "codex", "--json", "--write").stdout)

    path = str(file_of(home, "codex"))
    assert (shown["path"], shown["needed"], shown["written"]) == (path, True, False)
    assert (done["written"], done["key"]) == (True, "named")
    assert os.path.exists(done["backup"])
    assert (again["needed"], again["written"], again["backup"]) == (False, False, None)


@pytest.mark.requirement("setup:clients:undo")
def test_a_command_that_does_not_name_us_can_be_taken_out_by_it(home: Path) -> None:
    """It is ours when the same command is given again."""
    path = written(home, "cursor", '{"mcpServers": {}}')
    setup(home, "cursor", "--write", "--command", "/srv/start now")
    path.write_text(path.read_text() + "\n")

    assert setup(home, "cursor", "--undo").code == 2
    assert setup(home, "cursor", "--undo", "--command", "/srv/start now").code == 0
    assert json.loads(path.read_text()) == {"mcpServers": {}}


@pytest.mark.requirement("setup:clients:folders")
@pytest.mark.parametrize("flag", ["--manuals", "--workspace"])
def test_no_entry_is_written_for_a_folder_that_is_not_there(home: Path, flag: str) -> None:
    """It may be mistyped; what would be written is shown, and says so. Notes' folders are made."""
    path = file_of(home, "cursor")

    shown = setup(home, "cursor", flag, "manauls")
    refused = setup(home, "cursor", flag, "manauls", "--write")

    assert (shown.code, f"there is no folder {home / 'manauls'}" in shown.stdout) == (0, True)
    assert (refused.code, refused.stdout) == (2, "")
    assert f"there is no folder {home / 'manauls'}: make it, with" in refused.stderr
    assert f"(mkdir -p {home / 'manauls'})" in refused.stderr
    assert not path.exists()
    assert setup(home, "cursor", "--vault", "new-notes", "--write").code == 0

"""`tebiki setup` on files that are broken, linked, locked or someone else's: left as they were."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tebiki.clients.table import BY_NAME
from tests.support.client_files import example, file_of, setup, written
from tests.support.command import run_command
from tests.support.server_process import CANARY, PLAIN_CANARY

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """The home folder of the user whose clients are set up."""
    return tmp_path


@pytest.mark.requirement("setup:safety:broken-files")
@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize(
    "broken", [b"{", b"[", b"\xff\xfe{\x00}\x00", b'{"a": 1} x', b"[1, 2]", b"\x00", b"{'a': 1}"]
)
def test_a_broken_file_is_left_alone(home: Path, name: str, broken: bytes) -> None:
    """With a line that says what is wrong with it."""
    path = written(home, name, broken)

    done = setup(home, name, "--write")

    assert (done.code, done.stdout, path.read_bytes()) == (2, "", broken)
    assert done.stderr.count("\n") == 1
    assert str(path) in done.stderr
    assert list(path.parent.glob("*.tebiki-*")) == []


@pytest.mark.requirement("setup:safety:broken-files")
@pytest.mark.parametrize("name", ["claude-code", "claude-desktop"])
def test_comments_where_the_client_reads_none(home: Path, name: str) -> None:
    """It would call the whole file broken."""
    path = written(home, name, "{\n  // mine\n}\n")

    done = setup(home, name, "--write")

    assert done.code == 2
    assert "line 2: a comment" in done.stderr
    assert path.read_text() == "{\n  // mine\n}\n"


@pytest.mark.requirement("setup:safety:another-server")
@pytest.mark.parametrize("name", BY_NAME)
def test_another_server_of_that_name_is_left_alone(home: Path, name: str) -> None:
    """Unless another name is chosen."""
    path = written(home, name, example(name).replace("other", "tebiki", 1))

    done = setup(home, name, "--write")
    undone = setup(home, name, "--undo")
    named = setup(home, name, "--write", "--name", "tebiki2")

    assert (done.code, undone.code, named.code) == (2, 2, 0)
    assert "another server named tebiki" in done.stderr
    assert "is left alone" in undone.stderr
    assert "tebiki2" in path.read_text()


@pytest.mark.requirement("setup:safety:broken-files")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("codex", 'mcp_servers = { other = { command = "o" } }\n'),
        ("codex", 'mcp_servers.tebiki.command = "tebiki"\n'),
        ("codex", '[mcp_servers]\ntebiki = { command = "tebiki" }\n'),
        ("cursor", '{"mcpServers": {}, "mcpServers": {}}'),
    ],
)
def test_what_cannot_be_edited_safely(home: Path, name: str, text: str) -> None:
    """Nothing is written, and the entry is shown for doing it by hand."""
    path = written(home, name, text)

    done = setup(home, name, "--write")

    assert (done.code, path.read_text()) == (2, text)
    assert "by hand" in done.stderr
    assert '"--stdio"' in done.stderr


@pytest.mark.requirement("setup:safety:broken-files")
@pytest.mark.parametrize("value", ["1", '"x"', "[]"])
def test_a_section_that_holds_no_servers(home: Path, value: str) -> None:
    """Not replaced: it means something to someone."""
    json_file = written(home, "cursor", f'{{"mcpServers": {value}}}')
    toml_file = written(home, "codex", f"mcp_servers = {value}\n")
    before = json_file.read_bytes(), toml_file.read_bytes()

    assert setup(home, "cursor", "--write").code == 2
    assert setup(home, "codex", "--write").code == 2
    assert (json_file.read_bytes(), toml_file.read_bytes()) == before


@pytest.mark.requirement("setup:safety:links")
def test_a_link_within_the_home_folder_is_followed(home: Path) -> None:
    """As people keep such files elsewhere; the link stays a link."""
    real = home / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}")
    path = file_of(home, "cursor")
    path.parent.mkdir()
    path.symlink_to(real)

    assert setup(home, "cursor", "--write").code == 0
    assert path.is_symlink()
    assert "tebiki" in real.read_text()
    assert setup(home, "cursor", "--undo").code == 0
    assert (path.is_symlink(), real.read_text()) == (True, "{}")


@pytest.mark.requirement("setup:safety:links")
def test_a_link_to_somewhere_odd_is_refused(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Outside the home folder, to nothing, or to a folder."""
    outside = tmp_path_factory.mktemp("outside") / "mcp.json"
    outside.write_text("{}")
    path = file_of(home, "cursor")
    path.parent.mkdir()
    (home / "folder").mkdir()
    for target, words in (
        (outside, "outside"),
        (home / "missing.json", "which does not exist"),
        (home / "folder", "is a folder"),
    ):
        path.symlink_to(target)
        done = setup(home, "cursor", "--write")
        assert done.code == 2
        assert words in done.stderr
        path.unlink()
    assert outside.read_text() == "{}"


@pytest.mark.requirement("setup:safety:links")
def test_a_strangers_project_cannot_lead_out_of_itself(home: Path) -> None:
    """A linked folder in it would make us write the user's own settings."""
    user = written(home, "cursor", "{}")
    project = home / "project"
    project.mkdir()
    (project / ".cursor").symlink_to(user.parent)

    done = run_command(
        project, "setup", "cursor", "--project", "--write", face="tebiki", env={"HOME": str(home)}
    )

    assert (done.code, user.read_text()) == (2, "{}")
    assert "outside" in done.stderr


@pytest.mark.requirement("setup:safety:unwritable")
@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions bind only others")
def test_a_folder_that_cannot_be_written(home: Path) -> None:
    """One line, and nothing half done."""
    path = written(home, "cursor", "{}")
    path.parent.chmod(0o500)
    try:
        done = setup(home, "cursor", "--write")
    finally:
        path.parent.chmod(0o700)

    assert done.code == 2
    assert "permissions" in done.stderr
    assert [file.name for file in path.parent.iterdir()] == ["mcp.json"]


@pytest.mark.requirement("setup:safety:unwritable")
def test_a_file_in_the_place_of_a_folder(home: Path) -> None:
    """Nothing can be made below it."""
    (home / ".cursor").write_text("")

    done = setup(home, "cursor", "--write")

    assert done.code == 2
    assert str(home / ".cursor") in done.stderr


@pytest.mark.requirement("setup:safety:unwritable")
def test_a_write_protected_file(home: Path) -> None:
    """Someone meant it."""
    path = written(home, "cursor", "{}")
    path.chmod(0o400)

    done = setup(home, "cursor", "--write")

    assert (done.code, path.read_text()) == (2, "{}")
    assert "write-protected" in done.stderr


@pytest.mark.requirement("setup:safety:no-key")
@pytest.mark.parametrize("name", BY_NAME)
def test_the_key_is_never_written_or_shown(home: Path, name: str) -> None:
    """Neither ours from the environment nor one that stands beside our entry."""
    section, form = BY_NAME[name].section, BY_NAME[name].form
    beside = f'[{section}.other]\ncommand = "o"\nkey = "{CANARY}"\n'
    if form != "toml":
        beside = json.dumps({section: {"other": {"command": "o", "key": CANARY}}}, indent=2)
    path = written(home, name, beside)
    env = {"OPENAI_API_KEY": CANARY}

    runs = [setup(home, name, *flag, env=env) for flag in ((), ("--json",), ("--write",))]

    assert [run.code for run in runs] == [0, 0, 0]
    assert not any(CANARY in run.stdout + run.stderr for run in runs)
    assert path.read_text().count(CANARY) == 1


@pytest.mark.requirement("setup:safety:no-key")
@pytest.mark.parametrize("flag", ["--json", "--write", "--undo"])
def test_a_key_of_another_name_is_not_shown_either(home: Path, flag: str) -> None:
    """Nothing about it looks like a key, so only the settings tell."""
    (home / "c.yaml").write_text("openai: {api_key_env: MY_KEY}\n")
    servers = {"other": {"command": "o", "key": PLAIN_CANARY}, "tebiki": {"command": "tebiki"}}
    written(home, "cursor", json.dumps({"mcpServers": servers}, indent=2))

    done = setup(home, "cursor", flag, "--config", "c.yaml", env={"MY_KEY": PLAIN_CANARY})

    assert done.code == 0
    assert "[redacted]" in done.stdout
    assert PLAIN_CANARY not in done.stdout

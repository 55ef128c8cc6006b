"""Where each client keeps its settings, on every system, as data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tebiki.clients.places import Machine, project_place, seems_installed, user_place
from tebiki.clients.table import BY_NAME, CLIENTS
from tebiki.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.clients.table import Client

LINUX = Machine("linux", {"HOME": "/home/ann"})
MACOS = Machine("macos", {"HOME": "/Users/ann"})
WINDOWS = Machine("windows", {"HOME": r"C:\Users\ann", "APPDATA": r"C:\Users\ann\AppData\Roaming"})
SUPPORT = "/Users/ann/Library/Application Support"
ROAMING = r"C:\Users\ann\AppData\Roaming"

PATHS = {
    "claude-code": (
        "/home/ann/.claude.json",
        "/Users/ann/.claude.json",
        r"C:\Users\ann\.claude.json",
    ),
    "claude-desktop": (
        "/home/ann/.config/Claude/claude_desktop_config.json",
        f"{SUPPORT}/Claude/claude_desktop_config.json",
        rf"{ROAMING}\Claude\claude_desktop_config.json",
    ),
    "codex": (
        "/home/ann/.codex/config.toml",
        "/Users/ann/.codex/config.toml",
        r"C:\Users\ann\.codex\config.toml",
    ),
    "gemini": (
        "/home/ann/.gemini/settings.json",
        "/Users/ann/.gemini/settings.json",
        r"C:\Users\ann\.gemini\settings.json",
    ),
    "cursor": (
        "/home/ann/.cursor/mcp.json",
        "/Users/ann/.cursor/mcp.json",
        r"C:\Users\ann\.cursor\mcp.json",
    ),
    "vscode": (
        "/home/ann/.config/Code/User/mcp.json",
        f"{SUPPORT}/Code/User/mcp.json",
        rf"{ROAMING}\Code\User\mcp.json",
    ),
    "opencode": (
        "/home/ann/.config/opencode/opencode.json",
        "/Users/ann/.config/opencode/opencode.json",
        r"C:\Users\ann\.config\opencode\opencode.json",
    ),
}


def test_every_client_has_its_paths_here() -> None:
    """None is left out."""
    assert set(PATHS) == set(BY_NAME)


@pytest.mark.parametrize("name", PATHS)
def test_the_users_file_on_each_system(name: str) -> None:
    """Linux, macOS, Windows."""
    found = tuple(user_place(BY_NAME[name], m).path for m in (LINUX, MACOS, WINDOWS))

    assert found == PATHS[name]


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/else/.claude.json"),
        ("codex", "CODEX_HOME", "/else/config.toml"),
        ("gemini", "GEMINI_CLI_HOME", "/else/.gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "/else/opencode/opencode.json"),
        ("vscode", "XDG_CONFIG_HOME", "/else/Code/User/mcp.json"),
    ],
)
def test_a_variable_moves_the_file(name: str, variable: str, path: str) -> None:
    """As the client itself follows it."""
    machine = Machine("linux", {**LINUX.variables, variable: "/else"})

    assert user_place(BY_NAME[name], machine).path == path


def test_a_relative_xdg_folder_is_ignored() -> None:
    """So says the standard."""
    machine = Machine("linux", {**LINUX.variables, "XDG_CONFIG_HOME": "else"})

    assert user_place(BY_NAME["opencode"], machine).path == PATHS["opencode"][0]


def test_windows_without_appdata() -> None:
    """Its usual place below the home folder."""
    machine = Machine("windows", {"HOME": r"C:\Users\ann"})

    assert user_place(BY_NAME["vscode"], machine).path == PATHS["vscode"][2]


def test_the_other_name_of_a_file_is_taken_where_it_is_used(tmp_path: Path) -> None:
    """`opencode.jsonc` alone is edited, not shadowed by a new `opencode.json`."""
    machine = Machine("linux", {"HOME": str(tmp_path)})
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{}")
    (tmp_path / "opencode.jsonc").write_text("{}")

    assert user_place(BY_NAME["opencode"], machine).path == str(folder / "opencode.jsonc")
    assert project_place(BY_NAME["opencode"], str(tmp_path)).path == str(
        tmp_path / "opencode.jsonc"
    )


@pytest.mark.parametrize("row", CLIENTS, ids=lambda row: row.name)
def test_installed_when_it_left_a_trace(tmp_path: Path, row: Client) -> None:
    """Its program on the path, its file, or nothing."""
    programs = tmp_path / "bin"
    programs.mkdir()
    machine = Machine("linux", {"HOME": str(tmp_path / "home"), "PATH": str(programs)})
    assert not seems_installed(row, machine)

    place = user_place(row, machine)
    os.makedirs(os.path.dirname(place.path))
    open(place.path, "w", encoding="utf-8").close()
    assert seems_installed(row, machine)
    os.remove(place.path)

    for name in row.programs:
        (programs / name).write_text("")
        (programs / name).chmod(0o755)
        assert seems_installed(row, machine)
        (programs / name).unlink()


def test_a_client_without_project_settings_says_so() -> None:
    """Rather than write a file nobody reads."""
    with pytest.raises(UsageError, match="no project settings"):
        project_place(BY_NAME["claude-desktop"], "/project")

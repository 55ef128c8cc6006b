"""Clients' own settings files as people have them, and `tebiki setup` on them."""

from __future__ import annotations

import json
import os
import tomllib
from typing import TYPE_CHECKING, Any

from tebiki.clients.places import Machine, user_place
from tebiki.clients.table import BY_NAME
from tests.support.command import Finished, run_command

if TYPE_CHECKING:
    from pathlib import Path

CODEX_FILE = """\
# my settings
model = "o9"   # the new one

[mcp_servers.other]
command = "other"
env = { TOKEN = "x" }

[projects."/home/ann/work"]
trust_level = "trusted"
"""
JSONC_FILE = """\
{
  // my settings
  "theme": "dark",
  "SECTION": {
    "other": { "command": "other" }, // keep
  },
  "list": [1, 2.50, ], /* end */
}
"""
JSON_FILE = '{\n    "theme": "dark",\n    "SECTION": {\n        "other": {"command": "o"}\n    }\n}'


def setup(home: Path, *words: str, env: dict[str, str] | None = None) -> Finished:
    """Run the command for the user whose home folder this is."""
    return run_command(home, "setup", *words, face="tebiki", env=env)


def file_of(home: Path, name: str) -> Path:
    """Where a client's settings are on this system."""
    return home / os.path.relpath(
        user_place(BY_NAME[name], Machine("linux", {"HOME": str(home)})).path, home
    )


def example(name: str) -> str:
    """A file as people have it."""
    files = {"toml": CODEX_FILE, "jsonc": JSONC_FILE, "json": JSON_FILE}
    return files[BY_NAME[name].form].replace("SECTION", BY_NAME[name].section)


def written(home: Path, name: str, text: str | bytes) -> Path:
    """A client's file with this content."""
    path = file_of(home, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def servers(path: Path, name: str) -> dict[str, Any]:
    """The servers in a file without comments."""
    read = tomllib.loads if BY_NAME[name].form == "toml" else json.loads
    found: dict[str, Any] = read(path.read_text(encoding="utf-8-sig"))[BY_NAME[name].section]
    return found

"""What an entry holds, what it keeps from before, and whose it is."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.clients.changes import snippet
from tebiki.clients.entries import Server, entry_of, is_ours
from tebiki.clients.table import BY_NAME, CLIENTS

if TYPE_CHECKING:
    from tebiki.clients.table import Client

KEY = "OPENAI_API_KEY"
SERVER = Server(("/opt/tebiki",), ("--stdio",), (("VAULT_ROOT", "/notes"),), KEY)

ENTRIES: dict[str, dict[str, Any]] = {
    "claude-code": {
        "type": "stdio",
        "command": "/opt/tebiki",
        "args": ["--stdio"],
        "env": {"VAULT_ROOT": "/notes"},
    },
    "claude-desktop": {
        "command": "/opt/tebiki",
        "args": ["--stdio"],
        "env": {"VAULT_ROOT": "/notes"},
    },
    "codex": {
        "command": "/opt/tebiki",
        "args": ["--stdio"],
        "env": {"VAULT_ROOT": "/notes"},
        "env_vars": [KEY],
        "startup_timeout_sec": 30,
        "tool_timeout_sec": 600,
    },
    "gemini": {
        "command": "/opt/tebiki",
        "args": ["--stdio"],
        "env": {"VAULT_ROOT": "/notes", KEY: "$OPENAI_API_KEY"},
    },
    "cursor": {
        "command": "/opt/tebiki",
        "args": ["--stdio"],
        "env": {"VAULT_ROOT": "/notes", KEY: "${env:OPENAI_API_KEY}"},
    },
    "vscode": {
        "type": "stdio",
        "command": "/opt/tebiki",
        "args": ["--stdio"],
        "env": {"VAULT_ROOT": "/notes"},
    },
    "opencode": {
        "type": "local",
        "command": ["/opt/tebiki", "--stdio"],
        "environment": {"VAULT_ROOT": "/notes"},
        "timeout": 600_000,
    },
}


@pytest.mark.requirement("setup:clients:snippets")
@pytest.mark.parametrize("name", BY_NAME)
def test_each_clients_entry(name: str) -> None:
    """As its own documents have it."""
    assert entry_of(BY_NAME[name].shape, SERVER) == ENTRIES[name]


@pytest.mark.requirement("setup:clients:snippets")
@pytest.mark.parametrize("row", CLIENTS, ids=lambda row: row.name)
def test_the_snippet_is_the_entry(row: Client) -> None:
    """In the client's own format, under its own section."""
    read = tomllib.loads if row.form == "toml" else json.loads

    assert read(snippet(row, "x", SERVER)) == {row.section: {"x": ENTRIES[row.name]}}


def test_no_key_is_asked_for_where_none_is_needed() -> None:
    """The vault alone works without one."""
    server = Server(("tebiki",))

    for client in CLIENTS:
        assert KEY not in json.dumps(entry_of(client.shape, server))


@pytest.mark.parametrize("name", BY_NAME)
def test_what_someone_added_is_kept(name: str) -> None:
    """Their fields, their variables and their limits; only the roots follow what is asked."""
    shape = BY_NAME[name].shape
    present = entry_of(shape, SERVER) | {"mine": True}
    present[shape.env] = {"VAULT_ROOT": "/old", "MANUALS_ROOT": "/gone", KEY: "mine", "A": "b"}
    for field, _ in shape.usual:
        present[field] = 7

    entry = entry_of(shape, SERVER, present)

    assert entry["mine"] is True
    assert entry[shape.env] == {"VAULT_ROOT": "/notes", KEY: "mine", "A": "b"}
    assert all(entry[field] == 7 for field, _ in shape.usual)


def test_named_variables_are_added_to() -> None:
    """Once."""
    shape = BY_NAME["codex"].shape

    assert entry_of(shape, SERVER, {"env_vars": ["A"]})["env_vars"] == ["A", KEY]
    assert entry_of(shape, SERVER, {"env_vars": [KEY, "A"]})["env_vars"] == [KEY, "A"]


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "tebiki"}, True),
        ({"command": "/usr/local/bin/tebiki", "args": ["--stdio"]}, True),
        ({"command": r"C:\Tools\tebiki.exe"}, True),
        ({"command": "uvx", "args": ["tebiki", "--stdio"]}, True),
        ({"command": "uvx", "args": ["tebiki@1.2"]}, True),
        ({"command": "python3", "args": ["-m", "tebiki"]}, True),
        ({"command": "/srv/start", "args": ["now"]}, True),
        ({"command": "/srv/start"}, False),
        ({"command": "tebikix"}, False),
        ({"command": "npx", "args": ["not-tebiki"]}, False),
        ({"command": ["tebiki"], "args": "tebiki"}, False),
        ({"url": "https://tebiki.example"}, False),
        ("tebiki", False),
        (None, False),
    ],
)
def test_whose_an_entry_is(entry: Any, ours: bool) -> None:
    """Ours starts this program, or the command that is asked for."""
    assert is_ours(BY_NAME["cursor"].shape, entry, ("/srv/start", "now")) is ours

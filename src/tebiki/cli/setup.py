"""`tebiki setup CLIENT`: the server into a client's configuration, with a preview and an undo."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tebiki.app.toolsets import call_the_api, toolsets_named
from tebiki.cli import render
from tebiki.cli.arguments import chosen_toolsets
from tebiki.cli.commands import DONE, NEGATIVE
from tebiki.cli.parsers import CommandParser, nearest
from tebiki.clients import changes, places
from tebiki.clients.entries import Server
from tebiki.clients.launching import command_words
from tebiki.clients.table import BY_NAME, CLIENTS
from tebiki.config.sources import Given, known_key, load, this_system
from tebiki.errors import ConfigError, TebikiError, UsageError
from tebiki.observability.redact import Redactor

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tebiki.app.faces import Face
    from tebiki.clients.changes import Change
    from tebiki.clients.places import ConfigPlace, Machine
    from tebiki.clients.table import Client


ABSENT = {
    "WORKSPACE_ROOT": "make it, with the folders manuals and vault in it",
    "MANUALS_ROOT": "make it, with a folder for each manual in it",
    "VAULT_ROOT": "it is made with the first note",
}
"""What to do about a folder that is not there."""


def run(face: Face, words: list[str]) -> int:
    """List the clients, or show, write or undo one; 1 when there is nothing to do."""
    typed = parser().parse_args(words)
    machine = places.Machine(*this_system(places.VARIABLES))
    if typed.client is None:
        return _list(typed, machine)
    if typed.client not in BY_NAME:
        guess = nearest(typed.client, BY_NAME)
        raise UsageError(
            f"unknown client {typed.client}{guess or '.'} Choose from {', '.join(BY_NAME)}."
        )
    client = BY_NAME[typed.client]
    place = _place(client, machine, typed)
    if typed.undo:
        return _undo(face, client, place, machine, typed)
    toolsets = chosen_toolsets(face, typed.toolsets)
    server = _server(face, toolsets, machine, typed)
    if typed.write:
        _require_folders(server)
    change = changes.plan_addition(client, place, typed.name, server)
    notes = _missing_folders(server) + _notes(client, machine, server, typed)
    if not server.env and any(one.root for one in toolsets_named(toolsets)):
        notes.append(
            "Manuals and notes are looked for below the folder the client starts the server in; "
            "--workspace, --manuals and --vault name others."
        )
    return _finish(client, change, notes, typed)


def parser() -> CommandParser:
    """What can be typed."""
    made = CommandParser(
        prog="tebiki setup",
        description="Put the server into a client's settings; without CLIENT list the clients. "
        "Nothing is changed without --write or --undo, and the API key is never written.",
        epilog="Exit codes: 0 done, 1 nothing to do or no client found, 2 error.",
    )
    made.add_argument("client", nargs="?", metavar="CLIENT", help=", ".join(BY_NAME))
    doing = made.add_mutually_exclusive_group()
    doing.add_argument(
        "--write", action="store_true", help="write it, and make a backup beside the file"
    )
    doing.add_argument(
        "--undo",
        action="store_true",
        help="restore the backup, or remove the entry if there is none",
    )
    made.add_argument(
        "--name", default="tebiki", metavar="NAME", help="name of the server (tebiki)"
    )
    for root in ("workspace", "manuals", "vault"):
        made.add_argument(f"--{root}", metavar="DIR", help=f"folder of the {root}")
    made.add_argument("--toolsets", metavar="A,B", help="serve only these toolsets")
    made.add_argument("--read-only", action="store_true", help="serve no tool that writes")
    made.add_argument(
        "--project", action="store_true", help="write the settings of this project, not of the user"
    )
    made.add_argument("--command", metavar="CMD", help="command by which the client starts tebiki")
    made.add_shared()
    return made


def _list(typed: argparse.Namespace, machine: Machine) -> int:
    rows = [_row(client, machine, typed.name) for client in CLIENTS]
    if typed.json:
        render.out_json(rows)
    else:
        for row in rows:
            render.out(f"{row['client']:<15} {row['state']:<11} {row['path']}")
        render.out("\n`tebiki setup CLIENT` shows what it would write, `--write` writes it.")
    return DONE if any(row["state"] != "not found" for row in rows) else NEGATIVE


def _row(client: Client, machine: Machine, name: str) -> dict[str, str]:
    place = places.user_place(client, machine)
    state = "found" if places.seems_installed(client, machine) else "not found"
    try:
        state = "set up" if changes.is_set_up(client, place, name) else state
    except TebikiError:
        # Listing goes on; setting up this client tells what is wrong.
        state = "unreadable"
    return {"client": client.name, "title": client.title, "state": state, "path": place.path}


def _place(client: Client, machine: Machine, typed: argparse.Namespace) -> ConfigPlace:
    if typed.project:
        return places.project_place(client, os.getcwd())
    return places.user_place(client, machine)


def _server(
    face: Face, toolsets: Sequence[str], machine: Machine, typed: argparse.Namespace
) -> Server:
    flags = ["--stdio"]
    flags += ["--toolsets", ",".join(toolsets)] if typed.toolsets is not None else []
    flags += ["--read-only"] if typed.read_only else []
    roots = {
        "WORKSPACE_ROOT": typed.workspace,
        "MANUALS_ROOT": typed.manuals,
        "VAULT_ROOT": typed.vault,
    }
    env = {name: _folder(path) for name, path in roots.items() if path is not None}
    loaded = load(Given(typed.config), face.config_path)
    key = loaded.settings.text("openai.api_key_env") if call_the_api(toolsets) else None
    return Server(_command(machine, typed), tuple(flags), tuple(env.items()), key)


def _command(machine: Machine, typed: argparse.Namespace) -> tuple[str, ...]:
    return command_words(typed.command, machine.platform, machine.variables.get("PATH", ""))


def _folder(path: str) -> str:
    absolute = os.path.abspath(os.path.expanduser(path))
    if os.path.lexists(absolute) and not os.path.isdir(absolute):
        raise UsageError(f"{path} is not a folder")
    return absolute


def _missing_folders(server: Server) -> list[str]:
    """Say of each folder that is not there what to do; the notes' is made with the first note."""
    return [
        f"Warning: there is no folder {path} yet: {ABSENT[name]}; or name another."
        for name, path in server.env
        if not os.path.isdir(path)
    ]


def _require_folders(server: Server) -> None:
    """Write no entry for a folder that only a person can make: it may be mistyped.

    Raises:
        UsageError: there is none, and what to do about it.
    """
    for name, path in server.env:
        if name != "VAULT_ROOT" and not os.path.isdir(path):
            raise UsageError(
                f"there is no folder {path}: {ABSENT[name]} (mkdir -p {shlex.quote(path)}), or "
                "name another; nothing was written"
            )


def _notes(
    client: Client, machine: Machine, server: Server, typed: argparse.Namespace
) -> list[str]:
    notes = []
    if not typed.project and not places.seems_installed(client, machine):
        notes.append(f"{client.title} does not seem to be installed here.")
    if server.key_variable is not None:
        notes.append(client.key_note.format(key=server.key_variable))
    if client.note is not None:
        notes.append(client.note)
    if typed.project and typed.command is None:
        notes.append("If others use this project too, give a command they have: --command tebiki")
    return notes


def _undo(
    face: Face, client: Client, place: ConfigPlace, machine: Machine, typed: argparse.Namespace
) -> int:
    # Only for the key, which is not to be shown: an undo needs no setting.
    with suppress(ConfigError):
        load(Given(typed.config), face.config_path)
    change = changes.plan_removal(client, place, typed.name, _command(machine, typed))
    return _finish(client, change, [], typed, write=True)


def _finish(
    client: Client,
    change: Change,
    notes: list[str],
    typed: argparse.Namespace,
    *,
    write: bool | None = None,
) -> int:
    """Write if that is wanted, and tell what was or would be done."""
    write = typed.write if write is None else write
    clean = Redactor(known_key()).clean
    backup = changes.carry_out(change) if write and change.needed else None
    told: dict[str, Any] = {
        "client": client.name,
        "path": change.path,
        "needed": change.needed,
        "written": write and change.needed,
        "backup": backup,
        "key": client.shape.key.name.lower(),
        "diff": clean(change.diff),
        "notes": notes,
    }
    if typed.json:
        render.out_json(told)
    else:
        render.out(_as_text(change, told))
    # Being set up is what was asked for, whoever did it; an undo that finds nothing did not undo.
    return DONE if change.needed or not change.undoes else NEGATIVE


def _as_text(change: Change, told: dict[str, Any]) -> str:
    if not change.needed:
        state = "has no entry of ours" if change.undoes else "is already set up"
        return f"{change.path} {state}; nothing to change."
    lines = [told["diff"]]
    if told["written"]:
        lines.append(f"{'undone in' if change.undoes else 'written:'} {change.path}")
    else:
        lines.append(f"{change.path} would change like this; --write does it.")
    if told["backup"] is not None:
        lines.append(f"backup: {told['backup']}")
    return "\n".join([*lines, *told["notes"]])

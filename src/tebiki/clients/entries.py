"""One server as a client's configuration writes it: the entry as a value, and whose an entry is.

Not here: which client wants which shape (`table`), nor how an entry becomes text.
"""

from __future__ import annotations

import enum
import re
from typing import Any

from tebiki.named_tuples import NamedTuple

OURS = re.compile(r"(?:^|[/\\])tebiki(?:$|[.@:=~<>!\[])")
"""A word that names the program: `tebiki`, a path to it, `tebiki.exe`, `tebiki@1.2`."""

ROOTS = ("WORKSPACE_ROOT", "MANUALS_ROOT", "VAULT_ROOT")
"""The variables that only `setup` sets: one that is not asked for again is taken away."""

NAMED_VARIABLES = "env_vars"
"""Where a client lists the variables it hands on by their names."""


class KeyWay(enum.Enum):
    """How the API key gets from the user's environment to the server; it never stands in a file."""

    INHERITED = "the client hands on its whole environment"
    NAMED = "the entry lists the variable's name"
    REFERENCE = "the entry refers to the variable"
    BY_HAND = "the client has no means"


class EntryShape(NamedTuple):
    """What a client's entry looks like.

    `usual` are fields that a new entry gets and an existing one keeps as it has them.
    """

    key: KeyWay
    reference: str = ""
    fixed: tuple[tuple[str, str], ...] = ()
    usual: tuple[tuple[str, int], ...] = ()
    env: str = "env"
    one_list: bool = False


class Server(NamedTuple):
    """How to start the server: its command, flags and variables, and the name of the key's."""

    command: tuple[str, ...]
    flags: tuple[str, ...] = ("--stdio",)
    env: tuple[tuple[str, str], ...] = ()
    key_variable: str | None = None


def entry_of(
    shape: EntryShape, server: Server, present: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The entry for a server; what someone added to the present one is kept."""
    entry: dict[str, Any] = dict(shape.fixed)
    first, *rest = words = [*server.command, *server.flags]
    entry["command"] = words if shape.one_list else first
    if not shape.one_list:
        entry["args"] = rest
    present = present or {}
    if env := _variables(shape, server, present.get(shape.env)):
        entry[shape.env] = env
    if server.key_variable is not None and shape.key is KeyWay.NAMED:
        named = _list(present.get(NAMED_VARIABLES))
        entry[NAMED_VARIABLES] = list(dict.fromkeys([*named, server.key_variable]))
    for name, value in shape.usual:
        entry[name] = present.get(name, value)
    kept = {name: value for name, value in present.items() if name not in (*entry, shape.env)}
    return entry | kept


def _variables(shape: EntryShape, server: Server, present: Any) -> dict[str, Any]:
    kept = present if isinstance(present, dict) else {}
    env = {name: value for name, value in kept.items() if name not in ROOTS} | dict(server.env)
    if server.key_variable is not None and shape.key is KeyWay.REFERENCE:
        env.setdefault(server.key_variable, shape.reference.format(server.key_variable))
    return env


def roots_in(shape: EntryShape, entry: dict[str, Any]) -> dict[str, str]:
    """The folders that an entry names, by their variables."""
    given = entry.get(shape.env)
    variables = given if isinstance(given, dict) else {}
    return {name: variables[name] for name in ROOTS if isinstance(variables.get(name), str)}


def is_ours(shape: EntryShape, entry: Any, command: tuple[str, ...] = ()) -> bool:
    """Tell whether an entry starts this program, or the command given."""
    if not isinstance(entry, dict):
        return False
    words = _list(entry.get("command"))
    if not shape.one_list:
        words = [entry.get("command"), *_list(entry.get("args"))]
    if command and tuple(words[: len(command)]) == command:
        return True
    return any(isinstance(word, str) and OURS.search(word) for word in words)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

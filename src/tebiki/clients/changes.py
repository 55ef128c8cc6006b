"""The front door: what `setup` would change in a client's configuration, and doing it.

A change is planned as text, checked by reading that text again, and only then written.
"""

from __future__ import annotations

import codecs
import copy
import json
import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from tebiki.clients import config_file, json_edits, toml_edits
from tebiki.clients.entries import entry_of, is_ours
from tebiki.clients.jsonc import NotReadable
from tebiki.errors import Conflict, UsageError
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.clients.config_file import ConfigFile
    from tebiki.clients.entries import Server
    from tebiki.clients.places import ConfigPlace
    from tebiki.clients.table import Client

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

CONTEXT = 3
"""Lines around a change that is shown."""


class Change(NamedTuple):
    """A file as it is and as it would be; `backup` is what an undo goes back to, if it can."""

    found: ConfigFile
    after: bytes | None
    backup: ConfigFile | None = None
    undoes: bool = False

    @property
    def path(self) -> str:
        """The file."""
        return self.found.path

    @property
    def needed(self) -> bool:
        """Whether there is anything to do."""
        return self.after != self.found.data

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return _diff(self.path, _text(self.found.data), _text(self.after))


def plan_addition(client: Client, place: ConfigPlace, name: str, server: Server) -> Change:
    """Plan to put the server into a client's file under a name.

    Raises:
        Conflict: the file cannot be read or edited, or the name is taken by another server.
        UsageError: the name, or a value, is not one that the client can keep.
    """
    _check(client, name, server)
    found = config_file.look(place)
    mark, text = _decode(found)
    before = _read(client, found.path, text)
    present = _present(client, before, name)
    if present is not None and not is_ours(client.shape, present, server.command):
        raise Conflict(
            f"{found.path} already has another server named {name}; choose another --name."
        )
    entry = entry_of(client.shape, server, present)
    shown = json.dumps(entry_of(client.shape, server), ensure_ascii=False)
    advice = f"put {client.section}.{name} there by hand: {shown}"
    try:
        after = _put(client, text, name, entry)
        wanted = _put(client, "", name, entry)
    except NotReadable as error:
        raise _by_hand(found.path, advice) from error
    expected = copy.deepcopy(before)
    expected.setdefault(client.section, {})[name] = _section(client, wanted)[name]
    if expected == before:
        return Change(found, found.data)
    _verify(client, found.path, after, expected, advice)
    return Change(found, mark + after.encode())


def plan_removal(
    client: Client, place: ConfigPlace, name: str, command: tuple[str, ...] = ()
) -> Change:
    """Plan to take the server out: back to the backup, or else only our entry.

    Raises:
        Conflict: the file cannot be read or edited, or the entry is not ours.
    """
    found = config_file.look(place)
    backup = config_file.backup_of(found)
    if backup is not None:
        return Change(found, backup.data, backup, undoes=True)
    mark, text = _decode(found)
    before = _read(client, found.path, text)
    present = _present(client, before, name)
    if present is None:
        return Change(found, found.data, undoes=True)
    if not is_ours(client.shape, present, command):
        raise Conflict(f"The server {name} in {found.path} is not this one; it is left alone.")
    expected = copy.deepcopy(before)
    del expected[client.section][name]
    after = (toml_edits if client.form == "toml" else json_edits).drop(text, client.section, name)
    if client.form == "toml" and not expected[client.section]:
        expected = {key: value for key, value in expected.items() if key != client.section}
        expected |= {client.section: {}} if client.section in _value(client, after) else {}
    advice = f"take {client.section}.{name} out by hand"
    _verify(client, found.path, after, expected, advice)
    return Change(found, mark + after.encode(), undoes=True)


def carry_out(change: Change) -> str | None:
    """Do what was planned; gives the path of the backup that was made, if one was.

    Raises:
        Conflict: someone changed the file just now.
        Forbidden: the system does not allow it.
    """
    if change.backup is not None:
        config_file.restore(change.found, change.backup)
        return None
    return config_file.save(change.found, change.after or b"", undoes=change.undoes)


def is_set_up(client: Client, place: ConfigPlace, name: str) -> bool:
    """Tell whether the server is already in a client's file.

    Raises:
        Conflict: the file cannot be read.
        Forbidden: it is a link that leads elsewhere.
    """
    found = config_file.look(place)
    before = _read(client, found.path, _decode(found)[1])
    return is_ours(client.shape, _present(client, before, name))


def entries_in(client: Client, place: ConfigPlace) -> dict[str, dict[str, Any]]:
    """Every entry of a client's file that starts this program, by the name it has there.

    Raises:
        Conflict: the file cannot be read.
        Forbidden: it is a link that leads elsewhere.
    """
    found = config_file.look(place)
    servers = _read(client, found.path, _decode(found)[1]).get(client.section, {})
    return {name: entry for name, entry in servers.items() if is_ours(client.shape, entry)}


def snippet(client: Client, name: str, server: Server) -> str:
    """What a file with nothing but the server looks like."""
    return _put(client, "", name, entry_of(client.shape, server))


def _check(client: Client, name: str, server: Server) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(f"--name {name}: use up to 64 letters, digits, - and _")
    values = [*server.command, *server.flags, *(value for _, value in server.env)]
    for value in values:
        if client.placeholder is not None and re.search(client.placeholder, value):
            raise UsageError(f"{client.title} would replace a part of {value}; use another path")
        if not value.isprintable():
            raise UsageError(f"{value!r} has characters that cannot be seen; use another path")


def _decode(found: ConfigFile) -> tuple[bytes, str]:
    """The byte order mark, if any, and the text."""
    data = found.data or b""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark, data[len(mark) :].decode()
    except UnicodeDecodeError as error:
        raise Conflict(f"{found.path} is not UTF-8 text; save it as that first.") from error


def _read(client: Client, path: str, text: str) -> dict[str, Any]:
    try:
        value = _value(client, text)
    except NotReadable as error:
        raise Conflict(
            f"{path} cannot be read as {client.form.upper()}, {error}; put that right first."
        ) from error
    if not isinstance(value.get(client.section, {}), dict):
        raise Conflict(f"{client.section} in {path} does not hold servers; put that right first.")
    return value


def _value(client: Client, text: str) -> dict[str, Any]:
    value: dict[str, Any]
    if client.form == "toml":
        value = toml_edits.value_of(text)
    else:
        value = json_edits.value_of(text, comments=client.form == "jsonc")
    return value


def _section(client: Client, text: str) -> dict[str, Any]:
    section: dict[str, Any] = _value(client, text)[client.section]
    return section


def _present(client: Client, before: dict[str, Any], name: str) -> Any:
    return before.get(client.section, {}).get(name)


def _put(client: Client, text: str, name: str, entry: dict[str, Any]) -> str:
    if client.form == "toml":
        return toml_edits.put(text, client.section, name, entry)
    return json_edits.put(text, client.section, name, entry)


def _verify(client: Client, path: str, after: str, expected: dict[str, Any], advice: str) -> None:
    """See that the new text says what it should, and nothing else has changed."""
    try:
        same = _value(client, after) == expected
    except NotReadable:
        same = False
    if not same:
        raise _by_hand(path, advice)


def _by_hand(path: str, advice: str) -> Conflict:
    return Conflict(f"{path} is written in a way that cannot be edited safely; {advice}.")


def _text(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")


def _diff(path: str, before: str, after: str) -> str:
    """What changes, with a few lines around it; nothing when nothing does."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        return ""
    same = _common(old, new)
    tail = _common(old[same:][::-1], new[same:][::-1])
    start = max(0, same - CONTEXT)
    removed, added = old[same : len(old) - tail], new[same : len(new) - tail]
    following = old[len(old) - tail :][:CONTEXT]
    around = same - start + len(following)
    return "\n".join(
        [
            f"--- {path if old else '/dev/null'}",
            f"+++ {path if new else '/dev/null'}",
            f"@@ -{_span(start, around + len(removed))} +{_span(start, around + len(added))} @@",
            *(f" {line}" for line in old[start:same]),
            *(f"-{line}" for line in removed),
            *(f"+{line}" for line in added),
            *(f" {line}" for line in following),
            "",
        ]
    )


def _common(old: list[str], new: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _span(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"

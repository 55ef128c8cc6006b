"""The clients that start this program: which of them, and with which folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tebiki.clients import changes, places
from tebiki.clients.entries import roots_in
from tebiki.clients.table import CLIENTS
from tebiki.doctor.findings import doubtful, good
from tebiki.errors import TebikiError
from tebiki.named_tuples import NamedTuple
from tebiki.values.phrases import listed, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tebiki.clients.places import ConfigPlace, Machine
    from tebiki.clients.table import Client
    from tebiki.doctor.findings import Finding


class ClientUse(NamedTuple):
    """An entry of a client's settings: what is said of it, and the folders it names."""

    finding: Finding
    manuals: Path | None = None
    vault: Path | None = None


def look_at(machine: Machine, folder: str) -> Iterator[ClientUse]:
    """Look at every client's own settings, and at those of a project in a folder."""
    seen: set[str] = set()
    for client in CLIENTS:
        found = [places.user_place(client, machine)]
        found += [places.project_place(client, folder)] if client.project is not None else []
        for place in found:
            if place.path not in seen:
                seen.add(place.path)
                yield from _entries(client, place)


def _entries(client: Client, place: ConfigPlace) -> Iterator[ClientUse]:
    try:
        entries = changes.entries_in(client, place)
    except TebikiError as error:
        words = phrase("{client}: {error}", client=client.title, error=error)
        advice = phrase("put the file right, or leave it if it is not used")
        yield ClientUse(doubtful("client", words, advice))
        return
    for name, entry in entries.items():
        yield _use(client, place, name, roots_in(client.shape, entry))


def _use(client: Client, place: ConfigPlace, name: str, roots: dict[str, str]) -> ClientUse:
    manuals, vault = (
        _folder(roots, "MANUALS_ROOT", "manuals"),
        _folder(roots, "VAULT_ROOT", "vault"),
    )
    facts = {
        "client": client.name,
        "path": place.path,
        "name": name,
        "manuals": None if manuals is None else str(manuals),
        "vault": None if vault is None else str(vault),
    }
    who = f"{client.title} ({place.path})"
    if manuals is not None and not manuals.is_dir():
        return ClientUse(
            doubtful(
                "client",
                phrase(
                    "{who}: manuals in {folder}, but there is no such folder",
                    who=who,
                    folder=manuals,
                ),
                phrase(
                    "make it, with a folder for each manual; or tebiki setup {client} "
                    "--manuals DIR --write",
                    client=client.name,
                ),
                **facts,
            ),
            manuals,
            vault,
        )
    folders = [phrase("manuals in {folder}", folder=manuals)] if manuals else []
    folders += [phrase("notes in {folder}", folder=vault)] if vault else []
    none = phrase("no folders named; manuals and notes are looked for where it starts the server")
    words = phrase("{who}: {folders}", who=who, folders=listed(folders) if folders else none)
    return ClientUse(good("client", words, **facts), manuals, vault)


def _folder(roots: dict[str, str], variable: str, below: str) -> Path | None:
    """The folder of its own variable, or the usual one below the workspace."""
    if variable in roots:
        return Path(roots[variable]).expanduser().absolute()
    if "WORKSPACE_ROOT" in roots:
        return Path(roots["WORKSPACE_ROOT"]).expanduser().absolute() / below
    return None

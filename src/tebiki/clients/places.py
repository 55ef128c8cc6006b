"""Where a client's configuration is on a machine, and whether the client seems to be there.

The machine is an argument, so that every system's paths can be looked at from any other.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import shutil
from typing import TYPE_CHECKING

from tebiki.errors import UsageError
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.clients.table import Client

VARIABLES = (
    "HOME",
    "APPDATA",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "PATH",
)
"""What the places depend on."""


class Machine(NamedTuple):
    """A system and its user: `linux`, `macos` or `windows`, and the variables that name folders."""

    platform: str
    variables: Mapping[str, str]

    @property
    def home(self) -> str:
        """The user's own folder."""
        return self.variables["HOME"]


class ConfigPlace(NamedTuple):
    """A configuration file, the folders that a link in its place may lead to, and whose it is."""

    path: str
    roofs: tuple[str, ...]
    shared: bool = False


def user_place(client: Client, machine: Machine) -> ConfigPlace:
    """The file that holds for all of the user's work."""
    paths = ntpath if machine.platform == "windows" else posixpath
    template = client.user[machine.platform]
    roofs: tuple[str, ...] = (machine.home,)
    if client.moved is not None and machine.variables.get(client.moved[0]):
        template = client.moved[1]
        roofs += (machine.variables[client.moved[0]],)
    path = paths.normpath(template.format_map(_folders(machine)))
    for other in client.others:
        beside = paths.join(paths.dirname(path), other)
        if os.path.lexists(beside) and not os.path.lexists(path):
            return ConfigPlace(beside, roofs)
    return ConfigPlace(path, roofs)


def project_place(client: Client, folder: str) -> ConfigPlace:
    """The file that holds for one project.

    Raises:
        UsageError: the client has none.
    """
    if client.project is None:
        raise UsageError(f"{client.title} has no project settings; leave --project out")
    names = [client.project, *client.others]
    paths = [os.path.join(folder, *name.split("/")) for name in names]
    return ConfigPlace(
        next((path for path in paths if os.path.lexists(path)), paths[0]), (folder,), shared=True
    )


def seems_installed(client: Client, machine: Machine) -> bool:
    """Tell whether the client left a trace: its file, a folder of its own, or its program."""
    folders = _folders(machine)
    traces = [
        user_place(client, machine).path,
        *(sign.format_map(folders) for sign in client.signs),
    ]
    path = machine.variables.get("PATH", "")
    return any(os.path.lexists(trace) for trace in traces) or any(
        shutil.which(program, path=path) for program in client.programs
    )


def _folders(machine: Machine) -> dict[str, str]:
    paths = ntpath if machine.platform == "windows" else posixpath
    given = machine.variables
    config = given.get("XDG_CONFIG_HOME", "")
    return {
        **given,
        "home": machine.home,
        "appdata": given.get("APPDATA") or paths.join(machine.home, "AppData", "Roaming"),
        # A relative folder is to be ignored, says the standard.
        "config": config if paths.isabs(config) else paths.join(machine.home, ".config"),
    }

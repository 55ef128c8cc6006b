"""`tebiki manuals add` and `rm`: folders anywhere that are manuals, written into the settings.

The folders themselves are never touched.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tebiki.app.manual_roots import KEY, check_root, overlap
from tebiki.app.settings import manuals_root
from tebiki.cli import shared
from tebiki.cli.manual_inputs import name_nearest
from tebiki.config.sources import Given, load
from tebiki.errors import NotFound, UsageError
from tebiki.files.names import nfc

if TYPE_CHECKING:
    import argparse

    from tebiki.app.faces import Face
    from tebiki.cli.parsers import CommandParser
    from tebiki.config.sources import Loaded

AFTERWARDS = "Clients that run already see the change when they start the server again."


def describe_add(parser: CommandParser) -> None:
    """Add what can be typed after `add`."""
    parser.add_argument("folder", metavar="FOLDER", help="folder with the manual's files")
    parser.add_argument("--as", dest="name", metavar="NAME", help="name; left out: the folder's")


def describe_remove(parser: CommandParser) -> None:
    """Add what can be typed after `rm`."""
    parser.add_argument("name", metavar="NAME", help="name that `manuals add` gave")


def add_root(face: Face, typed: argparse.Namespace) -> int:
    """Make a folder a manual.

    Raises:
        NotFound: there is no such folder.
        UsageError: there is a manual of that name, or the folder is one already.
        BadSetting: it cannot be one.
    """
    from tebiki.config.yaml_edits import set_entry

    loaded = load(Given(typed.config), face.config_path)
    folder = os.path.abspath(os.path.expanduser(typed.folder))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}")
    name = nfc(typed.name or os.path.basename(folder))
    named: dict[str, str] = loaded.settings[KEY]
    root = manuals_root(loaded.settings)
    if name in map(nfc, named) or os.path.isdir(os.path.join(root, name)):
        raise UsageError(f"there is a manual {name} already; give another name with --as NAME")
    check_root(name, folder, loaded, named)
    if os.path.isdir(root) and overlap(folder, root):
        raise UsageError(f"{folder} and the manuals' root {root} overlap; its folders are manuals")
    path = _settings_file(loaded)
    set_entry(path, (*KEY.split("."), name), folder)
    shown = {"manual_id": name, "folder": folder, "settings": path}
    words = f"{name} is a manual now: {folder}\nWritten to {path}. {AFTERWARDS}"
    return shared.show(typed, shown, words, found=True)


def remove_root(face: Face, typed: argparse.Namespace) -> int:
    """Take an entry out of the settings; the files stay.

    Raises:
        NotFound: no entry has that name.
    """
    from tebiki.config.yaml_edits import set_entry

    loaded = load(Given(typed.config), face.config_path)
    named: dict[str, str] = loaded.settings[KEY]
    name = next((one for one in named if nfc(one) == nfc(typed.name)), None)
    if name is None:
        hint = name_nearest(typed.name, list(named))
        raise NotFound(
            f"`tebiki manuals add` has added no {typed.name}{hint}; a manual in the folder of "
            "manuals ends when its own folder is moved away"
        )
    path = _settings_file(loaded)
    set_entry(path, (*KEY.split("."), name), None)
    shown = {"manual_id": name, "folder": named[name], "settings": path}
    words = f"{name} is no manual any more; its files stay in {named[name]}.\n{AFTERWARDS}"
    return shared.show(typed, shown, words, found=True)


def _settings_file(loaded: Loaded) -> str:
    """The file that was read, or the one that would be."""
    found: str = loaded.sources.get("yaml") or loaded.places[0]
    return found

"""Folders elsewhere that are manuals by a name of their own: which, and what may not be one.

Apart from `settings.py` because it looks at the disk, and only where somebody has such folders.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tebiki.app.settings import manuals_root, vault_root
from tebiki.errors import BadSetting
from tebiki.files.names import is_nameable, nfc
from tebiki.manuals.listing import ROOT_ID

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tebiki.config.sources import Loaded

KEY = "manuals.roots"
LONGEST_NAME = 100


def named_roots(loaded: Loaded) -> dict[str, str]:
    """The folders by their names, each whole and none in another's way.

    Raises:
        BadSetting: one of them cannot be a manual.
    """
    found: dict[str, str] = {}
    for name, folder in loaded.settings[KEY].items():
        check_root(name, folder, loaded, found)
        found[nfc(name)] = os.path.expanduser(folder)
    return found


def check_root(name: str, folder: str, loaded: Loaded, others: Mapping[str, str]) -> None:
    """See whether a folder can be a manual of that name beside others.

    Raises:
        BadSetting: it cannot.
    """
    where = f"{KEY}.{name}" if is_nameable(name) else KEY
    if not is_nameable(name) or "/" in name or len(name) > LONGEST_NAME or name.startswith("."):
        raise BadSetting(f"{where}: a manual cannot have the name {name!r}; use letters and digits")
    if nfc(name) == ROOT_ID:
        raise BadSetting(f"{where}: {ROOT_ID} stands for all manuals; use another name")
    if nfc(name) in others:
        raise BadSetting(f"{where}: that name stands there twice")
    path = os.path.expanduser(folder)
    if not os.path.isabs(path):
        raise BadSetting(f"{where}: {folder!r} must be an absolute path, or begin with ~")
    reserved = {
        "the vault": vault_root(loaded.settings),
        "the state folder": loaded.state_folder,
        "the indexes": os.path.expanduser(loaded.settings.text("cache.root")) + "/tebiki",
        **{f"the manual {other}": place for other, place in others.items()},
    }
    for what, place in reserved.items():
        if place and overlap(path, place):
            raise BadSetting(f"{where}: {folder!r} and {what} ({place}) overlap; keep them apart")


def overlap(one: str, other: str) -> bool:
    """Tell whether one folder is the other, or lies in it, links followed."""
    first, second = os.path.realpath(one), os.path.realpath(other)
    try:
        return os.path.commonpath([first, second]) in {first, second}
    except ValueError:  # on different drives
        return False


def hidden_manuals(loaded: Loaded, named: Mapping[str, str]) -> list[str]:
    """Names that stand for a folder elsewhere, while the root has one of that name too."""
    root = manuals_root(loaded.settings)
    return [name for name in named if os.path.isdir(os.path.join(root, name))]

"""Completion of manuals and paths while they are typed: one folder is looked at, and no file.

What cannot be a path, or leads nowhere, has no suggestions; it is no error, since it is not
finished yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.errors import RefusedError, UsageError
from tebiki.files.names import nfc
from tebiki.server.enquiries import MOST_SUGGESTIONS, Suggestions
from tebiki.tools.resources import is_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tebiki.manuals.browsing import Browser
    from tebiki.server.enquiries import Typed
    from tebiki.vault.vault import Vault

    Names = Iterable[tuple[str, bool]]


def suggest_manuals(browser: Callable[[], Browser], typed: Typed) -> Suggestions:
    """The manuals whose ids begin as typed."""
    return _beginning(typed.value, "", ((name, False) for name in browser().ids()))


def suggest_in_manual(browser: Callable[[], Browser], typed: Typed) -> Suggestions:
    """What the template of manuals has places for: an id, or a path once the id is chosen."""
    if typed.name != "path":
        return suggest_manuals(browser, typed)
    manual_id = typed.others.get("manual_id", "")
    above, start = _part(typed.value)
    try:
        found = browser().folder(manual_id, above)
    except (UsageError, RefusedError):
        return Suggestions()
    if is_hidden(found.id.split("/")):
        return Suggestions()
    return _beginning(start, above, ((item.name, item.kind == "dir") for item in found.items))


def suggest_notes(
    vault: Callable[[], Vault], typed: Typed, *, only_folders: bool = False
) -> Suggestions:
    """The notes and folders whose paths begin as typed."""
    above, start = _part(typed.value)
    try:
        found = vault().ls(above or None)
    except (UsageError, RefusedError):
        return Suggestions()
    if found.base_path and is_hidden(found.base_path.split("/")):
        return Suggestions()
    names = ((item.name, item.kind == "dir") for item in found.items)
    return _beginning(start, above, (one for one in names if one[1] or not only_folders))


def _part(value: str) -> tuple[str, str]:
    """The folder that a path is typed in, and how the name in it begins."""
    above, _, start = value.replace("\\", "/").rpartition("/")
    return above, start


def _beginning(start: str, above: str, names: Names) -> Suggestions:
    wanted = nfc(start).casefold()
    before = f"{above}/" if above else ""
    found = [
        f"{before}{name}{'/' if is_folder else ''}"
        for name, is_folder in names
        if nfc(name).casefold().startswith(wanted) and not is_hidden([name])
    ]
    return Suggestions(tuple(found[:MOST_SUGGESTIONS]), len(found))

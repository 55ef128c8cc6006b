"""The reserved areas of a vault, as a rule for its path gate, and where its own files live."""

from __future__ import annotations

import re
from datetime import date

from tebiki.errors import Forbidden
from tebiki.files.names import OWN_FOLDER, RelativePath, fold_name
from tebiki.files.paths import Purpose

SYSTEM = OWN_FOLDER
DAILY = "daily"
LOCKS = RelativePath((SYSTEM, "locks"))
JOURNAL = RelativePath((SYSTEM, "journal"))
PROGRAMS_FOLDERS = frozenset([".git", ".hg", ".obsidian", ".vscode"])
"""Where other programs keep what they run without asking: a setting there can name a command."""

DAILY_NOTE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.md")


def rule(purpose: Purpose, path: RelativePath) -> None:
    """What may be done where; everything may be read.

    Raises:
        Forbidden: the path lies in an area where this is not allowed.
    """
    if purpose is Purpose.READ:
        return
    area, *below = map(fold_name, path.parts)
    if purpose is not Purpose.UNDO:
        _refuse_programs_folders((area, *below))
    if area == SYSTEM:
        raise Forbidden(f"{SYSTEM}/ is the vault's own; write anywhere else.")
    if area == DAILY and purpose is Purpose.REPLACE:
        raise Forbidden(f"Notes in {DAILY}/ are not changed once written; create another note.")
    if area == DAILY and purpose is Purpose.CREATE and not _is_daily_note(path):
        raise Forbidden(
            f"In {DAILY}/ only {DAILY}/YYYY-MM-DD.md with a real date can be created; "
            "use that form, or another folder."
        )


def _refuse_programs_folders(names: tuple[str, ...]) -> None:
    for name in names:
        if name in PROGRAMS_FOLDERS:
            raise Forbidden(
                f"{name} belongs to a program that runs what is written there; write anywhere else."
            )


def _is_daily_note(path: RelativePath) -> bool:
    if len(path.parts) != 2 or path.parts[0] != DAILY:  # noqa: PLR2004 -- folder and name
        return False
    found = DAILY_NOTE.fullmatch(path.parts[1])
    if found is None:
        return False
    try:
        date.fromisoformat(found[1])
    except ValueError:
        return False
    return True

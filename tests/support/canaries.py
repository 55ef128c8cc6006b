"""Looking for secrets in what a program left behind: keys, and parts long enough to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LONG_ENOUGH = 8


def pieces(key: str) -> list[str]:
    """Parts of a key that are long enough to be one: a cut must not let half of it through."""
    return [key[start : start + LONG_ENOUGH] for start in range(len(key) - LONG_ENOUGH + 1)]


def files_below(folder: Path) -> dict[str, str]:
    """Every file below a folder as text, byte by byte, with its name."""
    return {
        str(path.relative_to(folder)): f"{path.name}\n" + path.read_bytes().decode("latin-1")
        for path in folder.rglob("*")
        if path.is_file()
    }

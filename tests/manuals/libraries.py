"""A library for tests: time stands still, ids are as the test says, and nothing is kept on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tebiki.manuals.find import Clocks
from tebiki.manuals.library import Library, LibrarySettings
from tests.manuals import usual

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOON = 1_770_000_000.0
USUAL = usual.LIBRARY


def still_clocks(now: float = NOON) -> Clocks:
    """Clocks that do not move."""
    return Clocks(lambda: now, lambda: now, lambda: int(now * 1e9))


def library_at(
    root: Path,
    settings: LibrarySettings = USUAL,
    *,
    new_id: Callable[[], str] = lambda: "id",
    discovered: bool = True,
    log: Callable[[str], None] = lambda _line: None,
) -> Library:
    """The library of a folder, its manuals already listed."""
    library = Library(root, settings, still_clocks(), new_id, log=log)
    if discovered:
        library.ls()
    return library

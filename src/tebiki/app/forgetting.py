"""Forgetting notes everywhere: in the journal, in indexes of manuals, and what servers remember.

Here because it takes two engines and the settings of both. Not here: what each of them forgets.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from tebiki.app.settings import library_settings, manuals_root, vault_root
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.config.layers import Settings
    from tebiki.vault.results import Forgotten
    from tebiki.vault.vault import Vault

LONGEST_WAIT_SECONDS = 60.0
"""For a server that writes an index right now."""


class ForgottenEverywhere(NamedTuple):
    """What is gone from the journal, and how many indexes are to be built anew."""

    notes: Forgotten
    indexes: int

    def as_json(self) -> dict[str, Any]:
        """Give it as a program reads it."""
        return {
            "entries": self.notes.entries,
            "indexes": self.indexes,
            "still_there": self.notes.still_there,
            "other_names": list(self.notes.other_names),
        }


def forget_everywhere(
    vault: Vault, settings: Settings, path: str | None, before: float | None
) -> ForgottenEverywhere:
    """Remove what the journal, the indexes and running servers keep of notes.

    Raises:
        TebikiError: something of it cannot be done now; doing it again does the rest.
    """
    from tebiki.manuals.client_memory import tell_servers
    from tebiki.manuals.index.dropping import drop_indexes  # only when asked for

    # The indexes first: should that fail, the journal still knows which notes were meant.
    indexes = library_settings(settings, noted=False).finder.index_root
    meant = vault.remembered(path, before)
    files = [os.path.join(vault_root(settings), *name.split("/")) for name in meant]
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    dropped: list[str] = []
    if indexes is not None and files:
        dropped = drop_indexes(
            indexes, manuals_root(settings), files, lambda: time.monotonic() >= deadline
        )
        tell_servers(indexes)
    return ForgottenEverywhere(vault.forget(path, before), len(dropped))

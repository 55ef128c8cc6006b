"""The promises of an index store, kept by the one in memory and the one in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tebiki.manuals.index.memory_store import MemoryStore
from tebiki.manuals.index.store import FolderStore, IndexOrigin
from tests.manuals.index_contract import IndexContract, begun

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.manuals.index.protocols import Store


class TestMemoryStore(IndexContract):
    """An index in memory."""

    @pytest.fixture(name="store")
    def _store(self) -> Store:
        return begun(MemoryStore())


class TestFolderStore(IndexContract):
    """An index in a folder."""

    @pytest.fixture(name="store")
    def _store(self, tmp_path: Path) -> Store:
        return begun(FolderStore(str(tmp_path / "index"), IndexOrigin("/manuals", "m")))

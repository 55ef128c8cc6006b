"""The counters of files hand over whether a call is still wanted: no reading goes on for nobody."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.errors import Conflict
from tebiki.manuals.folder_search import FolderSearch
from tebiki.server.progress import Progress
from tebiki.server.registry import Call, InThread
from tebiki.tools import manuals as manual_tools
from tebiki.tools import notes as note_tools
from tebiki.tools import vault as vault_tools
from tebiki.vault.vault import Vault
from tests.manuals.libraries import USUAL, library_at, still_clocks

if TYPE_CHECKING:
    from pathlib import Path

    from tebiki.server.registry import Tool

MEBIBYTE = 1024 * 1024
REF = {"manual_id": "m", "path": "a.md", "start_line": None}
CALLS: dict[str, dict[str, Any]] = {
    "vault_read": {"path": "a.md", "full": True},
    "vault_scan": {"path": "a.md"},
    "vault_replace": {"path": "a.md", "find": "y", "replace": "z"},
    "vault_append": {"path": "a.md", "content": "z"},
    "manual_read": {"ref": REF},
    "manual_scan": {"manual_id": "m", "path": "a.md"},
    "manual_toc": {"manual_id": "m", "path_prefix": "a.md", "depth": "deep"},
}


@pytest.fixture(name="tools")
def _tools(tmp_path: Path) -> dict[str, Tool]:
    """Every tool over one large file, which is a note and in a manual."""
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a.md").write_bytes((b"x" * 99 + b"\n") * (8 * MEBIBYTE // 100))
    library = library_at(tmp_path)
    search = FolderSearch(str(tmp_path / "m"), USUAL.finder, still_clocks(), lambda _line: None)
    every = [
        *vault_tools.tools(lambda: Vault(tmp_path / "m", lambda: 0.0), read_only=False),
        *note_tools.tools(
            lambda: Vault(tmp_path / "m", lambda: 0.0), lambda: search, read_only=False
        ),
        *manual_tools.tools(lambda: library),
    ]
    return {tool.name: tool for tool in every}


@pytest.mark.requirement("vault:read:called-off", "manuals:read:called-off")
@pytest.mark.parametrize("name", CALLS)
def test_a_reading_that_is_called_off_ends_between_blocks(
    tools: dict[str, Tool], name: str
) -> None:
    """Some blocks in, not before the first and not after the last."""
    tool, asked = tools[name], itertools.count(1)
    assert isinstance(tool.run, InThread)
    call = Call(
        tool.read_arguments(CALLS[name]), Progress(None), is_cancelled=lambda: next(asked) > 4
    )

    with pytest.raises(Conflict, match="cancelled"):
        tool.run.work(call)

    assert next(asked) == 6

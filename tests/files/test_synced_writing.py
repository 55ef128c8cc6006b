"""The order of a write, by what it asks of the system: a crash between two steps loses nothing."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tebiki.files import writing
from tebiki.files.names import parse
from tebiki.files.paths import Root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(name="steps")
def _steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of the system, in order: syncs of files and folders, and names given."""
    steps: list[str] = []

    def noted(real: Callable[..., Any], told: Callable[..., str]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            steps.append(told(*arguments))
            return real(*arguments, **more)

        return call

    def kind(descriptor: int) -> str:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        return "folder synced" if is_folder else "file synced"

    monkeypatch.setattr(os, "fsync", noted(os.fsync, kind))
    for name in ("link", "rename", "replace"):
        monkeypatch.setattr(os, name, noted(getattr(os, name), lambda *_: "named"))
    return steps


@pytest.mark.requirement("vault:writing:synced")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems are asked by other means")
def test_a_write_is_synced_before_and_after_it_takes_its_name(
    tmp_path: Path, steps: list[str]
) -> None:
    """A new file and a new version of one: the bytes first, then the name, then the folder."""
    with Root(tmp_path).place(parse("a.md")) as place:
        writing.create(place, b"one", lambda: steps.append("ready"))
        created, steps[:] = list(steps), []
        writing.replace(place, b"two", place.folder.look("a.md"), lambda: steps.append("ready"))

    expected = ["file synced", "ready", "named", "folder synced"]
    assert (created, steps) == (expected, expected)

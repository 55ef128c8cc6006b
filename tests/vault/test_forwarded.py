"""Writes that come from another server: once each, also when the owner dies on the way."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tebiki.errors import Conflict
from tebiki.vault.forwarded import ForwardedWrites
from tebiki.vault.vault import Vault

ROOT = Path(__file__).parents[2]
CALL = {"tool": "vault_append", "arguments": {"content": "x"}, "client": "a"}
STRIDE = 13
"""Lines from one kill to the next; 1 tries them all, which takes minutes."""


@pytest.fixture(name="writes")
def _writes(tmp_path: Path) -> ForwardedWrites:
    vault = Vault(tmp_path / "vault", lambda: 1.0)
    return ForwardedWrites(str(tmp_path / "record"), lambda: vault, lambda: 1.0)


def test_a_request_that_comes_again_is_not_done_again(writes: ForwardedWrites) -> None:
    """It gets the first result, a failure too; another request is another write."""
    done: list[int] = []

    def work() -> dict[str, Any]:
        done.append(1)
        return {"result": {"number": len(done)}}

    results = [writes.once(request, CALL, work) for request in ("a", "a", "b", "a")]

    assert [one["result"]["number"] for one in results] == [1, 1, 2, 1]
    with pytest.raises(Conflict, match="another call's"):
        writes.once("a", {**CALL, "client": "b"}, work)


def test_a_request_that_comes_again_meanwhile_waits_for_the_first(
    writes: ForwardedWrites,
) -> None:
    """Many at once, and one does it."""
    done: list[int] = []
    begun = threading.Barrier(8)
    results: list[Any] = []

    def work() -> dict[str, Any]:
        done.append(1)
        return {"result": len(done)}

    def send() -> None:
        begun.wait()
        results.append(writes.once("a", CALL, work))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [{"result": 1}] * 8


def test_a_record_that_cannot_be_written_stops_the_write(tmp_path: Path) -> None:
    """Before anything is done: a write that could not be told from its repetition is none."""
    (tmp_path / "record").write_text("no folder")
    vault = Vault(tmp_path / "vault", lambda: 1.0)
    writes = ForwardedWrites(str(tmp_path / "record"), lambda: vault, lambda: 1.0)
    done: list[int] = []

    def work() -> dict[str, Any]:
        done.append(1)
        return {}

    with pytest.raises(Conflict, match="cannot be written"):
        writes.once("a", CALL, work)

    assert done == []


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
@pytest.mark.parametrize("kind", ["create", "append", "replace"])
def test_an_owner_killed_on_the_way_loses_nothing_and_doubles_nothing(
    tmp_path: Path, kind: str
) -> None:
    """Killed at one line after another; the same request then gives one write and one result."""
    command = [sys.executable, "-m", "tests.vault.killed_owner", str(tmp_path), kind, str(STRIDE)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    outcome = json.loads(ended.stdout)
    assert outcome["wrong"] == []
    assert outcome["points"] > 15

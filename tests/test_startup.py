"""Start-up is a feature: what is imported before the first answer, and what is not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.launching import clean_environment
from tests.overheard import PATIENCE_SECONDS
from tests.server_process import CANARY

if TYPE_CHECKING:
    from pathlib import Path

HANDSHAKES = {
    "initialize": b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n',
    "discover": b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n',
    "tools/list": b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
    "ping": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    "bad arguments": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answer"}}\n'
    ),
}


def imported_by(home: Path, face: str, message: bytes) -> set[str]:
    """Top-level names of every module imported until a message was answered and the input ended."""
    launch = f"from tebiki.__main__ import {face}; {face}()"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", launch, "--stdio"],
        input=message,
        capture_output=True,
        check=True,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(home) | {"OPENAI_API_KEY": CANARY},
    )
    assert b'"id":1' in done.stdout
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.mark.requirement("wire:start:standard-library-only")
@pytest.mark.parametrize("face", ["openai_responses_mcp", "tebiki"])
@pytest.mark.parametrize("case", HANDSHAKES)
def test_only_the_standard_library_before_the_first_answer(
    tmp_path: Path, face: str, case: str
) -> None:
    """And of that, nothing that is slow to load."""
    modules = imported_by(tmp_path, face, HANDSHAKES[case])

    at_start = imported_at_start()
    foreign = {
        name
        for name in modules - at_start
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "tebiki"}
    }
    slow = {"asyncio", "dataclasses", "logging", "inspect", "argparse", "ssl", "socket", "pathlib"}
    assert foreign == set()
    assert (modules - at_start) & slow == set()


def imported_at_start() -> set[str]:
    """What a bare interpreter of this environment imports by itself."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}

"""Start-up is a feature: what is imported before the first answer, and what is not."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.support.launching import clean_environment
from tests.support.overheard import PATIENCE_SECONDS
from tests.support.server_process import CANARY

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

SLOW = {"asyncio", "dataclasses", "logging", "inspect", "argparse", "ssl", "socket", "pathlib"}

NETWORKING = {"asyncio", "ssl", "socket", "concurrent.futures", "logging", "random", "subprocess"}
NOT_NEEDED = {
    "vault_ls": {"tantivy", "queue"},
    "manual_find": {"dataclasses", "inspect", "markdown_it", "queue"},
}


def _call(name: str, arguments: str = "{}") -> bytes:
    params = f'{{"name":"{name}","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}\n'.encode()


FIND = '{"query":"alpha","manual_id":"m","required_terms":["alpha"]}'
FIRST_CALLS = {
    "vault_ls": (_call("vault_ls"),),
    "manual_find": (_call("manual_ls"), _call("manual_find", FIND)),
}


def imported_by(home: Path, face: str, messages: tuple[bytes, ...], *flags: str) -> set[str]:
    """Names of every module imported until each message was answered and the input ended."""
    launch = f"from tebiki.__main__ import {face}; {face}()"
    told = home / "imports.txt"
    with told.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", "-c", launch, "--stdio", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=clean_environment(home)
            | {
                "OPENAI_API_KEY": CANARY,
                "MANUALS_ROOT": str(home / "manuals"),
                "VAULT_ROOT": str(home / "vault"),
            },
        )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            process.stdin.write(message)
            process.stdin.flush()
            answer = process.stdout.readline()
            assert b'"id":1' in answer
            assert b'"isError":true' not in answer
        process.stdin.close()
        assert process.wait(PATIENCE_SECONDS) == 0
    lines = [line for line in told.read_text().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.mark.requirement("wire:start:standard-library-only")
@pytest.mark.parametrize("face", ["openai_responses_mcp", "tebiki"])
@pytest.mark.parametrize("case", HANDSHAKES)
def test_only_the_standard_library_before_the_first_answer(
    tmp_path: Path, face: str, case: str
) -> None:
    """And of that, nothing that is slow to load."""
    modules = imported_by(tmp_path, face, (HANDSHAKES[case],))

    at_start = imported_at_start()
    foreign = {
        name
        for name in modules - at_start
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "tebiki"}
    }
    assert foreign == set()
    assert (modules - at_start) & SLOW == set()


@pytest.mark.parametrize("case", FIRST_CALLS)
def test_calls_that_need_no_network_import_nothing_of_it(tmp_path: Path, case: str) -> None:
    """Neither an event loop nor what makes one slow to load: a first find has 150 ms in all."""
    (tmp_path / "manuals" / "m").mkdir(parents=True)
    (tmp_path / "manuals" / "m" / "a.md").write_text("# Alpha\n\nalpha\n")
    (tmp_path / "vault").mkdir()

    # One toolset: nothing is warmed up beside it on a machine that is slow to end the input.
    only = ("--toolsets", "vault" if case == "vault_ls" else "manuals")
    imported_by(tmp_path, "tebiki", FIRST_CALLS[case], *only)  # builds the index
    modules = imported_by(tmp_path, "tebiki", FIRST_CALLS[case], *only)

    assert (modules - imported_at_start()) & (NETWORKING | NOT_NEEDED[case]) == set()


@cache
def imported_at_start() -> set[str]:
    """What a bare interpreter of this environment imports by itself."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}

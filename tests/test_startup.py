"""Start-up is a feature: what is imported before the first answer, and what is not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.support.http_process import HttpProcess
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
OF_SEVERAL_MACHINES = re.compile(
    r"(redis|opensearchpy|tebiki\.manuals\.index\.opensearch|tebiki\.state\.(redis_\w+|degrading)"
    r"|tebiki\.(app|tools)\.forwarding|tebiki\.vault\.(forward\w+|sealing)|tebiki\.app\.(vault_owner|shared_\w+)"
    r")(\.|$)"
)


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
    return modules_in(told.read_text())


def modules_in(told: str) -> set[str]:
    """Names of the modules that an interpreter tells of."""
    lines = [line for line in told.splitlines() if line.startswith("import time:")]
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


@pytest.mark.requirement("page:stdio:none")
def test_a_stdio_server_imports_nothing_of_the_page(tmp_path: Path) -> None:
    """Neither its HTTP side nor its screens, whatever is called; also not for its MCP App."""
    (tmp_path / "manuals" / "m").mkdir(parents=True)
    (tmp_path / "manuals" / "m" / "a.md").write_text("# A\n\nalpha\n")
    app = b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://tebiki/find.html"}}\n'

    found = imported_by(tmp_path, "tebiki", (*FIRST_CALLS["manual_find"], app))

    assert "tebiki.manuals.find" in found
    assert not [name for name in found if name.startswith(("tebiki.web", "tebiki.screens"))]


@pytest.fixture(name="home")
def _home(tmp_path: Path) -> Path:
    """A workspace with a manual and a folder for notes."""
    (tmp_path / "manuals" / "m").mkdir(parents=True)
    (tmp_path / "manuals" / "m" / "a.md").write_text("# Alpha\n\nalpha\n")
    (tmp_path / "vault").mkdir()
    return tmp_path


USED = (*FIRST_CALLS["manual_find"], *FIRST_CALLS["vault_ls"])


def test_one_machine_imports_nothing_of_several_over_stdio(home: Path) -> None:
    """Whatever is called: what a team's servers share costs nobody else a module."""
    found = imported_by(home, "tebiki", (HANDSHAKES["tools/list"], *USED))

    assert {"tebiki.manuals.find", "tebiki.vault.vault"} <= found
    assert [name for name in found if OF_SEVERAL_MACHINES.match(name)] == []


def test_one_machine_imports_nothing_of_several_over_http(home: Path) -> None:
    """Nor does a server that several people use."""
    roots = {"MANUALS_ROOT": str(home / "manuals"), "VAULT_ROOT": str(home / "vault")}
    with HttpProcess(home, env=roots | {"PYTHONPROFILEIMPORTTIME": "1"}) as server:
        talk = server.talk()
        for number, message in enumerate(USED, start=10):
            asked = json.loads(message)["params"]
            told = talk.call(number, asked["name"], asked["arguments"])
            assert not told["result"].get("isError"), told
        assert server.stop() == 0
        found = modules_in(server.stderr)

    assert {"tebiki.manuals.find", "tebiki.vault.vault", "tebiki.app.http"} <= found
    assert [name for name in found if OF_SEVERAL_MACHINES.match(name)] == []
